"""``parse`` converts a token stream to a translation unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from hlsl_tool.base.diagnostics.catalogue import syntax as codes
from hlsl_tool.base.diagnostics.diagnostic import Advice, Diagnostic, Edit, Location
from hlsl_tool.base.diagnostics.fixes import advice_of, replacements
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax import kinds as K
from hlsl_tool.frontend.syntax.chunks import Chunk
from hlsl_tool.frontend.syntax.classified import Classified
from hlsl_tool.frontend.syntax.classifier import classify
from hlsl_tool.frontend.syntax.driver import Run
from hlsl_tool.frontend.syntax.environment import Effect, Environment
from hlsl_tool.frontend.syntax.errors.problems import Problem
from hlsl_tool.frontend.syntax.memory import Piece, Result, State, SyntaxMemory
from hlsl_tool.frontend.syntax.nesting import too_deep
from hlsl_tool.frontend.syntax.tables import NoEntry


class Tokens(Protocol):
    """The interface of the preprocessor's ``TokenStream`` that parsing requires."""

    @property
    def runs(self) -> list[list[str]]:
        """Lists of tokens; the same list object always contains the same tokens."""

    @property
    def tokens(self) -> list[str]:
        """The spellings of all tokens."""

    @property
    def macros(self) -> Mapping[str, object]:
        """The macros that are defined at the end, by name."""

    @property
    def pragmas(self) -> Sequence[tuple[int, str, Sequence[str]]]:
        """(index of the following token, name, arguments) of the pragmas that later stages handle."""

    def locate(self, index: int) -> Location: ...


@dataclass(slots=True, frozen=True)
class SyntaxOptions:
    """The options that affect parsing; part of the keys of the parser's caches."""

    nesting_limit: int = 256
    """Limit on nested brackets (clang's ``-fbracket-depth``)."""
    is_modern: bool = False
    """Whether to accept the syntax of HLSL 202x."""


@dataclass(slots=True)
class TranslationUnit:
    """The parsed top-level declarations of a shader, and the token stream that contains their tokens."""

    stream: Tokens
    chunks: list[Chunk]
    bases: list[int]
    """Absolute index of each chunk's first token."""

    def locate(self, chunk: int, position: int) -> Location:
        """Return the source location of a position in the top-level declaration with index ``chunk``."""
        return self.stream.locate(self.bases[chunk] + position)


def parse(stream: Tokens, *, memory: SyntaxMemory, sink: Sink, options: SyntaxOptions | None = None) -> TranslationUnit:
    """Parse a token stream; report syntax errors to the sink, and omit declarations that cannot be parsed."""
    options = options or SyntaxOptions()
    memory.begin()
    unit = TranslationUnit(stream, [], [])
    session = _Session(memory, options)
    state, node, base = memory.start, memory.root, 0
    for run in stream.runs:
        step = memory.step(node, run)
        result = state.results.get((step, options))
        if result is None:
            result = session.parse_step(state, step.pieces)
            state.results[step, options] = result
        else:
            session.pending += result.effects
        _add(unit, sink, result, step.offsets, base)
        state, node = result.state, step.node
        base += step.consumed
    if node.tail:
        _add(unit, sink, session.parse_step(state, [memory.piece(node.tail)]), [0], base)
    return unit


def _add(unit: TranslationUnit, sink: Sink, result: Result, offsets: list[int], base: int) -> None:
    unit.chunks += result.chunks
    unit.bases += [base + offset for offset in offsets] if base else offsets
    if result.has_problems:
        for chunk, offset in zip(result.chunks, offsets, strict=True):
            for problem in chunk.problems:
                if sink.overflowed:
                    return
                _report(problem, base + offset, unit.stream, sink, result.state)


