"""Analysis of a whole translation unit.

Chunks (top-level declarations) are analysed one after the other.  What a chunk means depends on its tokens, the
language options, and the declarations behind the identifiers it mentions: that is the key under which it is
remembered, so a header's declarations are analysed once for all shaders that see them alike.  Two shaders then share
the very objects, and whatever is attached to a function (its analysed body) is shared with it.  With an empty memory
the result is the same.

Bodies are analysed on demand: first those reachable from the entry point, then the rest, since an error in a function
nobody calls fails the shader, too, as it does in DXC.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import hlsl_tool.sema.expressions.primary  # noqa: F401  (first: operators and calls build on its table)
from hlsl_tool.diagnostics.catalogue import sema as codes
from hlsl_tool.diagnostics.model import Diagnostic, Location
from hlsl_tool.diagnostics.sink import Sink
from hlsl_tool.sema.context import BodySource, Context, Language, Raw
from hlsl_tool.sema.declarations import declare as declarations
from hlsl_tool.sema.declarations.statements import analyze_body
from hlsl_tool.sema.hir import CBuffer, Function, Program, Variable
from hlsl_tool.sema.scope import Alias, Binding, Namespace, Scope
from hlsl_tool.sema.types import Enum, Majorness, Struct
from hlsl_tool.syntax.chunks import Chunk
from hlsl_tool.syntax.parser import TranslationUnit

Pack = tuple[tuple[int, Majorness | None], ...]


@dataclass(slots=True, eq=False)
class Checked:
    """What a chunk declares."""

    exports: dict[str, Binding]
    globals: list[Variable | CBuffer]
    functions: list[Function]
    structs: list[Struct]
    enums: list[Enum]
    definitions: list[tuple[Function, Function]]
    pending: list[Function]
    messages: list[Raw]


@dataclass(slots=True)
class SemaMemory:
    """Analysed chunks by what decides their meaning."""

    chunks: dict[tuple[object, ...], Checked] = field(default_factory=dict)


def analyze(
    unit: TranslationUnit,
    language: Language,
    *,
    entries: Iterable[str],
    memory: SemaMemory,
    sink: Sink,
    exports: Iterable[str] = (),
) -> Program:
    """Analyse a translation unit; messages go to ``sink`` in the order of the source.

    ``exports``: what of a library is wanted, by name; all of it where there are none.
    """
    names, wanted = list(entries), frozenset(exports)
    program, messages = _analyze(unit, language, names, wanted, memory)
    if any(message.code in _LIMITS for message in messages):
        # Where a limit is met depends on what other shaders have made of the same templates.
        memory.chunks.clear()
        program, messages = _analyze(unit, language, names, wanted, memory)
        memory.chunks.clear()
    report(unit, messages, sink)
    return program


_LIMITS = (codes.TEMPLATE_DEPTH, codes.TEMPLATE_INSTANCES, codes.TYPE_TOO_DEEP)


def _analyze(
    unit: TranslationUnit, language: Language, entries: list[str], exports: frozenset[str], memory: SemaMemory
) -> tuple[Program, list[Raw]]:
    program, messages, pending = _declare(unit, language, memory)
    _find_entries(program, entries, messages, is_library=language.stage == "lib", exports=exports)
    reachable = _reach(program, program.entries)
    for f in reachable:
        messages += _messages_of(f)
    _check_recursion(program, messages)
    seen = set(reachable)
    for f in _reach(program, pending):
        if f not in seen:
            messages += _messages_of(f)
    program.reachable = reachable
    return program, messages


def is_faultless(unit: TranslationUnit, language: Language, chunks: Collection[Chunk], *, memory: SemaMemory) -> bool:
    """Whether there is nothing to say of the functions that some chunks declare, nor of what they call."""
    program, messages, pending = _declare(unit, language, memory)
    if any(message.chunk in chunks for message in messages):
        return False
    roots = [f for f in pending if f.chunk in chunks]
    return not any(map(_messages_of, _reach(program, roots)))


def _declare(
    unit: TranslationUnit, language: Language, memory: SemaMemory
) -> tuple[Program, list[Raw], list[Function]]:
    """Everything but bodies; with messages, and the functions whose bodies are to be looked at."""
    scope: dict[str, Binding] = {}
    program = Program([], [], None)
    redeclared: list[tuple[Function, Function]] = []
    messages: list[Raw] = []
    pending: list[Function] = []
    events = _pack_events(unit)
    for chunk, base in zip(unit.chunks, unit.bases, strict=True):
        checked = _check(chunk, scope, language, _pack_of(events, base, len(chunk.tokens)), memory)
        scope.update(checked.exports)
        program.globals += checked.globals
        program.functions += checked.functions
        program.structs += checked.structs
        program.enums += checked.enums
        redeclared += checked.definitions
        messages += [] if chunk.has_errors else checked.messages  # what was not understood is not judged
        pending += checked.pending
    program.definitions = _definitions(redeclared)
    return program, messages, pending


def _definitions(redeclared: list[tuple[Function, Function]]) -> dict[Function, Function]:
    """Every declaration of a function → the one that has its body (the last one where none has)."""
    known_as: dict[Function, list[Function]] = {}
    for a, b in redeclared:
        first, second = known_as.setdefault(a, [a]), known_as.setdefault(b, [b])
        if first is not second:
            first += second
            for f in second:
                known_as[f] = first
    return {f: next((g for g in same if g.has_body), same[-1]) for f, same in known_as.items()}


def _check(chunk: Chunk, scope: dict[str, Binding], language: Language, pack: Pack, memory: SemaMemory) -> Checked:
    seen = {name: scope[name] for name in sorted(chunk.identifiers) if name in scope}
    key = (chunk, language, pack, tuple(seen), tuple(seen.values()))
    found = memory.chunks.get(key)
    if found is not None:
        return found
    messages: list[Raw] = []
    names = dict(seen)
    ctx = Context(language, chunk, Scope("global", None, names), messages, pack)
    for d in chunk.decls:
        declarations.declare(ctx, d)
    exports = {n: b for n, b in names.items() if seen.get(n) is not b}
    checked = Checked(
        exports, ctx.globals, ctx.functions, ctx.structs, ctx.enums, ctx.definitions, ctx.pending, messages
    )
    if not _is_completed_later(checked.exports) and not _has_statics_to_define(checked.structs):
        memory.chunks[key] = checked
    return checked


def _is_completed_later(names: dict[str, Binding]) -> bool:
    """A struct or variable that is only declared is completed later, for each shader in its own way: it cannot be
    shared."""
    return any(
        _is_completed_later(b.members)
        if isinstance(b, Namespace)
        else isinstance(b.type, Struct) and not b.type.is_complete
        if isinstance(b, Alias)
        else isinstance(b, Variable) and "extern" in b.quals
        for b in names.values()
    )


def _has_statics_to_define(structs: list[Struct]) -> bool:
    """Likewise of members: `float S::k = 1;` stands outside of the struct."""
    return any(v.init is None for s in structs for v in s.statics.values())


# -------------------------------------------------------------------------------------------------------------- pragmas


def _pack_events(unit: TranslationUnit) -> list[tuple[int, Majorness | None]]:
    events: list[tuple[int, Majorness | None]] = []
    for index, name, args in unit.stream.pragmas:
        if name == "pack_matrix":
            words = [a for a in args if a not in ("(", ")")]
            if words and words[0] in ("row_major", "column_major"):
                events.append((index, "row" if words[0] == "row_major" else "column"))
    return events


def _pack_of(events: list[tuple[int, Majorness | None]], base: int, length: int) -> Pack:
    """The states inside a chunk, by relative position; the first holds at its start."""
    if not events:
        return ()
    state: Majorness | None = None
    out: list[tuple[int, Majorness | None]] = []
    for index, value in events:
        if index <= base:
            state = value
        elif index < base + length:
            out.append((index - base, value))
    return ((0, state), *out) if state is not None or out else ()


# ---------------------------------------------------------------------------------------------------------- functions


def _find_entries(
    program: Program, names: list[str], messages: list[Raw], *, is_library: bool, exports: frozenset[str]
) -> None:
    """``program.entry``: the function of the entry point's name; ``program.entries``: all there are, of a library those
    that an attribute ``[shader("...")]`` makes entry points."""
    if is_library:
        program.entries = [
            f
            for f in program.functions
            if f.has_body
            and f.owner is None
            and any(a.name == "shader" for a in f.attributes)
            and (not exports or f.qualified_name in exports)
        ]
    for name in names:
        found = [f for f in program.functions if f.qualified_name == name and f.has_body and f.owner is None]
        if len(found) > 1:
            messages.append(Raw(codes.OVERLOADED_ENTRY, found[1].pos, {"name": name}, found[1].chunk))
        if found:
            program.entries.append(found[0])
    if program.entries:
        program.entry = program.entries[0]


def body_of(program: Program, f: Function) -> Function:
    """The definition of ``f`` in this shader, its body analysed."""
    f = program.definitions.get(f, f)
    if not f.has_body and f.owner is None and f not in program.definitions:
        f = program.definitions[f] = _defined_elsewhere(program, f)
    analyze_body(f)
    return f


def _defined_elsewhere(program: Program, f: Function) -> Function:
    """The definition of a function declared inside a function."""
    for g in program.functions:
        if g.name == f.name and g.owner is None and g.has_body and declarations.have_same_parameters(f, g):
            return g
    return f


def _reach(program: Program, roots: Iterable[Function]) -> list[Function]:
    """Everything called from ``roots``, in order of first call."""
    out: dict[Function, None] = {}
    todo = list(reversed(list(roots)))
    while todo:
        f = body_of(program, todo.pop())
        if f in out:
            continue
        out[f] = None
        if isinstance(f.source, BodySource):
            todo += reversed(f.source.calls)
    return list(out)


def _messages_of(f: Function) -> list[Raw]:
    if f.chunk is not None and f.chunk.has_errors:
        return []
    return f.source.messages if isinstance(f.source, BodySource) else []


def _check_recursion(program: Program, messages: list[Raw]) -> None:
    """HLSL has no recursion; a path through the calls from an entry point that comes back to itself is an error."""
    state: dict[Function, int] = {}
    calls_of: dict[Function, list[Function]] = {}
    for entry in program.entries:
        stack: list[tuple[Function, int]] = [(body_of(program, entry), 0)]
        while stack:
            f, i = stack.pop()
            if f not in calls_of:
                calls_of[f] = list(f.source.calls) if isinstance(f.source, BodySource) else []
            calls = calls_of[f]
            if i == 0:
                if state.get(f) == 2:
                    continue
                state[f] = 1
            if i >= len(calls):
                state[f] = 2
                continue
            stack.append((f, i + 1))
            callee = program.definitions.get(calls[i], calls[i])
            if state.get(callee) == 1:
                messages.append(Raw(codes.RECURSION, callee.pos, {"name": callee.name}, callee.chunk))
                return
            if state.get(callee) != 2:
                stack.append((callee, 0))


# ----------------------------------------------------------------------------------------------------------- messages


class Places:
    """The places of chunk-relative positions in one shader, for those who ask for many."""

    def __init__(self, unit: TranslationUnit) -> None:
        self.unit = unit
        self.stream = unit.stream
        self.bases: dict[Chunk, int] = {}

    def index(self, pos: int, chunk: Chunk | None) -> int | None:
        """The index of the token in the stream."""
        if not self.bases:
            self.bases = dict(zip(reversed(self.unit.chunks), reversed(self.unit.bases), strict=True))
        base = self.bases.get(chunk) if chunk is not None else None
        return None if base is None else base + pos

    def locate(self, pos: int, chunk: Chunk | None) -> Location | None:
        index = self.index(pos, chunk)
        return None if index is None else self.stream.locate(index)


def _hint(r: Raw) -> str | None:
    return r.hint() if callable(r.hint) else r.hint


def report(unit: TranslationUnit, messages: list[Raw], sink: Sink, *, in_order: bool = False) -> None:
    """Give the messages to the sink, each once: by their places, or in the order in which they were found."""
    bases = dict(zip(reversed(unit.chunks), reversed(unit.bases), strict=True))

    def place(r: Raw) -> int:
        return bases.get(r.chunk, 0) + r.pos if r.chunk is not None else 0

    seen: set[tuple[str, int, str]] = set()
    for r in messages if in_order else sorted(messages, key=place):
        if sink.overflowed:
            break
        mark = (r.code.id, place(r), str(sorted(r.fmt.items(), key=lambda kv: kv[0])))
        if mark in seen:
            continue
        seen.add(mark)

        def located(raw: Raw = r) -> Location:
            return unit.stream.locate(place(raw))

        notes: list[Diagnostic] = [
            sink.note(n.code, unit.stream.locate(place(n)), hint=_hint(n), **n.fmt) for n in r.notes
        ]
        if r.code.severity == "warning":
            sink.warning(r.code, located, notes=notes, hint=_hint(r), **r.fmt)
        else:
            sink.error(r.code, located, notes=notes, hint=_hint(r), **r.fmt)
