"""The data types of the HTML report, which its templates read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.apps.report.coverage import Coverage
from hlsl_tool.apps.report.dead_axes import DeadAxis
from hlsl_tool.apps.report.html.history import Size
from hlsl_tool.apps.report.html.permutations import Branch
from hlsl_tool.apps.report.snapshot import Weight
from hlsl_tool.apps.report.statistics import Statistics
from hlsl_tool.base.system.dataclass import dataclass, field

if TYPE_CHECKING:
    from hlsl_tool.apps.report.comparison import Comparison
    from hlsl_tool.apps.report.html.details import LaidOut
    from hlsl_tool.reflection.linking.binding_table import Shared


@dataclass(slots=True)
class ShaderRow:
    """A shader whose outputs are up to date."""

    name: str
    entry: str
    """The name without the permutation."""
    stage: str
    digest: str
    """The digest of its module."""
    weight: Weight
    ms: float
    """The milliseconds of its last compilation."""
    slowest_stage: str
    reused: str
    """The kind of key under which the store had it; empty if it was compiled."""
    same_as: str = ""
    """The first shader with the same module; empty if it is the first."""
    trend: list[Size] = field(default_factory=list)
    """Sizes of the shader at the points of the history; empty if they never changed."""


@dataclass(slots=True)
class Missing:
    """A shader whose outputs are out of date or missing."""

    name: str
    reason: str


@dataclass(slots=True)
class HeaderRow:
    """An included file: its size, its share of compile time, the cost of an edit, and the shaders that include it."""

    name: str
    lines: int
    bytes: int
    share_ms: float
    edit_ms: float
    entries: list[tuple[str, int]]
    """The entries that include it, with the number of their permutations."""
    shaders: int


@dataclass(slots=True)
class Tree:
    """The permutations of an entry point, as a tree."""

    name: str
    axes: list[tuple[str, list[str]]]
    """The macros and their values."""
    permutations: int
    modules: int
    missing: int
    """The number of permutations that are not built."""
    root: Branch
    dead: list[str] = field(default_factory=list)
    """The macros that have no effect on this entry."""


@dataclass(slots=True)
class BindingTable:
    """The bindings of an entry point, or of the stages of a pipeline."""

    name: str
    rows: list[Shared]
    of: int
    """The number of tables that were merged: permutations, or stages."""
    permutations: int = 0
    """The number of permutations of the entry that are up to date; 0 for a pipeline."""
    modules: int = 0
    """The number of their different modules, of which `of` are in the table."""
    problems: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    """Resources that no permutation uses."""
    crowded: frozenset[tuple[int | None, int | None]] = frozenset()
    """The sets and bindings with problems."""
    is_pipeline: bool = False
    unchecked: bool = False
    """Whether a stage is missing, so that the stages could not be compared."""


@dataclass(slots=True)
class BlockUse:
    """A block and the entry points that use it."""

    block: LaidOut
    entries: list[str]
    number: int = 0


@dataclass(slots=True)
class PointRow:
    """A point of the history, with the totals of all shaders at that time."""

    time: str
    shaders: int
    bytes: int
    instructions: int
    changed: list[tuple[str, Size | None, Size | None]]
    """Shader, its size before and after; ``None`` where there was none."""
    hidden: int = 0
    """The number of changes behind the last one that is listed."""


@dataclass(slots=True)
class Report:
    """All data of the report about one build."""

    title: str
    shaders: list[ShaderRow]
    missing: list[Missing]
    statistics: Statistics
    headers: list[HeaderRow]
    trees: list[Tree]
    dead: list[DeadAxis]
    bindings: list[BindingTable]
    blocks: list[BlockUse]
    history: list[PointRow]
    coverage: Coverage
    left_out: int = 0
    """The number of entries without bindings and blocks, since there are too many."""
    comparison: Comparison | None = None
    against: str = ""
    has_times: bool = True
