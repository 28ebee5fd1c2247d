"""Resolve types: from the syntax tree to `frontend.sema.model.types`."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn, TypeVar

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import availability, language
from hlsl_tool.base.diagnostics.catalogue import declarations as declaration_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import builtin_types
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate, evaluate_int
from hlsl_tool.frontend.sema.model.types import Majorness, ObjectType, Scalar, Struct, Type
from hlsl_tool.frontend.sema.rules import object_elements
from hlsl_tool.frontend.sema.rules.declarations import modifiers
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.handlers import declare_type, instantiate
from hlsl_tool.frontend.sema.scope.scopes import (
    Alias,
    AliasTemplate,
    Binding,
    BuiltIn,
    Constant,
    Namespace,
    StructTemplate,
    Trait,
    struct_member,
)
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.builtin_types import EFFECT_OBJECTS

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

MAX_ARRAY_ELEMENTS = 1 << 28

Parts = TypeVar("Parts", bound="Sequence[ast.NamePart]")


@dataclass(slots=True)
class Written:
    """A resolved type with the qualifiers in the source."""

    type: Type
    majorness: Majorness | None = None
    quals: tuple[str, ...] = ()
    is_settled: bool = False
    """Set for an alias of an array: ``#pragma pack_matrix`` applies at the alias's declaration, not at its use."""

    def majorness_at(self, ctx: Context, quals: Sequence[str], pos: int) -> Majorness | None:
        """Return the matrix order of a declaration at ``pos`` with these qualifiers."""
        return majorness_of(quals) or self.majorness or (None if self.is_settled else ctx.majorness_at(pos))


def majorness_of(quals: Sequence[str]) -> Majorness | None:
    """Return the matrix order among ``quals``; ``None`` if there is none."""
    return "row" if "row_major" in quals else "column" if "column_major" in quals else None


def resolve(ctx: Context, ref: ast.TypeRef, *, allow_auto: bool = False) -> Written:
    """Return the type that ``ref`` denotes; report an error and raise `Poisoned` if there is no such type."""
    if isinstance(ref, ast.InlineType):
        return Written(declare_type(ctx, ref.decl))
    w = _named(ctx, ref, allow_auto)
    check_indirections(ctx, ref)
    if ref.quals:
        modifiers.check_written(ctx, ref, w.quals, w.type)
        w = Written(w.type, majorness_of(ref.quals) or w.majorness, (*w.quals, *ref.quals), w.is_settled)
    if ref.dims:
        w = Written(with_dims(ctx, w.type, ref.dims, ref.pos), w.majorness, w.quals, w.is_settled)
    return w


def check_indirections(ctx: Context, ref: ast.NamedType) -> None:
    """Report a reference or pointer type, which HLSL does not have."""
    if "&" in ref.quals and "*" not in ref.quals and ctx.language.hlsl_version >= HLSL_202X:
        return
    if "&" in ref.quals or "*" in ref.quals:
        hint = "a parameter that the function changes is `inout`, one that it only sets is `out`"
        ctx.error(language.REFERENCE if "&" in ref.quals else language.POINTER, ref.pos, hint=hint)


def check_decltype(ctx: Context, ref: ast.TypeRef) -> None:
    """Report ``__decltype`` of an assignment or increment as the type of a declaration: in C++ it is a reference."""
    if not isinstance(ref, ast.InlineType) or not isinstance(ref.decl, ast.Decltype):
        return
    operand = ref.decl.operand
    if isinstance(operand, ast.Assign) or (isinstance(operand, ast.Unary) and operand.op in ("++", "--")):
        ctx.error(language.REFERENCE, ref.pos)


def resolve_or_invalid(ctx: Context, ref: ast.TypeRef, *, allow_auto: bool = False) -> Written:
    """Return the type of a declaration; after an error `types.INVALID`, so that the name is still declared.

    In a template instance raise `Poisoned` instead, because the error may just exclude an overload.
    """
    try:
        return resolve(ctx, ref, allow_auto=allow_auto)
    except Poisoned:
        if ctx.instance is not None:
            raise
        return Written(ty.INVALID)


