"""Hints for projects: replace command-line switches by keys of the configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hlsl_tool.base.diagnostics.catalogue.tools import TARGET_ENV_HINT
from hlsl_tool.base.diagnostics.diagnostic import Diagnostic
from hlsl_tool.base.options.kinds import HexInt, ListOf, Place, Registers, Row, Shifts
from hlsl_tool.base.options.matching import Match, match_all
from hlsl_tool.base.system.dataclass import replace

_SWITCH = re.compile(r"`(-[^`]+)`")


def configured(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics whose hints name keys and values in YAML instead of command-line switches."""
    return [_configured(diagnostic) for diagnostic in diagnostics]


def _configured(diagnostic: Diagnostic) -> Diagnostic:
    if diagnostic.hint is None or "`-" not in diagnostic.hint:
        return diagnostic
    notes = [note for note in diagnostic.notes if note.code.id != TARGET_ENV_HINT.id]  # it names the switch
    return replace(diagnostic, hint=in_yaml(diagnostic.hint), notes=notes)


def in_yaml(hint: str) -> str:
    """Replace the switches in each pair of backticks by keys and values in YAML; switches without a key stay."""
    return _SWITCH.sub(lambda match: f"`{_settings(match[1]) or match[1]}`", hint)


def _settings(switches: str) -> str:
    """Return switches and their values as one line of YAML, to paste; an empty string if one of them has no key."""
    matches, inputs, unknown, missing = match_all(switches.split(), None)
    if not matches or inputs or unknown or missing:
        return ""
    tree: dict[str, Any] = {}
    for match in matches:
        if not isinstance(match.row, Row) or not match.row.key.replace(".", "").isidentifier():
            return ""
        *outer, last = match.row.key.split(".")
        inner = tree
        for key in outer:
            inner = inner.setdefault(key, {})
        inner[last] = _value(match, match.row)
    return ", ".join(f"{key}: {_flow(value)}" for key, value in tree.items())


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + " }"
    return str(value)


def _value(match: Match, row: Row) -> str:
    values = match.values
    if not values:
        return str(match.flag.sets).lower()
    if isinstance(row.kind, Registers):
        names = ("register", "space", "binding", "set")
        return "[{ " + ", ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True)) + " }]"
    if isinstance(row.kind, Place | Shifts | ListOf):
        return f"[{', '.join(values)}]"
    return f"0x{values[0]}" if isinstance(row.kind, HexInt) else values[0]
