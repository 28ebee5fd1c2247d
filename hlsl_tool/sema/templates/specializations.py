"""Partial and explicit specialisations: which of them matches the arguments."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.sema.context import Context
from hlsl_tool.sema.scope import (
    Specialization,
)
from hlsl_tool.sema.templates.arguments import Bindings, within
from hlsl_tool.sema.templates.deduction import Deduction
from hlsl_tool.syntax import ast


def match_specialization(
    ctx: Context,
    special: Specialization,
    params: Sequence[ast.TemplateParam] | None,
    patterns: Sequence[ast.TemplateArg] | None,
    pos: int,
    key: tuple[object, ...],
) -> Bindings | None:
    """Return the bindings under which the patterns of a specialisation match ``key``; ``None`` if they do not."""
    params = params or ()
    deduction = Deduction(within(ctx, special, {}, pos), {p.name for p in params})
    for pattern, value in zip(patterns or (), key, strict=False):
        if not deduction.unify(pattern, value):
            return None
    return deduction.bindings if all(p.name in deduction.bindings for p in params) else None
