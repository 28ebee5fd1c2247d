"""Parse a source with the project's front end, and return its functions; errors are tolerated."""

from __future__ import annotations

from collections.abc import Mapping

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem
from hlsl_tool.base.system.dataclass import dataclass, replace
from hlsl_tool.compiler.preprocessing import preprocess_options
from hlsl_tool.frontend.preprocessor import preprocess
from hlsl_tool.frontend.syntax import Chunk, SyntaxMemory, ast, parse
from hlsl_tool.frontend.syntax.parser import TranslationUnit
from hlsl_tool.project.config.expansion.entry_points import functions as functions_of_text
from hlsl_tool.project.discovery.entries.signatures import Structs
from hlsl_tool.project.discovery.reading.sources import Sources


@dataclass(slots=True)
class Unit:
    """The functions of a source under a choice of macros."""

    path: str
    parsed: TranslationUnit
    functions: list[tuple[int, ast.FunctionDecl]]
    """Functions with bodies, each with the index of its top-level declaration."""
    structs: Structs
    unparsed: tuple[str, ...]
    """Names of functions in the source whose text the parser does not take, or that conditions leave out."""

    def is_called(self, number: int, function: ast.FunctionDecl) -> bool:
        """Return whether a declaration other than those of the function itself mentions its name."""
        return any(
            function.name in chunk.identifiers and at != number and not _declares(chunk, function.name)
            for at, chunk in enumerate(self.parsed.chunks)
        )

    def line_of(self, number: int, function: ast.FunctionDecl) -> int:
        """Return the line of a function in the source; 0 if an included file defines it."""
        place = self.parsed.locate(number, function.pos)
        return place.line if place.file == self.path else 0


def _declares(chunk: Chunk, name: str) -> bool:
    return isinstance(chunk.decl, ast.FunctionDecl) and chunk.decl.name == name


class UnitReader:
    """Preprocesses and parses sources; the caches of all are shared."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.fs = CachedFileSystem(OSFileSystem(sources.folder.root))
        self.syntax = SyntaxMemory()

    def read(self, path: str, options: CompileOptions, macros: Mapping[str, str]) -> Unit:
        """Parse a source; errors in it are ignored.  The profile of ``options`` may be of any stage."""
        file = self.sources.parsed[path].source
        options = replace(options, defines=tuple(macros.items()))
        sink = Sink(error_limit=0)
        stream = preprocess(file, preprocess_options(options), fs=self.fs, memory=self.sources.memory, sink=sink)
        unit = parse(stream, memory=self.syntax, sink=sink)
        declared = [(at, declaration) for at, chunk in enumerate(unit.chunks) for declaration in chunk.decls]
        functions = [
            (at, declaration)
            for at, declaration in declared
            if isinstance(declaration, ast.FunctionDecl) and declaration.body is not None and not declaration.scope
        ]
        names = {function.name for _, function in functions}
        rest = tuple(name for name in functions_of_text(file.data) if name not in names)
        return Unit(path, unit, functions, Structs(declaration for _, declaration in declared), rest)