class _Session:
    """Parses the top-level declarations of one translation unit that are not cached."""

    __slots__ = ("environment", "memory", "options", "pending")

    def __init__(self, memory: SyntaxMemory, options: SyntaxOptions) -> None:
        self.memory = memory
        self.options = options
        self.environment = Environment(K.Codes(options.is_modern))
        self.pending: list[Effect] = []
        """Effects not yet applied to the environment, which is updated only before a chunk is parsed."""

    def parse_step(self, state: State, pieces: list[Piece]) -> Result:
        chunks = []
        effects: list[Effect] = []
        for piece in pieces:
            key = state.key(piece.identifiers), self.options
            chunk = piece.variants.get(key)
            if chunk is None:
                chunk = self._parse(piece)
                piece.variants[key] = chunk
            chunks.append(chunk)
            if chunk.effects:
                effects += chunk.effects
                self.pending += chunk.effects
                state = self.memory.next_state(state, chunk.effects)
        return Result(chunks, state, effects, any(chunk.problems for chunk in chunks))

    def _parse(self, piece: Piece) -> Chunk:
        for effect in self.pending:
            self.environment.apply(effect)
        self.pending.clear()
        return parse_chunk(piece.tokens, self.environment, piece.identifiers, self.options)


def parse_chunk(
    tokens: tuple[str, ...], env: Environment, identifiers: frozenset[str], options: SyntaxOptions
) -> Chunk:
    """Parse one top-level declaration; a chunk with syntax errors has problems and no declarations."""
    problem = too_deep(tokens, options.nesting_limit)
    if problem is not None:
        return Chunk(tokens, [], identifiers, [problem])
    problems: list[Problem] = []
    spelt = tokens
    while True:
        run, classified = _parsed(spelt, env, identifiers)
        if run.at < 0:
            decls: list[ast.Decl] = run.values[0]
            break
        from hlsl_tool.frontend.syntax.errors.keywords import misspelt  # start-up time
        from hlsl_tool.frontend.syntax.errors.recovery import recover, stopped

        word = misspelt(run, classified, lambda trial: _parsed(trial, env, identifiers)[0])
        if word is None:
            decls = recover(run, classified, problems)
            break
        problem = stopped(run, classified)
        problem.hint = f"did you mean '{word.keyword}'?"
        problem.edits = (Edit(word.keyword, word.at),)
        problems.append(problem)
        spelt = word.tokens
    return Chunk(
        tokens,
        decls,
        identifiers,
        problems,
        tuple(classified.effects),
        classified.splits,
        frozenset(classified.lost),
    )


def _parsed(tokens: tuple[str, ...], env: Environment, identifiers: frozenset[str]) -> tuple[Run, Classified]:
    """Parse the tokens of one top-level declaration as far as possible; ``Run.at`` is -1 if all were accepted.

    A name that the parser does not accept is tried as a type, or a type as a name, if a struct may declare it so.
    """
    assumed: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    while True:
        classified = classify(tokens, env, identifiers, assumed)
        if hidden:
            classified.hide(hidden)
        run = Run(K.TABLES, tokens, classified.rename)
        try:
            run.feed(classified.pairs())
            run.feed(((len(tokens), K.END),))
        except NoEntry:
            from hlsl_tool.frontend.syntax.errors.recovery import hiding_member, missed_type  # start-up time

            missed = missed_type(run, classified)
            if missed and missed not in assumed:  # a type of a base class, or declared later in a struct
                assumed |= {missed}
                continue
            member = hiding_member(run, classified)
            if member and member not in hidden:
                hidden |= {member}
                continue
        return run, classified


def _report(problem: Problem, base: int, stream: Tokens, sink: Sink, state: State) -> None:
    notes = [
        Diagnostic(note.code, "note", note.code.template.format(**note.arguments), _place(note, base, stream))
        for note in problem.notes
    ]
    report = sink.warning if problem.is_warning else sink.error
    hint, edits = _advice(problem, state)
    fixes = replacements(edits, base + problem.at, base, stream.tokens, stream.locate) if edits else ()
    report(problem.code, _place(problem, base, stream), notes=notes, hint=hint, fixes=fixes, **problem.arguments)


def _advice(problem: Problem, state: State) -> Advice:
    if problem.code is codes.UNKNOWN_TYPE and problem.hint is None:
        from hlsl_tool.frontend.syntax.errors.suggestions import for_type  # start-up time

        return advice_of(for_type(problem.arguments["name"], state.histories()))
    return Advice(problem.hint, problem.edits)


def _place(problem: Problem, base: int, stream: Tokens) -> Location:
    location = stream.locate(base + problem.at)
    if problem.after:
        location.col = location.end_col
        location.end_col += 1
    return location
