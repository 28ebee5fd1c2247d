"""Collects errors about a function; their positions count from the first token of its top-level declaration."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import entries as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Type, Vector, display
from hlsl_tool.frontend.sema.rules.object_elements import misplaced_parts


@dataclass(slots=True)
class Reporter:
    """Collects the errors of one entry point."""

    function: Function
    messages: list[Raw]

    def error(self, code: Code, pos: int, chunk: SourceChunk | None = None, **fmt: object) -> None:
        """Report an error at a position in the top-level declaration ``chunk``, by default that of the function."""
        self.messages.append(Raw(code, pos, fmt, chunk or self.function.chunk))


def check_elements(report: Reporter, pos: int, t: Type, place: str) -> None:
    """Report objects, and vectors of over four components, in ``t`` that a place does not allow.

    ``place`` names it in messages.
    """
    for part in misplaced_parts(t, place):
        if isinstance(part, Vector):
            report.error(codes.LONG_VECTOR_PLACE, pos, place=place)
        else:
            report.error(codes.OBJECT_PLACE, pos, type=display(part), place=place)
