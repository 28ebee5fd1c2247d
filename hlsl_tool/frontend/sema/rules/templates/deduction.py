"""Template argument deduction: match a type in the source (the pattern) against the type of an argument.

Every parameter must match its argument, and all occurrences of a template parameter must deduce the same type or value.
Non-deduced contexts (``typename S<T>::type``, ``vector<T, N + 1>``) are skipped.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.base.system.dataclass import dataclass, field, fields, is_dataclass
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.types import Array, Matrix, ObjectType, Scalar, Struct, Type, Vector
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.templates.arguments import TYPES, Bindings, within
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.scopes import AliasTemplate, FunctionTemplate
from hlsl_tool.frontend.syntax import ast

_DEFAULTS: dict[str, tuple[object, ...]] = {"vector": (ty.FLOAT, 4), "matrix": (ty.FLOAT, 4, 4)}
"""Default template arguments of built-in templates."""


@dataclass(slots=True)
class Deduction:
    """State of one deduction: the parameters to deduce, their bindings so far, and the cause of a failure."""

    ctx: Context
    """Context whose scope is the template's, with the explicit arguments bound."""
    names: set[str]
    bindings: Bindings = field(default_factory=dict)
    conflict: tuple[str, object, object] | None = None
    """A template parameter and its two conflicting values."""
    mismatch: tuple[str, object] | None = None
    """A pattern and the type or value that does not match it."""
    bound: int = 0
    """Number of times a template parameter was matched."""
    exact: set[str] = field(default_factory=set)
    """Function parameters that took part in deduction: no implicit conversions apply to them."""

    def parameter(self, param: ast.Param, t: Type) -> bool:
        """Match a function parameter against the type of its argument."""
        pattern, bound_before = param.type, self.bound
        if not (mentions(pattern, self.names) or mentions(param.dims, self.names)):
            return True  # not dependent: implicit conversions apply
        is_matched = self._parameter(param, t)
        if self.bound > bound_before:
            self.exact.add(param.name)
        return is_matched

    def _parameter(self, param: ast.Param, t: Type) -> bool:
        pattern = param.type
        whole = t
        for bound in param.dims:
            if not isinstance(t, Array) or not self._bound(bound, t.size):
                self._differs(f"{spelled(pattern)}{_dims(param.dims)}", whole)
                return False
            t = t.element
        return self.unify(pattern, t)

    def _bound(self, bound: ast.Expr | None, size: int | None) -> bool:
        if bound is None or size is None:
            return bound is None and size is None
        return self.unify(bound, size)

    def _differs(self, pattern: str, value: object) -> None:
        if self.mismatch is None and self.conflict is None:
            self.mismatch = (pattern if pattern.isdigit() else f"'{pattern}'", value)

    def unify(self, pattern: ast.TemplateArg, value: object) -> bool:
        """Match a pattern against a type or value and bind parameters.

        On failure, record the reason and return False.
        """
        if self._matches(pattern, value):
            return True
        self._differs(spelled(pattern), value)
        return False

    def _matches(self, pattern: ast.TemplateArg, value: object) -> bool:
        named = isinstance(pattern, (ast.NamedType, ast.Name))
        if isinstance(pattern, ast.NamedType) and pattern.dims:
            return self._array(pattern, value)
        if isinstance(pattern, (ast.NamedType, ast.Name)):
            part = pattern.parts[-1]
            if len(pattern.parts) == 1 and part.name in self.names and part.args is None:
                return self._bind(part.name, value)
            if mentions([p.args for p in pattern.parts[:-1]], self.names) or pattern.parts[0].name in self.names:
                return True
            if part.args is not None and mentions(part.args, self.names):
                alias = self._alias_named(pattern)
                if alias is not None:
                    return self._alias(alias, part.args, value)
                return self._arguments(part, value)
        if not named and mentions(pattern, self.names):
            return True
        return self._equals(pattern, value)

    def _array(self, pattern: ast.NamedType, value: object) -> bool:
        for bound in pattern.dims:
            if not isinstance(value, Array) or not self._bound(bound, value.size):
                return False
            value = value.element
        return self.unify(ast.NamedType(pattern.parts, pattern.pos, pattern.is_global, pattern.quals), value)

    def _bind(self, name: str, value: object) -> bool:
        self.bound += 1
        old = self.bindings.setdefault(name, value)
        if old is value or old == value:
            return True
        if self.conflict is None:
            self.conflict = (name, old, value)
        return False

    def _equals(self, pattern: ast.TemplateArg, value: object) -> bool:
        """Return whether a pattern without template parameters denotes ``value``."""
        before = self.ctx.mark()
        try:
            if isinstance(pattern, ast.InlineType):
                return type_names.resolve(self.ctx, pattern).type is value
            own = type_names.template_argument(self.ctx, pattern)[0]
        except Poisoned:
            self.ctx.forget(before)
            return False
        return own is value or own == value

    def _alias_named(self, pattern: ast.NamedType | ast.Name) -> AliasTemplate | None:
        before = self.ctx.mark()
        try:
            named = type_names.lookup_path(self.ctx, pattern.parts, pattern.pos, pattern.is_global)
        except Poisoned:
            self.ctx.forget(before)
            return None
        return named if isinstance(named, AliasTemplate) else None

    def _alias(self, alias: AliasTemplate, args: Sequence[ast.TemplateArg], value: object) -> bool:
        """Match a use of an alias template, ``alias`` with the arguments ``args``, against ``value``.

        First match the type that the alias stands for, which binds its parameters; then match ``args`` against these.
        """
        assert alias.decl.type is not None
        params = alias.decl.template or ()
        own = Deduction(within(self.ctx, alias, {}, alias.decl.pos), {p.name for p in params})
        if not own.unify(alias.decl.type, value):
            return False
        pairs = zip(params, args, strict=False)
        return all(self.unify(a, own.bindings[p.name]) for p, a in pairs if p.name in own.bindings)

    def _arguments(self, part: ast.NamePart, value: object) -> bool:
        actual = _actual_arguments(part.name, value)
        written = part.args or []
        if actual is None or len(written) > len(actual):
            return False
        rest = _DEFAULTS.get(part.name, actual)[len(written) :]
        pairs = zip(written, actual, strict=False)
        return rest == actual[len(written) :] and all(self.unify(a, v) for a, v in pairs)

    def notes(self, ctx: Context, t: FunctionTemplate) -> list[Raw]:
        """Return notes that explain why deduction failed."""
        if self.conflict is not None:
            name, first, second = self.conflict
            kind = "types" if isinstance(first, TYPES) else "values"
            values = {"name": name, "first": _shown(first), "second": _shown(second), "kind": kind}
            return [ctx.note(codes.DEDUCTION_CONFLICT, t.decl.pos, t.chunk, **values)]
        if self.mismatch is None:
            return []
        pattern, value = self.mismatch
        return [ctx.note(codes.DEDUCTION_MISMATCH, t.decl.pos, t.chunk, pattern=pattern, type=_shown(value))]


