"""Execute ``#include``: find, enter and leave files, or replay cached results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.base.diagnostics.diagnostic import Replacement
from hlsl_tool.frontend.preprocessor import limits
from hlsl_tool.frontend.preprocessor.inclusion import search as includes
from hlsl_tool.frontend.preprocessor.inclusion.lookup import BUILTIN_PREFIX, Found, find, is_missing, load, places
from hlsl_tool.frontend.preprocessor.inclusion.search import Directory
from hlsl_tool.frontend.preprocessor.inclusion.visit import Include, Pragma, Step, Visit, Warned, walk
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.parsed import Directive, ParsedFile, visible
from hlsl_tool.frontend.preprocessor.lexing.tokens import Traced
from hlsl_tool.frontend.preprocessor.locations import location
from hlsl_tool.frontend.preprocessor.macros.definitions import Macro
from hlsl_tool.frontend.preprocessor.memory import IncludeGroup, IncludeKey, IncludeResult
from hlsl_tool.frontend.preprocessor.state import OpenFile, State, Stop


class Named(NamedTuple):
    """The operand of an ``#include``."""

    name: str
    angled: bool
    extra: bool
    """Whether more tokens follow the name."""


def include(state: State, opened: OpenFile, item: Directive) -> None:
    """Execute an ``#include``: enter the file, or replay its cached result."""
    if opened.in_arguments:
        state.error(codes.DIRECTIVE_IN_ARGUMENTS, item.word, directive=item.kind)
        return
    named = _name(state, opened, item)
    if named is None:
        return
    if named.extra:
        state.warning(codes.EXTRA_TOKENS, item.at, directive="include")
    state.includes += 1
    if state.includes > limits.MAX_INCLUDES:
        state.error(codes.TOO_MANY_INCLUDES, item.word, limit=limits.MAX_INCLUDES)
        raise Stop
    found = find(state, named.name, angled=named.angled) or _recover(state, item, named)
    if found is None:
        return
    path = found.file.source.path
    opened.asked_once.add(path)
    if path in state.once or (found.file.guard and found.file.guard in state.macros):
        # No output, but still a dependency.
        opened.files.setdefault(path, (found.file, found.shown))
        return
    if len(state.open_files) >= limits.MAX_INCLUDE_DEPTH:
        state.error(codes.INCLUDE_TOO_DEEP, item.word, cycle=_cycle(state, path))
        raise Stop
    if not _recall(state, opened, item, found):
        enter(state, found.file, found.shown, item.start)


def _name(state: State, opened: OpenFile, item: Directive) -> Named | None:
    text = item.rest
    if text[:1] in ('"', "<"):
        close = text.find('"' if text[0] == '"' else ">", 1)
        if close > 0:
            return _checked(state, item, text[1:close], angled=text[0] == "<", extra=bool(text[close + 1 :].strip()))
    tokens = lexer.lex_traced(opened.file.clean, item.at, item.at + len(text))
    if tokens and tokens[0][0] not in '"<':
        from hlsl_tool.frontend.preprocessor.macros.expansion import Around, run_expander  # start-up time
        from hlsl_tool.frontend.preprocessor.macros.trace import TracingExpander

        expander = TracingExpander(state.macros, Around(state, opened))
        tokens = run_expander(state, opened, expander, tokens)
        opened.volatile |= expander.volatile
    if tokens and lexer.WHOLE_STRING.fullmatch(tokens[0]):
        return _checked(state, item, tokens[0][1:-1], angled=False, extra=len(tokens) > 1)
    if tokens and tokens[0] == "<" and ">" in tokens:
        end = [str(token) for token in tokens].index(">")
        return _checked(state, item, _spelled(tokens[1:end]), angled=True, extra=len(tokens) > end + 1)
    state.error(codes.INCLUDE_EXPECTS_NAME, item.at)
    return None


def _spelled(tokens: list[Traced]) -> str:
    return "".join((" " if token.space and index else "") + token for index, token in enumerate(tokens))


def _checked(state: State, item: Directive, name: str, *, angled: bool, extra: bool) -> Named | None:
    if not name:
        state.error(codes.INCLUDE_EMPTY_NAME, item.at)
        return None
    if len(name) > limits.MAX_INCLUDE_NAME:
        state.error(codes.INCLUDE_NAME_TOO_LONG, item.at, size=len(name), limit=limits.MAX_INCLUDE_NAME)
        raise Stop
    return Named(name, angled, extra)


