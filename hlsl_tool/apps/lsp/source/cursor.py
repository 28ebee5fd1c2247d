"""Find the declarations and expressions under the cursor, for hover, navigation and renaming."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from typing import NamedTuple

from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.references import Declaration, Use
from hlsl_tool.apps.lsp.source.shader_declarations import index_of
from hlsl_tool.apps.lsp.source.typed import place_of, target_of
from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.preprocessor.lexing.parsed import Directive, ParsedFile, TextRun
from hlsl_tool.frontend.preprocessor.macros.definitions import Macro
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.syntax.chunks import Chunk

_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_]*")
_INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">\n]*)[">]')


class Include(NamedTuple):
    """An ``#include`` under the cursor."""

    name: str
    is_angled: bool
    path: str | None
    """The file that it found; ``None`` if there is none."""


@dataclass(slots=True)
class Cursor:
    """The word under the cursor, and everything that it may refer to.

    Several fields may be set: the argument of a macro is a name, too.
    """

    analysis: Analysis
    file: SourceFile
    offset: int
    start: int
    end: int
    word: str
    chunk: Chunk | None = None
    """The top-level declaration; ``None`` outside of the shader's tokens."""
    pos: int = -1
    """The token in the top-level declaration."""
    expressions: list[hir.Expr] = field(default_factory=list)
    """The typed expressions there: several in a template."""
    declarations: list[Declaration] = field(default_factory=list)
    """The declarations that the word names, or is one of."""
    macro: Macro | None = None
    include: Include | None = None
    is_inactive: bool = False
    """Whether this permutation skips the text, so that the declarations are a guess by name."""


def cursor_at(analysis: Analysis, file: SourceFile, offset: int) -> Cursor:
    """Return what is at an offset of a file; the file must belong to the analysis."""
    start, end = word_at(file.text, offset)
    cursor = Cursor(analysis, file, offset, start, end, file.text[start:end])
    cursor.include = include_at(analysis, file, offset)
    if cursor.include is not None:
        return cursor
    for token in analysis.tokens.at(file.path, start if cursor.word else offset):
        chunk, pos = _chunk_of(analysis, token.number)
        if chunk is not None:
            _fill(cursor, chunk, pos)
            if cursor.declarations or cursor.expressions:
                break
    if cursor.word:
        cursor.macro = _macro(analysis, file, cursor)
        if cursor.chunk is None and cursor.macro is None:
            cursor.is_inactive = is_skipped(analysis, file, start)
            cursor.declarations = analysis.declarations.named(cursor.word) if cursor.is_inactive else []
    return cursor


def word_at(text: str, offset: int) -> tuple[int, int]:
    """Return (start, end) of the identifier at an offset; (offset, offset) if there is none."""
    start = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_$"):
        start -= 1
    match = _WORD.match(text, start)
    return (start, match.end()) if match is not None and match.end() >= offset else (offset, offset)


def _chunk_of(analysis: Analysis, index: int) -> tuple[Chunk | None, int]:
    unit = analysis.unit
    number = bisect_right(unit.bases, index) - 1
    if number < 0 or index - unit.bases[number] >= len(unit.chunks[number].tokens):
        return None, -1
    return unit.chunks[number], index - unit.bases[number]


def _fill(cursor: Cursor, chunk: Chunk, pos: int) -> None:
    cursor.chunk, cursor.pos = chunk, pos
    cursor.expressions = cursor.analysis.typed.at(chunk, pos)
    cursor.declarations = declarations_at(cursor.analysis, chunk, pos)


def declarations_at(analysis: Analysis, chunk: Chunk, pos: int) -> list[Declaration]:
    """Return the declarations to which the token ``pos`` of a top-level declaration refers.

    They come from semantic analysis if it has resolved the name, else from a look-up by scopes.
    """
    index = index_of(chunk)
    own = index.declared.get(pos)
    if own is not None:
        return [own]
    named: list[Declaration] = []
    for expression in analysis.typed.at(chunk, pos):
        declaration = _declaration_of(analysis, expression)
        if declaration is not None and declaration not in named:
            named.append(declaration)
    if named:
        return named
    use: Use | None = index.uses.get(pos)
    return analysis.declarations.resolve(use) if use is not None else []


