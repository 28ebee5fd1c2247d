"""Checks of inline SPIR-V types and attributes (manual: *Inline SPIR-V*).

``vk::SpirvType<opcode, size, alignment, operands...>`` has a memory layout, ``vk::SpirvOpaqueType<opcode,
operands...>`` has none.  Their operands are types, ``vk::integral_constant<T, v>`` (the id of a constant) or
``vk::Literal<vk::integral_constant<T, v>>`` (a literal in the instruction).
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.diagnostics.catalogue import inline_spirv as codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.types import (
    STRING,
    VALUE_OBJECTS,
    VOID,
    ObjectType,
    Scalar,
    Type,
    display,
    innermost,
)
from hlsl_tool.frontend.sema.scope.context import Context

_LARGEST = 1 << 24
"""Limit on the size in bytes of an inline SPIR-V type; far above any type of Vulkan."""


def _spirv_type(ctx: Context, name: str, args: list[object], pos: int) -> None:
    numbers = 3 if name == "vk::SpirvType" else 1
    if any(isinstance(x, bool) or not isinstance(x, int) for x in args[:numbers]):
        wanted = "an opcode, a size and an alignment first" if numbers == 3 else "an opcode first"
        ctx.fail(codes.ATTRIBUTE_OPCODE, pos, name=name.rpartition("::")[2], wanted=wanted)
    opcode, *memory = (x for x in args[:numbers] if isinstance(x, int))
    if not 0 < opcode < 1 << 16:
        ctx.fail(sema_codes.TEMPLATE_ARG_KIND, pos, name="opcode", wanted="a number of 16 bits")
    if memory and not 0 <= memory[0] <= _LARGEST:
        ctx.fail(sema_codes.TEMPLATE_ARG_KIND, pos, name="size", wanted="a number of bytes")
    if memory and not (0 < memory[1] <= _LARGEST and memory[1] & (memory[1] - 1) == 0):
        ctx.fail(sema_codes.TEMPLATE_ARG_KIND, pos, name="alignment", wanted="a power of two")
    if not all(isinstance(x, Type) for x in args[numbers:]):
        ctx.fail(codes.TYPE_OPERAND, pos, name=name)


def _literal(ctx: Context, name: str, args: list[object], pos: int) -> None:
    if not (isinstance(args[0], ObjectType) and args[0].name == "vk::integral_constant"):
        ctx.fail(codes.LITERAL_TYPE, pos)


def _integral_constant(ctx: Context, name: str, args: list[object], pos: int) -> None:
    scalar, value = args
    is_integral = isinstance(scalar, Scalar) and scalar.category in ("int", "uint", "bool")
    if not is_integral or not isinstance(value, int):
        ctx.fail(codes.ATTRIBUTE_OPCODE, pos, name="integral_constant", wanted="an integer type and a constant of it")


def _numbered(ctx: Context, name: str, args: list[object], pos: int) -> None:
    if not isinstance(args[0], int):
        ctx.fail(codes.ATTRIBUTE_OPCODE, pos, name=name.rpartition("::")[2], wanted="a number")


def _of_a_type(ctx: Context, name: str, args: list[object], pos: int) -> None:
    if not isinstance(args[0], Type):
        ctx.fail(codes.ATTRIBUTE_OPCODE, pos, name=name.rpartition("::")[2], wanted="a type")


def _buffer_pointer(ctx: Context, name: str, args: list[object], pos: int) -> None:
    content = innermost(args[0]) if isinstance(args[0], Type) else args[0]
    is_resource = isinstance(content, ObjectType) and content.name not in VALUE_OBJECTS
    if content in (VOID, STRING) or is_resource or not isinstance(content, Type):
        shown = display(content) if isinstance(content, Type) else content
        ctx.fail(codes.POINTER_CONTENT, pos, type=shown)
    align = args[1] if len(args) > 1 else 0
    if not isinstance(align, int) or align < 0 or align & (align - 1) or align > 1 << 30:
        ctx.fail(sema_codes.TEMPLATE_ARG_KIND, pos, name="alignment", wanted="a power of two")


NUMBERED = frozenset(
    (
        "ext_instruction",
        "ext_type_def",
        "ext_capability",
        "ext_decorate",
        "ext_decorate_id",
        "ext_decorate_string",
        "ext_storage_class",
        "ext_builtin_input",
        "ext_builtin_output",
        "spvexecutionmode",
    )
)  # fmt: skip
"""Attributes whose first argument is a number."""

MAX_OPCODE = 0xFFFF


def check_attribute(ctx: Context, a: Attribute) -> None:
    """Report attributes of inline SPIR-V (``vk::ext_...``) with missing or invalid arguments."""
    first = a.args[0] if a.args else None
    if a.name in NUMBERED and (not isinstance(first, int) or first < 0):
        ctx.fail(codes.ATTRIBUTE_OPCODE, a.pos, name=a.name, wanted="a number first")
    if a.name in NUMBERED and any(isinstance(x, int) and not -(1 << 31) <= x < 1 << 32 for x in a.args):
        ctx.fail(codes.ATTRIBUTE_OPCODE, a.pos, name=a.name, wanted="numbers of 32 bits")
    opcode = {"ext_instruction": a.args[:1], "ext_type_def": a.args[1:2]}.get(a.name, ())
    if any(isinstance(x, int) and not 0 <= x <= MAX_OPCODE for x in opcode):
        ctx.fail(codes.ATTRIBUTE_OPCODE, a.pos, name=a.name, wanted=f"an opcode of at most {MAX_OPCODE}")
    if a.name == "ext_extension" and not isinstance(first, str):
        ctx.fail(codes.ATTRIBUTE_OPCODE, a.pos, name=a.name, wanted="the name of an extension")


CHECKS: dict[str, Callable[[Context, str, list[object], int], None]] = {
    "vk::SpirvType": _spirv_type,
    "vk::SpirvOpaqueType": _spirv_type,
    "vk::Literal": _literal,
    "vk::integral_constant": _integral_constant,
    "vk::ext_type": _numbered,
    "vk::ext_result_id": _of_a_type,
    "vk::BufferPointer": _buffer_pointer,
}
"""Type of the namespace ``vk`` → check of its template arguments."""
