"""HLSL07xx: messages about target environments, SPIR-V modules and the external tools that work on them.

HLSL19xx: faults that `hlsl_tool run --check` finds while a shader runs; the name is the kind that `--check` takes.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code

# ------------------------------------------------------------------------------------- environments and extensions
UNKNOWN_TARGET_ENV = Code("HLSL0701", "unknown-target-env", "error", "unknown SPIR-V target environment '{name}'", doc="Use one of the environments in the note.")
ALLOWED_TARGET_ENVS = Code("HLSL0702", "allowed-target-envs", "note", "allowed options are:\n{names}", doc="Give one of the environments in `-fspv-target-env=` or `target_env`.")
UNKNOWN_EXTENSION = Code("HLSL0703", "unknown-spirv-extension", "error", "unknown SPIR-V extension '{name}'", doc="Use one of the extensions in the note.")
KNOWN_EXTENSIONS = Code("HLSL0704", "known-spirv-extensions", "note", "known extensions are\n{names}", doc="Give one of the listed names.")
EXTENSION_NOT_PERMITTED = Code(
    "HLSL0705",
    "spirv-extension-required",
    "error",
    "SPIR-V extension '{name}' required for {what} but not permitted to use",
    doc="The list of -fspv-extension= lacks the extension.  Add it, or leave the option out: then all extensions that are on by default are allowed.",
)
TARGET_ENV_REQUIRED = Code(
    "HLSL0706",
    "target-env-required",
    "error",
    "{env} is required for {what} but not permitted to use",
    doc="Raise `-fspv-target-env` or `target_env` to the version in the message.",
)
TARGET_ENV_HINT = Code(
    "HLSL0707",
    "target-env-hint",
    "note",
    "please specify your target environment via command line option -fspv-target-env=",
    doc="Give one of the environments in `-fspv-target-env=` or `target_env`.",
)

# ----------------------------------------------------------------------------------------------------- .spv files
MODULE_TOO_LARGE = Code("HLSL0721", "spirv-encode", "error", "the shader cannot be written as SPIR-V: {reason}", doc="Shorten or split what the message names: SPIR-V counts in 16 bits.")

# -------------------------------------------------------------------------------------------------- external tools
TOOL_MISSING = Code(
    "HLSL0730",
    "tool-missing",
    "error",
    "`{tool}` was not found; {install}",
    doc="spirv-opt and spirv-val are part of SPIRV-Tools (Debian and Ubuntu: spirv-tools; Homebrew: spirv-tools; also in the Vulkan SDK).  The compiler searches the option, then SPIRV_OPT or SPIRV_VAL, then PATH.",
)
CROSS_MISSING = Code(
    "HLSL1970", "cross-missing", "error", "`{kind}` cannot be written for `{name}`: SPIRV-Cross was not found; {install}", group="build",
    doc="The outputs msl, glsl, essl and hlsl are made by the C library of SPIRV-Cross. hlsl_tool looks for it in `SPIRV_CROSS`, the Vulkan SDK, the search path of libraries and the folders of the system.",
)
TOOL_TIMEOUT = Code("HLSL0731", "tool-timeout", "error", "`{tool}` did not finish in {seconds} seconds", doc="Raise `tool_timeout`, or simplify the shader: unrolled loops are the usual cause.")
TOOL_MEMORY = Code(
    "HLSL1310", "tool-memory", "error", "`{tool}` needs more than {megabytes} MB of memory",
    doc="A shader of ordinary size needs a tenth of that.  The limit keeps the other jobs of a build alive; it is set"
    " where the system can limit the memory of a process (Linux).",
)
TOOL_CRASH = Code("HLSL0732", "tool-crash", "error", "`{tool}` ended with status {status}: {message}", doc="Try another version of SPIRV-Tools, and report the shader if it stays.")
LEGALIZATION_FAILED = Code("HLSL0733", "legalization-failed", "error", "failed to legalize SPIR-V: {message}", doc="Try another version of SPIRV-Tools, and report the shader if it stays.")
OPTIMIZATION_FAILED = Code("HLSL0734", "optimization-failed", "error", "failed to optimize SPIR-V: {message}", doc="Try another version of SPIRV-Tools, and report the shader if it stays.")
MEMORY_MODEL_FAILED = Code(
    "HLSL0740", "memory-model-failed", "error", "failed to use the vulkan memory model: {message}",
    doc="Try another version of SPIRV-Tools, and report the shader if it stays.",
)
VALIDATION_FAILED = Code(
    "HLSL0735", "validation-failed", "error", "generated SPIR-V is invalid: {message}",
    doc="The finished module breaks a rule of SPIR-V or Vulkan.  If the shader does not, the compiler is at fault; -Vd switches validation off.",
)
VALIDATION_NOTE = Code("HLSL0736", "validation-note", "note", "please report the shader that leads to this", doc="The compiler is at fault, not your shader. Report the shader and the whole message.")
NOT_VALIDATED = Code(
    "HLSL0737", "not-validated", "warning", "the module was not validated: {tool} {version} does not know {what}",
    of_environment=True,
    doc="The module uses an instruction, capability or extension that is newer than the installed spirv-val.",
)
NOT_OPTIMIZED = Code(
    "HLSL0741", "not-optimized", "warning", "the module was not optimized: {tool} {version} does not know {what}",
    of_environment=True,
    doc="The module uses an instruction, capability or extension that is newer than the installed spirv-opt; it is written without optimisation.",
)
_NOT_LEGAL = (
    "HLSL lets resources be assigned, passed and returned like values; Vulkan does not.  Legalisation follows each use"
    " back to one resource, or to elements of one array, of which the index may be computed at run time."
)
RESOURCE_CHOSEN = Code(
    "HLSL0742", "resource-chosen", "error",
    "the resource that is used here is chosen at run time{between}, which Vulkan does not allow", doc=_NOT_LEGAL,
)
RESOURCE_LOCAL = Code(
    "HLSL0743", "resource-local", "error",
    "the resource in {where} cannot be followed to a global one", doc=_NOT_LEGAL,
)
OFFSET_VARIABLE = Code(
    "HLSL0744", "offset-variable", "error", "the offset must be a constant, and is not after optimization",
    doc="Gather takes an offset that is known at run time; the others do with `-fvk-variable-offsets`, on devices with"
    " VK_KHR_maintenance8.",
)
RESOURCE_NESTED = Code(
    "HLSL0745", "resource-array-nested", "error", "'{name}' is an array of arrays of resources, which Vulkan lacks",
    doc="`flatten_arrays: true` under `bindings` (-fspv-flatten-resource-arrays) gives every element a binding of its"
    " own.",
)
RESOURCE_MEMBER = Code(
    "HLSL0748", "resource-in-block", "error", "'{name}' is a resource in a structure in a block, which Vulkan lacks",
    doc="Resources that a `cbuffer` declares itself become variables of their own; resources inside a struct in a `cbuffer` do not.",
)
HIT_OBJECT_COPIED = Code(
    "HLSL1182", "hit-object-copied", "error", "a hit object is copied, and then one of the two changes while the other is in use; SPIR-V cannot copy hit objects",
    doc="HLSL's hit objects are values, SPIR-V's are places. Assignments, arguments and results are no copies where one place can serve both names; two hit objects with a common past need two places. Trace the second one, too, or store its distance or its instance in place of the hit object.",
)
HIT_OBJECT_HELD = Code(
    "HLSL1831", "hit-object-held", "error", "a hit object is a member of a struct or an element of an array, from which SPIR-V cannot copy it",
    doc="HLSL's hit objects are values, SPIR-V's are places that cannot be copied. Give each hit object a variable of its own: then assignments, arguments and results of functions are no copies where one place can serve both names.",
)
LAYOUT_VARIABLE = Code(
    "HLSL0749", "matrix-layout-variable", "error", "the layout of the matrix must be a constant, and is not after optimization",
    doc="The instructions of SPV_NV_cooperative_vector name the layout of a matrix, and whether it is transposed. Of two matrices with different layouts, multiply by each in a branch of its own.",
)
VALIDATOR_SAYS = Code("HLSL0747", "validator-says", "note", "spirv-val says: {message}", doc="The message above states the fault; this line shows how the validator puts it.")
NOT_FLATTENED = Code(
    "HLSL0746", "resource-not-flattened", "error", "'{name}' cannot be taken apart into single resources: {why}",
    doc="Index the resources with a constant, or take them out of the struct.",
)


# ---- the language server

NO_CLANG_FORMAT = Code(
    "HLSL1760", "no-clang-format", "error", "formatting needs the program clang-format, which is not installed",
    group="editor",
    doc="Install it: Debian and Ubuntu have the package `clang-format`, and `pip install clang-format` works everywhere. The program has to be on the path of the language server.",
)
CLANG_FORMAT_FAILED = Code(
    "HLSL1761", "clang-format-failed", "error", "clang-format failed: {reason}", group="editor",
    doc="The reason is that of the program; the usual cause is a mistake in `.clang-format`.",
)


# ---- hlsl_tool.gpu: kernels called on numpy arrays


def _gpu_error(number: int, name: str, template: str, doc: str) -> Code:
    return Code(f"HLSL{number}", name, "error", template, group="gpu", doc=doc)


NO_FILE = _gpu_error(1789, "gpu-file", "cannot read `{name}`: {reason}", "Check the path of the shader; it is relative to the working folder.")
NO_DEVICE = _gpu_error(
    1790, "gpu-no-device", "no device for kernels: {reason}",
    "Install `hlsl_tool[gpu]` and a Vulkan driver; Debian's `mesa-vulkan-drivers` has one that runs on the CPU. `HLSL_TOOL_GPU` and `device=` choose the library (`vulkan`, `wgpu`) and, behind a colon, a part of the device's name.",
)
MISSING = _gpu_error(1791, "gpu-argument-missing", "`{name}` is missing: {what}", "Give an argument for every resource and constant that the kernel uses, by position or by its name in HLSL.")
UNKNOWN = _gpu_error(1792, "gpu-argument-unknown", "the kernel has no parameter `{name}`", "Parameters have the names of the HLSL. `kernel.parameters` lists them in order.")
ARGUMENT = _gpu_error(1793, "gpu-argument", "`{name}` {problem}", "Pass an array of the type and shape that the message names. Nothing is converted, so that results can be written back.")
NOT_COMPILED = _gpu_error(1794, "gpu-not-compiled", "`{name}` does not compile:\n{text}", "Correct the errors in the shader; each has a code of its own.")
UNSUPPORTED = _gpu_error(1795, "gpu-unsupported", "`{name}` cannot run here: {reason}", "The device, or WGSL, lacks something that the kernel needs. Try the other library: `device=\"vulkan\"` takes more than `device=\"wgpu\"`.")
DRIVER = _gpu_error(1796, "gpu-driver", "the driver failed: {reason}", "The driver refused the kernel, ran out of memory, or lost the device. Update it, or choose another device by `HLSL_TOOL_GPU`.")
GROUPS = _gpu_error(1797, "gpu-groups", "`{name}` {problem}", "Give the number of thread groups by `groups=(x, y, z)`, or the number of threads by `threads=(x, y, z)`; missing numbers are 1.")
EXPECTATION_SYNTAX = _gpu_error(1798, "gpu-test-syntax", "{problem}", "A comment `// gpu test: NAME` begins a test; docs/how-to/gpu.md describes its lines.")
EXPECTATION_FAILED = _gpu_error(1799, "gpu-test-failed", "{problem}", "The kernel gave other values than the comment expects. `within` sets the tolerance.")


# ---- hlsl_tool.interpreter: shaders run without a GPU

NOT_INTERPRETED = _gpu_error(1890, "not-interpreted", "not interpreted: {what}", "The interpreter of SPIR-V lacks this instruction, type or stage. Run the shader on a Vulkan device.")
EXECUTION = _gpu_error(1891, "interpreter-fault", "the shader cannot be run: {problem}", "The interpreter stopped: the entry point or a resource is missing, or a loop exceeds the limit of steps.")


def _fault(number: int, name: str, template: str, doc: str) -> Code:
    return Code(f"HLSL{number}", name, "error", template, group="run", doc=doc)


# ---- hlsl_tool.interpreter: faults of accesses
READ_OUTSIDE = _fault(1900, "read-outside", "reads byte {offset} of {what}, which has {size} bytes", "The index or address is outside of the buffer. Direct3D returns 0, as Vulkan does with robust access; Vulkan without it may return anything. Compare the index with the length first.")
WRITE_OUTSIDE = _fault(1901, "write-outside", "{verb} byte {offset} of {what}, which has {size} bytes", "The index or address is outside of the buffer. Direct3D drops the write, as Vulkan does with robust access; Vulkan without it may overwrite other memory. Threads of the last group often are the cause: return from those beyond the length.")
TEXEL_OUTSIDE = _fault(1902, "texel-outside", "{verb} texel ({texel}) of {what}, which has {size} texels", "The coordinates, the layer or the mip level is outside of the texture. Direct3D returns 0 for reads and drops writes; Vulkan does so with robust access only.")
INDEX_OUTSIDE = _fault(1903, "index-outside", "the index {index} is outside of {what}, which has {length} elements", "The index of an array, vector or matrix whose length is known, in a local variable, in `groupshared` memory or in a buffer, is outside of it. The access leads to another variable or member, or to nothing.")
RESOURCE_OUTSIDE = _fault(1904, "resource-outside", "the index {index} is outside of {what}, which has {length} resources", "There is no resource with this number in the array of resources. What a GPU does is undefined; the device may be lost.")
WILD_POINTER = _fault(1905, "wild-pointer", "{verb} the address {address}, where there is no buffer", "A pointer, as for `vk::RawBufferLoad`, leads to no buffer, or behind the end of one. What a GPU does is undefined; the device may be lost.")
READ_ONLY = _fault(1906, "read-only", "{verb} {what}, which is read-only", "The buffer is bound to variables that shaders may only read, and the write reaches it by a pointer.")
MISALIGNED = _fault(1907, "misaligned", "the address {offset} of {what} is no multiple of {size}", "Addresses of `ByteAddressBuffer` and of atomics have to be multiples of 4, those of larger numbers behind a pointer multiples of their size. Hardware ignores the low bits, or does something else.")
ATOMIC_FORMAT = _fault(1908, "atomic-format", "an atomic of {bits} bits needs texels of one number with as many bits; those of {what} are {format}", "Atomics work on textures and typed buffers of the formats R32_UINT and R32_SINT (64 bits: R64) only. Create the texture with such a format.")

# ---- faults of values that were never written
UNINITIALIZED = _fault(1909, "uninitialized", "{what} is read before it is written", "No assignment reached this read of a local variable or of `groupshared` memory, and the result of the shader depends on it. Initialise the variable, or write the memory in all threads that need it. Copies of what was never written are no fault.")
OUTPUT_UNWRITTEN = _fault(1910, "output-unwritten", "the output {what} is not written, or not completely", "The shader ends without an assignment to an output, or to some of its components. The next stage or the target gets an undefined value.")

# ---- faults of threads together
RACE = _fault(1911, "race", "{verb} {what} without synchronisation: {other} {other_verb} it, too", "Two threads access the same bytes, one of them writes, and neither a barrier is between nor are both atomics. Which access is first differs from run to run. In a group, use `GroupMemoryBarrierWithGroupSync` (`DeviceMemoryBarrierWithGroupSync` for buffers and textures); between groups there is no barrier: use atomics, or two dispatches. Threads that write the same value are no fault.")
BARRIER_DIVERGENT = _fault(1912, "barrier-divergent", "{count} of the {total} threads of the group reach this barrier", "All threads of a group have to execute a barrier together. Move it out of the branch or loop; threads that have nothing to do must not return before it.")
DERIVATIVE_DIVERGENT = _fault(1913, "derivative-divergent", "{name} needs the four threads of a quad, and {count} execute it", "Derivatives, and `Sample` with its implicit derivatives, compare neighbouring pixels. Where some of them took another way, the result is undefined. Compute the derivative or the sample before the branch, or use `SampleLevel` or `SampleGrad`.")
NOT_UNIFORM = _fault(1914, "index-not-uniform", "the index of {what} differs between threads of a wave ({first} and {second}), and is not marked", "Without `NonUniformResourceIndex(…)` around the index the compiler may assume that all threads of a wave use the same resource; some GPUs then take that of one thread for all.")

# ---- faults of arithmetic
DIVISION_BY_ZERO = _fault(1915, "division-by-zero", "divides {value} by zero", "A division or remainder of signed integers by zero is undefined.")
UNSIGNED_DIVISION = _fault(1916, "unsigned-division-by-zero", "divides {value} by zero", "Direct3D gives all ones for a division or remainder of unsigned integers by zero; Vulkan leaves it undefined.")
DIVISION_OVERFLOW = _fault(1917, "division-overflow", "divides {value} by -1, which has no result", "The quotient of the smallest signed integer and -1 is larger than the type can hold.")
SHIFT_TOO_FAR = _fault(1918, "shift-too-far", "shifts a number of {bits} bits by {value}", "Direct3D uses the low bits of the distance alone; Vulkan leaves a shift by the number of bits or more undefined.")
CONVERSION = _fault(1919, "conversion-out-of-range", "converts {value} to an integer from {least} to {most}", "The integer cannot hold the float. Direct3D gives the nearest integer that it can, and 0 for NaN; Vulkan leaves it undefined.")
NAN = _fault(1920, "nan", "{name} of {given} is NaN", "An instruction makes NaN of numbers that are none, such as a square root of a negative number, 0/0 or the normalisation of a zero vector. NaN spreads to all that is computed from it.")
INFINITY = _fault(1921, "infinity", "{name} of {given} is infinite", "An instruction makes an infinity of finite numbers, mostly a division by zero or an overflow. It often becomes NaN later.")
NAN_CLAMPED = _fault(1922, "nan-clamped", "{name} of {given}, where NaN is lost", "`saturate`, `clamp`, `min` or `max` of NaN: Direct3D gives the other number (`saturate`: 0), Vulkan either. NaN had a cause before, which is hidden here.")