def _declaration_of(analysis: Analysis, expression: hir.Expr) -> Declaration | None:
    target = target_of(expression)
    if target is None or (isinstance(expression, hir.Call) and expression.is_operator):
        return None
    chunk, pos = place_of(target)
    return declaration_in(chunk, pos)


def declaration_in(chunk: SourceChunk | None, pos: int) -> Declaration | None:
    """Return the declaration whose name is the token ``pos`` of a top-level declaration; ``None`` if there is none."""
    return index_of(chunk).declared.get(pos) if isinstance(chunk, Chunk) else None


def parsed_file(analysis: Analysis, path: str) -> ParsedFile | None:
    """Return a file as split into directives by the preprocessor; ``None`` if the analysis did not read it."""
    return analysis.stream.trace.parsed(path)


def _macro(analysis: Analysis, file: SourceFile, cursor: Cursor) -> Macro | None:
    """Return the macro that the word refers to; ``None`` if the word is a token of the preprocessed shader."""
    macro = analysis.stream.macros.get(cursor.word)
    if macro is None or (cursor.chunk is not None and cursor.chunk.tokens[cursor.pos] == cursor.word):
        return None
    return None if is_in_comment(analysis, file, cursor.start) else macro


def is_in_comment(analysis: Analysis, file: SourceFile, offset: int) -> bool:
    """Return whether an offset is inside of a comment."""
    parsed = parsed_file(analysis, file.path)
    if parsed is None or parsed.source.text != file.text:
        return False
    clean = clean_offset(parsed, offset)
    return clean < len(parsed.clean) and parsed.clean[clean].isspace() and not file.text[offset].isspace()


def clean_offset(parsed: ParsedFile, offset: int) -> int:
    """Convert an offset in the file to an offset in the text that the preprocessor reads.

    That text has no line continuations.
    """
    low, high = 0, len(parsed.clean)
    while low < high:
        middle = (low + high) // 2
        if parsed.physical(middle) < offset:
            low = middle + 1
        else:
            high = middle
    return low


def is_skipped(analysis: Analysis, file: SourceFile, offset: int) -> bool:
    """Return whether a false preprocessor condition excludes the text at an offset."""
    parsed = parsed_file(analysis, file.path)
    if parsed is None or is_in_comment(analysis, file, offset):
        return False
    clean = clean_offset(parsed, offset)
    for item in parsed.items:
        if isinstance(item, TextRun) and item.start <= clean < item.end:
            first, last = parsed.physical(item.start), parsed.physical(item.end - 1)
            return not any(first <= token.start <= last for token in analysis.tokens.written(file.path))
        if isinstance(item, Directive) and item.start > clean:
            break
    return False


def include_at(analysis: Analysis, file: SourceFile, offset: int) -> Include | None:
    """Return the ``#include`` in the line of an offset; ``None`` if there is none."""
    line, _ = file.line_col(offset)
    match = _INCLUDE.match(file.line_text(line))
    if match is None:
        return None
    name, is_angled = match.group(2), match.group(1) == "<"
    return Include(name, is_angled, find_include(analysis, file, name))


def find_include(analysis: Analysis, file: SourceFile, name: str) -> str | None:
    """Return the path of the file that an ``#include`` of this name finds; ``None`` if there is none.

    The folders of all files of the analysis are searched, not only those of the including files.
    """
    folders = [os.path.dirname(file.path), *analysis.target.options.include_dirs]
    folders += [os.path.dirname(path) for path in analysis.files]
    fs = analysis.compilation.fs
    for folder in dict.fromkeys(folders):
        path = fs.resolve(os.path.join(folder, name))
        if path in analysis.files or fs.read(path) is not None:
            return path
    return None
