"""Hints for undeclared names: the visible name with the most similar spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics.diagnostic import Advice
from hlsl_tool.frontend.sema.model.types import Enum, Struct, Type
from hlsl_tool.frontend.sema.rules.intrinsics import matching
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES
from hlsl_tool.frontend.syntax.errors import suggestions
from hlsl_tool.frontend.syntax.errors.suggestions import closest, from_elsewhere

if TYPE_CHECKING:
    from hlsl_tool.frontend.sema.scope.context import Context
    from hlsl_tool.frontend.sema.scope.scopes import Scope
    from hlsl_tool.frontend.syntax import ast

_KEYWORDS = ("break", "continue", "discard", "false", "return", "sizeof", "this", "true")
"""Keywords that may stand where a value does: with them misspelt, a statement is still an expression."""

Suggest = Callable[[Sequence[str]], Advice | None]
"""Computes a hint from the names that are declared before, outside of functions."""

__all__ = ["closest", "for_type", "for_value"]


def for_value(ctx: Context, name: str) -> Suggest:
    """Return a function that computes the hint for an undeclared value or function."""
    visible = _Visible(ctx.scope)
    return lambda before: (
        from_elsewhere(name)
        or closest(name, [*visible.names(), *before, *matching.names(), *_KEYWORDS, *sorted(BUILTIN_TYPES)])
    )


def for_path(ctx: Context, parts: Sequence[ast.NamePart], pos: int) -> Suggest:
    """Return a function that computes the hint for a name of several parts, of which the first is undeclared."""
    visible, first = _Visible(ctx.scope), parts[0].name
    tokens = ctx.chunk.tokens
    at = max((at for at in range(min(pos, len(tokens) - 1) + 1) if tokens[at] == first), default=None)
    return lambda before: closest(first, [*visible.names(), *before], at=at)


def for_type(ctx: Context, name: str) -> Suggest:
    """Return a function that computes the hint for an undeclared type."""
    visible = _Visible(ctx.scope)
    return lambda before: suggestions.for_type(name, [*visible.names(), *before])


def for_word(name: str, words: Iterable[str]) -> Suggest:
    """Return a function that computes the hint for a name that is none of ``words``, such as a method or a member."""
    return lambda before: closest(name, words)


def for_member(s: Struct, name: str) -> Suggest:
    """Return a function that computes the hint for an unknown member of a struct."""
    return lambda before: closest(name, [*s.methods, *s.statics, *(f.name for f in s.all_fields())])


def for_scoped(t: Type, name: str) -> Suggest:
    """Return a function that computes the hint for a name behind the `::` of a struct or an enumeration."""
    if isinstance(t, Struct):
        return for_member(t, name)
    return for_word(name, t.values if isinstance(t, Enum) else ())


def for_attribute(ctx: Context, a: ast.Attribute, names: list[str]) -> Suggest:
    """Return a function that computes the hint for an unknown attribute."""
    at = next(
        (at for at in range(a.pos, min(a.pos + 4, len(ctx.chunk.tokens))) if ctx.chunk.tokens[at] == a.name), None
    )
    return lambda before: closest(a.name.lower(), names, at=at)


def for_part(ctx: Context, name: str, members: list[str]) -> Suggest:
    """Return a function that computes the hint for an unknown member of the namespace ``name``."""
    tokens = ctx.chunk.tokens

    def advice(before: Sequence[str]) -> Advice | None:
        if name not in members and matching.is_intrinsic(name):
            return Advice(f"the intrinsic '{name}' has no namespace: write `{name}(...)`")
        close = closest(name, members)
        return close if close is None or tokens.count(name) == 1 else Advice(close.hint)

    return advice


class _Visible:
    """A snapshot of the names visible in a scope: names that are declared later are not included."""

    __slots__ = ("_scopes",)

    def __init__(self, scope: Scope | None) -> None:
        self._scopes: list[tuple[Scope, int]] = []
        while scope is not None:
            self._scopes.append((scope, len(scope.names)))  # names are added, never removed
            scope = scope.parent

    def names(self) -> dict[str, None]:
        seen: dict[str, None] = {}
        for scope, count in self._scopes:
            seen.update(dict.fromkeys(islice(scope.names, count)))
            if scope.struct is not None:
                seen.update(dict.fromkeys(f.name for f in scope.struct.all_fields()))
        return seen
