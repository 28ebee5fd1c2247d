"""Convert diagnostics to plain data and back, for the log and the store."""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.diagnostics import Diagnostic, Location
from hlsl_tool.base.diagnostics.diagnostic import IncludeFrame, MacroFrame, Replacement
from hlsl_tool.base.system.dataclass import asdict
from hlsl_tool.project.build.currency.plain_data import reader, restored


def plain_diagnostic(d: Diagnostic) -> dict[str, Any]:
    """Convert a diagnostic to plain data."""
    at = asdict(d.location) if d.location is not None else None
    return {
        "code": d.code.id,
        "severity": d.severity,
        "message": d.message,
        "at": at,
        "hint": d.hint,
        "flag": d.flag,
        "fixes": d.fixes,
        "notes": [plain_diagnostic(note) for note in d.notes],
    }


def diagnostic_of(data: dict[str, Any]) -> Diagnostic:
    """Convert the data of `plain_diagnostic` back.

    Raise ValueError, KeyError, TypeError or AttributeError for other data.
    """
    from hlsl_tool.base.diagnostics.catalogue.registry import by_id

    code = by_id(data["code"])
    if code is None:
        raise ValueError(data["code"])
    location = None if data["at"] is None else _location_of(dict(data["at"]))
    notes = [diagnostic_of(note) for note in data["notes"]]
    severity = data["severity"]
    if severity not in ("fatal", "error", "warning", "note"):
        raise ValueError(severity)
    read_text, read_hint = reader(str), reader(str | None)
    message, hint, flag = read_text(data["message"]), read_hint(data["hint"]), read_text(data["flag"])
    read_fix = reader(tuple[str, int, int, int, str, int])
    fixes = tuple(Replacement(*read_fix(fix)) for fix in data["fixes"])
    return Diagnostic(code, severity, message, location, notes, hint, flag, fixes=fixes)


def _location_of(at: dict[str, Any]) -> Location:
    frames = [reader(tuple[str, int])(frame) for frame in at.pop("include_stack")]
    macros = [reader(tuple[str, str, int, int, str])(frame) for frame in at.pop("macro_stack")]
    location = restored(Location, at)
    location.include_stack = tuple(IncludeFrame(*frame) for frame in frames)
    location.macro_stack = tuple(MacroFrame(*frame) for frame in macros)
    return location
