"""Semantic tokens, and formatting by clang-format."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.features.formatting import formatted
from hlsl_tool.apps.lsp.features.rename import Refused
from hlsl_tool.apps.lsp.features.semantic_tokens import MODIFIERS, TYPES
from hlsl_tool.base.source import SourceFile
from tests.lsp.conftest import Opener
from tests.lsp.editor import Editor

TEXT = """\
struct S { float4 a; };
cbuffer B { S s; }
Texture2D t; SamplerState p; // ünicode 𝄞
float4 f(float4 c, float k) { float4 x = lerp(c, s.a, k); return x.xyzz * t.Sample(p, c.xy); }
"""


def tokens(editor: Editor, name: str) -> list[tuple[str, str, list[str]]]:
    """Return (word, type, modifiers) of each semantic token of a document."""
    params = lsp.SemanticTokensParams(editor.document(name))
    data = editor.run(editor.client.text_document_semantic_tokens_full_async(params)).data
    lines = editor.texts[name].splitlines()
    found, line, column = [], 0, 0
    for at in range(0, len(data), 5):
        step, start, length, kind, bits = data[at : at + 5]
        column = start if step else column + start
        line += step
        word = lines[line].encode("utf-16-le")[2 * column : 2 * (column + length)].decode("utf-16-le")
        modifiers = [modifier.value for number, modifier in enumerate(MODIFIERS) if bits >> number & 1]
        found.append((word, TYPES[kind].value, modifiers))
    return found


def test_semantic_tokens(edit: Opener) -> None:
    editor = edit({"free.hlsl": TEXT})
    editor.open("free.hlsl")
    found = tokens(editor, "free.hlsl")
    assert found[:6] == [
        ("S", "struct", ["declaration"]),
        ("float4", "type", ["defaultLibrary"]),
        ("a", "property", ["declaration"]),
        ("B", "namespace", ["declaration"]),
        ("S", "struct", []),
        ("s", "variable", ["declaration"]),
    ]
    assert found[-12:] == [
        ("lerp", "function", ["defaultLibrary"]),
        ("c", "parameter", []),
        ("s", "variable", []),
        ("a", "property", []),
        ("k", "parameter", []),
        ("x", "variable", []),
        ("xyzz", "property", ["defaultLibrary"]),
        ("t", "variable", []),
        ("Sample", "method", ["defaultLibrary"]),
        ("p", "variable", []),
        ("c", "parameter", []),
        ("xy", "property", ["defaultLibrary"]),
    ]


def test_tokens_of_a_header_and_of_a_file_with_errors(editor: Editor, edit: Opener) -> None:
    assert ("color", "property", ["declaration"]) in tokens(editor, "shaders/include/common.hlsli")
    broken = edit({"free.hlsl": "float4 f(float4 c) { return c +; }\nfloat g(float k) { return k; }\n"})
    broken.open("free.hlsl")
    assert ("k", "parameter", ["declaration"]) in tokens(broken, "free.hlsl")


@pytest.fixture
def formatter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program clang-format on the path that removes blanks before semicolons, and records its arguments."""
    program = tmp_path / "bin/clang-format"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\n"
        f"open({str(tmp_path / 'arguments')!r}, 'w').write('\\n'.join(sys.argv[1:]))\n"
        "text = sys.stdin.buffer.read().decode()\n"
        "if 'fail' in text: sys.exit('a bad style\\nmore')\n"
        "sys.stdout.buffer.write(text.replace(' ;', ';').encode())\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return tmp_path / "arguments"


@pytest.mark.skipif(os.name == "nt", reason="a script of POSIX")
def test_formatting(formatter: Path) -> None:
    file = SourceFile("a.hlsl", "/nowhere/a.hlsl", "int a;\nint ü ;\nint b;\n")
    (edit,) = formatted(file) or ()
    assert (edit.range, edit.new_text) == (lsp.Range(lsp.Position(1, 5), lsp.Position(1, 6)), "")
    assert formatter.read_text() == "--assume-filename=/nowhere/a.hlsl"
    part = lsp.Range(lsp.Position(1, 0), lsp.Position(1, 7))
    assert formatted(file, part)
    assert formatter.read_text().splitlines()[1:] == ["--offset=7", "--length=8"]
    assert formatted(SourceFile("a.hlsl", "/nowhere/a.hlsl", "int a;\n")) == []


@pytest.mark.skipif(os.name == "nt", reason="a script of POSIX")
def test_a_formatter_that_fails_or_is_missing(formatter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = formatted(SourceFile("a.hlsl", "/nowhere/a.hlsl", "fail"))
    assert isinstance(answer, Refused)
    assert str(answer) == "clang-format failed: a bad style [HLSL1761]"
    monkeypatch.setenv("PATH", "")
    answer = formatted(SourceFile("a.hlsl", "/nowhere/a.hlsl", "int a ;"))
    assert isinstance(answer, Refused)
    assert str(answer) == "formatting needs the program clang-format, which is not installed [HLSL1760]"
