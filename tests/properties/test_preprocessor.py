"""Properties of the preprocessor that are true for every input."""

from __future__ import annotations

import os
import sys

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, TokenStream, preprocess

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from preprocessor_sources import projects, sources

SETTINGS = settings(max_examples=600 if os.environ.get("HLSL_TOOL_NIGHTLY") == "all" else 60)


def run(
    fs: MemoryFileSystem, name: str, memory: PreprocessorMemory, defines: tuple[tuple[str, str | None], ...] = ()
) -> tuple[TokenStream, Sink]:
    sink = Sink()
    main = SourceFile.from_bytes(name, fs.resolve(name), fs.read(name) or b"")
    return preprocess(main, PreprocessOptions(defines=defines), fs=fs, memory=memory, sink=sink), sink


def facts(stream: TokenStream, sink: Sink) -> tuple[object, ...]:
    """Return all results of the preprocessor that can be observed: tokens, locations, pragmas, files, diagnostics."""
    return (
        stream.tokens,
        [stream.locate(index) for index in range(len(stream.tokens) + 1)],
        stream.pragmas,
        [file.path for file in stream.trace.files],
        [file.name for file in stream.trace.files],
        stream.trace.missing,
        stream.trace.macros_read,
        stream.text(),
        sink.diagnostics,
        sorted(stream.macros),
    )


@SETTINGS
@given(projects(), st.lists(st.sampled_from((("A", None), ("B", "F(2)"), ("F(p)", "p C"))), max_size=2))
def test_memory_changes_nothing(files: dict[str, str], defines: list[tuple[str, str | None]]) -> None:
    fs = MemoryFileSystem(files)
    memory = PreprocessorMemory()
    for name, given_defines in (("one.hlsl", ()), ("two.hlsl", ()), ("one.hlsl", tuple(defines)), ("one.hlsl", ())):
        warm = facts(*run(fs, name, memory, given_defines))
        assert warm == facts(*run(fs, name, PreprocessorMemory(), given_defines))


INCLUDED_TWICE = {
    "c.h": "#define F(p) \n",
    "b.h": 'F() H()\n#include "c.h"\n#undef F',
    "a.h": '#include "b.h"',
    "one.hlsl": '#define H(p) \n#include "a.h"\n#include "a.h"\n',
    "two.hlsl": "",
}


@SETTINGS
@example(INCLUDED_TWICE, "")
@given(projects(), sources(("c.h",)))
def test_memory_survives_edits(files: dict[str, str], edited: str) -> None:
    fs = MemoryFileSystem(files)
    memory = PreprocessorMemory()
    run(fs, "one.hlsl", memory)
    for content in (edited, files["b.h"]):
        fs.write("b.h", content)
        assert facts(*run(fs, "one.hlsl", memory)) == facts(*run(fs, "one.hlsl", PreprocessorMemory()))


@SETTINGS
@given(sources())
def test_places_hold_the_tokens(source: str) -> None:
    fs = MemoryFileSystem({"m.hlsl": source})
    stream, _ = run(fs, "m.hlsl", PreprocessorMemory())
    lines = source.split("\n")
    last = 0
    for index, token in enumerate(stream.tokens):
        place = stream.locate(index)
        assert place.source_line == lines[place.line - 1]
        if not place.macro_stack and token != str(place.line):
            assert place.source_line[place.col - 1 : place.end_col - 1] == token or token.isdigit()
            assert place.line >= last
            last = place.line


@SETTINGS
@given(sources())
def test_printed_text_reads_the_same(source: str) -> None:
    fs = MemoryFileSystem({"m.hlsl": source})
    stream, sink = run(fs, "m.hlsl", PreprocessorMemory())
    fs.write("n.hlsl", stream.text())
    again, _ = run(fs, "n.hlsl", PreprocessorMemory())
    if sink.ok:
        assert again.tokens == stream.tokens


@SETTINGS
@given(st.text(st.sampled_from("#\"'/*\\\n ()<>,.:define ifelse0x1_AF\t\r\u00e9"), max_size=80))
def test_nothing_crashes_it(source: str) -> None:
    fs = MemoryFileSystem({"m.hlsl": source})
    stream, _ = run(fs, "m.hlsl", PreprocessorMemory())
    stream.text()
    for index in range(len(stream.tokens) + 1):
        stream.locate(index)


@SETTINGS
@given(st.binary(max_size=60))
def test_no_bytes_crash_it(data: bytes) -> None:
    fs = MemoryFileSystem({"m.hlsl": data})
    run(fs, "m.hlsl", PreprocessorMemory())
