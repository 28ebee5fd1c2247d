"""What somebody may have meant by a name that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.sema.intrinsics import matching
from hlsl_tool.syntax import suggestions
from hlsl_tool.syntax.suggestions import closest, from_glsl

if TYPE_CHECKING:
    from hlsl_tool.sema.context import Context
    from hlsl_tool.sema.scope import Scope

__all__ = ["closest", "for_type", "for_value"]


def for_value(ctx: Context, name: str) -> str | None:
    """For a name that stands where a value or function should."""
    return from_glsl(name) or closest(name, [*_visible(ctx), *matching.names()])


def for_type(ctx: Context, name: str) -> str | None:
    """For a name that stands where a type should."""
    return suggestions.for_type(name, _visible(ctx))


def _visible(ctx: Context) -> dict[str, None]:
    seen: dict[str, None] = {}
    scope: Scope | None = ctx.scope
    while scope is not None:
        seen.update(dict.fromkeys(scope.names))
        if scope.struct is not None:
            seen.update(dict.fromkeys(f.name for f in scope.struct.all_fields()))
        scope = scope.parent
    return seen
