"""Convert the result of a compilation to plain data, and back.

Positions are stored as numbers of tokens, so that diagnostics and records get the present positions of these tokens.  A
result with a position that is no token cannot be stored: `NotStorable`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.diagnostics.catalogue.registry import by_id
from hlsl_tool.base.diagnostics.diagnostic import Diagnostic, Location, Replacement
from hlsl_tool.base.system.dataclass import fields
from hlsl_tool.codegen.lower.interface import (
    BitFieldRecord,
    InterfaceRecord,
    MemberRecord,
    ResourceRecord,
    StageVariableRecord,
    StructRecord,
)

if TYPE_CHECKING:
    from hlsl_tool.frontend.sema.analysis import Places

Plain = dict[str, Any]
Number = Callable[[int], int | None]
"""Index of a token → its number in the data, or back; ``None`` for a token without one."""
Locate = Callable[[int], Location]


class NotStorable(Exception):
    """Raised if a position is not that of a numbered token, or if a stored number has no token in today's source."""


# --------------------------------------------------------------------------------------------------- diagnostics


def pack_diagnostics(diagnostics: list[Diagnostic], number: Number, locate: Locate, source: str) -> list[Plain]:
    """Convert diagnostics to plain data; raise ``NotStorable`` if a location is not that of a numbered token.

    ``source`` is the name of the shader: the file of locations without a token.
    """
    return [_pack_diagnostic(d, number, locate, source) for d in diagnostics]


def _pack_diagnostic(d: Diagnostic, number: Number, locate: Locate, source: str) -> Plain:
    if d.code.of_spacing:
        raise NotStorable(f"{d.code.id} depends on blanks")
    packed: Plain = {"code": d.code.id, "severity": d.severity, "message": d.message}
    if d.location is not None:
        packed["at"] = _pack_location(d.location, number, locate, source)
    if d.hint is not None:
        packed["hint"] = d.hint
    if d.fixes:
        packed["fixes"] = [_pack_fix(fix, number, locate) for fix in d.fixes]
    if d.flag:
        packed["flag"] = d.flag
    if d.notes:
        packed["notes"] = pack_diagnostics(d.notes, number, locate, source)
    return packed


def _pack_location(at: Location, number: Number, locate: Locate, source: str) -> int:
    """Return the number of the token at a location; -1 for the shader as a whole."""
    if at.index < 0:
        if at == Location(source):
            return -1
        raise NotStorable(f"a place without a token: {at.file}:{at.line}")
    token = number(at.index)
    if token is None or locate(at.index) != at:
        raise NotStorable(f"not the place of a token: {at.file}:{at.line}")
    return token


def _pack_fix(fix: Replacement, number: Number, locate: Locate) -> list[int | str]:
    """Return [text, token, where the text goes: ``before``, ``after`` or instead of the token (``replace``)]."""
    at = locate(fix.token) if fix.token >= 0 else None
    token = number(fix.token) if at is not None else None
    if at is None or token is None:
        raise NotStorable(f"a replacement without a token: {fix.file}:{fix.line}")
    side = {(at.col, at.col): "before", (at.col, at.end_col): "replace", (at.end_col, at.end_col): "after"}
    return [fix.text, token, side[fix.col, fix.end_col]]


def unpack_diagnostics(data: list[Plain], index: Number, locate: Locate, source: str) -> list[Diagnostic]:
    """Rebuild the diagnostics of ``pack_diagnostics`` at present positions.

    Raise ``NotStorable`` for a missing token.
    """
    diagnostics = [_unpack_diagnostic(item, index, locate, source) for item in data]
    return [d for d in diagnostics if not (d.code.outside_macros and d.location is not None and d.location.macro_stack)]


def _unpack_diagnostic(data: Plain, index: Number, locate: Locate, source: str) -> Diagnostic:
    code = by_id(data["code"])
    if code is None:
        raise NotStorable(f"no code {data['code']}")
    location = None
    if "at" in data:
        location = Location(source) if data["at"] == -1 else locate(_present(index(data["at"])))
    notes = unpack_diagnostics(data.get("notes", []), index, locate, source)
    return Diagnostic(
        code,
        data["severity"],
        data["message"],
        location,
        notes,
        data.get("hint"),
        data.get("flag", ""),
        fixes=tuple(
            _unpack_fix(text, _present(index(token)), side, locate) for text, token, side in data.get("fixes", ())
        ),
    )


def _unpack_fix(text: str, token: int, side: str, locate: Locate) -> Replacement:
    at = locate(token)
    start = at.end_col if side == "after" else at.col
    return Replacement(at.file, at.line, start, at.col if side == "before" else at.end_col, text, token)


def _present(index: int | None) -> int:
    if index is None:
        raise NotStorable("a token that is missing today")
    return index


# ----------------------------------------------------------------------------------------------------- interface

_POSITIONS = ("token", "place")
_TUPLES = ("interpolation", "names", "offsets")


def pack_interface(interface: InterfaceRecord, number: Number, places: Places | None) -> Plain:
    """Convert the interface record to plain data; raise ``NotStorable`` for an element without a numbered token.

    Blocks are omitted: only layout checks need them, and the diagnostics of these checks are stored.
    """
    return {
        "entry": interface.entry,
        "stage": interface.stage,
        "workgroup_size": interface.workgroup_size,
        "wave_sizes": interface.wave_sizes,
        "resources": [_pack_record(r, number, places) for r in interface.resources],
        "stage_variables": [_pack_record(v, number, places) for v in interface.stage_variables],
        "structs": [
            {"names": s.names, "offsets": s.offsets, "members": [_pack_member(m) for m in s.members]}
            for s in interface.structs
        ],
    }


def _pack_member(m: MemberRecord) -> list[object]:
    return [m.type, m.majorness, [[b.name, b.type, b.offset, b.bits] for b in m.bit_fields]]


def _pack_record(record: ResourceRecord | StageVariableRecord, number: Number, places: Places | None) -> Plain:
    packed = {f.name: getattr(record, f.name) for f in fields(record) if f.name not in _POSITIONS}
    index: int | None = None
    if record.place is not None:
        index = record.place.index
    elif record.token is not None:
        index = places.index(*record.token) if places is not None else record.token[0]
    if index is not None:
        token = number(index) if index >= 0 else None
        if token is None:
            raise NotStorable(f"{record.name} is not declared by a token")
        packed["at"] = token
    return packed


def unpack_interface(data: Plain, index: Number, locate: Locate) -> InterfaceRecord:
    """Rebuild the interface record of ``pack_interface``; raise ``NotStorable`` for a missing token."""
    size = data["workgroup_size"]
    structs = [
        StructRecord(
            tuple(s["names"]),
            tuple(s["offsets"]),
            [MemberRecord(t, order, [BitFieldRecord(*b) for b in fields]) for t, order, fields in s["members"]],
        )
        for s in data["structs"]
    ]
    interface = InterfaceRecord(
        [ResourceRecord(**_unpack_record(r, index)) for r in data["resources"]],
        [StageVariableRecord(**_unpack_record(v, index)) for v in data["stage_variables"]],
        entry=data["entry"],
        stage=data["stage"],
        structs=structs,
        workgroup_size=(size[0], size[1], size[2]) if size is not None else None,
        wave_sizes=data["wave_sizes"],
    )
    interface.find = lambda declared: locate(declared[0])
    return interface


def _unpack_record(data: Plain, index: Number) -> Plain:
    record = {name: tuple(value) if name in _TUPLES else value for name, value in data.items() if name != "at"}
    if "at" in data:
        record["token"] = (_present(index(data["at"])), None)
    return record
