"""The result of a compilation, and the caches that compilations share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics.diagnostic import Diagnostic
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.lower.interface import InterfaceRecord
from hlsl_tool.codegen.passes.promote.function_cache import FunctionCache
from hlsl_tool.compiler.finished_modules import FinishedModules
from hlsl_tool.compiler.reach import ReachMemory
from hlsl_tool.compiler.stopwatch import Stopwatch
from hlsl_tool.frontend.preprocessor import PreprocessorMemory
from hlsl_tool.frontend.preprocessor.stream import IncludeTrace
from hlsl_tool.frontend.sema.analysis import SemaMemory
from hlsl_tool.frontend.syntax.memory import SyntaxMemory
from hlsl_tool.spirv.builder.symbols import SymbolTable

if TYPE_CHECKING:
    from hlsl_tool.reflection.reflection import Reflection
from hlsl_tool.spirv.ir import Module


@dataclass(slots=True)
class Memory:
    """The caches of all stages, keyed by content; they affect the speed of a compilation, but not its result."""

    preprocessor: PreprocessorMemory = field(default_factory=PreprocessorMemory)
    syntax: SyntaxMemory = field(default_factory=SyntaxMemory)
    sema: SemaMemory = field(default_factory=SemaMemory)
    reach: ReachMemory = field(default_factory=ReachMemory)
    symbols: SymbolTable = field(default_factory=SymbolTable)
    functions: FunctionCache = field(default_factory=FunctionCache)
    finished: FinishedModules | None = field(default_factory=FinishedModules)
    """``None`` for a single compilation, which would only compute the key."""

    def release(self) -> None:
        """Empty the caches and break most reference cycles, so that memory is freed without the garbage collector."""
        self.syntax.release()
        self.sema.release()


@dataclass(slots=True)
class CompileResult:
    """The result of a compilation.  ``spirv`` is empty if ``ok`` is false; the trace is always complete."""

    ok: bool
    spirv: bytes
    module: Module | None
    diagnostics: list[Diagnostic]
    trace: IncludeTrace
    interface: InterfaceRecord = field(default_factory=InterfaceRecord)
    printed: str = ""
    """With ``print_all``: the text of the module before each pass of spirv-opt, and after the last. With
    ``print_steps``: the steps of the pipeline that ran."""
    reused: str = ""
    """``tokens`` or ``reach``: the kind of key that gave a cached result, which has no module and no blocks."""
    key: str = ""
    """The key of a cached result; empty for a new one."""
    watch: Stopwatch = field(default_factory=Stopwatch)
    """The time that each stage took."""

    def reflect(self) -> Reflection:
        """Return the resources, block layouts and stage variables of the module (``docs/how-to/reflection.md``).

        Raises ``ValueError`` if the shader has errors.
        """
        if not self.spirv:
            raise ValueError("the shader has errors, so there is no module to reflect")
        from hlsl_tool.reflection.extract import reflect
        from hlsl_tool.spirv.decode import decode

        return reflect(decode(self.spirv), self.interface)
