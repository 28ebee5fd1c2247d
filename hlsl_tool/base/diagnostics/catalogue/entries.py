"""HLSL1410 to HLSL1449: entry points: their attributes, parameters and results, by stage.

Messages that users and test suites search for have DXC's wording.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code


def _e(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "error", template, doc=doc)


def _w(number: int, name: str, template: str, doc: str = "", *, group: str = "", of_valid: bool = False) -> Code:
    return Code(f"HLSL{number:04}", name, "warning", template, group=group, of_valid=of_valid, doc=doc)


# any stage
STAGE_CONFLICT = _e(1410, "entry-stage-conflict", "entry type '{stage}' from profile '{profile}' conflicts with shader attribute type '{written}' on entry function '{name}'.", "The attribute `[shader(\"...\")]` of the entry point names another stage than `-T`.")
ATTRIBUTE_STAGE = _e(1411, "attribute-stage", "attribute {name} only allowed on {stages} shaders", doc="Remove the attribute, or put it on an entry point of a stage that has it.")
ATTRIBUTE_WITHOUT_SHADER = _w(1412, "attribute-without-shader", "attribute '{name}' ignored without accompanying shader attribute", "In a library only functions with `[shader(\"...\")]` are entry points.", group="misplaced-attributes")
POSITION_SEMANTIC = _w(1413, "position-semantic", "'{name}' is a user-defined semantic; did you mean 'SV_Position'?", "`POSITION` is the position of Direct3D 9. Vulkan takes the position of a vertex from `SV_Position`.", group="dx9-deprecation")
SEMANTIC_INDEX = _e(1414, "semantic-index", "'{name}' is defined with semantic index {index}, but only values 0 through {last} are supported", doc="Number the render targets from 0 to 7.")
OBJECT_PLACE = _e(1415, "object-place", "object '{type}' is not allowed in {place}", doc="Keep the object in a local variable; it cannot cross the borders of a shader or lie in memory.")
LONG_VECTOR_PLACE = _e(1416, "long-vector-place", "vectors of over 4 elements in {place} are not supported", doc="Pass several vectors of up to four components, or an array.")

# ray tracing
RAY_PARAMETER_TYPE = _e(1420, "ray-parameter-type", "{kind} parameter '{name}' must be a user-defined type composed of only numeric types", "The payload, the attributes of a hit and callable data are structs of numbers.")
ATTRIBUTES_TYPE = _e(1183, "attributes-type", "attributes type must be a user-defined type composed of only numeric types", "`GetAttributes` and `FromRayQuery` take structs of numbers, like the attributes of a hit shader.")

# work graphs
NODE_LAUNCH_ATTRIBUTE = _e(1421, "node-launch-attribute", "'{name}' may only be used with broadcasting nodes", doc="Change the launch type of the node, or remove the attribute.")
NODE_GRIDS = _e(1422, "node-grids", "Node shader '{name}' may not use both 'nodemaxdispatchgrid' and 'nodedispatchgrid'", doc="State the grid once: as `[NodeDispatchGrid(x, y, z)]`, or as `[NodeMaxDispatchGrid(x, y, z)]` with one `SV_DispatchGrid` in the input record.")
NODE_GRID_MISSING = _e(1423, "node-grid-missing", "Broadcasting node shader '{name}' must have either the NodeDispatchGrid or NodeMaxDispatchGrid attribute", doc="State the grid once: as `[NodeDispatchGrid(x, y, z)]`, or as `[NodeMaxDispatchGrid(x, y, z)]` with one `SV_DispatchGrid` in the input record.")
NODE_GRID_SEMANTIC = _e(1424, "node-grid-semantic", "Broadcasting node shader '{name}' with NodeMaxDispatchGrid attribute must declare an input record containing a field with SV_DispatchGrid semantic", doc="State the grid once: as `[NodeDispatchGrid(x, y, z)]`, or as `[NodeMaxDispatchGrid(x, y, z)]` with one `SV_DispatchGrid` in the input record.")
NODE_GRID_SEMANTIC_TWICE = _e(1425, "node-grid-semantic-twice", "a field with SV_DispatchGrid has already been specified", doc="State the grid once: as `[NodeDispatchGrid(x, y, z)]`, or as `[NodeMaxDispatchGrid(x, y, z)]` with one `SV_DispatchGrid` in the input record.")
NODE_GRID_SEMANTIC_TYPE = _e(1426, "node-grid-semantic-type", "SV_DispatchGrid can only be applied to a declaration of unsigned 32 or 16-bit integer scalar, vector, or array up to 3 elements, not '{type}'", doc="Declare the grid as `uint`, `uint2`, `uint3` or an array of up to three.")
NODE_THREADS_MISSING = _e(1427, "node-threads-missing", "Node shader '{name}' with {launch} launch type requires 'numthreads' attribute", doc="Write `[numthreads(x, y, z)]` before the node.")
NODE_THREAD_SIZE = _e(1428, "node-thread-size", "Thread launch nodes must have a thread group size of (1,1,1)", doc="Change the launch type of the node, or remove the attribute.")
NODE_INPUT_KIND = _e(1429, "node-input-kind", "'{type}' may not be used with {launch} nodes (only {wanted})", doc="Take one input record, of a type that the launch type has.")
NODE_INPUTS = _e(1430, "node-inputs", "Node shader '{name}' may not have more than one input record", doc="Take one input record, of a type that the launch type has.")
NODE_OUTPUT_ATTRIBUTE = _e(1431, "node-output-attribute", "attribute '{name}' may only be used with {wanted}", doc="Remove the attribute from this parameter.")
NODE_MAX_RECORDS_LAUNCH = _e(1432, "node-max-records-launch", "attribute MaxRecords must only be used with node outputs or coalescing launch inputs", doc="Remove the attribute from this parameter.")
NODE_MAX_RECORDS_TWICE = _e(1433, "node-max-records-twice", "only one of MaxRecords or MaxRecordsSharedWith may be specified to the same parameter.", doc="Give the output a limit of its own, or name the output whose limit it shares.")
NODE_SHARED_UNKNOWN = _e(1434, "node-shared-unknown", "attribute MaxRecordsSharedWith must reference a valid output parameter name.", doc="Give the output a limit of its own, or name the output whose limit it shares.")
NODE_SHARED_SELF = _e(1435, "node-shared-self", "attribute MaxRecordsSharedWith must not reference the same parameter it is applied to.", doc="Give the output a limit of its own, or name the output whose limit it shares.")
NODE_ARRAY_SIZE = _e(1436, "node-array-size", "[NodeArraySize({count})] conflict: [UnboundedSparseNodes] implies [NodeArraySize(-1)]", doc="Remove the attribute from this parameter.")
NODE_PARAMETER_ARRAY = _e(1437, "node-parameter-array", "entry parameter of type '{type}' may not be an array", "`NodeOutputArray` and `EmptyNodeOutputArray` are the arrays of outputs.")
NODE_TRACKING = _e(1438, "node-tracking", "NodeTrackRWInputSharing attribute cannot be applied to Input Records that are not RWDispatchNodeInputRecord", doc="Take the record as `RWDispatchNodeInputRecord`, or remove its `[NodeTrackRWInputSharing]`.")
NODE_LAUNCH_SEMANTIC = _e(1439, "node-launch-semantic", "Invalid system value semantic '{name}' for launchtype '{launch}'", doc="Remove the parameter: this launch type has no such value.")
NODE_CROSS_GROUP = _e(1440, "node-cross-group", "Use of FinishedCrossGroupSharing() requires NodeTrackRWInputSharing attribute to be specified on the record struct type", doc="Declare the record as `struct [NodeTrackRWInputSharing] R { ... };`.")

# numbers of attributes
GRID_COMPONENT = _e(1441, "grid-component", "'{name}' {component} component value must be between 1 and 65,535 (2^16-1) inclusive", doc="Choose a number in the range.")
GRID_PRODUCT = _e(1442, "grid-product", "'{name}' X * Y * Z product may not exceed 16,777,215 (2^24-1)", doc="Choose a number in the range.")
RECURSION_DEPTH = _e(1443, "recursion-depth", "NodeMaxRecursionDepth may not exceed 32", doc="Choose a number in the range.")
GROUP_SIZE = _w(1444, "group-size", "Group size of {size} ({x} * {y} * {z}) is outside of valid range [1..1024] - attribute will be ignored", doc="Choose a number in the range.")
WAVE_SIZE_VALUE = _e(1445, "wave-size-value", "WaveSize arguments must be between 4 and 128 and a power of 2", doc="Write powers of two from 4 to 128: the smallest, the largest, and a preferred size between them.")
WAVE_SIZE_ORDER = _e(1446, "wave-size-order", "Minimum WaveSize value {low} must be less than maximum WaveSize value {high}", doc="Write powers of two from 4 to 128: the smallest, the largest, and a preferred size between them.")
WAVE_SIZE_PREFERRED = _e(1447, "wave-size-preferred", "Preferred WaveSize value {preferred} must be between {low} and {high}", doc="Write powers of two from 4 to 128: the smallest, the largest, and a preferred size between them.")
WAVE_SIZE_RANGE_MODEL = _e(1448, "wave-size-range-model", "WaveSize only takes multiple arguments in Shader Model 6.8 or higher", doc="Compile with a profile of that shader model, or simplify the attribute.")
INTEGER_CONSTANT = _e(1450, "attribute-integer", "'{name}' attribute requires an integer constant", doc="Write a constant that the attribute takes.")
UNSIGNED_LITERAL = _w(1451, "attribute-unsigned", "attribute '{name}' must have a uint literal argument", "The attribute is ignored.", group="attribute-type")
STRING_LITERAL = _e(1452, "attribute-string-literal", "attribute '{name}' must have a string literal argument", doc="Write a constant that the attribute takes.")
STRING_VALUE = _e(1453, "attribute-string-value", "attribute '{name}' must have one of these values: {values}", doc="Write a constant that the attribute takes.")
ATTRIBUTE_APPLIED = _w(1454, "attribute-applied", "attribute '{name}' is already applied", group="ignored-attributes", doc="Keep one of the attributes.")
STATEMENT_FORM = _w(1455, "attribute-statement-form", "attribute '{name}' can only be applied to {statements} statements", group="attribute-statement", doc="Move the attribute to what it applies to, or remove it.")
FUNCTION_ONLY = _e(1456, "attribute-function-only", "attribute is valid only on functions", doc="Move the attribute to what it applies to, or remove it.")
FUNCTION_ONLY_IGNORED = _w(1457, "attribute-functions", "'{name}' attribute only applies to functions", group="ignored-attributes", doc="Move the attribute to what it applies to, or remove it.")
CLIP_PLANE = _e(1458, "clip-plane", "invalid expression for clipplanes argument: must be global reference, member access or array subscript", doc="Name a global `float4`, or an element of a global array of them with a constant index.")
CLIP_PLANE_TYPE = _e(1459, "clip-plane-type", "clipplanes argument must be a float4 type but is '{type}'", doc="Name a global `float4`, or an element of a global array of them with a constant index.")
CLIP_PLANE_INDEX = _e(1460, "clip-plane-index", "invalid expression for clipplanes argument array subscript: must be numeric literal", doc="Name a global `float4`, or an element of a global array of them with a constant index.")
CONTROL_POINTS = _e(1461, "control-points", "number of control points {count} is outside the valid range of [1..32]", doc="Choose a number in the range.")
ATTRIBUTE_MODEL = _e(1449, "attribute-model", "attribute {name} requires shader model {model} or greater", doc="Compile with a profile of that shader model, or simplify the attribute.")
TESSELLATION_MISSING = _w(1462, "tessellation-missing", "hull entry point has no {name} attribute", "Vulkan takes the execution mode from the domain shader then, and Direct3D refuses the shader.", group="tessellation", of_valid=True)
TESSELLATION_TOPOLOGY = _w(1463, "tessellation-topology", "output topology '{topology}' is not compatible with the domain '{domain}'", "Isolines are divided into points or lines, triangles and quads into points or triangles. Vulkan ignores the topology, and Direct3D refuses the shader.", group="tessellation", of_valid=True)
HULL_OUTPUT_PATCH = _e(1464, "hull-output-patch", "OutputPatch is not allowed as a parameter of a hull entry point", doc="The control points of the output exist when the patch constant function runs: take the `OutputPatch` there, and an `InputPatch` here.")