def _recover(state: State, item: Directive, named: Named) -> Found | None:
    """Report a missing include with a hint; return a similarly named file to continue with, or ``None``."""
    name = named.name.replace("\\", "/")
    tried = places(state, name, angled=named.angled)
    length = len(named.name) + 2
    if named.angled:
        found = find(state, name, angled=False)
        if found is not None:
            state.error(codes.INCLUDE_NEEDS_QUOTES, item.at, length=length, name=named.name)
            return found
    for candidate in tried:
        reason = state.fs.why_unreadable(candidate.path)
        if reason is not None:
            state.error(codes.UNREADABLE_INCLUDE, item.at, length=length, name=named.name, reason=reason)
            return None
    for candidate in tried:
        path = includes.find_without_case(candidate.path, state.fs)
        if path is None:
            continue
        right = includes.right_spelling(name, path)
        if not state.options.case_insensitive_includes:
            hint = f"write `{right}`"
            fixes = _respelled(state, item, named, right)
            state.error(
                codes.INCLUDE_CASE, item.at, length=length, hint=hint, fixes=fixes, name=named.name, found=right
            )
            return None
        file = load(state, path, candidate.shown)
        if file is not None:
            state.warning(codes.INCLUDE_CASE_ACCEPTED, item.at, name=named.name, found=right)
            state.open_files[-1].volatile = True  # the choice depends on the directory listing
            return Found(file, candidate.shown[: len(candidate.shown) - len(name)] + right)
    similar = includes.find_similar(name, [candidate.path for candidate in tried], state.fs)
    hint = "; ".join(filter(None, (f"did you mean `{similar}`?" if similar else "", _searched(state, name, tried))))
    fixes = _respelled(state, item, named, similar) if similar is not None else ()
    state.error(codes.MISSING_INCLUDE, item.at, length=length, hint=hint, fixes=fixes, name=named.name)
    return None


def _searched(state: State, name: str, tried: Sequence[includes.Candidate]) -> str:
    """Return the part of a hint that lists the folders in which an include was searched."""
    if includes.is_absolute(name):
        return ""
    if not tried:
        return "no folder is searched for it: name one with `-I FOLDER`"
    folders = {_folder(candidate.shown, name): _folder(candidate.path, name) for candidate in tried}
    return "searched in " + ", ".join(
        f"`{shown}`" + ("" if state.fs.listdir(path) is not None else " (there is no such folder)")
        for shown, path in folders.items()
    )


def _folder(path: str, name: str) -> str:
    """Return a searched folder, given the path of a file ``name`` in it."""
    return path.replace("\\", "/").removesuffix(name).rstrip("/") or "/"


def _respelled(state: State, item: Directive, named: Named, name: str) -> tuple[Replacement, ...]:
    """Return the edit that corrects the file name in a directive; () if a macro produces the name."""
    at = state.place(item.at, length=len(named.name) + 2)
    if at.source_line[at.col : at.end_col - 2] != named.name:
        return ()
    return (Replacement(at.file, at.line, at.col + 1, at.end_col - 1, name),)


def _cycle(state: State, path: str) -> str:
    """Describe the cycle of includes through this file, for the error about nesting depth.

    If the file is not open, the text is just the number of nested files.
    """
    names: list[str] = []
    for opened in reversed(state.open_files):
        names.append(opened.visit.name)
        if opened.file.source.path == path:
            break
    else:
        return f"{limits.MAX_INCLUDE_DEPTH} files"
    names.reverse()
    shown = [f"`{name}`" for name in names[: limits.MAX_CYCLE_SHOWN]]
    if len(names) > len(shown):
        shown.append(f"{len(names) - len(shown)} more files")
    shown.append(f"`{names[0]}` again" if len(names) > 1 else "itself")
    return " includes ".join(shown)


def enter(state: State, file: ParsedFile, shown: str, offset: int) -> OpenFile:
    """Start to read a file; ``offset`` is the position of the ``#include``, -1 for the main file."""
    visit = Visit(file, shown)
    path = file.source.path
    directory = Directory(includes.parent(shown), includes.parent(path))
    child = OpenFile(visit, offset, directory, len(state.runs))
    if state.open_files:
        parent = state.open_files[-1]
        state.event(parent, Include(visit, offset))
        child.key = _key(state, path, shown)
        child.levels_before = len(state.level_stack)
        child.includes_before = state.includes
        child.tokens_before = state.tokens
    state.open_files.append(child)
    return child


def _key(state: State, path: str, shown: str) -> IncludeKey:
    options = state.options
    flavour = (options.case_insensitive_includes, options.builtin_headers, state.reports_undefined)
    return IncludeKey(path, shown, options.include_dirs, flavour)


def leave(state: State) -> None:
    """Finish a file: add its dependencies to those of the including file, and cache its result."""
    child = state.open_files.pop()
    visit = child.visit
    visit.runs = len(state.runs) - child.base
    if not state.open_files:
        return
    opened = state.open_files[-1]
    if state.memoise and not child.volatile:
        _remember(state, child)
    opened.reach = max(opened.reach, child.reach - 1)
    opened.pasted |= child.pasted
    opened.volatile |= child.volatile
    opened.once |= child.once
    opened.asked_once |= child.asked_once
    opened.visit.notable |= visit.notable
    for name, old in child.old.items():
        opened.old.setdefault(name, old)
    for path, entry in child.files.items():
        opened.files.setdefault(path, entry)
    opened.missing.update(child.missing)
    opened.asked.update(child.asked)


def _outer(state: State) -> tuple[str, ...]:
    """Return the directories of the open files, the innermost first."""
    return tuple(dict.fromkeys(opened.directory.path for opened in reversed(state.open_files)))


