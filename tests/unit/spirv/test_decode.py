"""The decoder: exact round trips, and an error with a place for everything that is no module."""

from __future__ import annotations

import struct

import pytest

from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import DecodeError, decode
from hlsl_tool.spirv.encode import EncodeError, encode
from hlsl_tool.spirv.ir import Instruction

from .helpers import sample_builder


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


HEADER = (0x07230203, 0x00010000, 0, 10, 0)


def test_round_trip() -> None:
    data = encode(sample_builder().finalize())
    assert encode(decode(data)) == data


def test_big_endian_files_are_read() -> None:
    data = encode(sample_builder().finalize())
    swapped = struct.pack(f">{len(data) // 4}I", *struct.unpack(f"<{len(data) // 4}I", data))
    assert encode(decode(swapped)) == data


@pytest.mark.parametrize(
    ("data", "reason", "offset"),
    [
        (b"", "too short", 0),
        (b"DXBC" + bytes(40), "no SPIR-V", 0),
        (words(0x07230203), "header is cut short", 1),
        (words(*HEADER) + b"\0", "multiple of four", 5),
        (words(0x07230203, 0x00020000, 0, 10, 0), "version word", 1),
        (words(0x07230203, 0x00010000, 0, 0, 0), "bound 0", 3),
        (words(0x07230203, 0x00010000, 0, 0xFFFFFFFF, 0), "bound 4294967295", 3),
        (words(*HEADER, 0), "no words", 5),
        (words(*HEADER, 2 << 16 | 0xFFFF, 0), "unknown opcode 65535", 5),
        (words(*HEADER, 9 << 16 | op.OpCapability, 1), "cut short", 5),
        (words(*HEADER, 1 << 16 | op.OpCapability), "has 1 words and needs 2", 5),
        (words(*HEADER, 2 << 16 | op.OpTypeVoid, 10), "not below the bound", 5),
        (words(*HEADER, 2 << 16 | op.OpTypeVoid, 0), "result id of OpTypeVoid is 0", 5),
        (words(*HEADER, 2 << 16 | op.OpTypeVoid, 1, 2 << 16 | op.OpTypeBool, 1), "defined twice", 7),
        (words(*HEADER, 3 << 16 | op.OpName, 1, 0x61616161), "no end", 5),
        (words(*HEADER, 2 << 16 | op.OpTypeVoid, 1, 2 << 16 | op.OpCapability, 1), "wrong section", 7),
        (words(*HEADER, 5 << 16 | op.OpFunction, 1, 2, 0, 3), "cut short", 10),
        (words(*HEADER, 5 << 16 | op.OpFunction, 1, 2, 0, 3, 1 << 16 | op.OpReturn), "outside of a block", 10),
    ],
)
def test_errors(data: bytes, reason: str, offset: int) -> None:
    with pytest.raises(DecodeError, match=reason) as caught:
        decode(data)
    assert caught.value.offset == offset


def test_every_cut_is_an_error_or_a_module() -> None:
    data = encode(sample_builder().finalize())
    for end in range(0, len(data), 3):
        try:
            module = decode(data[:end])
        except DecodeError:
            continue
        assert encode(module) == data[:end]


def test_too_long_an_instruction_is_refused() -> None:
    module = sample_builder().finalize()
    module.sources.append(Instruction(op.OpString, 0, module.bound, ["x" * 400_000]))
    with pytest.raises(EncodeError, match="OpString has 100003 words, and an instruction at most 65535"):
        encode(module)
