"""The parser driver compared with lark's: the same grammar and terminals, and the same result at the same token."""

from __future__ import annotations

import hashlib
import os
import pathlib
from collections.abc import Iterator
from functools import cache

import pytest
from lark import Lark, Token
from lark.exceptions import UnexpectedToken

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import OSFileSystem, SourceFile
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, preprocess
from hlsl_tool.frontend.syntax import SyntaxMemory, build_tables
from hlsl_tool.frontend.syntax import kinds as K
from hlsl_tool.frontend.syntax.classifier import classify
from hlsl_tool.frontend.syntax.driver import Run
from hlsl_tool.frontend.syntax.environment import Environment
from hlsl_tool.frontend.syntax.tables import GRAMMAR, NoEntry, read

from . import test_declarations, test_errors, test_statements
from .helper import Stream

SUITE = os.environ.get("HLSL_TOOL_DXC_SUITE", "")
SHADERS = pathlib.Path(__file__).parents[3] / "shaders"


@cache
def lark() -> Lark:
    return build_tables.compile_grammar(read(GRAMMAR))


def verdicts(runs: list[list[str]]) -> Iterator[tuple[str, int, int]]:
    """Yield (text, index at which our driver failed, index at which lark failed) of each top-level declaration.

    An index counts tokens; it is -1 if the declaration was accepted.
    """
    memory = SyntaxMemory()
    environment = Environment()
    tokens = [token for run in runs for token in run]
    step = memory.step(memory.root, tokens)
    pieces = [*step.pieces, *([memory.piece(step.node.tail)] if step.node.tail else [])]
    for piece in pieces:
        classified = classify(piece.tokens, environment, piece.identifiers)
        run = Run(K.TABLES, piece.tokens, classified.rename)
        ours = -1
        try:
            run.feed(classified.pairs())
            run.feed(((len(piece.tokens), K.END),))
        except NoEntry:
            ours = run.at
        for effect in classified.effects:
            environment.apply(effect)
        pairs = list(zip(classified.indices, classified.kinds, strict=True))
        yield " ".join(piece.tokens), ours, stock(pairs, len(piece.tokens))


def stock(pairs: list[tuple[int, int]], end: int) -> int:
    parser = lark().parse_interactive()
    at = end
    try:
        for position, kind in pairs:
            at = position
            name = K.TABLES.terminals[kind] if kind < len(K.TABLES.terminals) else "UNKNOWN"
            parser.feed_token(Token(name, ""))
        at = end
        parser.feed_eof()  # type: ignore[no-untyped-call]  # lark's has no types
    except UnexpectedToken:
        return at
    return -1


def check(runs: list[list[str]]) -> None:
    for text, ours, theirs in verdicts(runs):
        assert ours == theirs, text


OWN = [
    *(text for text, _ in test_errors.ONE),
    *(text for text, _ in test_declarations.VARIABLES),
    *(text for text, _ in test_declarations.STRUCTS),
    *(text for text, _ in test_declarations.FUNCTIONS),
    *(f"void f() {{ {text} }}" for text, _ in test_statements.STATEMENTS),
]


@pytest.mark.parametrize("text", OWN)
def test_own_inputs(text: str) -> None:
    check(Stream(text).runs)


def preprocessed(path: pathlib.Path) -> list[list[str]]:
    file = SourceFile.from_bytes(str(path), str(path), path.read_bytes())
    options = PreprocessOptions(include_dirs=(str(path.parent), str(path.parent / "include")))
    stream = preprocess(file, options, fs=OSFileSystem(), memory=PreprocessorMemory(), sink=Sink())
    return stream.runs


@pytest.mark.parametrize("path", sorted(SHADERS.rglob("*.hlsl")), ids=lambda path: path.name)
def test_sample_shaders(path: pathlib.Path) -> None:
    check(preprocessed(path))


@pytest.mark.oracle
@pytest.mark.skipif(not SUITE, reason="HLSL_TOOL_DXC_SUITE does not name DXC's test suite")
def test_dxc_suite() -> None:
    for path in sorted(pathlib.Path(SUITE).rglob("*.hlsl")):
        name = path.relative_to(SUITE).as_posix()
        if hashlib.sha256(name.encode()).digest()[0] % 4:  # the other quarter is kept for judging
            check(preprocessed(path))