def without_hlsl(ctx: Context, parts: Parts) -> Parts:
    """Return a name without ``hlsl::``, the namespace of all that is built in from HLSL 202x on.

    A namespace ``hlsl`` of the program hides only the names that it declares.
    """
    if len(parts) < 2 or parts[0].name != "hlsl" or ctx.language.hlsl_version < HLSL_202X:
        return parts
    own = ctx.scope.lookup_qualifier("hlsl")
    if own is None or (isinstance(own, Namespace) and parts[1].name not in own.members):
        return parts[1:]  # type: ignore[return-value]  # a slice of a list is a list
    return parts


def _named(ctx: Context, ref: ast.NamedType, allow_auto: bool) -> Written:
    parts = without_hlsl(ctx, ref.parts)
    last = parts[-1]
    if len(parts) == 1 and not ref.is_global:
        if last.args is None:
            plain = builtin_types.numeric(last.name, ctx.language.enable_16bit)
            if plain is not None and not builtin_types.is_free_8bit(last.name, ctx.language.enable_8bit):
                if last.name.startswith(builtin_types.ONLY_16BIT) and not ctx.language.enable_16bit:
                    ctx.fail(codes.ENABLE_16BIT, ref.pos, name=last.name)
                return Written(plain)
        elif last.name in ("vector", "matrix"):
            return _shaped(ctx, last.name, last.args, ref.pos)
        if last.name == "auto" and allow_auto:
            return Written(AUTO)
    found, parts = opened(lookup_path(ctx, parts, ref.pos, ref.is_global), parts)
    if found is not None:
        w = _bound(ctx, found, last, ref.pos)
        if w is not None:
            return w
        if not _is_object(parts):
            ctx.fail(codes.NOT_A_TYPE, ref.pos, name=spelled(parts))
    if ref.tag is not None and last.args is None and not _is_object(parts):
        outer = ctx.scope
        while ctx.scope.kind == "struct" and ctx.scope.parent is not None:
            ctx.scope = ctx.scope.parent  # in a member's type it is declared outside
        try:
            return Written(declare_type(ctx, ref.tag))
        finally:
            ctx.scope = outer
    return Written(_object(ctx, parts, ref.pos))


AUTO = ty.Struct("auto")
"""Placeholder for ``auto`` until the initialiser is analysed."""


def spelled(parts: Sequence[ast.NamePart]) -> str:
    """Return a qualified name as in the source, without template arguments."""
    return parts[0].name if len(parts) == 1 else "::".join(p.name for p in parts)


def opened(binding: Binding | None, parts: list[ast.NamePart]) -> tuple[Binding | None, list[ast.NamePart]]:
    """Return no binding, and the name with its namespace in front, for a name known by ``using namespace vk;``.

    The same applies to ``dx``. For any other binding, return the arguments unchanged.
    """
    if isinstance(binding, BuiltIn):
        return None, [ast.NamePart(binding.namespace), *parts]
    return binding, parts


@cache
def built_in_namespace(name: str) -> Namespace | None:
    """Return the types, functions and constants of ``vk`` or ``dx``; ``None`` for other names."""
    if name not in ("vk", "dx"):
        return None
    from hlsl_tool.frontend.sema.rules.intrinsics import matching  # start-up time

    tables = (builtin_types.OBJECTS, builtin_types.ALIASES, builtin_types.STRUCTS, builtin_types.CONSTANTS)
    known = {spelling for table in tables for spelling in table}.union(matching.names())
    members = sorted(spelling.partition("::")[2] for spelling in known if spelling.startswith(f"{name}::"))
    return Namespace(name, name, {member: BuiltIn(name, member) for member in members if "::" not in member})


_MODERN = {"numeric_limits": Trait("numeric_limits")}
"""Built-in templates of the namespace ``hlsl``."""
_BUILTIN_NAMESPACES = {"std": Namespace("std", "std", {"is_same": Trait("is_same")})}
"""Namespaces with templates that are built in, where the program declares no namespace of the name."""


