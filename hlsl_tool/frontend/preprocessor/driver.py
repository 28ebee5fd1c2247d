"""The preprocessor's main loop."""

from __future__ import annotations

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.base.source import FileSystem, SourceFile
from hlsl_tool.frontend.preprocessor import limits
from hlsl_tool.frontend.preprocessor.inclusion.directive import enter, include, leave
from hlsl_tool.frontend.preprocessor.inclusion.lookup import BUILTIN_PREFIX
from hlsl_tool.frontend.preprocessor.inclusion.search import include_directory
from hlsl_tool.frontend.preprocessor.inclusion.visit import Visit
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.parsed import CLAUSES, CONDITIONS, Directive, TextRun
from hlsl_tool.frontend.preprocessor.memory import Prelude, PreprocessorMemory
from hlsl_tool.frontend.preprocessor.options import PreprocessOptions
from hlsl_tool.frontend.preprocessor.state import OpenFile, State, Stop
from hlsl_tool.frontend.preprocessor.stream import IncludeTrace, TokenStream


def preprocess(
    main: SourceFile,
    options: PreprocessOptions,
    *,
    fs: FileSystem,
    memory: PreprocessorMemory,
    sink: Sink,
) -> TokenStream:
    """Preprocess a shader.

    Always returns a stream; it is usable only if the sink has no errors.  ``memory`` is a cache and does not change the
    result.
    """
    search = tuple(include_directory(directory, fs) for directory in options.include_dirs)
    state = State(options, fs, memory, sink, search, _advance)
    prelude = _prelude(state)
    state.prelude_visits = prelude.visits
    state.macros = dict(prelude.macros)
    file = memory.parse_main(main)
    state.loaded[main.path] = file
    opened = enter(state, file, main.name, -1)
    state.main_visit = opened.visit
    try:
        _check_file(state, opened)
        _run(state)
    except Stop:
        while state.open_files:
            state.open_files[-1].volatile = True
            leave(state)
    return TokenStream(
        runs=state.runs,
        sources=state.sources,
        visit=opened.visit,
        prelude=prelude,
        macros=state.macros,
        trace=_trace(opened, prelude),
        legacy=options.legacy_macro_expansion,
    )


def dependencies(
    main: SourceFile, options: PreprocessOptions, fs: FileSystem, memory: PreprocessorMemory
) -> IncludeTrace:
    """Preprocess a shader and return only its dependencies: files read, missing paths, macros tested.

    They are exact, because they come from a full preprocessing run; a later compilation reuses the cached results.
    """
    return preprocess(main, options, fs=fs, memory=memory, sink=Sink()).trace


def _trace(opened: OpenFile, prelude: Prelude) -> IncludeTrace:
    outside = [pair for pair in opened.files.values() if not pair[0].source.path.startswith(BUILTIN_PREFIX)]
    files = [file.source.renamed(shown) for file, shown in outside]  # built-in headers are not files
    parsed = [file for file, _ in opened.files.values()]
    asked = [file.source for path, file in opened.asked.items()
             if path not in opened.files and not path.startswith(BUILTIN_PREFIX)]  # fmt: skip
    return IncludeTrace(files, asked, list(opened.missing), parsed, prelude, "__LINE__" in opened.pasted)


def _prelude(state: State) -> Prelude:
    """Define the predefined macros and those of the command line, by parsing two generated texts."""
    options = state.options
    key = (options.predefined, options.defines, options.undefines)
    cached = state.memory.preludes.get(key)
    if cached is not None:
        return cached
    predefined = [f"#define {name} {value}" for name, value in options.predefined]
    given = [f"#define {name} {_value(value)}" for name, value in options.defines]
    given += [f"#undef {name}" for name in options.undefines]
    visits: list[Visit] = []
    is_silent = True
    built_in, command_line = ("".join(line + "\n" for line in lines) for lines in (predefined, given))
    name = "<command line>"
    files = (
        state.memory.parse_predefined(built_in),
        state.memory.parse(f"{name}\0{command_line}", command_line.encode("utf-8", "surrogateescape"), name),
    )
    for file in files:
        opened = enter(state, file, file.source.name, -1)
        visits.append(opened.visit)
        state.prelude_visits = tuple(visits)
        _run(state)
        is_silent &= not (opened.volatile or opened.visit.notable)
    prelude = Prelude(dict(state.macros), tuple(visits))
    if is_silent:
        state.memory.preludes[key] = prelude
    return prelude


