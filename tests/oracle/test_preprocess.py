"""The preprocessor's output equals that of the real DXC's ``-P``, token for token.

``DXC`` is the command line of a ``dxc`` (several words are fine), ``HLSL_TOOL_DXC_PREPROCESS`` its flags for
preprocessing, followed by the name of an output file (by default ``-P``, which is also the old releases' spelling; ``-P
-Fi`` for new ones). ``HLSL_TOOL_DXC_SUITE`` may name a folder of DXC's SPIR-V tests; without it the sample shaders of
this repository are used.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import OSFileSystem, SourceFile
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, TokenStream, preprocess
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.macros.predefined import predefined_macros
from tests.oracle.dxc import DXC, MISSING
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "properties"))
from preprocessor_sources import projects  # noqa: E402 - the strategies live beside the property tests

FLAGS = shlex.split(os.environ.get("HLSL_TOOL_DXC_PREPROCESS", "-P"))
SUITE = os.environ.get("HLSL_TOOL_DXC_SUITE", "")
SUITE_FILES = 150
INCLUDE_DIRS = () if SUITE else (str(ROOT / "shaders" / "include"),)

pytestmark = [pytest.mark.nightly, pytest.mark.skipif(not DXC, reason=MISSING)]

# Old releases know less: the test copies their version macros before the comparison.
OWN_NAMES = (
    "__DXC_VERSION_MAJOR",
    "__DXC_VERSION_MINOR",
    "__DXC_VERSION_RELEASE",
    "__DXC_VERSION_COMMITS",
    "__spirv__",
)
DIRECTIVE = re.compile(r"(?m)^[ \t]*#(?:line|pragma)\b[^\n]*")


def reference(path: Path, output: Path, *arguments: str) -> tuple[str, str]:
    """Return (preprocessed text, messages) of DXC."""
    command = [*DXC, "-T", "ps_6_0", "-HV", "2021", *arguments, str(path), *FLAGS, str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    text = done.stdout
    if "#line" not in text and output.exists():
        text = output.read_text()
    return text, done.stderr


def reference_macros(tmp_path: Path) -> tuple[tuple[str, str], ...]:
    """Return this compiler's predefined macros, with DXC's values for those that depend on its version."""
    probe = tmp_path / "probe.hlsl"
    probe.write_text("".join(f"{name};\n" for name in OWN_NAMES))
    text, _ = reference(probe, tmp_path / "probe.i", "-spirv")
    found = dict(zip(OWN_NAMES, DIRECTIVE.sub("", text).replace("\n", "").split(";"), strict=False))
    macros = predefined_macros(stage="ps", major=6, minor=0, spirv_version=None)
    return tuple((name, found.get(name, value)) for name, value in macros if found.get(name) != name)


def ours(path: Path, predefined: tuple[tuple[str, str], ...], sink: Sink | None = None) -> TokenStream:
    source = SourceFile.from_bytes(str(path), str(path), path.read_bytes())
    options = PreprocessOptions(predefined=predefined, include_dirs=INCLUDE_DIRS)
    return preprocess(source, options, fs=OSFileSystem(), memory=PreprocessorMemory(), sink=sink or Sink())


def tokens(text: str) -> list[str]:
    return lexer.lex(DIRECTIVE.sub("", text))


def files() -> list[Path]:
    folder = Path(SUITE) if SUITE else ROOT / "shaders"
    found = sorted(path for path in folder.rglob("*.hlsl") if "-D" not in path.read_text(errors="replace")[:2000])
    step = max(len(found) // SUITE_FILES, 1)
    return found[::step][:SUITE_FILES]


@pytest.mark.parametrize("path", files() if DXC else [], ids=str)
def test_file(path: Path, tmp_path: Path) -> None:
    text, messages = reference(path, tmp_path / "out.i", *(word for folder in INCLUDE_DIRS for word in ("-I", folder)))
    if not text:
        pytest.skip(f"the reference does not preprocess it: {messages[:200]}")
    assert ours(path, reference_macros(tmp_path)).tokens == tokens(text)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(files=projects())
def test_random_macros(tmp_path_factory: pytest.TempPathFactory, files: dict[str, str]) -> None:
    folder = tmp_path_factory.mktemp("random")
    for name, content in files.items():
        (folder / name).write_text(content)
    text, messages = reference(folder / "one.hlsl", folder / "out.i")
    if "unterminated" in messages or not text:
        return  # there the reference stops reading
    sink = Sink()
    assert ours(folder / "one.hlsl", (), sink).tokens == tokens(text)
    assert sink.ok == ("error:" not in messages)
