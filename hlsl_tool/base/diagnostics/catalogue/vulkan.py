"""HLSL0830 on: Vulkan's rules for stage variables, offsets of members and image formats."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code


def _e(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "error", template, doc=doc)


def _w(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "warning", template, doc=doc)


BUILTIN_LOCATION = _e(830, "builtin-location", "cannot use vk::builtin and vk::location together", doc="Keep one of the attributes.")
BUILTIN_TYPE = _e(831, "builtin-type", "{name} builtin must be of {wanted} type", doc="Declare the variable with the type that the message names.")
BUILTIN_POINT = _e(832, "builtin-point", "{name} builtin cannot be used as {point}", doc="Use the built-in in a stage and direction that has it.")
BUILTIN_ONLY = _e(833, "builtin-only", "{name} builtin can only be used as {wanted}", doc="Use the built-in in a stage and direction that has it.")
BUILTIN_ARRAY = _e(834, "builtin-array", "{name} builtin must be of type array of integers", doc="Declare an array of integers.")
INDEX_STAGE = _e(835, "index-stage", "vk::index only allowed in pixel shader", doc="Use `vk::index` on outputs of pixel shaders.")
INDEX_ALONE = _e(836, "index-alone", "vk::index should be used together with vk::location for dual-source blending", doc="Write `[[vk::location(0), vk::index(0)]]` and `[[vk::location(0), vk::index(1)]]` on the two targets.")
INDEX_LOCATION = _e(837, "index-location", "dual-source blending should use vk::location 0", doc="Write `[[vk::location(0), vk::index(0)]]` and `[[vk::location(0), vk::index(1)]]` on the two targets.")
INDEX_RANGE = _e(838, "index-range", "dual-source blending only accepts 0 or 1 as vk::index", doc="Write `[[vk::location(0), vk::index(0)]]` and `[[vk::location(0), vk::index(1)]]` on the two targets.")
INNER_COVERAGE_TYPE = _e(839, "inner-coverage-type", "SV_InnerCoverage must be of uint type.", doc="Declare the variable with the type that the message names.")
DISTANCE_TYPE = _e(840, "clip-distance-type", "elements for {semantic} variable '{name}' must be scalar, vector, or array with float type", doc="Declare the variable with the type that the message names.")
LOCATION_DUPLICATE = _e(841, "location-duplicate", "Multiple stage variables have a duplicated pair of location and index at {location} / {index}", doc="Give each variable a location of its own; arrays and matrices take several.")
PACKOFFSET_OVERLAP = _e(842, "packoffset-overlap", "packoffset caused overlap with previous members", doc="Move one of the members: their bytes overlap.")
REGISTER_OVERLAP = _e(843, "register-overlap", "found offset overlap when processing register(c{number}) assignment", doc="Move one of the members: their bytes overlap.")
REGISTER_TWICE = _e(846, "register-twice", "field \"{name}\" at register(c{number}) overlaps with previous members", doc="Give each variable a register of its own.")
BARYCENTRICS_FLAT = _e(848, "barycentrics-nointerpolation", "SV_BaryCentrics inputs cannot have attribute 'nointerpolation'.", doc="Remove `nointerpolation`: barycentric coordinates differ at each pixel.")
BARYCENTRICS_INDEX = _e(849, "barycentrics-index", "The index SV_BaryCentrics semantics could only be 1 or 0.", doc="Use `SV_Barycentrics` and `SV_Barycentrics1`.")
BARYCENTRICS_COUNT = _e(850, "barycentrics-count", "Cannot have more than {count} inputs with SV_BaryCentrics semantics.", doc="Vulkan has two barycentric built-ins: one with perspective correction, one without (`noperspective`).")
IMAGE_FORMAT_TYPE = _e(844, "image-format-type", "The image format and the sampled type are not compatible.\nFor the table of compatible types, see https://docs.vulkan.org/spec/latest/appendices/spirvenv.html#spirvenv-format-type-matching.", doc="Use an image format with the component type of the texture.")
METHOD_NO_EQUIVALENT = _e(845, "method-no-equivalent", "no equivalent for {name} intrinsic method in Vulkan", "Vulkan compares with the first component only: use GatherCmp or GatherCmpRed.")
ATOMIC_FORMAT = _e(1166, "atomic-image-format", "atomics need the image format {allowed}, not {format}", "Vulkan allows atomics on images of one 32-bit or 64-bit component, and with SPV_NV_shader_atomic_fp16_vector on images of two or four 16-bit floats. Without `vk::image_format` the format follows from the element type.")
SYSTEM_VALUE_TYPE = _e(847, "system-value-type", "{name} must be of type '{wanted}'", doc="Declare the variable with the type that the message names.")
