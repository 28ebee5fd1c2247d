"""Analysis of a whole translation unit.

Chunks (top-level declarations) are analysed one after the other.  The result for a chunk depends on its tokens, the
language options, and the declarations of the identifiers it mentions.  This is its cache key, so a header's
declarations are analysed once for all shaders that see the same declarations.  Those shaders share the same objects,
including analysed function bodies.  The cache does not affect results.

Function bodies are analysed on demand: first those reachable from the entry point, then the rest, since an error in an
uncalled function fails the shader, too, as it does in DXC.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import islice

import hlsl_tool.frontend.sema.rules.modules  # noqa: F401  (registers the handlers)
from hlsl_tool.base.diagnostics.catalogue import language as language_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.diagnostics.diagnostic import Diagnostic, Location, Replacement
from hlsl_tool.base.diagnostics.fixes import advice_of, replacements
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.frontend.sema.checks import optional, undefined, unused_globals
from hlsl_tool.frontend.sema.checks.consequences import without_consequences, without_flow, without_lost_attributes
from hlsl_tool.frontend.sema.checks.entries.stage_checks import check_entries
from hlsl_tool.frontend.sema.checks.reachable.graph import reach
from hlsl_tool.frontend.sema.model.hir import CBuffer, Function, Program, Variable
from hlsl_tool.frontend.sema.model.instances import Instance, Raw
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Enum, Majorness, Struct
from hlsl_tool.frontend.sema.rules.templates.renewal import Renewals, renew, specialised
from hlsl_tool.frontend.sema.rules.templates.specializations import used_too_early
from hlsl_tool.frontend.sema.scope.context import BodySource, Context, Language
from hlsl_tool.frontend.sema.scope.handlers import declare
from hlsl_tool.frontend.sema.scope.prefixes import Prefixes
from hlsl_tool.frontend.sema.scope.scopes import Alias, Binding, BuiltIn, Namespace, Scope
from hlsl_tool.frontend.syntax.chunks import Chunk
from hlsl_tool.frontend.syntax.parser import Tokens, TranslationUnit

Pack = tuple[tuple[int, Majorness | None], ...]


@dataclass(slots=True, eq=False)
class Checked:
    """The analysis of one top-level declaration: its bindings and diagnostics, without those of function bodies.

    Bodies are analysed on demand.
    """

    exports: dict[str, Binding]
    globals: list[Variable | CBuffer]
    functions: list[Function]
    structs: list[Struct]
    enums: list[Enum]
    definitions: list[tuple[Function, Function]]
    pending: list[Function]
    messages: list[Raw]
    state_constants: list[tuple[str, int]]
    instances: set[Instance]
    """Template instances that it uses."""
    specialises: bool
    """Whether it specialises a template that is declared in front of it."""
    opens: bool
    """Whether it makes the names of a built-in namespace known, which hide no others."""
    is_shared: bool = False
    """Whether other shaders with the same declarations before it get this object."""


@dataclass(slots=True)
class Declarations:
    """The analysis of all top-level declarations of a translation unit, without function bodies."""

    program: Program
    messages: list[Raw] = field(default_factory=list)
    pending: list[Function] = field(default_factory=list)
    """Functions whose bodies are pending."""
    instances: set[Instance] = field(default_factory=set)
    """Template instances that declarations use; those of bodies are with the bodies."""
    specialised: list[Binding] = field(default_factory=list)
    """Templates with specialisations that stand in a declaration of their own."""
    names: dict[str, Binding] = field(default_factory=dict)
    """All names that are declared outside of functions, in order."""
    counts: list[int] = field(default_factory=list)
    """For each top-level declaration, the number of names that are declared up to its end."""

    def names_before(self, unit: TranslationUnit, chunk: SourceChunk | None) -> list[str]:
        """Return the macros, and the names that are declared up to the end of a top-level declaration."""
        count = self.counts[unit.chunks.index(chunk)] if chunk in unit.chunks else len(self.names)
        macros = [name for name in unit.stream.macros if not name.startswith("__")]
        return [*islice(self.names, count), *macros]


@dataclass(slots=True)
class SemaMemory:
    """Caches that shaders share: analysed top-level declarations, and copies of templates.

    A template is copied if a specialisation that it uses is declared after it.
    """

    chunks: dict[tuple[object, ...], Checked] = field(default_factory=dict)
    prefixes: Prefixes[Checked] = field(default_factory=Prefixes)
    renewals: Renewals = field(default_factory=dict)

    def release(self) -> None:
        """Empty the caches and drop all function bodies.

        Bodies contain reference cycles, which only the garbage collector would free.
        """
        for checked in self.chunks.values():
            methods = (f for s in checked.structs for overloads in s.methods.values() for f in overloads)
            for f in (*checked.functions, *checked.pending, *methods):
                if isinstance(f, Function):  # not a template
                    f.body = f.source = None
        self.clear_chunks()
        self.renewals.clear()

    def clear_chunks(self) -> None:
        self.chunks.clear()
        self.prefixes.clear()


def analyze(
    unit: TranslationUnit,
    language: Language,
    *,
    entries: Iterable[str],
    memory: SemaMemory,
    sink: Sink,
    exports: Iterable[str] = (),
    profile: str = "",
) -> Program:  # fmt: skip
    """Analyse a translation unit; report diagnostics to ``sink`` in source order.

    ``exports``: names of the library functions to export; empty exports all.  ``profile`` is shown in diagnostics.
    """
    names, exported = list(entries), frozenset(exports)
    program, messages, declarations = _analyze(unit, language, names, exported, memory)
    if any(message.code in _LIMITS for message in messages):
        # Reaching a limit depends on instances that other shaders created; analyse anew to report the same errors.
        memory.clear_chunks()
        program, messages, declarations = _analyze(unit, language, names, exported, memory)
        memory.clear_chunks()
    messages = without_lost_attributes(messages + check_entries(program, language, profile))
    _note_later_declarations(program, messages)
    messages += undefined.check(program)
    messages += undefined.check_members(program)
    messages += optional.check(program.analysed, sink.may_warn)
    messages += unused_globals.check(program, sink.may_warn)
    if any(chunk.problems for chunk in unit.chunks):
        messages = without_consequences(unit.chunks, messages)
    report(unit, without_flow(unit.chunks, messages), sink, names=partial(declarations.names_before, unit))
    return program


def _note_later_declarations(program: Program, messages: list[Raw]) -> None:
    """Add a note to each error about an undeclared name if a function of that name is declared further down."""
    for at, raw in enumerate(messages):
        if raw.code is codes.UNDECLARED and not raw.notes:
            name = raw.fmt["name"]
            later = next((f for f in program.functions if f.name == name and f.owner is None and f.chunk), None)
            if later is not None:  # the message itself may be cached for other shaders
                messages[at] = replace(raw, notes=[Raw(codes.DECLARED_LATER, later.pos, {"name": name}, later.chunk)])


_LIMITS = (codes.TEMPLATE_DEPTH, codes.TEMPLATE_INSTANCES, codes.TYPE_TOO_DEEP)


def _analyze(
    unit: TranslationUnit, language: Language, entries: list[str], exports: frozenset[str], memory: SemaMemory
) -> tuple[Program, list[Raw], Declarations]:
    declarations = _declare(unit, language, memory)
    program, messages, pending = declarations.program, declarations.messages, declarations.pending
    _find_entries(program, entries, messages, is_library=language.stage == "lib", exports=exports)
    reachable = reach(program, program.entries)
    for f in reachable:
        messages += _messages_of(f)
    analysed = reach(program, pending, reachable)
    for f in analysed[len(reachable) :]:
        messages += _messages_of(f)
    program.reachable = reachable
    program.analysed = analysed
    if declarations.specialised:
        instances = declarations.instances.union(
            *(f.source.instances for f in analysed if isinstance(f.source, BodySource))
        )
        messages += used_too_early(declarations.specialised, instances)
    return program, messages, declarations


def is_faultless(unit: TranslationUnit, language: Language, chunks: Collection[Chunk], *, memory: SemaMemory) -> bool:
    """Return whether these declarations, and the functions that they define or call, have no diagnostics."""
    declarations = _declare(unit, language, memory)
    if any(message.chunk in chunks for message in declarations.messages):
        return False
    roots = [f for f in declarations.pending if f.chunk in chunks]
    return not any(map(_messages_of, reach(declarations.program, roots)))


def declared(unit: TranslationUnit, language: Language, *, memory: SemaMemory) -> Program:
    """Return the program with everything analysed but the bodies of functions; nothing is reported."""
    return _declare(unit, language, memory).program


def _declare(unit: TranslationUnit, language: Language, memory: SemaMemory) -> Declarations:
    """Analyse all declarations of a translation unit, but no function bodies."""
    program = Program([], [], None)
    out = Declarations(program)
    scope = out.names
    redeclared: list[tuple[Function, Function]] = []
    events = _pack_events(unit)
    seen: set[Chunk] = set()
    operators: set[str] = set()
    place = memory.prefixes.begin(language)
    for chunk, base in zip(unit.chunks, unit.bases, strict=True):
        pack = _pack_of(events, base, len(chunk.tokens)) if events else ()
        checked, following = memory.prefixes.after(place, chunk, pack)
        if checked is None:
            checked = _check(chunk, scope, operators, language, pack, memory)
            following = memory.prefixes.add(place, chunk, pack, checked) if checked.is_shared else 0
        place = 0 if checked.specialises else following  # a specialisation changes declarations before it
        if checked.specialises:
            out.specialised += renew(scope, checked.exports, memory.renewals)
        elif checked.opens:
            exports = checked.exports.items()
            scope.update({name: b for name, b in exports if not isinstance(b, BuiltIn) or name not in scope})
        else:
            scope.update(checked.exports)
        operators.update(name for name, binding in checked.exports.items() if _has_operators(name, binding))
        program.globals += checked.globals
        program.functions += checked.functions
        program.structs += checked.structs
        program.enums += checked.enums
        program.state_constants += [(name, pos, chunk) for name, pos in checked.state_constants]
        redeclared += checked.definitions
        out.messages += _repeated(checked.messages, chunk, base) if chunk in seen else checked.messages
        out.instances |= checked.instances
        seen.add(chunk)
        out.pending += checked.pending
        out.counts.append(len(scope))
    program.definitions = _definitions(redeclared)
    return out


def _repeated(messages: list[Raw], chunk: Chunk, base: int) -> list[Raw]:
    """Return the diagnostics of a top-level declaration for its repetition, which starts at token ``base``.

    A declaration is repeated if its file is included twice. Notes still point at the first occurrence.
    """
    return [replace(raw, base=base) if raw.chunk is chunk else raw for raw in messages]


def _definitions(redeclared: list[tuple[Function, Function]]) -> dict[Function, Function]:
    """Map every declaration of a function to the function's definition; to its last declaration if it has none.

    ``redeclared`` lists pairs of declarations of the same function.
    """
    known_as: dict[Function, list[Function]] = {}
    for a, b in redeclared:
        first, second = known_as.setdefault(a, [a]), known_as.setdefault(b, [b])
        if first is not second:
            first += second
            for f in second:
                known_as[f] = first
    return {f: next((g for g in same if g.has_body), same[-1]) for f, same in known_as.items()}


def _check(
    chunk: Chunk,
    scope: dict[str, Binding],
    operators: set[str],
    language: Language,
    pack: Pack,
    memory: SemaMemory,
) -> Checked:
    """Analyse a top-level declaration, in a scope of the names that it mentions and of the overloaded operators."""
    seen = {name: scope[name] for name in sorted((scope.keys() & chunk.identifiers) | operators)}
    key = (chunk, language, pack, tuple(seen), tuple(seen.values()))
    cached = memory.chunks.get(key)
    if cached is not None:
        return cached
    messages: list[Raw] = []
    names = dict(seen)
    ctx = Context(language, chunk, Scope("global", None, names), messages, pack)
    if language.hlsl_version < HLSL_202X:
        for at in chunk.splits:
            ctx.error(language_codes.ANGLE_BRACKETS, at)
    for d in chunk.decls:
        declare(ctx, d)
    exports = {n: b for n, b in names.items() if seen.get(n) is not b}
    checked = Checked(
        exports,
        ctx.globals,
        ctx.functions,
        ctx.structs,
        ctx.enums,
        ctx.definitions,
        ctx.pending,
        messages,
        ctx.state_constants,
        ctx.used,
        any(specialised(seen, exports)),
        any(isinstance(binding, BuiltIn) for binding in exports.values()),
    )
    checked.is_shared = not _is_completed_later(checked.exports) and not _has_statics_to_define(checked.structs)
    if checked.is_shared:
        memory.chunks[key] = checked
    return checked


def _has_operators(name: str, binding: Binding) -> bool:
    """Return whether a name is that of an overloaded operator, or of a namespace with some: no word mentions them."""
    if isinstance(binding, Namespace):
        return any(_has_operators(*member) for member in binding.members.items())
    return name.startswith("operator") and not name.isidentifier()


def _is_completed_later(names: dict[str, Binding]) -> bool:
    """Return whether a top-level declaration declares a struct or ``extern`` variable without defining it.

    Shaders may define it differently, so they cannot share the analysed declaration.
    """
    return any(
        _is_completed_later(b.members)
        if isinstance(b, Namespace)
        else isinstance(b.type, Struct) and not b.type.is_complete
        if isinstance(b, Alias)
        else isinstance(b, Variable) and "extern" in b.quals
        for b in names.values()
    )


def _has_statics_to_define(structs: list[Struct]) -> bool:
    """Return whether a struct has a static member without an initialiser; ``float S::k = 1;`` may define it later."""
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
    """Return (position, matrix order) of each ``#pragma pack_matrix`` inside a top-level declaration.

    Positions count from the declaration's first token. The first pair, at position 0, is the matrix order in effect at
    the start of the declaration.
    """
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
    """Set ``program.entries`` to the entry points, and ``program.entry`` to the first of them.

    Entry points are the functions named in ``names`` and, in a library, those with an attribute ``[shader("...")]``.
    """
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
        candidates = [f for f in program.functions if f.qualified_name == name and f.has_body and f.owner is None]
        if len(candidates) > 1:
            messages.append(Raw(codes.OVERLOADED_ENTRY, candidates[1].pos, {"name": name}, candidates[1].chunk))
        if candidates:
            program.entries.append(candidates[0])
    if program.entries:
        program.entry = program.entries[0]


def _messages_of(f: Function) -> list[Raw]:
    return f.source.messages if isinstance(f.source, BodySource) else []


# ----------------------------------------------------------------------------------------------------------- messages


class Places:
    """Converts positions, which count from a top-level declaration's first token, to source locations in one shader."""

    def __init__(self, unit: TranslationUnit) -> None:
        self.unit = unit
        self.stream = unit.stream
        self.bases: dict[SourceChunk, int] = {}

    def index(self, pos: int, chunk: SourceChunk | None) -> int | None:
        """Return the index in the token stream of position ``pos`` in the top-level declaration ``chunk``.

        `None` if the shader does not contain the declaration.
        """
        if not self.bases:
            self.bases = dict(zip(reversed(self.unit.chunks), reversed(self.unit.bases), strict=True))
        base = self.bases.get(chunk) if chunk is not None else None
        return None if base is None else base + pos

    def locate(self, pos: int, chunk: SourceChunk | None) -> Location | None:
        index = self.index(pos, chunk)
        return None if index is None else self.stream.locate(index)


