"""The root of a reachability check: an entry point or an exported function."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk

Place = tuple[str, SourceChunk | None, int]
"""A code and the place where it is reported."""


def profile_of(profile: str, model: str) -> str:
    """Return the profile of the same stage in shader model ``model``: ``cs_6_0`` and ``6.6`` give ``cs_6_6``."""
    return f"{profile.partition('_')[0]}_{model.replace('.', '_')}"


@dataclass(slots=True)
class Root:
    """An entry point or exported function whose reachable functions are checked, and the list for the diagnostics."""

    function: Function
    stage: str
    """As ``[shader("...")]`` names it; ``""``: an exported function of a library."""
    launch: str
    """Launch type of a node; ``""`` for other stages."""
    model: tuple[int, int]
    profile: str
    messages: list[Raw]
    seen: set[Place]
    """Places whose checks do not depend on the entry point, and that were checked for an earlier one."""
    chunk: SourceChunk | None = field(default=None)
    """The chunk of the function that is checked."""

    @property
    def name(self) -> str:
        return self.function.qualified_name

    def error(self, code: Code, pos: int, **fmt: object) -> None:
        """Report a diagnostic, with a note that names the entry point."""
        f = self.function
        if "model" in fmt:
            fmt["needed"] = profile_of(self.profile, str(fmt["model"]))
        note = Raw(sema_codes.DECLARED_HERE, f.pos, {"name": f.name}, f.chunk)
        self.messages.append(Raw(code, pos, fmt, self.chunk, [note]))

    def is_new(self, code: Code, pos: int) -> bool:
        """Return whether this diagnostic was not reported at this position before, and remember it."""
        place = (code.id, self.chunk, pos)
        if place in self.seen:
            return False
        self.seen.add(place)
        return True

    @property
    def threads(self) -> tuple[int, int, int] | None:
        """The size of the thread group; ``None`` if the function has no ``numthreads`` attribute."""
        a = find_attribute(self.function.attributes, "numthreads")
        if a is None or len(a.args) != 3:
            return None
        x, y, z = (n if isinstance(n, int) else 1 for n in a.args)
        return x, y, z
