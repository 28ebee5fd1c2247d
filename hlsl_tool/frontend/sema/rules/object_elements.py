"""Check the template arguments of built-in objects: element types and numbers."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.diagnostics.catalogue import availability, language
from hlsl_tool.base.diagnostics.catalogue import entries as entry_codes
from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Scalar, Struct, Type
from hlsl_tool.frontend.sema.scope import watched
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax import ast

MAX_CONTROL_POINTS = 32
"""Control points of a patch: the limit of HLSL and the minimum that every Vulkan device supports."""

MATRIX_ATTRIBUTES = 5
"""Arguments of ``__LinAlgMatrix_Attributes``: component type, rows, columns, use, scope."""


def _is_inline_type(ctx: Context, name: str, args: list[object], pos: int) -> bool:
    """Return whether ``name`` is an inline SPIR-V type; if so, report invalid arguments."""
    from hlsl_tool.frontend.sema.rules.annotations.inline_spirv import CHECKS  # start-up time

    if name not in CHECKS:
        return False
    CHECKS[name](ctx, name, args, pos)
    return True


_PLACES = (
    ("ConstantBuffer", "ConstantBuffers or TextureBuffers"),
    ("TextureBuffer", "ConstantBuffers or TextureBuffers"),
    ("StructuredBuffer", "structured buffers"),
    ("Stream", "geometry streams"),
    ("Patch", "tessellation patches"),
)
"""End of an object's name → the place of its elements in messages."""


def check_place(ctx: Context, pos: int, t: Type, place: str, *, long_vectors: bool = True) -> bool:
    """Report objects, and vectors of more than four components, that a type contains and a place does not allow.

    Also report destructors, which nothing calls for objects in memory that several threads or the host share.
    Return whether there are any. ``place`` names the type's use in messages; ``long_vectors``: long vectors are not
    allowed there, either.
    """
    before = len(ctx.messages)
    innermost = ty.innermost(t)
    if place != STATIC and isinstance(innermost, Struct) and ast.DESTRUCTOR in innermost.methods:
        ctx.error(modifier_codes.DESTRUCTOR_PLACE, pos, type=ty.display(innermost), place=place)
    for part in misplaced_parts(t, place):
        if not isinstance(part, ty.Vector):
            ctx.error(entry_codes.OBJECT_PLACE, pos, type=ty.display(part), place=place)
        elif long_vectors:
            ctx.error(entry_codes.LONG_VECTOR_PLACE, pos, place=place)
    return len(ctx.messages) > before


def check_value(ctx: Context, name: str, value: object, pos: int) -> None:
    """Report a type that `name` cannot load from memory or store there: one that is or contains an object."""
    parts = ty.flatten(value) if isinstance(value, (Struct, ty.Array)) else [value]
    objects = [part for part in parts if isinstance(part, ObjectType)]
    if not objects:
        return
    assert isinstance(value, (Struct, ty.Array, ObjectType))
    place = "builtin template parameters"
    misplaced = [part for part in misplaced_parts(value, place) if not isinstance(part, ty.Vector)]
    misplaced += [part for part in objects if not part.name.startswith("vk::")]
    if misplaced:
        ctx.error(entry_codes.OBJECT_PLACE, pos, type=ty.display(misplaced[0]), place=place)
        ctx.fail(language.TYPE_ARGUMENT, pos, name=name)


STATIC, SHARED = "global variables", "groupshared variables"
"""Places of variables that belong to a thread or a thread group, in messages."""
_SIGNATURE = "entry function", "patch constant function"
"""Beginnings of the places that have streams and patches."""
_COOPERATIVE = frozenset((4456, 5288, 5358))
"""Opcodes of cooperative matrices and vectors: OpTypeCooperativeMatrixKHR, and those of the vendor's extensions."""
_MATRIX_HEADERS = frozenset(("dx::linalg", "vk::khr"))
"""Namespaces of the headers whose structs have such a type."""


def misplaced_parts(t: Type, place: str) -> Iterator[Type]:
    """Yield the objects that a type contains and a place does not allow, and its vectors of over four components.

    Of a matrix that a header declares, yield the struct. Visit each struct once.
    """
    seen: set[Struct] = set()
    todo: list[tuple[Type, Struct | None]] = [(t, None)]
    while todo:
        inner, header = todo.pop()
        part = ty.innermost(inner)
        if isinstance(part, Struct):
            if part in seen:
                continue
            seen.add(part)
            if part.scope in _MATRIX_HEADERS:
                header = header or part
            if place != STATIC and part.scope == "dx::linalg" and part.template_name == "Matrix":
                yield part
                continue
            todo += [(f.type, header) for f in reversed(part.all_fields())]
        elif isinstance(part, ObjectType) and not _may_lie(part, place):
            yield header or part
        elif isinstance(part, ty.Vector) and part.size > ty.MAX_SHORT_VECTOR:
            yield part


def _may_lie(t: ObjectType, place: str) -> bool:
    """Return whether an object may lie in a place."""
    if t.name == "dx::HitObject":
        return False
    if t.name == "__builtin_LinAlgMatrix":
        return place == STATIC or not t.args  # without its attributes a handle is no matrix yet
    if t.name == "vk::SpirvOpaqueType" and t.args[0] in _COOPERATIVE:
        return place == STATIC
    if t.name == "vk::SpirvOpaqueType" and place.startswith(_SIGNATURE):
        return False
    if t.name.endswith(("Stream", "Patch")):
        return place == STATIC or place.startswith(_SIGNATURE)
    return place != SHARED or t.name.startswith("vk::")