def _advice(r: Raw, token: int, stream: Tokens, names: NamesBefore) -> tuple[str | None, tuple[Replacement, ...]]:
    """Return the hint and the fix-its of a diagnostic that is reported at index ``token`` of the stream."""
    hint, edits = advice_of(r.hint(names(r.chunk)) if callable(r.hint) else r.hint)
    if not edits:
        return hint, ()
    return hint, replacements(edits, token, token - r.pos, stream.tokens, stream.locate)


def _touch(unit: TranslationUnit, r: Raw, at: int) -> bool:
    """Return whether the tokens at positions ``r.pos`` and ``r.touches`` are on one line with only blanks between.

    ``at`` is the index in the token stream of the token at ``r.pos``.
    """
    left, right = unit.stream.locate(at - r.pos + r.touches), unit.stream.locate(at)
    if (left.file, left.line) != (right.file, right.line) or left.macro_stack or right.macro_stack:
        return False
    return not right.source_line[left.end_col - 1 : right.col - 1].strip()


def _underlined(stream: Tokens, raw: Raw, token: int) -> Location:
    """Return the source location of a diagnostic, with the ranges of tokens to underline on the same line.

    Ranges on another line or in a macro expansion are omitted.
    """
    location = stream.locate(token)
    for first, last in raw.extents if not location.macro_stack else ():
        begin, end = stream.locate(token - raw.pos + first), stream.locate(token - raw.pos + last)
        places = {(at.file, at.line, at.macro_stack) for at in (location, begin, end)}
        if len(places) == 1:
            location.underlined += ((begin.col, end.end_col),)
    return location


