"""Errors of a function, with positions in its own chunk."""

from __future__ import annotations

from hlsl_tool.diagnostics.model import Code
from hlsl_tool.sema.hir import Function
from hlsl_tool.sema.instances import Raw
from hlsl_tool.sema.source_chunk import SourceChunk
from hlsl_tool.sema.types import Array, ObjectType, Struct, Type, Vector, display
from hlsl_tool.system.dataclass import dataclass


@dataclass(slots=True)
class Reporter:
    """Collects the errors of one entry point."""

    function: Function
    messages: list[Raw]

    def error(self, code: Code, pos: int, chunk: SourceChunk | None = None, **fmt: object) -> None:
        """Report an error at a position of ``chunk``, by default the function's own."""
        self.messages.append(Raw(code, pos, fmt, chunk or self.function.chunk))


def check_elements(report: Reporter, pos: int, t: Type, place: str, objects: Code, vectors: Code) -> bool:
    """Report objects that may not stand in ``place`` and vectors of more than four components; return if there is one.

    Arrays, members and base classes are searched; a struct is searched once.
    """
    seen: set[Struct] = set()
    todo: list[Type] = [t]
    is_wrong = False
    while todo:
        part = todo.pop()
        while isinstance(part, Array):
            part = part.element
        if isinstance(part, Vector) and part.size > 4:
            report.error(vectors, pos, place=place)
            is_wrong = True
        elif isinstance(part, ObjectType) and part.name == "dx::HitObject":
            report.error(objects, pos, type=display(part), place=place)
            is_wrong = True
        elif isinstance(part, Struct) and part not in seen:
            seen.add(part)
            todo += [f.type for f in reversed(part.all_fields())]
    return is_wrong
