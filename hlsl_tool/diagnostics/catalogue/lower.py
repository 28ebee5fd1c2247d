"""HLSL06xx: what has no mapping to SPIR-V, and what is wrong only for Vulkan."""

from __future__ import annotations

from hlsl_tool.diagnostics.model import Code


def _e(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "error", template, doc=doc)


def _w(number: int, name: str, template: str, doc: str = "", *, group: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "warning", template, group=group, doc=doc)


NOT_MEMORY = _e(601, "not-memory", "cannot assign to an expression that is not in memory")
UNDEFINED_FUNCTION = _e(602, "undefined-function-call", "found undefined function")
INTRINSIC_UNSUPPORTED = _e(603, "intrinsic-unimplemented", "{name} intrinsic function unimplemented")
METHOD_UNSUPPORTED = _e(604, "method-unimplemented", "method '{name}' of '{type}' unimplemented")
STAGE_UNSUPPORTED = _e(605, "stage-unsupported", "shaders of profile '{profile}' are not supported yet")
EXTERNAL_INITIALIZER = _w(606, "external-initializer-ignored", "Initializer of external global will be ignored")
FEATURE_UNSUPPORTED = _e(607, "feature-unsupported", "{what} is not supported yet")
ALLOW_UAV_CONDITION = _w(608, "allow-uav-condition", "unsupported allow_uav_condition attribute ignored")
DISCARD_STAGE = _e(609, "discard-stage", "discard statement may only be used in pixel shaders")
BIND_GLOBALS_MISSING = _e(610, "bind-globals-missing", "-fvk-bind-register requires Globals buffer to be bound with -fvk-bind-globals")
BIND_REGISTER_ANNOTATION = _e(611, "bind-register-annotation", "-fvk-bind-register requires register annotations on all resources")
BIND_REGISTER_COUNTER = _e(612, "bind-register-counter", "-fvk-bind-register for RW/Append/Consume StructuredBuffer unimplemented")
BIND_REGISTER_MISSING = _e(613, "bind-register-missing", "missing -fvk-bind-register for resource")
GLOBAL_STRUCT_MIXED = _e(614, "global-struct-mixed", "global structures containing both resources and non-resources are not supported")
GLOBAL_STRUCT_BUFFERS = _e(615, "global-struct-buffers", "global structures containing buffers are not supported")
FEEDBACK_TEXTURE = _e(616, "feedback-texture", "Texture resource type '{name}' is not supported with -spirv")
GLOBALS_INITIALIZER = _w(617, "globals-initializer", "variable '{name}' will be placed in $Globals so initializer ignored")
GLOBALS_BINDING = _e(618, "globals-binding", "variable '{name}' will be placed in $Globals so cannot have vk::binding attribute")
SEMANTIC_MISSING = _e(619, "semantic-missing", "semantic string missing for shader {direction} variable '{name}'")
SEMANTIC_OVERRIDDEN = _w(620, "semantic-overridden", "internal semantic '{inner}' overridden by enclosing semantic '{outer}'")
SEMANTIC_INVALID = _e(621, "semantic-invalid", "invalid usage of semantic '{name}' in shader profile {profile}")
SEMANTIC_DUPLICATE = _e(623, "semantic-duplicate", "{direction} semantic '{name}' used more than once")
LOCATION_PARTIAL = _e(624, "location-partial", "partial explicit stage {direction} location assignment via vk::location(X) unsupported")
LOCATION_TAKEN = _e(625, "location-taken", "stage {direction} location #{location} already consumed by semantic '{name}'")
POSITION_TYPE = _e(626, "position-type", "SV_Position must be a 4-component 32-bit float vector or a composite which recursively contains only such a vector")
NUMTHREADS_MISSING = _e(628, "numthreads-missing", "compute entry point must have a valid numthreads attribute")
PUSH_CONSTANT_TWICE = _e(629, "push-constant-twice", "cannot have more than one push constant block")
PUSH_CONSTANT_TYPE = _e(630, "push-constant-type", "push_constant attribute can only be attached to a struct variable")
SPEC_CONSTANT_TYPE = _e(631, "spec-constant-type", "unsupported specialization constant type")
SPEC_CONSTANT_INIT = _e(632, "spec-constant-init", "missing default value for specialization constant")
SPEC_CONSTANT_LITERAL = _e(633, "spec-constant-literal", "unsupported specialization constant initializer")
INTEGER_INTERPOLATION = _e(634, "integer-interpolation", "only nointerpolation mode allowed for integer input parameters in pixel shader or integer output in vertex shader")
NO_EQUIVALENT = _e(635, "no-equivalent", "no equivalent for {name} intrinsic function in Vulkan")
CLIP_STAGE = _e(636, "clip-stage", "clip may only be used in pixel shaders")
ATOMIC_VECTOR = _e(637, "atomic-vector", "Interlocked operation for texture buffer whose result type is non-scalar type is not allowed")
ATOMIC_LOCAL = _e(638, "atomic-local", "using static variable or function scope variable in interlocked operation is not allowed")
IMPLICIT_LOD = _e(639, "implicit-lod", "sampling with implicit lod is only allowed in fragment and compute shaders")
LOAD_OFFSET = _e(640, "load-offset", "Offsets to texture access operations must be immediate values.")
SUBPASS_STAGE = _e(641, "subpass-stage", "SubpassInput(MS) only allowed in pixel shader")
BUFFER_STATUS = _e(642, "buffer-status", "{name}::Load(in address, out status) not supported")
CBUFFER_INITIALIZER = _w(644, "cbuffer-initializer", "{what} member initializer ignored since no Vulkan equivalent")
EMULATED_SAMPLE_POSITION = _w(645, "emulated-sample-position", "GetSamplePosition is emulated using many SPIR-V instructions due to lack of direct SPIR-V equivalent, so it only supports standard sample settings with 1, 2, 4, 8, or 16 samples and will return float2(0, 0) for other cases")
COUNTER_ALIAS = _e(643, "counter-alias", "Cannot access associated counter variable for an array of buffers in a struct.")
RAW_ALIGNMENT = _e(646, "raw-alignment", "alignment argument must be a constant unsigned integer")
RAW_BOOL_ALIGNMENT = _w(647, "raw-bool-alignment", "Since boolean is a logical type, we use a unsigned integer type to read/write boolean from a buffer. Therefore alignment for the data with a boolean type must be aligned with 4 bytes")
AT_VERTEX_STAGE = _e(648, "at-vertex-stage", "GetAttributeAtVertex only allowed in pixel shader")
NOT_AN_INPUT = _e(649, "not-an-input", "attribute evaluation can only be done on values taken directly from inputs.")
MODE_CONSTANT = _e(650, "mode-constant", "vk::ext_execution_mode takes constant integers")
REGISTER_RANGE = _e(651, "register-range", "the binding of register '{register}' does not fit 32 bits")
INTEGER_COLUMNS = _e(652, "integer-columns", "externally initialized non-floating-point column-major matrices not supported yet", "Declare the matrix `row_major`, or compile with `-Zpr`.")
STRING_UNINITIALIZED = _e(690, "string-uninitialized", "Found uninitialized string variable.")
HALF_TEXELS = _e(691, "half-texels", "The sampled type for textures cannot be a floating point type smaller than 32-bits when targeting a Vulkan environment.")
SHADER_KIND_UNSUPPORTED = _e(660, "shader-kind-unsupported", "entry points of kind '{stage}' are not supported yet", "What `[shader(\"...\")]` names has no mapping here.")
