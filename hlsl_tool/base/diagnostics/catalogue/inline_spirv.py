"""HLSL08xx: inline SPIR-V and the namespace ``vk``."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code


def _e(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "error", template, doc=doc)


REFERENCE_ARGUMENT = _e(801, "ext-reference-argument", "argument for a parameter with vk::ext_reference attribute must be a reference", doc="Pass a variable for `vk::ext_reference`, a constant for `vk::ext_literal`.")
LITERAL_ARGUMENT = _e(802, "ext-literal-argument", "vk::ext_literal may only be applied to parameters that can be evaluated to a literal value", doc="Pass a variable for `vk::ext_reference`, a constant for `vk::ext_literal`.")
BUILTIN_BOTH = _e(803, "ext-builtin-both", "vk::ext_builtin_input cannot be used together with vk::ext_builtin_output", doc="Remove one of the attributes.")
BUILTIN_STATIC = _e(804, "ext-builtin-static", "vk::ext_builtin_input and vk::ext_builtin_output can only be applied to a static variable", doc="Declare the variable `static`.")
BUILTIN_CONST = _e(805, "ext-builtin-const", "vk::ext_builtin_input can only be applied to a const-qualified variable", doc="Declare the variable `static const`.")
BUILTIN_REDEFINED = _e(806, "ext-builtin-redefined", "cannot redefine builtin {number} as an {direction}", doc="Declare a built-in once, as input or as output.")
BUILTIN_PREVIOUS = Code("HLSL0807", "ext-builtin-previous", "warning", "previous definition is here", doc="Declare a built-in once, as input or as output.")
DECORATE_FUNCTION = _e(808, "ext-decorate-function", "vk::{name} is not supported on functions", doc="Remove the attribute from the function.")
UNKNOWN_MODE = _e(809, "ext-unknown-mode", "Invalid execution mode operand: {number}", doc="Use a number of an execution mode from the SPIR-V specification.")
TYPE_OPERAND = _e(810, "spirv-type-operand", "operands of {name} are types, vk::integral_constant and vk::Literal", "A plain number has no width: write `vk::integral_constant<uint, 4>` for a constant, `vk::Literal<...>` for a literal.")
TYPE_OPCODE = _e(1165, "spirv-type-opcode", "{reason}", "`vk::SpirvType`, `vk::SpirvOpaqueType` and `vk::ext_type_def` take an opcode that makes the type of a value, and its operands.")
TYPE_UNDEFINED = _e(811, "ext-type-undefined", "vk::ext_type<{number}> is used and no function with vk::ext_type_def({number}, ...) is called", doc="Declare a function with `vk::ext_type_def` of this number.")
LITERAL_TYPE = _e(819, "literal-type", "The template argument to vk::Literal must be a vk::integral_constant", doc="Write `vk::Literal<vk::integral_constant<uint, 4>>`.")
RESULT_ID_UNINITIALIZED = _e(820, "result-id-uninitialized", "Found uninitialized variable for result id.", doc="Initialise the variable with the call whose result it names.")
ATTRIBUTE_OPCODE = _e(812, "ext-opcode", "vk::{name} takes {wanted}", doc="Write the arguments that the message names.")
NO_DEFAULT_POINTER = _e(813, "buffer-pointer-default", "vk::BufferPointer has no default constructor", doc="Initialise the pointer from an address: `vk::BufferPointer<T>(address)`.")
PUSH_CONSTANT_POINTER = _e(814, "buffer-pointer-push-constant", "vk::push_constant attribute cannot be used on declarations with vk::BufferPointer type", doc="Put the pointer into a struct.")
POINTER_ALIGNMENT = _e(815, "buffer-pointer-alignment", "Vulkan buffer pointer cannot be cast to greater alignment", doc="Cast to the same or a smaller alignment, or use `vk::reinterpret_pointer_cast`.")
POINTER_BASE = _e(816, "buffer-pointer-base", "vk::static_pointer_cast() content type must be base class of argument's content type", doc="Use `vk::reinterpret_pointer_cast` for unrelated types.")
INVALID_MODULE = _e(1645, "inline-spirv-invalid", "the inline SPIR-V of the shader makes the module invalid: {message}", doc="The shader writes instructions, types, decorations or capabilities itself, by `vk::ext_…` or `vk::SpirvType`, and the module breaks a rule of SPIR-V or Vulkan with them.  Compare them with the specification; -Vd switches validation off.")
RESULT_TYPE = _e(817, "ext-constant-result", "OpConstant and OpSpecConstant need a result type and literals", doc="Give a result type, and literals by `vk::ext_literal`.")
RESULT_UNKNOWN = _e(826, "ext-no-result", "{name} has no result: the function must return void", doc="Declare the function `void`.")
RESULT_MISSING = _e(827, "ext-result", "{name} has a result: the function must return it", doc="Give the function the type of the result.")
EXCLUSIVE_ATTRIBUTES = _e(821, "vk-exclusive-attributes", "vk::{first} attribute cannot be used together with vk::{second} attribute", doc="Remove one of the attributes.")
SPEC_CONSTANT_STATIC = _e(822, "spec-constant-static", "specialization constant must be externally visible", doc="Remove `static`.")
SUBPASS_STATIC = _e(823, "subpass-static", "SubpassInput(MS) must be externally visible", doc="Remove `static`.")
SUBPASS_ELEMENT = _e(824, "subpass-element", "only scalar/vector types allowed as SubpassInput(MS) parameter type", doc="Use a scalar or a vector.")
STENCIL_TWICE = _e(825, "stencil-ref-twice", "Shaders must not specify more than one of stencil_ref_unchanged_{side}, stencil_ref_greater_equal_{side}, and stencil_ref_less_equal_{side}.", doc="Keep one of the attributes for this side.")
POINTER_CONTENT = _e(818, "buffer-pointer-content", "'{type}' cannot be what a vk::BufferPointer points to", doc="Use a type that can lie in a buffer: numbers and structs of these.")