def _first(ctx: Context, parts: Sequence[ast.NamePart], *, is_global: bool) -> Binding | None:
    """Return the binding of the first component of a qualified name."""
    scope = ctx.scope
    if is_global:
        while scope.parent is not None and scope.kind != "global":
            scope = scope.parent
    find = scope.lookup if len(parts) == 1 else scope.lookup_qualifier
    name = parts[0].name
    binding = find(name) or _BUILTIN_NAMESPACES.get(name)
    if binding is None and ctx.language.hlsl_version >= HLSL_202X:
        return _MODERN.get(name)
    return binding


def lookup_path(ctx: Context, parts: Sequence[ast.NamePart], pos: int, is_global: bool = False) -> Binding | None:
    """Return the binding of a qualified name; ``None`` if its first component is undeclared (it may be built in).

    If ``using namespace`` has made the first component known, the result is its ``BuiltIn``.
    """
    bare = without_hlsl(ctx, parts)
    if bare is not parts and len(bare) == 1:
        return _MODERN.get(bare[0].name)
    parts = bare
    binding = _first(ctx, parts, is_global=is_global)
    if isinstance(binding, BuiltIn):
        return binding
    for before, part in pairwise(parts):
        if binding is None:
            return None
        if isinstance(binding, Namespace):
            inner = binding.members.get(part.name)
            if inner is None:
                if _is_built_in(f"{binding.qualified}::{part.name}"):
                    return None  # the user's own `namespace vk` does not hide what is built in
                from hlsl_tool.frontend.sema.rules import suggestions  # start-up time

                hint = suggestions.for_part(ctx, part.name, list(binding.members))
                ctx.fail(codes.NO_MEMBER_NAMESPACE, pos, name=part.name, type=binding.qualified, hint=hint)
            binding = inner
            continue
        w = _bound(ctx, binding, before, pos)
        if w is None:
            ctx.fail(codes.NOT_A_TYPE, pos, name=before.name)
        binding = _member_of(w.type, part.name)
        if binding is None:
            from hlsl_tool.frontend.sema.rules import suggestions  # start-up time

            hint = suggestions.for_scoped(w.type, part.name)
            ctx.fail(codes.NO_MEMBER, pos, name=part.name, type=ty.display(w.type), hint=hint)
    return binding


def _member_of(t: Type, name: str) -> Binding | None:
    if isinstance(t, Struct):
        return struct_member(t, name)
    if isinstance(t, ty.Enum) and name in t.values:
        return Constant(name, t.values[name], t)
    return None


def _bound(ctx: Context, binding: Binding, part: ast.NamePart, pos: int) -> Written | None:
    if isinstance(binding, Alias):
        return Written(binding.type, binding.majorness, binding.quals, isinstance(binding.type, ty.Array))
    if isinstance(binding, (StructTemplate, Trait)):
        return Written(instantiate(ctx, binding, part.args, pos))
    if isinstance(binding, AliasTemplate):
        written: Written = instantiate(ctx, binding, part.args, pos)
        return written
    return None


# ----------------------------------------------------------------------------------------------------------- built in


def _is_object(parts: Sequence[ast.NamePart]) -> bool:
    name = spelled(parts)
    return name in builtin_types.OBJECTS or name in builtin_types.ALIASES or name in builtin_types.STRUCTS


def _is_built_in(name: str) -> bool:
    known: tuple[Container[str], ...] = (builtin_types.OBJECTS, builtin_types.ALIASES, builtin_types.CONSTANTS)
    if any(name in table for table in known):
        return True
    from hlsl_tool.frontend.sema.rules.intrinsics import matching  # start-up time

    return matching.is_intrinsic(name)


def _fail_unknown(ctx: Context, name: str, pos: int) -> NoReturn:
    """Report an unknown type name, or one that requires an option; raise `Poisoned`."""
    if builtin_types.is_free_8bit(name, ctx.language.enable_8bit):
        ctx.fail(availability.ENABLE_8BIT, pos, name=name)
    if name in EFFECT_OBJECTS and name.lower() != "texture":  # of which a hint says what HLSL has instead
        ctx.fail(declaration_codes.EFFECT_TYPE, pos, name=name)
    from hlsl_tool.frontend.sema.rules import suggestions  # start-up time

    ctx.fail(codes.UNKNOWN_TYPE, pos, name=name, hint=suggestions.for_type(ctx, name))


