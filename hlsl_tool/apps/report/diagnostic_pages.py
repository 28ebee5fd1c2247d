"""The pages that `hlsl_tool explain` prints: meaning, remedy and example of a diagnostic.

Messages, meanings and remedies come from the catalogue; examples from diagnostic_pages.json, which ``python -m
hlsl_tool.base.diagnostics.document`` generates together with docs/reference/diagnostics.md.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from hlsl_tool.base.diagnostics.catalogue.registry import all_codes, by_id, by_name
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.diagnostics.warnings import names_of

DATA = Path(__file__).with_name("diagnostic_pages.json")

_WARNING_FLAG = re.compile(r"[-/]W(?:no-error=|error=|no-)?")
_BARE_NUMBER = re.compile(r"\d{4}")


def codes_of(name: str) -> list[Code]:
    """Return the codes that a name selects: an id (`HLSL0310`, `0310`), a name, a group or `-W<name>`.

    A switch selects the same warnings as on the command line, including the groups of `-Wall`.  The list is empty for
    an unknown name.
    """
    identifier = name.upper()
    code = by_id(f"HLSL{identifier}" if _BARE_NUMBER.fullmatch(identifier) else identifier)
    if code is not None:
        return [code]
    flag = _WARNING_FLAG.match(name)
    if flag:
        return [code for code in _warnings() if name[flag.end() :] in names_of(code)]
    return by_name(name) if name else []


def names() -> list[str]:
    """Return all words that `codes_of` accepts, for suggestions."""
    codes = all_codes().values()
    words = {code.id for code in codes} | {code.name for code in codes} | {code.group for code in codes if code.group}
    return sorted(words | {f"-W{word}" for code in _warnings() for word in names_of(code)})


def _warnings() -> list[Code]:
    return [code for code in all_codes().values() if code.severity == "warning"]


def page(code: Code) -> str:
    """Return the page of a code as plain text that ends with a line feed."""
    lines = [f"{code.id}: {code.name}", f"{_kind(code)}: {_message(code)}"]
    if code.doc:
        lines += ["", code.doc]
    example = examples().get(code.id, "").splitlines()[1:-1]  # without the fences of Markdown
    if example:
        lines += ["", "Example:", "", *(f"    {line}".rstrip() for line in example)]
    if code.severity == "warning":
        lines += ["", f"Switches: -W{code.name}, -Wno-{code.name}, -Werror={code.name}{_group(code)}"]
    return "\n".join(lines) + "\n"


def overview() -> str:
    """Return one line for each code: id, severity, name and the first line of the message."""
    codes = all_codes().values()
    width = max(len(code.name) for code in codes)
    return "".join(
        f"{code.id:<8}  {code.severity:<7}  {code.name:<{width}}  {_message(code).splitlines()[0]}\n" for code in codes
    )


@cache
def examples() -> dict[str, str]:
    """Return code → example, a fenced block of Markdown."""
    content: dict[str, str] = json.loads(DATA.read_text(encoding="utf-8"))
    return content


def _kind(code: Code) -> str:
    if code.severity == "warning" and code.default_error:
        return "warning, an error by default"
    return code.severity if code.default_on else f"{code.severity}, off by default"


def _message(code: Code) -> str:
    return code.template.replace("{{", "{").replace("}}", "}")


def _group(code: Code) -> str:
    return f"; group -W{code.group}" if code.group and code.group != code.name else ""
