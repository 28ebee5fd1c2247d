"""Every diagnostic code of the catalogue occurs in a test, and is used by the compiler."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from hlsl_tool.base.diagnostics.catalogue.registry import all_codes, modules
from hlsl_tool.base.diagnostics.diagnostic import Code

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = (".py", ".hlsl", ".yaml")

UNTESTED = {
    "CFG836": "the YAML reader refuses such text first, as CFG802",
    "HLSL0224": "the last resort of the parser's messages; another message fits every input that is known",
    "HLSL0308": "the last resort of the look-up of types; another message fits every input that is known",
    "HLSL0601": "sema refuses such targets first, as HLSL0341",
    "HLSL0605": "options with such a profile are refused first",
    "HLSL0647": "needs memory that is aligned to fewer than four bytes",
    "HLSL0701": "options with such an environment are refused first",
    "HLSL0702": "a note of HLSL0701",
    "HLSL0740": "needs a spirv-opt that fails",
    "HLSL0745": "our passes resolve nested arrays first",
    "HLSL0908": "needs a SPIRV-Tools that is replaced during a build",
}
"""Codes without a test, with the reason.  A code that has a test must not stand here."""


@cache
def mentioned() -> set[str]:
    """Return all codes that files below `tests` mention, this file excepted."""
    files = (path for path in (ROOT / "tests").rglob("*") if path.suffix in SUFFIXES and path != Path(__file__))
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in files)
    return {code for text in texts for code in re.findall(r"(?:HLSL|CFG)\d{3,4}", text)} | _expected_of_runs()


def _expected_of_runs() -> set[str]:
    """Return the codes that the shaders of `tests/interpreter/faults` expect, by their names."""
    ids = {code.name: code.id for code in all_codes().values()}
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests/interpreter/faults").glob("*.hlsl")]
    names = {name for text in texts for name in re.findall(r"// \w+: ([\w-]+)", text)}
    return {ids[name] for name in names if name in ids}


def test_every_code_has_a_test() -> None:
    missing = sorted(all_codes().keys() - mentioned() - UNTESTED.keys())
    assert not missing, "add cases to tests/diagnostics (docs/contributing/recipes.md)"


def test_untested_codes() -> None:
    assert UNTESTED.keys() <= all_codes().keys()
    assert not UNTESTED.keys() & mentioned()


def test_every_code_is_used() -> None:
    sources = [path for path in (ROOT / "hlsl_tool").rglob("*.py") if "catalogue" not in path.parts]
    words = {word for path in sources for word in re.findall(r"\b[A-Z][A-Z0-9_]+\b", path.read_text(encoding="utf-8"))}
    for module in modules():
        own = Path(str(module.__file__)).read_text(encoding="utf-8")
        for name, value in vars(module).items():
            if isinstance(value, Code):
                assert name in words or len(re.findall(rf"\b{name}\b", own)) > 1, (
                    f"{value.id} ({name}) is never reported"
                )
