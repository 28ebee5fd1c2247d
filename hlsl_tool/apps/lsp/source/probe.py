"""Find the names in scope at a position, and the type before a dot, in code that is being typed.

An undeclared word is inserted at the position, and the surrounding function is analysed.  When the analyser reports the
word as undeclared, the probe reads the scope at that moment.
"""

from __future__ import annotations

from typing import Any

from hlsl_tool.apps.lsp.source.analysis import Analyser
from hlsl_tool.apps.lsp.source.references import LOCALS, Declaration
from hlsl_tool.apps.lsp.source.shader_declarations import DeclarationTable, index_of
from hlsl_tool.apps.lsp.workspace.documents import Documents
from hlsl_tool.apps.lsp.workspace.targets import Target
from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system.collection import paused_collection
from hlsl_tool.base.system.dataclass import dataclass, field, fields, is_dataclass, replace
from hlsl_tool.compiler.stages import Compilation
from hlsl_tool.frontend.sema.analysis import declared
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import Struct, Type
from hlsl_tool.frontend.sema.rules.declarations.function_bodies import analyze_body
from hlsl_tool.frontend.sema.rules.expressions.check import check, contents
from hlsl_tool.frontend.sema.scope.context import BodySource, Context, Poisoned
from hlsl_tool.frontend.sema.scope.scopes import Binding
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.chunks import Chunk

WORD = "hlsl_tool_cursor"


@dataclass(slots=True)
class Scene:
    """The names in scope at a position in the text, and the type of the expression before a dot there."""

    declarations: DeclarationTable
    macros: list[str]
    locals: dict[str, Binding] = field(default_factory=dict)
    """Names of the scopes inside the function, the innermost first."""
    untyped: list[Declaration] = field(default_factory=list)
    """The local declarations in front of the place, if it was not reached: in a template without instances."""
    struct: Struct | None = None
    """The struct whose method it is."""
    base: Type | None = None
    """The type in front of the dot."""
    container: tuple[str, ...] = ()
    """The namespaces and structs around the place."""
    is_complete: bool = False
    """Whether the place was reached, so that the fields above are right."""


class _Replaced:
    """A file system in which one file has another text."""

    def __init__(self, documents: Documents, path: str, text: str) -> None:
        self._documents = documents
        self._path = path
        self._data = text.encode("utf-8", "surrogatepass")
        self.resolve = documents.resolve
        self.listdir = documents.listdir
        self.why_unreadable = documents.why_unreadable

    def read(self, path: str) -> bytes | None:
        """Return the replaced text, or that of the documents."""
        return self._data if self.resolve(path) == self._path else self._documents.read(path)


def probe(analyser: Analyser, target: Target, file: SourceFile, start: int, end: int) -> Scene | None:
    """Return what is in scope at the word from ``start`` to ``end``; ``None`` if the source cannot be read."""
    scene = None
    text = file.text
    for insertion in (WORD, WORD + _closing(text, start) + ";"):
        scene = _probe(analyser, target, file.path, text[:start] + insertion + text[end:])
        if scene is None or scene.is_complete:
            break
    return scene


def _closing(text: str, offset: int) -> str:
    """Return the closing brackets for all brackets that the statement before an offset has opened and not closed."""
    closing: list[str] = []
    depth = 0
    for character in reversed(text[max(0, offset - 2000) : offset]):
        if character in ";{}":
            break
        if character in ")]":
            depth += 1
        elif character in "([":
            depth -= 1
            if depth < 0:
                depth = 0
                closing.append(")" if character == "(" else "]")
    return "".join(closing)


def _probe(analyser: Analyser, target: Target, path: str, text: str) -> Scene | None:
    fs = _Replaced(analyser.documents, path, text)
    data = fs.read(target.source)
    if data is None:
        return None
    analyser.count()
    source = SourceFile.from_bytes(target.shown, target.source, data)
    compilation = Compilation(source, target.options, fs, analyser.memory)
    with paused_collection():
        compilation.preprocess()
        compilation.parse()
        program = declared(compilation.unit, compilation.language, memory=analyser.memory.sema)
        scene = Scene(DeclarationTable(compilation.unit), list(compilation.stream.macros))
        for chunk in compilation.unit.chunks:
            if WORD in chunk.identifiers:
                _look(program, chunk, scene)
    return scene


def _look(program: hir.Program, chunk: Chunk, scene: Scene) -> None:
    """Analyse the functions of a top-level declaration until one of them reaches the inserted word."""
    pos = chunk.tokens.index(WORD)
    for function in program.functions:
        source = function.source
        if function.chunk is chunk and isinstance(source, BodySource) and not scene.is_complete:
            member = _member_at(source.decl.body, pos)
            probe = _Probe(scene, function, member, pos)
            fresh = BodySource(source.decl, source.scope, source.language, source.pack, probe=probe.look)
            analyze_body(replace(function, body=None, source=fresh))
    if not scene.is_complete:
        scene.untyped = [d for d in index_of(chunk).declared.values() if d.kind in LOCALS and d.pos < pos]
        scene.untyped = [d for d in scene.untyped if d.owner is None or d.owner.first <= pos <= d.owner.last]
    if not scene.is_complete and (chunk.tokens[pos - 1] if pos else "") not in (".", "::"):
        scene.is_complete = not any(isinstance(decl, ast.FunctionDecl) for decl in chunk.decls) and bool(chunk.decls)


class _Probe:
    def __init__(self, scene: Scene, function: hir.Function, member: ast.Member | None, pos: int) -> None:
        self.scene = scene
        self.function = function
        self.member = member
        self.pos = pos

    def look(self, ctx: Context, pos: int) -> None:
        """Record the scope if the error at ``pos`` is that of the inserted word."""
        scene = self.scene
        if pos != self.pos or scene.is_complete:
            return
        scene.is_complete = True
        scene.struct = self.function.owner
        scene.container = tuple(part for part in self.function.scope.split("::") if part)
        scope = ctx.scope
        while scope.parent is not None and scope.kind in ("function", "block", "template"):
            for name, binding in scope.names.items():
                scene.locals.setdefault(name, binding)
            scope = scope.parent
        if self.member is not None:
            try:
                scene.base = contents(check(ctx, self.member.base)).type
            except Poisoned:
                scene.base = None


def _member_at(root: object, pos: int) -> ast.Member | None:
    """Return the member access whose name is the token ``pos``; ``None`` if there is none."""
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, (list, tuple)):
            todo += node
        elif isinstance(node, ast.Member) and node.pos == pos:
            return node
        elif is_dataclass(node):
            todo += [getattr(node, part.name) for part in fields(node)]
    return None