def _before(state: State, child: OpenFile) -> dict[str, Macro]:
    """Return the macro table as it was at the start of a file."""
    before = dict(state.macros)
    for name, macro in child.old.items():
        if macro is None:
            before.pop(name, None)
        else:
            before[name] = macro
    return before


def _remember(state: State, child: OpenFile) -> None:
    key = child.key
    if key is None:
        return
    macros, old, before = state.macros, child.old, _before(state, child)
    from hlsl_tool.frontend.preprocessor.macros.expansion import closure  # start-up time

    names = closure(frozenset(child.pasted).union(*(file.ids for file, _ in child.files.values())), before)
    paths = frozenset(child.asked_once)
    seen = frozenset(path for path in paths if path in state.once and path not in child.once)
    table = visible(names, before)
    result = IncludeResult(
        visit=child.visit,
        runs=tuple(state.runs[child.base :]),
        sources=tuple(state.sources[child.base :]),
        defined={name: macros[name] for name in old if name in macros},
        undefined=tuple(name for name in old if name not in macros),
        files=tuple(child.files.values()),
        missing=tuple(child.missing),
        asked=tuple(child.asked.values()),
        once=frozenset(child.once),
        reach=child.reach,
        pasted=frozenset(child.pasted),
        includes=state.includes - child.includes_before,
        tokens=state.tokens - child.tokens_before,
    )
    outer = _outer(state) if child.reach > 0 else None
    groups = state.memory.includes.setdefault(key, [])
    for group in groups:
        if group.names == names and group.paths == paths and group.outer == outer:
            group.results[table, seen] = result
            return
    groups.append(IncludeGroup(names, paths, outer, {(table, seen): result}))


def _recall(state: State, opened: OpenFile, item: Directive, target: Found) -> bool:
    """Replay the cached result of an ``#include``; return False if there is no valid one."""
    if not state.memoise:
        return False
    groups = state.memory.includes.get(_key(state, target.file.source.path, target.shown))
    if not groups:
        return False
    macros = state.macros
    for group in groups:
        if group.outer is not None and group.outer != _outer(state):
            continue
        key = (visible(group.names, macros), group.paths & state.once)
        result = group.results.get(key)
        if result is None:
            continue
        if not _current(state, result):
            del group.results[key]
            continue
        opened.asked_once |= group.paths
        _replay(state, opened, item, result)
        return True
    return False


def _current(state: State, result: IncludeResult) -> bool:
    """Return whether all files of a cached result are unchanged, and its missing files are still missing."""
    for file, shown in result.files:
        path = file.source.path
        if path.startswith(BUILTIN_PREFIX):
            continue  # built-in headers are part of the key
        if load(state, path, shown) is not file:
            return False
    if any(
        load(state, path, path) is None
        for path in (file.source.path for file in result.asked)
        if not path.startswith(BUILTIN_PREFIX)
    ):
        return False
    return all(is_missing(state, path) for path in result.missing)


def _replay(state: State, opened: OpenFile, item: Directive, result: IncludeResult) -> None:
    visit = result.visit
    first_run, first_token = len(state.runs), state.tokens
    state.includes += result.includes
    if state.includes > limits.MAX_INCLUDES:
        state.error(codes.TOO_MANY_INCLUDES, item.word, limit=limits.MAX_INCLUDES)
        raise Stop
    if first_token + result.tokens > limits.MAX_TOKENS:
        state.too_many_tokens()
    state.event(opened, Include(visit, item.start))
    state.runs += result.runs
    state.sources += result.sources
    macros, old = state.macros, opened.old
    if opened.key is not None:  # the result of the main file is not cached
        for name in (*result.defined, *result.undefined):
            if name not in old:
                old[name] = macros.get(name)
    macros.update(result.defined)
    for name in result.undefined:
        macros.pop(name, None)
    state.once |= result.once
    opened.once |= result.once
    for file, shown in result.files:
        path = file.source.path
        opened.files.setdefault(path, (file, shown))
    opened.reach = max(opened.reach, result.reach - 1)
    opened.pasted |= result.pasted
    for path in result.missing:
        opened.missing[path] = None
    for file in result.asked:
        opened.asked[file.source.path] = file
    if visit.notable:
        opened.visit.notable = True
        _reissue(state, opened, item, visit, first_run, first_token)
    state.tokens = first_token + result.tokens


def _reissue(state: State, opened: OpenFile, item: Directive, visit: Visit, first_run: int, first_token: int) -> None:
    """Report the recorded warnings of a cached file again, and apply its ``diagnostic`` pragmas.

    ``first_run`` and ``first_token`` are the indices in the output of the file's first run of tokens and first token.
    """
    position, run = first_token, first_run
    for index, event, chain in walk(visit, first_run, (*state.chain(), Step(visit, item.start))):
        while run < index:
            position += len(state.runs[run])
            run += 1
        state.tokens = position
        if isinstance(event, Pragma) and event.name == "diagnostic":
            from hlsl_tool.frontend.preprocessor.pragmas import apply_diagnostic  # start-up time

            apply_diagnostic(state, event.arguments)
        elif isinstance(event, Warned):
            where = location(chain, event.offset, index=position)
            state.sink.warning(event.code, where, **event.fields)
