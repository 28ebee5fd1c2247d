"""Collects errors about a function, with positions relative to its chunk."""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import entries as codes
from hlsl_tool.diagnostics.model import Code
from hlsl_tool.sema.hir import Function
from hlsl_tool.sema.instances import Raw
from hlsl_tool.sema.object_elements import placed_parts
from hlsl_tool.sema.source_chunk import SourceChunk
from hlsl_tool.sema.types import ObjectType, Type, display
from hlsl_tool.system.dataclass import dataclass


@dataclass(slots=True)
class Reporter:
    """Collects the errors of one entry point."""

    function: Function
    messages: list[Raw]

    def error(self, code: Code, pos: int, chunk: SourceChunk | None = None, **fmt: object) -> None:
        """Report an error at a position of ``chunk``, by default the function's own."""
        self.messages.append(Raw(code, pos, fmt, chunk or self.function.chunk))


def check_elements(report: Reporter, pos: int, t: Type, place: str) -> None:
    """Report objects and vectors of more than four components that are not allowed in ``place``."""
    for part in placed_parts(t):
        if isinstance(part, ObjectType):
            report.error(codes.OBJECT_PLACE, pos, type=display(part), place=place)
        else:
            report.error(codes.LONG_VECTOR_PLACE, pos, place=place)
