"""The effect of each option, as data: a shader, and text that its output has only with the option.

The keys are the flags of the option table, every spelling.  A flag that is not here fails `test_every_option.py`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Does:
    """The output matches ``shows`` only with the flag, and ``hides`` only without it."""

    shader: str
    value: str = ""
    """The value of the flag; with a leading space it is passed as separate arguments."""
    shows: str = ""
    hides: str = ""
    also: str = ""
    """Arguments of both runs."""
    where: str = "out"
    """`out` (the listing), `err` (messages), or a file; `as without` where it asks for what holds anyway, and has an
    opposite that is tested."""


BEHAVIOURS: dict[str, Does] = {
    # ---- what is compiled
    "-T": Does("plain", " cs_6_0", r"numthreads", where="err", also="-E main"),
    "-E": Does("two", " other", r"OpEntryPoint Fragment %other"),
    # ---- language
    "-HV": Does("short-circuit", " 2018", "OpLogicalAnd", "OpSelectionMerge", "-fcgl"),
    "-enable-16bit-types": Does("half", "", "OpTypeFloat 16"),
    "-enable-8bit-types": Does("byte", "", "OpTypeInt 8 0", where="out"),
    "-fvk-variable-offsets": Does("offset", "", "Lod.Offset", also="-Vd", where="out"),
    "-Zpc": Does("layout", where="as without"),
    "-Zpr": Does("layout", "", "ColMajor", "RowMajor"),
    "-matrix-layout-column-major": Does("layout", where="as without"),
    "-matrix-layout-row-major": Does("layout", "", "ColMajor", "RowMajor"),
    "-Gis": Does("floats", "", "NoContraction"),
    "-fexact-remainder": Does("remainder", "", "OpSDiv", "OpSRem"),
    "-enable-payload-qualifiers": Does("payload", "", "Only lib_6_6 and beyond", also="-T lib_6_3", where="err"),
    "-disable-payload-qualifiers": Does("payload", where="as without", also="-fspv-target-env=vulkan1.2"),
    "-flegacy-macro-expansion": Does("paste", "", "float_2", "float_5"),
    # ---- preprocessor
    "-I": Does("include", " folder", "float_7"),
    "-D": Does("macro", " VALUE=8", "float_8"),
    "-U": Does("macro", " VALUE", "float_3", "float_8", "-DVALUE=8"),
    "-ignore-line-directives": Does("line", "", r"x\.hlsl:\d+", r"elsewhere\.hlsl:77", where="err"),
    "-case-insensitive-includes": Does("Include", "", "float_7"),
    # ---- diagnostics
    "-W": Does("warned", "error=conversion", "error: ", where="err"),
    "--all-warnings": Does("warned", where="as without"),
    "-no-warnings": Does("warned", "", hides="warning: ", where="err"),
    "-w": Does("warned", "", hides="warning: ", where="err"),
    "-WX": Does("warned", "", "error: ", where="err"),
    "-Wno-vk-ignored-features": Does("ignored", "", hides="ignored", where="err"),
    "-Wno-vk-emulated-features": Does("emulated", "", hides="emulated", where="err"),
    "-ferror-limit=": Does("errors", "2", "too many errors", where="err"),
    # ---- libraries
    "-exports": Does("library", " two", hides="OpEntryPoint", also="-fspv-target-env=vulkan1.2"),
    "--library=": Does("imports", "folder/seven.hlsl", "float_7"),
    # ---- target
    "-fspv-target-env=": Does("plain", "vulkan1.1", "Version: 1.3"),
    "-fspv-extension=": Does("extension", "SPV_KHR_16bit_storage", "SPV_KHR_multiview", where="err"),
    "-fspv-entrypoint-name=": Does("plain", "start", 'OpEntryPoint Fragment %main "start"'),
    "-fspv-max-id": Does("loop", " 10", "more than -fspv-max-id allows", where="err"),
    "-fspv-use-vulkan-memory-model": Does(
        "compute", "", "OpMemoryModel Logical Vulkan", "GLSL450", also="-fspv-target-env=vulkan1.1"
    ),
    "-fspv-enable-maximal-reconvergence": Does("compute", "", "MaximallyReconvergesKHR"),
    "-fspv-use-descriptor-heap": Does("heaps", "", "BuiltIn ResourceHeapEXT", also="-fspv-target-env=vulkan1.3"),
    "-fspv-use-emulated-heap": Does(
        "heaps", "", hides="ResourceHeapEXT", also="-fspv-use-descriptor-heap -fspv-target-env=vulkan1.3"
    ),
    "-fvk-resource-heap-stride": Does(
        "heaps", " 80", "ArrayStride 80", also="-fspv-use-descriptor-heap -fspv-target-env=vulkan1.3"
    ),
    "-fvk-sampler-heap-stride": Does(
        "heaps", " 48", "ArrayStride 48", also="-fspv-use-descriptor-heap -fspv-target-env=vulkan1.3"
    ),
    "-fspv-use-unknown-image-format": Does("image", "", "2D 2 0 0 2 Unknown", "2D 2 0 0 2 Rgba32f"),
    "-denorm": Does("floats", " ftz", "DenormFlushToZero"),
    "-ffinite-math-only": Does("floats", "", "FMax", "NMax"),
    "-fno-finite-math-only": Does("floats", "", "NMax", "FMax", "-ffinite-math-only"),
    "-pack-prefix-stable": Does("vertex", where="as without"),
    "-pack_prefix_stable": Does("vertex", where="as without"),
    "-pack-optimized": Does("vertex", "", r"out_var_A Component 2"),
    "-pack_optimized": Does("vertex", "", r"out_var_A Component 2"),
    # ---- layout and stage interface
    "-fvk-use-dx-layout": Does("layout", "", "%type_C 5 Offset 52", "%type_C 5 Offset 64"),
    "-fvk-use-gl-layout": Does("layout", "", "%type_C 1 Offset 16", "%type_C 1 Offset 4"),
    "-fvk-use-scalar-layout": Does("layout", "", "ArrayStride 4", "ArrayStride 16"),
    "-fspv-use-legacy-buffer-matrix-order": Does("bytes", "", "%v3float %30 %35 %40", "%v3float %30 %40 %50", "-fcgl"),
    "-fvk-stage-io-order=": Does("vertex", "alpha", "out_var_A Location 0", "out_var_A Location 1"),
    "-fvk-invert-y": Does("vertex", "", "OpFNegate"),
    "-fvk-use-dx-position-w": Does("position", "", "OpFDiv"),
    "-fvk-support-nonzero-base-instance": Does("vertex", "", "BuiltIn BaseInstance"),
    "-fvk-support-nonzero-base-vertex": Does("vertex", "", "BuiltIn BaseVertex"),
    # ---- bindings
    "-fvk-b-shift": Does("bound", " 100 0", "%b Binding 101", "%b Binding 1\n"),
    "-fvk-t-shift": Does("bound", " 100 all", "%t Binding 102", "%t Binding 2\n"),
    "-fvk-s-shift": Does("bound", " 100 0", "%s Binding 103", "%s Binding 3\n"),
    "-fvk-u-shift": Does("bound", " 100 0", "%u Binding 104", "%u Binding 4\n"),
    "-fvk-buffer-shift": Does("buffer", " 100 all", "%r Binding 105", "%r Binding 5", "-fvk-binding-scheme=glslang"),
    "-fvk-binding-scheme=": Does("bound", "glslang", "%free Binding 0", "%free Binding [1-9]"),
    "-fvk-auto-bindings": Does("bound", "", "%free Binding [1-9]", "%free Binding 0", "-fvk-binding-scheme=glslang"),
    "-fvk-auto-shift-bindings": Does("bound", "", "%free Binding 100", "%free Binding [0-9]\\n", "-fvk-t-shift 100 0"),
    "-auto-binding-space": Does("bound", " 7", "%free DescriptorSet 7"),
    "-fvk-bind-register": Does("registers", " t2 1 8 3", r"%t DescriptorSet 3\n\s*OpDecorate %t Binding 8"),
    "-vkbr": Does("registers", " t2 1 8 3", r"%t DescriptorSet 3\n\s*OpDecorate %t Binding 8"),
    "-fvk-bind-globals": Does("bound", " 12 4", r"%_Globals DescriptorSet 4\n\s*OpDecorate %_Globals Binding 12"),
    "-fvk-bind-resource-heap": Does("heaps", " 5 2", r"%ResourceDescriptorHeap DescriptorSet 2"),
    "-fvk-bind-sampler-heap": Does("heaps", " 6 3", r"%SamplerDescriptorHeap DescriptorSet 3"),
    "-fvk-bind-counter-heap": Does("heaps", " 7 4", r"%counter_var_ResourceDescriptorHeap DescriptorSet 4"),
    "-fspv-flatten-resource-arrays": Does("array", "", "%t_2_ Binding 6", "%t Binding 4"),
    # ---- besides code
    "-Zi": Does("plain", "", "OpLine"),
    "-fspv-debug=": Does("plain", "line", "OpLine"),
    "-fspv-reflect": Does("user types", "", 'UserTypeGOOGLE "texture2d:<float4>"'),
    "-fspv-preserve-bindings": Does("bound", "", "%unused Binding 9"),
    "-fspv-preserve-interface": Does("interface", "", "%in_var_B Location 1"),
    # ---- after code generation
    "-fcgl": Does("interface", "", "OpFunctionCall"),
    "-O0": Does("loop", "", r"OpVariable %_ptr_Function"),
    "-Od": Does("loop", "", r"OpVariable %_ptr_Function"),
    "-O1": Does("loop", "", hides=r"OpVariable %_ptr_Function", also="-O0"),
    "-O2": Does("loop", "", hides=r"OpVariable %_ptr_Function", also="-O0"),
    "-O3": Does("loop", "", hides=r"OpVariable %_ptr_Function", also="-O0"),
    "-Os": Does("loop", "", hides=r"OpVariable %_ptr_Function", also="-O0"),
    "-Oconfig=": Does("loop", "--eliminate-dead-branches", r"OpVariable %_ptr_Function"),
    "-Vd": Does("invalid", "", hides="makes the module invalid", where="err"),
    "-fspv-reduce-load-size": Does("big", "", hides=r"OpLoad %(S|type_C)", also="-O0"),
    "-fspv-fix-func-call-arguments": Does("argument", "", r"param_var|OpVariable %_ptr_Function_v4float", also="-O0"),
    "-fspv-print-all": Does("plain", "", "IR before pass", where="err"),
    "--print-steps": Does("plain", "", r"trim-capabilities +\d+ -> \d+ words", where="err"),
    "--spirv-tools=": Does("plain", "nowhere", "nowhere", where="err"),
    # ---- outputs
    "-Fo": Does("plain", " o.spv", "\x03\x02#\x07", where="o.spv"),
    "-Fc": Does("plain", " o.s", "OpEntryPoint", where="o.s"),
    "-Fd": Does("plain", " debug/", hides="OpLine", also="-Zi", where="out"),
    "-Fh": Does("plain", " o.h", r"static const uint32_t g_main\[", where="o.h"),
    "-Vn": Does("plain", " blob", r"uint32_t blob\[", r"uint32_t g_main\[", "-Fh o.h", where="o.h"),
    "-Fe": Does("warned", " o.txt", "warning: ", where="o.txt"),
    "-P": Does("macro", "", "return 3;", where="x.i"),
    "-Po": Does("macro", "", "return 3;", where="x.i"),
    "-Fi": Does("macro", " o.i", "return 3;", also="-P", where="o.i"),
    "-M": Does("include", "", r"x\.o: x\.hlsl \\\n\s*folder/inside\.h", also="-I folder"),
    "-MD": Does("include", "", r"folder/inside\.h", also="-I folder", where="x.d"),
    "-MF": Does("include", " o.d", r"folder/inside\.h", also="-I folder", where="o.d"),
    "-MT": Does("include", " o.t", r"o\.t: x\.hlsl", also="-M -I folder"),
    "-H": Does("include", "", r"Opening file \[.*folder/inside\.h\]", also="-I folder", where="err"),
    "-Vi": Does("include", "", r"Opening file \[.*folder/inside\.h\]", also="-I folder", where="err"),
    "-ftime-report": Does("plain", "", r"wall clock  stage\n", where="err"),
    "-ftime-trace": Does("plain", "", r'"traceEvents": \['),
    "-ftime-trace=": Does("plain", "o.json", r'"traceEvents": \[', where="o.json"),
    "-ftime-trace-granularity=": Does(
        "plain", "1000000000", hides=r'"name": "lower"', also="-ftime-trace -ftime-trace-granularity=0"
    ),
    "-ast-dump": Does("plain", "", "-ast-dump", where="err"),
    "-ast-dump-implicit": Does("plain", "", "-ast-dump", where="err"),
    "--diagnostics=": Does("warned", "json", '"severity": "warning"', where="err"),
    "-fdiagnostics-format=": Does("warned", "msvc", r"x\.hlsl\(\d+,\d+\)", where="err"),
    "-fdiagnostics-color": Does("warned", "", "\x1b\\[", where="err"),
    "-Cc": Does("warned", "", "\x1b\\[", where="err"),
    "-fdiagnostics-show-option": Does("warned", where="as without"),
    "-fno-diagnostics-show-option": Does("warned", "", hides=r"\[-Wconversion\]", where="err"),
    "-help": Does("plain", "", "-fvk-t-shift <shift> <space>"),
    "--help": Does("plain", "", "-fvk-t-shift <shift> <space>"),
    "-?": Does("plain", "", "-fvk-t-shift <shift> <space>"),
    "--help-all": Does("plain", "", "-fvk-b-shift <shift> <space>"),
    "--help-hidden": Does("plain", "", "-fvk-b-shift <shift> <space>"),
    "-h": Does("plain", "", "-fvk-t-shift <shift> <space>"),
    "--print-pipeline": Does("plain", "", "before legalisation: .*\n  unsized-arrays "),
    "--version": Does("plain", "", "hlsl2spirv"),
}

WITHOUT_EFFECT: dict[str, str] = {
    "-Ges": "DXC's SPIR-V back end does not ask for it",
    "-flegacy-resource-reservation": "bindings are not handed out by what is used",
    "-Gfa": "DXC's SPIR-V back end takes attributes only",
    "-Gfp": "DXC's SPIR-V back end takes attributes only",
    "-all-resources-bound": "it concerns DXIL's flags",
    "-all_resources_bound": "it concerns DXIL's flags",
    "-res-may-alias": "it concerns DXIL's flags",
    "-res_may_alias": "it concerns DXIL's flags",
}
"""Options of DXC that are accepted but do not change the SPIR-V."""

OF_LIBRARIES: dict[str, str] = {
    "-export-shaders-only": "DXC's SPIR-V back end exports what is marked `export`",
    "-default-linkage": "DXC's SPIR-V back end exports what is marked `export`",
}
"""Option that only libraries may have → the reason why it has no effect."""
