"""A compilation's result as plain data, and back.

Positions are kept as numbers of tokens, so that messages and records are told at the places where their tokens stand
today.  What cannot be told so is not kept: `Unkept`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from hlsl_tool.diagnostics.catalogue.registry import by_id
from hlsl_tool.diagnostics.model import Diagnostic, Location
from hlsl_tool.lower.interface import (
    BitFieldRecord,
    InterfaceRecord,
    MemberRecord,
    ResourceRecord,
    StageVariableRecord,
    StructRecord,
)

if TYPE_CHECKING:
    from hlsl_tool.sema.analysis import Places

Plain = dict[str, Any]
Number = Callable[[int], int | None]
"""Index of a token ↔ what stands for it in the data."""
Locate = Callable[[int], Location]


class Unkept(Exception):
    """Something cannot be told again elsewhere."""


# ------------------------------------------------------------------------------------------------------ messages


def pack_messages(found: list[Diagnostic], number: Number, locate: Locate, source: str) -> list[Plain]:
    return [_pack_message(d, number, locate, source) for d in found]


def _pack_message(d: Diagnostic, number: Number, locate: Locate, source: str) -> Plain:
    packed: Plain = {"code": d.code.id, "severity": d.severity, "message": d.message}
    if d.location is not None:
        packed["at"] = _pack_location(d.location, number, locate, source)
    if d.hint is not None:
        packed["hint"] = d.hint
    if d.flag:
        packed["flag"] = d.flag
    if d.notes:
        packed["notes"] = pack_messages(d.notes, number, locate, source)
    return packed


def _pack_location(at: Location, number: Number, locate: Locate, source: str) -> int:
    """The token's number, or -1 for the shader as a whole."""
    if at.index < 0:
        if at == Location(source):
            return -1
        raise Unkept(f"a place without a token: {at.file}:{at.line}")
    found = number(at.index)
    if found is None or locate(at.index) != at:
        raise Unkept(f"not the place of a token: {at.file}:{at.line}")
    return found


def unpack_messages(data: list[Plain], index: Number, locate: Locate, source: str) -> list[Diagnostic]:
    return [_unpack_message(item, index, locate, source) for item in data]


def _unpack_message(data: Plain, index: Number, locate: Locate, source: str) -> Diagnostic:
    code = by_id(data["code"])
    if code is None:
        raise Unkept(f"no code {data['code']}")
    location = None
    if "at" in data:
        location = Location(source) if data["at"] == -1 else locate(_found(index(data["at"])))
    notes = unpack_messages(data.get("notes", []), index, locate, source)
    return Diagnostic(code, data["severity"], data["message"], location, notes, data.get("hint"), data.get("flag", ""))


def _found(index: int | None) -> int:
    if index is None:
        raise Unkept("a place that is not there")
    return index


# ----------------------------------------------------------------------------------------------------- interface

_POSITIONS = ("token", "place")
_TUPLES = ("interpolation", "names", "offsets")


def pack_interface(interface: InterfaceRecord, number: Number, places: Places | None) -> Plain:
    """Everything but the blocks, of which all has been said when a shader is compiled."""
    return {
        "entry": interface.entry,
        "stage": interface.stage,
        "workgroup_size": interface.workgroup_size,
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
        found = number(index) if index >= 0 else None
        if found is None:
            raise Unkept(f"{record.name} is declared nowhere")
        packed["at"] = found
    return packed


def unpack_interface(data: Plain, index: Number, locate: Locate) -> InterfaceRecord:
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
    )
    interface.find = lambda declared: locate(declared[0])
    return interface


def _unpack_record(data: Plain, index: Number) -> Plain:
    found = {name: tuple(value) if name in _TUPLES else value for name, value in data.items() if name != "at"}
    if "at" in data:
        found["token"] = (_found(index(data["at"])), None)
    return found
