"""Results of semantic analysis that shaders share: diagnostics, and template instances.

Positions of diagnostics count from the first token of a top-level declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hlsl_tool.base.diagnostics.diagnostic import Advice, Code
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model.hir import CBuffer, Function, Variable
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Enum, Struct

Hint = str | Advice | Callable[[Sequence[str]], Advice | None] | None
"""A hint, with edits if it has any, or a function that computes it when the hint is printed.

The function gets the names that are declared before, outside of functions. An analysed declaration only knows those
that it mentions, because shaders with other declarations share it.
"""


@dataclass(slots=True)
class Raw:
    """A diagnostic whose position counts from the first token of its top-level declaration.

    It is cached with the declaration and reported again for each shader.
    """

    code: Code
    pos: int
    fmt: dict[str, object]
    chunk: SourceChunk | None
    notes: list[Raw] = field(default_factory=list)
    hint: Hint = None
    base: int = -1
    """Index of the declaration's first token, for a declaration that the shader repeats; -1 for the first of them."""
    extents: tuple[tuple[int, int], ...] = ()
    """Positions of the first and last tokens of expressions to underline."""
    touches: int = -1
    """Position of a token; the diagnostic is reported only if blanks at most separate it from its own, on one line."""


@dataclass(slots=True, eq=False)
class Instance:
    """A template instance: the declaration that results from it, with the diagnostics and declarations it produced.

    Shaders compiled in one process share instances; `Context.use` adds an instance's diagnostics to those of a shader.
    """

    result: Any = None
    is_poisoned: bool = False
    """Whether the instantiation failed; ``result`` is then unusable."""
    messages: list[Raw] = field(default_factory=list)
    globals: list[Variable | CBuffer] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    structs: list[Struct] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    definitions: list[tuple[Function, Function]] = field(default_factory=list)
    pending: list[Function] = field(default_factory=list)
    uses: list[Instance] = field(default_factory=list)
    """Other instances that this one uses."""
    is_changed: bool = False
    """Whether it uses a specialisation that stands behind the template (`templates.renewal`)."""
