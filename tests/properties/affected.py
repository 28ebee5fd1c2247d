"""Compute the shaders that an edit affects, from the functions that semantic analysis reaches, not from store keys.

A shader is affected if an input of its SPIR-V changes.  The inputs are the options, the toolchain, and the preprocessed
tokens, without the bodies of functions that neither the entry point nor a global declaration reaches.  With debug
information they are all tokens and the texts of the files.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import PLACES, PREPROCESSING, changed
from hlsl_tool.base.source import SourceFile
from hlsl_tool.compiler.preprocessing import preprocess_options, warning_options
from hlsl_tool.compiler.result import Memory
from hlsl_tool.compiler.stages import language_of
from hlsl_tool.frontend.preprocessor import TokenStream, preprocess
from hlsl_tool.frontend.sema.analysis import analyze
from hlsl_tool.frontend.sema.checks.reachable.graph import body_of
from hlsl_tool.frontend.sema.model.hir import Function, Program
from hlsl_tool.frontend.sema.scope.context import BodySource
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.chunks import Chunk
from hlsl_tool.frontend.syntax.parser import TranslationUnit, parse
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import disk


def state(job: Job, root: str, memory: Memory) -> str:
    """Return a hash of the inputs that determine the SPIR-V of a shader without errors."""
    fs = disk(root)
    path = fs.resolve(job.source)
    source = SourceFile.from_bytes(job.source, path, fs.read(path) or b"")
    options = job.options
    sink = Sink(warning_options(options))
    stream = preprocess(source, preprocess_options(options), fs=fs, memory=memory.preprocessor, sink=sink)
    found = sha256(job.fingerprint.encode())
    for name, value in changed(options):
        if name not in PLACES and (options.debug or name not in PREPROCESSING):
            found.update(f"{name}={value!r}\0".encode())
    if options.debug:
        for file in stream.trace.files:
            found.update(file.name.encode() + b"\0" + file.digest)
    left_out: set[int] = set()
    if not options.debug and not options.profile.startswith("lib"):
        unit = parse(stream, memory=memory.syntax, sink=sink)
        language = language_of(options)
        program = analyze(unit, language, entries=[options.entry], memory=memory.sema, sink=sink)
        left_out = set(_left_out(unit, program))
    _add_tokens(found, stream, left_out)
    return found.hexdigest()


def _add_tokens(found: object, stream: TokenStream, left_out: set[int]) -> None:
    pragmas: dict[int, list[str]] = {}
    for index, name, arguments in stream.pragmas:
        if name in ("pack_matrix", "diagnostic"):
            pragmas.setdefault(index, []).append(" ".join((name, *arguments)))
    for index, token in enumerate(stream.tokens):
        for pragma in pragmas.get(index, ()):
            found.update(f"\1{pragma}\0".encode())  # type: ignore[attr-defined]
        if index not in left_out:
            found.update(token.encode("utf-8", "surrogatepass") + b"\0")  # type: ignore[attr-defined]


def _left_out(unit: TranslationUnit, program: Program) -> Iterator[int]:
    """Yield the indices of the tokens in the bodies of functions that the entry point does not reach."""
    words: set[str] = set()
    ranges: list[tuple[int, Chunk, ast.FunctionDecl, range]] = []
    for chunk, base in zip(unit.chunks, unit.bases, strict=True):
        inside: set[int] = set()
        names: set[int] = set()
        for f, top in _functions(chunk):
            names.add(f.pos)
            if f.body is None:
                continue
            whole = range(len(chunk.tokens)) if top else range(f.body.pos, f.body.end + 1)
            ranges.append((base, chunk, f, whole))
            inside |= set(whole)
        words |= {t.strip('"') for at, t in enumerate(chunk.tokens) if at not in inside and at not in names}
    reached = {(f.chunk, f.pos) for f in _reached(program, words)}
    for base, chunk, f, whole in ranges:
        # Functions without a name in the source, and other entry points, are never left out.
        if (chunk, f.pos) not in reached and f.name.isidentifier() and f.name != "operator" and not _is_entry(f):
            yield from range(base + whole.start, base + whole.stop)


def _is_entry(f: ast.FunctionDecl) -> bool:
    return "export" in f.quals or any(attribute.name == "shader" for attribute in f.attributes)


def _functions(chunk: Chunk) -> Iterator[tuple[ast.FunctionDecl, bool]]:
    todo: list[tuple[object, bool]] = [(d, len(chunk.decls) == 1) for d in chunk.decls]
    while todo:
        item, top = todo.pop()
        if isinstance(item, ast.FunctionDecl):
            yield item, top
        elif isinstance(item, ast.NamespaceDecl | ast.StructDecl):
            todo += [(member, False) for member in item.members or ()]


def _reached(program: Program, words: set[str]) -> set[Function]:
    todo = [*program.entries, *(f for f in program.functions if f.name in words)]
    for f in program.entries:
        todo += [g for a in f.attributes for g in program.functions if f'"{g.name}"' in str(a)]
    found: set[Function] = set()
    while todo:
        f = todo.pop()
        if f in found:
            continue
        found.add(f)
        g = body_of(program, f)
        found.add(g)
        if isinstance(g.source, BodySource):
            todo += g.source.calls
    return found
