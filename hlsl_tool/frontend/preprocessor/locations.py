"""Convert the expansion history of a token to a source ``Location``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from hlsl_tool.base.diagnostics import IncludeFrame, Location, MacroFrame
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.preprocessor.inclusion.visit import Chain, Define, Include, Step, Visit
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.tokens import Definition, Frame
from hlsl_tool.frontend.preprocessor.macros.definitions import Macro


class Definitions:
    """Finds the locations of macro definitions in a preprocessing run, also of those made after its creation."""

    __slots__ = ("_found", "_walks", "visits")

    def __init__(self, visits: Iterable[Visit]) -> None:
        self.visits = tuple(visits)
        self._walks = [[_Level(visit, (Step(visit, -1),))] for visit in self.visits]
        self._found: dict[Definition, tuple[Chain, int]] = {}

    def find(self, macro: Definition) -> tuple[Chain, int] | None:
        """Return (include stack, offset) of a macro's definition; ``None`` for a built-in macro."""
        for levels in self._walks:
            while self._advance(levels):
                pass
        return self._found.get(macro)

    def _advance(self, levels: list[_Level]) -> bool:
        """Process the next directive or text of a file and of its includes; return False if there is none.

        A file whose end was reached is only left if an including file goes on, because the file may still be open.
        """
        depth = len(levels) - 1
        while depth >= 0 and levels[depth].following == len(levels[depth].visit.events):
            depth -= 1
        if depth < 0:
            return False
        del levels[depth + 1 :]
        level = levels[-1]
        event = level.visit.events[level.following][1]
        level.following += 1
        if isinstance(event, Define) and isinstance(event.directive.definition, Macro):
            self._found.setdefault(event.directive.definition, (level.chain, event.directive.at))
        elif isinstance(event, Include):
            levels.append(_Level(event.visit, (*level.chain, Step(event.visit, event.offset))))
        return True


@dataclass(slots=True)
class _Level:
    """A file during the traversal of the include tree: its include stack, and the index of its next event."""

    visit: Visit
    chain: Chain
    following: int = 0


def include_stack(chain: Chain) -> tuple[IncludeFrame, ...]:
    """Return the `#include` directives that lead to a file, the outermost first."""
    frames: list[IncludeFrame] = []
    for outer, inner in pairwise(chain):
        name, line, _ = outer.visit.presented(inner.offset)
        frames.append(IncludeFrame(name, line))
    return tuple(frames)


def location(
    chain: Chain,
    offset: int,
    *,
    length: int | None = None,
    index: int = -1,
    frames: tuple[Frame, ...] = (),
    definitions: Definitions | None = None,
) -> Location:
    """Return the source location of an offset in the innermost file of the include stack ``chain``.

    The offset counts characters of the text without comments and line continuations. ``length`` is the number of
    characters to underline, by default those of the token at the offset. ``index`` is the token's index in the output;
    ``frames`` are the macro expansions around it, which ``definitions`` locates.
    """
    visit = chain[-1].visit
    file = visit.file
    if length is None:
        match = lexer.TOKEN.match(file.clean, offset)
        length = match.end() - match.start() if match else 0
    name, line, col = visit.presented(offset)
    start = file.physical(offset)
    physical_line = file.source.line_col(start)[0]
    end_line, end_col = file.source.line_col(file.physical(offset + length - 1) + 1 if length else start)
    source_line = file.source.line_text(physical_line)
    return Location(
        file=name,
        line=line,
        col=col,
        end_col=end_col if end_line == physical_line else len(source_line) + 1,
        source_line=source_line,
        include_stack=include_stack(chain),
        macro_stack=_macro_stack(frames, definitions),
        index=index,
    )


def _macro_stack(frames: tuple[Frame, ...], definitions: Definitions | None) -> tuple[MacroFrame, ...]:
    result: list[MacroFrame] = []
    for macro, at in frames:
        found = definitions.find(macro) if definitions is not None else None
        if found is None:
            continue
        chain, start = found
        body = macro.traced_body()
        place = location(chain, start + (body[at].offset if at < len(body) else 0), length=1)
        result.append(MacroFrame(macro.name, place.file, place.line, place.col, place.source_line))
    return tuple(result)
