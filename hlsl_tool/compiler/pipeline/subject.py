"""The module and the data that the steps of the pipeline share, the type of a step, and the loop that runs steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.passes.masking import Mask
from hlsl_tool.codegen.passes.promote.function_cache import FunctionCache
from hlsl_tool.compiler.pipeline.facts import Facts, Requirements
from hlsl_tool.compiler.pipeline.journal import Journal
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.features import Features
from hlsl_tool.spirv.ir import Module
from hlsl_tool.spirv.tools.optimizer import OptimizerOptions


class Failed(Exception):
    """Raised by a step after it has reported an error; no further step runs."""


class Declined(Exception):
    """Raised by promotion, with the reason, when a module must be left to spirv-opt; the module is unchanged."""


def _no_location(_: int) -> Location | None:
    return None


@dataclass(slots=True)
class Subject:
    """The module that the steps of the pipeline change, with its options, diagnostics and other shared data."""

    module: Module
    options: CompileOptions
    requirements: Requirements = field(default_factory=Requirements)
    facts: Facts = field(default_factory=Facts)
    sink: Sink = field(default_factory=Sink)
    functions: FunctionCache = field(default_factory=FunctionCache)
    """The functions that promotion has rewritten for earlier modules."""
    features: Features = field(default_factory=lambda: Features(sink=Sink()))
    locate: Callable[[int], Location | None] = _no_location
    """Return the source location of the stage variable with an id; `None` for other ids."""
    optimizer: OptimizerOptions = field(default_factory=OptimizerOptions)
    copy: bytes = b""
    """The module before spirv-opt changed it, for a second attempt by promotion; empty without one."""
    before: Module | None = None
    """The module that spirv-opt was given."""
    mask: Mask | None = None
    """The instructions that are hidden from spirv-opt at present."""
    journal: Journal | None = None
    """The record of the steps, for `--print-steps`; otherwise `None`."""
    _index: ModuleIndex | None = None

    @property
    def index(self) -> ModuleIndex:
        """The lookup tables of the module in its present state, which passes and checks share."""
        if self._index is None:
            self._index = ModuleIndex(self.module)
        return self._index

    def forget_index(self) -> None:
        """Discard the lookup tables: the module has changed."""
        self._index = None

    def replace_module(self, module: Module) -> None:
        """Replace the module by another one, for all further steps."""
        self.module = module
        self._index = None


def _always(subject: Subject) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Step:
    """One pass over a module, or one run of a tool."""

    name: str
    run: Callable[[Subject], Any]
    """The pass; it returns false if the subject's index is still valid afterwards, and raises `Failed` on errors."""
    reason: str
    """Why it runs at its place."""
    when: Callable[[Subject], bool] = _always
    """Whether the module needs the step, asked when its turn comes."""
    condition: str = ""
    """`when` in words."""


@dataclass(frozen=True, slots=True)
class BuilderPass:
    """One pass over the builder, before ids are final."""

    name: str
    run: Callable[[ModuleBuilder], None]
    reason: str
    condition: str = ""


def run(steps: Iterable[Step], subject: Subject) -> None:
    """Run the steps whose conditions hold, in order; raise `Failed` or `Declined` as the steps do."""
    journal = subject.journal
    for step in steps:
        if not step.when(subject):
            if journal is not None:
                journal.skipped(step.name, step.condition)
            continue
        if step.run(subject) is not False:
            subject.forget_index()
        if journal is not None:
            journal.ran(step.name, subject.module)


_loaded: dict[str, Callable[..., Any]] = {}


def function(name: str) -> Callable[..., Any]:
    """Return the function that ``module:function`` names below `codegen.passes`; it is imported when first needed."""
    if name not in _loaded:
        module, _, attribute = name.partition(":")
        _loaded[name] = getattr(import_module(f"hlsl_tool.codegen.passes.{module}"), attribute)
    return _loaded[name]


def on_module(*names: str) -> Callable[[Subject], Any]:
    """Return a step that calls functions with the module; the result is that of the last one."""

    def call(subject: Subject) -> Any:
        for name in names:
            result = function(name)(subject.module)
        return result

    return call


def on_index(name: str) -> Callable[[Subject], Any]:
    """Return a step that calls a function with the module and its index."""
    return lambda subject: function(name)(subject.module, subject.index)
