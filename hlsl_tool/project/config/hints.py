"""Hints for projects: replace command-line switches by keys of the configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    """Replace each switch in backticks by ``key: value`` in YAML; switches without a key are unchanged."""
    return _SWITCH.sub(lambda match: f"`{_setting(match[1]) or match[1]}`", hint)


def _setting(switch: str) -> str:
    """Return a switch and its values as ``key: value`` in YAML; an empty string if no key corresponds to it."""
    matches, _, _, _ = match_all(switch.split(), None)
    if not matches or not isinstance(matches[0].row, Row) or not matches[0].row.key.replace(".", "").isidentifier():
        return ""
    *outer, last = matches[0].row.key.split(".")
    text = f"{last}: {_value(matches[0], matches[0].row)}"
    for key in reversed(outer):
        text = f"{key}: {{ {text} }}"
    return text


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