def _actual_arguments(name: str, value: object) -> tuple[object, ...] | None:
    """Return the template arguments of a type that is an instance of the template ``name`` or derives from one.

    Return ``None`` for other types.
    """
    if isinstance(value, Vector) and name == "vector":
        return (value.element, value.size)
    if isinstance(value, Matrix) and name == "matrix":
        return (value.element, value.rows, value.cols)
    if isinstance(value, ObjectType) and value.name.rpartition("::")[2] == name:
        return value.args
    s = value if isinstance(value, Struct) else None
    while s is not None and s.template_name != name:
        s = s.base
    return s.template_args if s is not None else None


def mentions(node: object, names: set[str]) -> bool:
    """Return whether a syntax tree contains one of the names ``names`` of template parameters."""
    if not names or node is None or isinstance(node, (str, int, bool)):
        return False
    if isinstance(node, (list, tuple)):
        return any(mentions(x, names) for x in node)
    if isinstance(node, (ast.NamedType, ast.Name)) and node.parts[0].name in names:
        return True
    return is_dataclass(node) and any(mentions(getattr(node, f.name), names) for f in fields(node))


def concrete(value: object) -> object:
    """Return ``int`` or ``float`` for an untyped literal's type; return anything else unchanged."""
    if isinstance(value, (Scalar, Vector, Matrix)):
        element = ty.element_of(value)
        if element is not None and element.is_literal:
            return ty.with_element(value, ty.concrete(element))
    return value


def _shown(value: object) -> str:
    return f"'{ty.display(value)}'" if isinstance(value, TYPES) else str(value)


def spelled(pattern: ast.TemplateArg) -> str:
    """Return the text of a pattern for diagnostics; expressions other than names and numbers become ``...``."""
    if isinstance(pattern, ast.Number):
        return pattern.text
    if isinstance(pattern, ast.InlineType):
        return getattr(pattern.decl, "name", "") or "struct"
    if not isinstance(pattern, (ast.NamedType, ast.Name)):
        return "..."
    parts = (p.name if p.args is None else f"{p.name}<{', '.join(spelled(a) for a in p.args)}>" for p in pattern.parts)
    return "::".join(parts) + _dims(pattern.dims if isinstance(pattern, ast.NamedType) else ())


def _dims(dims: Sequence[ast.Expr | None]) -> str:
    return "".join(f"[{spelled(d) if d is not None else ''}]" for d in dims)
