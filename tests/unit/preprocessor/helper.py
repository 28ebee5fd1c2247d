"""Functions that the preprocessor's tests share: one shader and its headers in memory."""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.diagnostics import Sink, WarningOptions
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, TokenStream, preprocess


class Result:
    def __init__(self, stream: TokenStream, sink: Sink) -> None:
        self.stream = stream
        self.sink = sink

    @property
    def text(self) -> str:
        return " ".join(self.stream.tokens)

    @property
    def names(self) -> list[str]:
        return [diagnostic.code.name for diagnostic in self.sink.diagnostics]

    @property
    def places(self) -> list[tuple[str, str, int, int]]:
        return [
            (d.code.name, d.location.file, d.location.line, d.location.col)
            for d in self.sink.diagnostics
            if d.location is not None
        ]


def run(
    source: str | bytes,
    headers: dict[str, str | bytes] | None = None,
    *,
    memory: PreprocessorMemory | None = None,
    fs: MemoryFileSystem | None = None,
    warnings: tuple[str, ...] = (),
    name: str = "main.hlsl",
    **options: Any,
) -> Result:
    fs = fs or MemoryFileSystem({name: source, **(headers or {})})
    data = source.encode() if isinstance(source, str) else source
    main = SourceFile.from_bytes(name, fs.resolve(name), data)
    sink = Sink(WarningOptions.from_flags(warnings))
    stream = preprocess(main, PreprocessOptions(**options), fs=fs, memory=memory or PreprocessorMemory(), sink=sink)
    return Result(stream, sink)


def expand(source: str, **options: Any) -> str:
    """Return the tokens of a source, which must have no errors."""
    result = run(source, **options)
    assert result.sink.diagnostics == []
    return result.text
