"""HLSL1470 to HLSL1489, HLSL1810 on: stages and shader models that a call, a constant or a type needs.

Messages that users and test suites search for have DXC's wording.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code


def _e(number: int, name: str, template: str, doc: str = "", *, group: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "warning", template, group=group, default_error=True, doc=doc)


FUNCTION_MODEL = _e(1470, "function-model", "intrinsic {name} potentially used by '{entry}' requires shader model {model} or greater", "Compile with a profile of that shader model, such as `-T cs_6_8`.", group="hlsl-availability")
OVERLOAD_MODEL = _e(1471, "overload-model", "overload of intrinsic {name} requires shader model {model} or greater", "Compile with a profile of that shader model.", group="hlsl-availability")
TYPE_MODEL = _e(1472, "type-model", "potential misuse of built-in type '{name}' in shader model {profile}; introduced in shader model {model}", "Compile with a profile of that shader model.", group="hlsl-availability")
CONSTANT_MODEL = Code("HLSL1473", "constant-model", "warning", "potential misuse of built-in constant '{name}' in shader model {profile}; introduced in shader model {model}", group="hlsl-availability-constant", doc="Compile with a profile of that shader model.")
DERIVATIVES_STAGE = _e(1475, "derivatives-stage", "Intrinsic {name} potentially used by '{entry}' requires derivatives - only available in pixel, compute, amplification, mesh, or broadcast node shaders", group="hlsl-availability", doc="Use `SampleCmpLevelZero` or a level of your own, or a stage and a thread group with derivatives.")
DERIVATIVES_THREADS = _e(1476, "derivatives-threads", "Intrinsic {name} potentially used by '{entry}' requires derivatives - when used in compute/amplification/mesh shaders or broadcast nodes, numthreads must be a multiple of 4 by 1 by 1, or of 2 by 2", group="hlsl-availability", doc="Use `SampleCmpLevelZero` or a level of your own, or a stage and a thread group with derivatives.")
HIT_OBJECT_STAGE = Code("HLSL1477", "hit-object-stage", "error", "dx::HitObject is unavailable in shader stage '{stage}' (requires 'raygeneration', 'closesthit' or 'miss')", doc="Call it from a ray generation, closest hit or miss shader; reorder threads in ray generation only.")
REORDER_STAGE = Code("HLSL1478", "reorder-stage", "error", "dx::MaybeReorderThread is unavailable in shader stage '{stage}' (requires 'raygeneration')", doc="Call it from a ray generation, closest hit or miss shader; reorder threads in ray generation only.")
QUERY_FLAGS = _e(1479, "query-flags", "When using 'RAY_FLAG_FORCE_OMM_2_STATE' in RayFlags, RayQueryFlags must have RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS set.", group="hlsl-rayquery-flags", doc="Declare the query as `RayQuery<FLAGS, RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS>`, in shader model 6.9.")
QUERY_FLAGS_MODEL = _e(1480, "query-flags-model", "A non-zero value for the RayQueryFlags template argument requires shader model 6.9 or above.", group="hlsl-availability", doc="Declare the query as `RayQuery<FLAGS, RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS>`, in shader model 6.9.")
BARRIER_GROUP = _e(1481, "barrier-group", "GROUP_SYNC or GROUP_SCOPE specified for Barrier operation when context has no visible group", group="hlsl-barrier", doc="Name memory and scopes that the entry point has.")
BARRIER_GROUP_MEMORY = _e(1482, "barrier-group-memory", "GROUP_SHARED_MEMORY specified for Barrier operation when context has no visible group", group="hlsl-barrier", doc="Name memory and scopes that the entry point has.")
BARRIER_NODE_MEMORY = _e(1483, "barrier-node-memory", "NODE_INPUT_MEMORY or NODE_OUTPUT_MEMORY may only be specified for Barrier operation in a node shader", group="hlsl-barrier", doc="Name memory and scopes that the entry point has.")
BARRIER_SCOPE = _e(1484, "barrier-scope", "{scope} specified for Barrier operation without applicable memory", group="hlsl-barrier", doc="Name memory and scopes that the entry point has.")
BARRIER_MEMORY_FLAGS = Code("HLSL1485", "barrier-memory-flags", "error", "invalid MemoryTypeFlags for Barrier operation; expected 0, ALL_MEMORY, or some combination of UAV_MEMORY, GROUP_SHARED_MEMORY, NODE_INPUT_MEMORY, NODE_OUTPUT_MEMORY flags", doc="Name memory and scopes that the entry point has.")
BARRIER_SEMANTIC_FLAGS = Code("HLSL1486", "barrier-semantic-flags", "error", "invalid SemanticFlags for Barrier operation; expected 0 or some combination of {names} flags", doc="Name memory and scopes that the entry point has.")
MATRIX_STAGE = Code("HLSL1474", "matrix-stage", "error", "builtin unavailable in shader stage '{stage}' (requires 'compute', 'mesh' or 'amplification')", doc="Use `vk::khr::CooperativeMatrix` in compute shaders.")
PATCH_REACHED = Code("HLSL1487", "patch-reached", "error", "function '{callee}' should not be reachable from function '{caller}'", doc="A hull shader and its patch constant function run separately: neither may call the other.")
DERIVATIVE_STAGE = Code("HLSL1641", "derivative-stage", "error", "'{name}' needs derivatives, which {stage} shaders do not have", doc="Pixel, compute, mesh and amplification shaders have derivatives: their threads run in quads.  In other stages compute the difference yourself, or pass the value on to the pixel shader.")
DERIVATIVE_THREADS = Code("HLSL1646", "derivative-threads", "error", "derivatives, also those of `Sample`, need quads of threads, which a group of {x} by {y} by {z} threads does not have", doc="Give the thread group an even number of threads in X and Y, or 4 threads in a row.  Where no derivative is needed, use `SampleLevel` or `SampleGrad`.")
GROUPSHARED_STAGE = Code("HLSL1642", "groupshared-stage", "error", "groupshared variable '{name}' is used in a {stage} shader, which has no thread groups", doc="Compute, mesh, amplification and node shaders have thread groups, and with them groupshared memory.  Another stage keeps the value in a local variable, or reads and writes a buffer.")
GROUP_SYNC_STAGE = Code("HLSL1644", "group-sync-stage", "error", "'{name}' synchronises the threads of a group, which {stage} shaders do not have", doc="Compute, mesh, amplification and node shaders have thread groups; hull shaders synchronise the threads of a patch.  Elsewhere a barrier without `WithGroupSync` orders memory accesses.")
RECURSIVE_HERE = Code("HLSL1488", "recursive-here", "note", "recursive function located here:", doc="The note shows the function that calls itself.")
ENABLE_8BIT = Code("HLSL1810", "needs-8bit-types", "error", "unknown type name '{name}'", doc="The type exists with `-enable-8bit-types` and shader model 6.2; DXC does not have it.")
BYTE_STAGE_IO = Code("HLSL1811", "byte-stage-io", "error", "stage variable '{name}' has components of 8 bits, which Vulkan does not allow", doc="Declare it with `int` or `uint` and convert: vertex attributes of 8 bits arrive as numbers of 32 bits, and integers between stages are not interpolated.")
SMALL_FLOAT_STAGE_IO = Code("HLSL1830", "small-float-stage-io", "error", "stage variable '{name}' has the type {type}, which Vulkan allows in memory only", doc="Declare it with `float` or `half`, and convert with `ToFloat` of the type's header.")