def _object(ctx: Context, parts: Sequence[ast.NamePart], pos: int) -> Type:
    name = spelled(parts)
    plain = builtin_types.plain(name)
    if plain is not None:
        return plain
    name = builtin_types.ALIASES.get(name, name)
    defaults = builtin_types.OBJECTS.get(name)
    if defaults is None:
        _fail_unknown(ctx, name, pos)
    if name == "dx::HitObject":
        ctx.uses_built_in(name, pos)
    written = parts[-1].args
    if written is None and name in builtin_types.EXPLICIT:
        ctx.fail(codes.TEMPLATE_NEEDS_ARGS, pos, name=name)
    args: list[object] = []
    majorness: Majorness | None = None
    quals: tuple[str, ...] = ()
    is_settled = False
    variadic = name in ("vk::SpirvType", "vk::SpirvOpaqueType", "__builtin_LinAlgMatrix")
    for i, a in enumerate(written or ()):
        if i >= len(defaults) and not variadic:
            ctx.fail(codes.TEMPLATE_ARG_COUNT, pos, name=name)
        value, w = template_argument(ctx, a)
        args.append(value)
        if w is not None and i == 0:
            majorness, quals, is_settled = w.majorness, w.quals, w.is_settled
    for d in defaults[len(args) :]:
        if d is None:
            ctx.fail(codes.TEMPLATE_NEEDS_ARGS, pos, name=name)
        args.append(d)
    if majorness is None and not is_settled and args and isinstance(args[0], (ty.Matrix, ty.Array)):
        majorness = ctx.majorness_at(pos)
    element_pos = getattr(written[0], "pos", pos) if written else pos
    object_elements.check(ctx, name, args, pos, element_pos)
    if name == "RayQuery" and args[1] and written and isinstance(written[-1], ast.Number):
        ctx.uses_built_in(name, pos)
    return ty.object_type(name, tuple(args), majorness, quals)


_STORAGE = frozenset(("static", "extern"))


def check_storage(ctx: Context, t: ast.TypeRef) -> None:
    """Report a storage class on a type that is not part of a declaration: of a template argument or a cast."""
    if isinstance(t, ast.NamedType) and not _STORAGE.isdisjoint(t.quals):
        ctx.error(language.STORAGE_ARGUMENT, t.pos)


_OF_TYPES = (Alias, StructTemplate, AliasTemplate, Trait)
"""Bindings of names that are types, with template arguments or without."""


def template_argument(ctx: Context, a: ast.TemplateArg) -> tuple[object, Written | None]:
    """Return the value of a template argument, and its resolved type if it is one."""
    if isinstance(a, (ast.NamedType, ast.InlineType)):
        if isinstance(a, ast.NamedType) and names_a_value(ctx, a):
            a = ast.Name(a.parts, a.pos, a.is_global)
        else:
            check_storage(ctx, a)
            w = resolve(ctx, a)
            return w.type, w
    if isinstance(a, ast.Name):
        found = lookup_path(ctx, a.parts, a.pos, a.is_global)
        is_built_in = isinstance(found, BuiltIn) and _is_object(opened(found, a.parts)[1])
        if is_built_in or isinstance(found, _OF_TYPES):
            w = resolve(ctx, ast.NamedType(a.parts, a.pos, a.is_global))
            return w.type, w
    e = ex.rvalue(ctx, a)
    v = evaluate_int(e)
    if v is None:
        other = evaluate(e)
        if other is not None and not isinstance(other, list):
            return other, None
        ctx.fail(codes.TEMPLATE_ARG_KIND, a.pos, name="template", wanted="a type or a constant expression")
    return (bool(v) if e.type is ty.BOOL else v), None