def _value(value: str | None) -> str:
    """Return the replacement list of a ``-D`` macro as a single line."""
    return "1" if value is None else " ".join(value.splitlines())


def _run(state: State) -> None:
    """Process all open files until they end."""
    open_files = state.open_files
    runs, sources = state.runs, state.sources
    while open_files:
        opened = open_files[-1]
        items = opened.file.items
        macros = state.macros
        names = macros.keys()
        while opened.index < len(items):
            item = items[opened.index]
            opened.index += 1
            if isinstance(item, TextRun):
                run = item.run
                if not run.suspect and names.isdisjoint(run.ids):
                    runs.append(run.tokens)
                    sources.append(item)
                    state.tokens += len(run.tokens)
                else:
                    from hlsl_tool.frontend.preprocessor.macros.texts import expand_text  # start-up time

                    expand_text(state, opened, item)
            elif item.kind == "include":
                include(state, opened, item)
                if open_files[-1] is not opened:
                    _check_file(state, open_files[-1])
                    break
            else:
                _directive(state, opened, item)
        else:
            _end(state, opened)


def _advance(state: State, opened: OpenFile) -> TextRun | None:
    """Execute directives up to the next text of this file, and return that text.

    Called inside of a macro invocation that continues after directives, where ``#include`` is an error. The result is
    ``None`` at the end of the file.
    """
    items = opened.file.items
    while opened.index < len(items):
        item = items[opened.index]
        opened.index += 1
        if isinstance(item, TextRun):
            return item
        if item.kind == "include":
            include(state, opened, item)  # reports an error here
        else:
            _directive(state, opened, item)
    return None


def _end(state: State, opened: OpenFile) -> None:
    for clause in reversed(opened.clauses):
        state.error(codes.UNTERMINATED_CONDITIONAL, clause.opened.word)
    if state.tokens > limits.MAX_TOKENS:
        state.too_many_tokens()
    leave(state)


def _directive(state: State, opened: OpenFile, item: Directive) -> None:
    from hlsl_tool.frontend.preprocessor import directives  # start-up time

    kind = item.kind
    if kind == "define":
        directives.define(state, opened, item)
    elif kind in CONDITIONS:
        directives.open_condition(state, opened, item)
    elif kind in CLAUSES:
        directives.close_condition(state, opened, item)
    elif kind == "undef":
        directives.undef(state, opened, item)
    elif kind == "pragma":
        if opened.in_arguments:
            state.error(codes.DIRECTIVE_IN_ARGUMENTS, item.word, directive=kind)
        else:
            from hlsl_tool.frontend.preprocessor.pragmas import pragma  # start-up time

            pragma(state, opened, item.rest, item.at if item.rest else item.word)
    elif kind == "line":
        directives.line(state, opened, item, marker=False)
    elif kind == "error" or kind == "warning":
        directives.user_message(state, opened, item)
    elif kind.isdigit():
        directives.line(state, opened, item, marker=True)
    elif kind or item.rest:
        directives.unknown(state, kind, item)


def _check_file(state: State, opened: OpenFile) -> None:
    """Report problems that concern a whole file, such as invalid UTF-8."""
    file = opened.file
    decoded = file.source.decoded
    if decoded.nul >= 0:
        state.error(codes.BINARY_FILE, 0, length=0, name=opened.visit.name)
        opened.index = len(file.items)
        return
    if decoded.invalid >= 0:
        state.warning(codes.NOT_UTF8, len(lexer.splice(decoded.text[: decoded.invalid])[0]))
    if file.unterminated >= 0:
        state.error(codes.UNTERMINATED_COMMENT, file.unterminated, length=2)
