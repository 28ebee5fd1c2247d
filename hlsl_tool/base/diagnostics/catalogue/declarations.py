"""HLSL1050 to HLSL1149: registers, `packoffset`, misplaced attributes, syntax of effects.

Messages that users and test suites search for have DXC's wording.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code


def _e(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "error", template, doc=doc)


def _w(number: int, name: str, template: str, doc: str = "", *, group: str = "", on: bool = True) -> Code:
    return Code(f"HLSL{number:04}", name, "warning", template, group=group, default_on=on, doc=doc)


# registers and packoffset
REGISTER_TYPE = _e(1050, "register-type", "register type is unsupported - available types are 'b', 'c', 'i', 's', 't', 'u'", doc="Write `register(t3, space1)` with the letter of the resource: `b`, `t`, `s` or `u`.")
REGISTER_NUMBER = _e(1051, "register-number", "register number should be an integral numeric string", doc="Write `register(t3, space1)` with the letter of the resource: `b`, `t`, `s` or `u`.")
REGISTER_SUBCOMPONENT = _e(1052, "register-subcomponent", "register subcomponent is not an integral constant", doc="Write `register(t3, space1)` with the letter of the resource: `b`, `t`, `s` or `u`.")
REGISTER_SPACE = _e(1053, "register-space", "expected space definition with syntax 'spaceX', where X is an integral value", doc="Write `register(t3, space1)` with the letter of the resource: `b`, `t`, `s` or `u`.")
REGISTER_SPACE_NUMBER = _e(1054, "register-space-number", "space number should be an integral numeric string", doc="Write `register(t3, space1)` with the letter of the resource: `b`, `t`, `s` or `u`.")
REGISTER_EXPECTED = _e(1055, "register-expected", "expected '{token}'", "A register annotation is `register([profile,] t3[, space1])`, or a space alone.")
REGISTER_KIND = _e(1057, "register-kind", "invalid register specification, expected {expected} binding", doc="Write `register(t3, space1)` with the letter of the resource: `b`, `t`, `s` or `u`.")
ANNOTATION_CALL = _e(1056, "annotation-call", "Unexpected '(' in semantic annotation. Did you mean 'packoffset()' or 'register()'?", "A semantic has no arguments.")
REGISTER_CONFLICT = _e(1058, "register-conflict", "conflicting register semantics", doc="Keep one register for each kind.")
REGISTER_BUFFER_PROFILE = _e(1059, "register-buffer-profile", "user defined constant buffer slots cannot be target specific", doc="Write `register(t3, space1)` with the letter of the resource: `b`, `t`, `s` or `u`.")
REGISTER_INDEX_IGNORED = _w(1060, "register-index", "the subcomponent of '{register}[{index}]' is ignored: the resource is bound as '{register}'", "DXC ignores it for SPIR-V; FXC adds it to the number.", on=False)
PACKOFFSET_COMPONENT = _e(1061, "packoffset-component", "packoffset component should indicate offset with one of x, y, z, w, r, g, b, or a", doc="Write `packoffset(c0.x)` with a component from x to w.")
PACKOFFSET_FIT = _e(1062, "packoffset-fit", "register or offset bind not valid", "A member that starts at a component must be a scalar or vector that fits the rest of the register.")
PACKOFFSET_BLOCK = _e(1063, "packoffset-block", "packoffset is only allowed within a constant buffer, not on the constant buffer declaration", doc="Put the variable into a `cbuffer`, and `packoffset` on the variable.")
PACKOFFSET_OVERRIDE = _w(1064, "packoffset-override", "packoffset is overridden by another packoffset annotation", doc="Keep one `packoffset`.")
PACKOFFSET_MIX = _w(1065, "packoffset-mix", "cannot mix packoffset elements with nonpackoffset elements in a cbuffer", doc="Give `packoffset` to all members of the block, or to none.")
PACKOFFSET_OVERLAP = _e(1067, "packoffset-overlap-members", "packoffset overlap between '{name}', '{other}'", "Give each member bytes of its own.")
NOT_A_MODIFIER = _e(1066, "not-a-modifier", "{modifier} is not a valid modifier for a {subject}", doc="Remove the modifier.")

# names declared twice
REDEFINITION_KIND = _e(1070, "redefinition-kind", "redefinition of '{name}' as different kind of symbol", doc="Rename one of the two, or remove it; a header that is read twice needs an include guard.")
REDEFINITION_ENUMERATOR = _e(1071, "redefinition-enumerator", "redefinition of enumerator '{name}'", doc="Rename one of the two, or remove it; a header that is read twice needs an include guard.")
REDEFINITION_TYPEDEF = _e(1072, "redefinition-typedef", "typedef redefinition with different types ('{new}' vs '{old}')", doc="Rename one of the two, or remove it; a header that is read twice needs an include guard.")

# attributes
ATTRIBUTE_SUBJECT = _e(1080, "attribute-subject", "'{name}' attribute only applies to {wanted}", doc="Move the attribute to a declaration of the kind that the message names, or remove it.")
ATTRIBUTE_STATEMENT = _e(1081, "attribute-statement", "'{name}' attribute cannot be applied to a statement", doc="Move the attribute to a declaration of the kind that the message names, or remove it.")
ATTRIBUTE_NO_EFFECT = _w(1082, "attribute-no-effect", "'{name}' attribute has no effect on a variable that is not externally visible by itself", doc="Move the attribute to a declaration of the kind that the message names, or remove it.")
ATTRIBUTE_TAKES = _e(1083, "attribute-takes", "'{name}' attribute takes {wanted}", doc="Give the attribute the arguments that the message names.")
ATTRIBUTE_STRING = _e(1084, "attribute-string", "'{name}' attribute requires a string", doc="Give the attribute the arguments that the message names.")
ATTRIBUTE_REPEATED = _w(1085, "attribute-repeated", "'{name}' attribute is overridden by another of the same name", doc="Keep one of the attributes.")
ATTRIBUTE_SPELLING = _e(1086, "attribute-spelling", "'{scope}::{name}' is no attribute; did you mean 'vk::{wanted}'?", "Names of attributes with a scope are case-sensitive.")
IMAGE_FORMAT_NAME = _w(1088, "image-format-name", "'image_format' attribute argument not supported: {format}", "The image is written without a format.")
BUILTIN_NAME = _e(1089, "builtin-name", "attribute 'builtin' must have one of these values: {wanted}", doc="Use one of the values in the message.")
RESULT_UNUSED = _w(1091, "unused-result", "ignoring return value of function declared with '{name}' attribute", doc="Use the result, or convert it to `void`.")
GROUP_SHARED_STAGE = _e(1092, "group-shared-limit-stage", "attribute GroupSharedLimit only allowed on compute, mesh, node, or amplification shaders", doc="Remove the attribute from this stage.")

# effects
EFFECT_OBJECT = _w(1100, "effects-object", "effect object ignored - effect syntax is deprecated", group="effects-syntax", doc="Remove it: effects are ignored. Set states in your program.")
EFFECT_ANNOTATION = _w(1101, "effects-annotation", "possible effect annotation ignored - effect syntax is deprecated", group="effects-syntax", doc="Remove it: effects are ignored. Set states in your program.")
EFFECT_SAMPLER_STATE = _w(1102, "effects-sampler-state", "effect sampler_state assignment ignored - effect syntax is deprecated", group="effects-syntax", doc="Remove it: effects are ignored. Set states in your program.")
EFFECT_TYPE = _e(1880, "effect-type", "'{name}' is an effect object type, of which only variables can be declared; they are ignored", doc="Effects set pipeline state, which Vulkan applications set through the API. Remove the member, parameter or result.")
SUBOBJECT_COUNT = _e(1104, "subobject-count", "too {which} elements in subobject initialization (expected {want} element{s}, have {have})", doc="Give exactly as many values as there are components.")
SUBOBJECT = _w(1103, "subobject-ignored", "'{type}' subobject ignored: SPIR-V has no counterpart", "Set pipeline state in your program, through Vulkan.", on=False)

# semantics
OLD_SEMANTIC = _w(1283, "old-semantic", "Ignoring unsupported '{name}' in the target attribute string", "`VFACE` is Direct3D 9's. Use `SV_IsFrontFace`: `VFACE` is an ordinary input that the stage before must write.", group="ignored-attributes")