def names_a_value(ctx: Context, a: ast.NamedType) -> bool:
    """Return whether a template argument that was parsed as a type is the name of a value."""
    if len(a.parts) == 1 and builtin_types.numeric(a.parts[0].name, True) is not None:
        return builtin_types.is_free_8bit(a.parts[0].name, ctx.language.enable_8bit) and _is_value(ctx, a)
    return _is_value(ctx, a)


def _is_value(ctx: Context, a: ast.NamedType) -> bool:
    """Return whether a name is declared, and its innermost declaration is not that of a type."""
    found = lookup_path(ctx, a.parts, a.pos, a.is_global)
    if isinstance(found, BuiltIn):
        return not _is_object(opened(found, a.parts)[1])
    return found is not None and not isinstance(found, _OF_TYPES)


def _shaped(ctx: Context, name: str, args: list[ast.TemplateArg], pos: int) -> Written:
    written = [template_argument(ctx, a) for a in args]
    values = [value for value, _ in written]
    component = written[0][1] if written else None
    quals = tuple(q for q in component.quals if q in ("snorm", "unorm")) if component is not None else ()
    element = values[0] if values else ty.FLOAT
    required = 1 if name == "vector" else 2
    dims = values[1:] + [4] * (required + 1 - max(len(values), 1))
    if not isinstance(element, Scalar) or element.category in ("void", "string"):
        shown = (
            ty.display(element)
            if isinstance(element, (ty.Vector, ty.Matrix, Struct, ty.Array, ObjectType, ty.Enum, Scalar))
            else element
        )
        ctx.fail(codes.OBJECT_ELEMENT, pos, type=shown, name=name)
    if len(dims) != required:
        ctx.fail(codes.TEMPLATE_ARG_COUNT, pos, name=name)
    ints = [d for d in dims if isinstance(d, int)]
    limit = ctx.language.max_vector if name == "vector" else 4
    if len(ints) != len(dims) or any(not 1 <= d <= limit for d in ints):
        is_long = (
            name == "vector" and limit < ty.MAX_LONG_VECTOR and len(ints) == 1 and 1 <= ints[0] <= ty.MAX_LONG_VECTOR
        )
        hint = f"vectors of up to {ty.MAX_LONG_VECTOR} components need shader model 6.9" if is_long else None
        ctx.fail(codes.VECTOR_SIZE, pos, limit=limit, hint=hint)
    shaped = ty.vector(element, ints[0]) if name == "vector" else ty.matrix(element, ints[0], ints[1])
    return Written(shaped, quals=quals)


# -------------------------------------------------------------------------------------------------------------- arrays


def with_dims(ctx: Context, t: Type, dims: Sequence[ast.Expr | None], pos: int, name: str = "") -> Type:
    """Build the array type of ``t`` with these bounds: ``float a[2][3]`` is an array of 2 arrays of 3."""
    if t is ty.INVALID:
        return t
    for d in reversed(dims):
        if isinstance(t, ty.Array) and t.size is None:
            ctx.fail(language.INCOMPLETE_ELEMENT, pos, type=ty.display(t))
        if d is None:
            t = ty.array(t, None)
            continue
        n = evaluate_int(ex.rvalue(ctx, d))
        if n is None:
            ctx.fail(codes.ARRAY_SIZE, d.pos)
        if n < 0:
            ctx.fail(codes.ARRAY_SIZE_NEGATIVE, d.pos, name=name)
        if n == 0:
            ctx.fail(codes.ARRAY_SIZE_ZERO, d.pos)
        t = ty.array(t, n)
        if _total(t) > MAX_ARRAY_ELEMENTS:
            ctx.fail(codes.TYPE_TOO_LARGE, d.pos, name=name or "array", limit=MAX_ARRAY_ELEMENTS)
    if dims and ty.levels(t) > ty.MAX_LEVELS:
        ctx.fail(codes.TYPE_TOO_DEEP, pos, name=name or "array", limit=ty.MAX_LEVELS)
    return t


def _total(t: Type) -> int:
    n = 1
    while isinstance(t, ty.Array):
        n *= t.size or 1
        t = t.element
    return n
