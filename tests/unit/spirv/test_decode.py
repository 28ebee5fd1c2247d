"""The decoder: exact round trips, and an error with a position for everything that is no module."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest

from hlsl_tool import check_stages, compile_shader, cross, link, wgsl
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import DecodeError, decode
from hlsl_tool.spirv.encode import EncodeError, encode
from hlsl_tool.spirv.enums import Decoration
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


def test_names_and_decorations_are_read_in_both_ways() -> None:
    """Names and decorations survive encoding and decoding, by the fast path and by the grammar.

    The fast path decodes most of them; others have strings, unknown decorations or padding.
    """
    module = sample_builder().finalize()
    module.names = [
        Instruction(op.OpName, 0, 0, [1, "four"]),
        Instruction(op.OpName, 0, 0, [1, ""]),
        Instruction(op.OpMemberName, 0, 0, [1, 2, "\udc80 not UTF-8"]),
    ]
    module.annotations = [
        Instruction(op.OpDecorate, 0, 0, [1, Decoration.Binding, 3]),
        Instruction(op.OpDecorate, 0, 0, [1, Decoration.LinkageAttributes, "name", 0]),
        Instruction(op.OpDecorate, 0, 0, [1, 0xFFFF, 1, 2]),
        Instruction(op.OpMemberDecorate, 0, 0, [1, 0, Decoration.Offset, 16]),
        Instruction(op.OpMemberDecorate, 0, 0, [1, 0, Decoration.UserSemantic, "POSITION"]),
    ]
    again = decode(encode(module))
    assert again.names == module.names
    assert again.annotations == module.annotations
    padded = words(*HEADER, 3 << 16 | op.OpName, 1, 0x64630061)
    assert decode(padded).names == [Instruction(op.OpName, 0, 0, [1, "a"])]
    with pytest.raises(DecodeError, match="cut short"):
        decode(words(*HEADER, 3 << 16 | op.OpDecorate, 1, Decoration.Binding))


def test_a_string_where_the_grammar_has_none_is_written() -> None:
    module = sample_builder().finalize()
    module.functions[0].blocks[0].instructions.insert(0, Instruction(op.OpNop, 0, 0, ["abc"]))
    assert words(2 << 16 | op.OpNop, 0x00636261) in encode(module)
    module.functions[0].blocks[0].instructions[0].operands = [-1]
    with pytest.raises(EncodeError, match="no 32-bit word"):
        encode(module)


def test_too_long_an_instruction_is_refused() -> None:
    module = sample_builder().finalize()
    module.sources.append(Instruction(op.OpString, 0, module.bound, ["x" * 400_000]))
    with pytest.raises(EncodeError, match="OpString has 100003 words, and an instruction at most 65535"):
        encode(module)


@pytest.mark.parametrize("value", ["OpCapability Shader", None, 7])
def test_modules_are_bytes(value: object) -> None:
    calls: list[Callable[[Any], object]] = [
        decode,
        lambda x: cross.convert(x, "msl"),
        lambda x: cross.convert_all(x, {"glsl": {}}),
        wgsl.convert,
        lambda x: check_stages([x, x]),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=f"passed as bytes, not as '{type(value).__name__}'"):
            call(value)


@pytest.mark.parametrize("form", [bytes, bytearray, memoryview])
def test_forms_of_bytes(form: Callable[[bytes], Any]) -> None:
    data = compile_shader("export float f() { return 1; }", profile="lib_6_3", entry="").spirv
    assert decode(form(data)).bound == decode(data).bound
    assert link([form(data)]).ok
