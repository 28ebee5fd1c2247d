"""Labels of ``switch`` statements."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.scope.context import Context

_KEYWORDS: dict[type, str] = {hir.For: "for", hir.While: "while", hir.Do: "do"}


def check_labels(ctx: Context, body: hir.Block) -> None:
    """Report labels that occur twice in a ``switch``, and labels inside a nested selection or loop."""
    seen: set[int] = set()
    defaults = 0
    for label in labels_of(body):
        if label.value is None:
            defaults += 1
            if defaults > 1:
                ctx.error(codes.DUPLICATE_DEFAULT, label.pos)
            continue
        if label.value in seen:
            ctx.error(codes.DUPLICATE_CASE, label.pos, value=label.value)
        seen.add(label.value)
    for s in body.statements:
        _check_nested(ctx, s, None)


def labels_of(s: hir.Block) -> Iterator[hir.Case]:
    """Yield the labels of a ``switch``, including those in nested blocks."""
    for x in s.statements:
        if isinstance(x, hir.Block):
            yield from labels_of(x)
        elif isinstance(x, hir.Case):
            yield x


def _check_nested(ctx: Context, s: hir.Stmt | None, around: str | None) -> None:
    """Report ``switch`` labels inside a nested selection or loop, into which SPIR-V cannot jump.

    ``around`` is the keyword of the selection or loop around ``s``; ``None`` if there is none inside the ``switch``.
    """
    if isinstance(s, hir.Case) and around is not None:
        ctx.error(codes.CASE_NESTED, s.pos, label="default" if s.value is None else "case", around=around)
    elif isinstance(s, hir.Block):
        for x in s.statements:
            _check_nested(ctx, x, around)
    elif isinstance(s, (hir.For, hir.While, hir.Do)):
        _check_nested(ctx, s.body, _KEYWORDS[s.__class__])
    while isinstance(s, hir.If):  # long chains of else if
        _check_nested(ctx, s.then, "if")
        s = s.otherwise
        if not isinstance(s, hir.If):
            _check_nested(ctx, s, "if")