NamesBefore = Callable[[SourceChunk | None], Sequence[str]]
"""Returns the names that are declared up to the end of a top-level declaration, outside of functions."""


def report(
    unit: TranslationUnit,
    messages: list[Raw],
    sink: Sink,
    *,
    in_order: bool = False,
    names: NamesBefore = lambda chunk: (),
) -> None:
    """Report each diagnostic once, sorted by location or in order of discovery."""
    bases: dict[SourceChunk, int] = dict(zip(reversed(unit.chunks), reversed(unit.bases), strict=True))
    place = partial(_place, bases)  # of nested functions, native code would keep the unit alive in a cycle
    seen: set[tuple[str, int, str]] = set()
    for r in messages if in_order else sorted(messages, key=place):
        if sink.overflowed:
            break
        at = place(r)
        mark = (r.code.id, at, str(sorted(r.fmt.items(), key=lambda kv: kv[0])))
        if mark in seen:
            continue
        seen.add(mark)
        if r.code.severity == "warning" and not sink.may_warn(r.code):
            continue
        if r.code.of_valid and sink.error_count:
            continue
        located = partial(_underlined, unit.stream, r, at)
        if (r.code.outside_macros and located().macro_stack) or (r.touches >= 0 and not _touch(unit, r, at)):
            continue
        notes: list[Diagnostic] = []
        for n in r.notes:
            hint, fixes = _advice(n, place(n), unit.stream, names)
            notes.append(sink.note(n.code, unit.stream.locate(place(n)), hint=hint, fixes=fixes, **n.fmt))
        hint, fixes = _advice(r, at, unit.stream, names)
        send = sink.warning if r.code.severity == "warning" else sink.error
        send(r.code, located, notes=notes, hint=hint, fixes=fixes, **r.fmt)


def _place(bases: dict[SourceChunk, int], r: Raw) -> int:
    """Return the index, in the token stream, of the token at which a diagnostic is reported."""
    if r.base >= 0:
        return r.base + r.pos
    return bases.get(r.chunk, 0) + r.pos if r.chunk is not None else 0
