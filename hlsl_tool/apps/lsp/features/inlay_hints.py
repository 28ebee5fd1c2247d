"""Inlay hints: the byte offsets of members of blocks, and of structs that blocks contain."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.features import memory_layout
from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.text import offset_of, position_of
from hlsl_tool.base.source import SourceFile
from hlsl_tool.codegen.layout.blocks import Usage
from hlsl_tool.frontend.sema.model.hir import CBuffer
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.syntax.chunks import Chunk


def inlay_hints(analysis: Analysis, file: SourceFile, visible: lsp.Range) -> list[lsp.InlayHint]:
    """Return hints for the visible part of a file: the offset in bytes after each member's declaration."""
    low, high = offset_of(file, visible.start), offset_of(file, visible.end)
    ends = {token.number: token.end for token in analysis.tokens.written(file.path) if low <= token.start <= high}
    if not ends:
        return []
    first, last = min(ends), max(ends)
    uses = memory_layout.usages(analysis)
    hints: dict[int, lsp.InlayHint] = {}
    for chunk, base in zip(analysis.unit.chunks, analysis.unit.bases, strict=True):
        if base > last or base + len(chunk.tokens) <= first:
            continue
        for pos, label, tip in _offsets(analysis, chunk, uses):
            end = ends.get(base + pos)
            if end is not None:
                position = position_of(file, _behind(file, end))
                hints.setdefault(end, lsp.InlayHint(position, label, tooltip=tip, padding_left=True))
    return [hints[end] for end in sorted(hints)]


def _behind(file: SourceFile, offset: int) -> int:
    """Return the offset in the file's text after the ``;`` that follows the offset of a name on the same line."""
    line_end = file.text.find("\n", offset)
    end = file.text.find(";", offset, line_end if line_end >= 0 else len(file.text))
    return end + 1 if end >= 0 else offset


def _offsets(analysis: Analysis, chunk: Chunk, uses: dict[Struct, list[Usage]]) -> Iterator[tuple[int, str, str]]:
    """Yield (token index, label, tooltip) for the members that a top-level declaration declares."""
    for item in analysis.typed.globals(chunk):
        if isinstance(item, CBuffer):
            rule = memory_layout.block_of(analysis, item).rule
            for node in memory_layout.nodes_of(analysis, item):
                if node.field is not None:
                    tip = f"offset {node.offset}, {node.extent.size} bytes, {rule.value}"
                    yield node.field.pos, f"@{node.offset}", tip
    for struct in analysis.program.structs:
        if struct.chunk is chunk and struct in uses:
            yield from _of_struct(analysis, struct, uses[struct])


def _of_struct(analysis: Analysis, struct: Struct, uses: list[Usage]) -> Iterator[tuple[int, str, str]]:
    """Yield the offsets of a struct's fields; if they depend on the kind of block, one for each kind."""
    offsets: dict[int, dict[int, list[str]]] = {}
    for usage in uses:
        for field, offset, size in memory_layout.placed(analysis, struct, usage):
            words = f"{size} bytes in a {memory_layout.kind_words(usage)}"
            words += f" ({memory_layout.rule_of(analysis, usage).value})"
            offsets.setdefault(field.pos, {}).setdefault(offset, []).append(f"offset {offset}, {words}")
    for pos, by_offset in offsets.items():
        yield pos, "@" + " | ".join(map(str, by_offset)), "\n".join("\n".join(tips) for tips in by_offset.values())