def check(ctx: Context, name: str, args: list[object], pos: int, element_pos: int) -> None:
    """Report template arguments ``args`` that the built-in object type ``name`` does not allow.

    ``pos`` is the position of the type's name, ``element_pos`` that of its first argument, the element type.
    """
    if name.startswith("vk::") and _is_inline_type(ctx, name, args, pos):
        return
    if not args:
        return
    first = args[0]
    if name in ("RayQuery", "__builtin_LinAlgMatrix"):
        _check_numbers(ctx, name, args, pos)
        return
    if "Feedback" not in name and not isinstance(first, Type):
        ctx.fail(codes.TEMPLATE_ARG_KIND, pos, name="T", wanted="a type")
    if name in ("InputPatch", "OutputPatch") and not (isinstance(args[1], int) and args[1] > 0):
        ctx.fail(codes.TEMPLATE_ARG_KIND, pos, name="ControlPoints", wanted="a positive constant expression")
    if name in ("InputPatch", "OutputPatch") and isinstance(args[1], int) and args[1] > MAX_CONTROL_POINTS:
        ctx.fail(codes.PATCH_SIZE, pos, name=name, limit=MAX_CONTROL_POINTS)
    if _is_typed(name):
        _check_typed(ctx, name, first, pos, element_pos)
        return
    if "Node" in name:
        _check_record(ctx, name, first, element_pos)
    elif isinstance(first, (Struct, ty.Array, ty.Vector)):
        place = next((words for prefix, words in _PLACES if name.endswith(prefix)), "")
        if place:
            check_place(ctx, element_pos, first, place, long_vectors=not name.endswith("StructuredBuffer"))
    holds_struct = name.endswith("StructuredBuffer") or name in ("ConstantBuffer", "TextureBuffer")
    needs_struct = name in ("ConstantBuffer", "TextureBuffer") and isinstance(first, (Scalar, ty.Vector, ty.Matrix))
    nothing = holds_struct and first in (ty.VOID, ty.STRING)
    is_object = isinstance(first, ObjectType) and not first.name.startswith("vk::")
    if needs_struct or nothing or (holds_struct and is_object):
        assert isinstance(first, Type)
        hint = f"'{name}' takes a struct: declare one with that member" if needs_struct else None
        ctx.fail(codes.OBJECT_ELEMENT, pos, type=ty.display(first), name=name, hint=hint)


def _check_numbers(ctx: Context, name: str, args: list[object], pos: int) -> None:
    """Report invalid arguments of a matrix handle, or ray flags of ``RayQuery`` that need a query flag."""
    if name == "__builtin_LinAlgMatrix":
        _check_matrix(ctx, args, pos)
        return
    flags, query_flags = args
    if not isinstance(flags, int) or not isinstance(query_flags, int):
        return
    if flags & watched.FORCE_OMM_2_STATE and not query_flags & watched.ALLOW_MICROMAPS:
        ctx.error(availability.QUERY_FLAGS, pos)


def _check_matrix(ctx: Context, args: list[object], pos: int) -> None:
    """Report arguments of ``__LinAlgMatrix_Attributes`` that are not five integers."""
    if len(args) != MATRIX_ATTRIBUTES:
        ctx.fail(codes.MATRIX_ATTRIBUTE_COUNT, pos, count=MATRIX_ATTRIBUTES)
    if not all(isinstance(x, int) for x in args):
        ctx.fail(codes.MATRIX_ATTRIBUTE_KIND, pos)


_TYPED = frozenset(("Buffer", "RWBuffer", "RasterizerOrderedBuffer", "SubpassInput", "SubpassInputMS"))


def _is_typed(name: str) -> bool:
    is_texture = "Texture" in name and name != "TextureBuffer" and "Feedback" not in name
    return is_texture or name in _TYPED


def _check_typed(ctx: Context, name: str, first: object, pos: int, element_pos: int) -> None:
    """Report an element type that is not a scalar or vector of up to four 32-bit components."""
    if isinstance(first, Struct) and name.startswith("SubpassInput"):
        return  # reported with the variable
    if isinstance(first, (Struct, ty.Matrix, ty.Array)):
        ctx.fail(codes.TYPED_ELEMENT, element_pos)
    if not isinstance(first, (Scalar, ty.Vector)) or first in (ty.VOID, ty.STRING):
        ctx.fail(codes.OBJECT_ELEMENT, pos, type=ty.display(first) if isinstance(first, Type) else first, name=name)
    element, count = ty.element_of(first), ty.component_count(first)
    assert element is not None
    if count > ty.MAX_SHORT_VECTOR or count * element.bits > 128:
        ctx.fail(codes.TYPED_ELEMENT_SIZE, element_pos)


def _check_record(ctx: Context, name: str, t: object, pos: int) -> None:
    """Report records of work graph nodes that are not structs of numbers."""
    if not isinstance(t, Struct):
        ctx.fail(codes.NODE_RECORD_TYPE, pos, type=ty.display(t) if isinstance(t, Type) else t)
    parts = ty.flatten(t)
    if not parts:
        ctx.fail(codes.NODE_RECORD_EMPTY, pos, name=name)
    for part in parts:
        if isinstance(part, ObjectType) or part is ty.STRING:
            ctx.fail(codes.NODE_RECORD_OBJECT, pos, type=ty.display(part))
