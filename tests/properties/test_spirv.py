"""For any bytes, the decoder returns a module or raises ``DecodeError``; a module survives a round trip."""

from __future__ import annotations

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from hlsl_tool.codegen.passes.capabilities.trim import trim_capabilities
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.builder import Member, ModuleBuilder
from hlsl_tool.spirv.decode import DecodeError, decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.numbers import format_float
from hlsl_tool.spirv.text import disassemble
from tests.compact_ids import compact_ids


def _seed() -> bytes:
    b = ModuleBuilder(version=(1, 3))
    b.capability(e.Capability.Shader)
    v4 = b.vector(b.f32(), 4)
    block = b.struct("B", [Member(v4, "a", 0), Member(b.runtime_array(b.u32(), 4), "r", 16)], interface="storage")
    buffer = b.global_variable(block, e.StorageClass.Uniform, "buf")
    b.decorate_binding(buffer, 0, 0)
    main, _ = b.begin_function("main", b.void_type())
    b.set_insert_point(b.new_block("entry"))
    x = b.local_variable(v4, "x")
    b.store(x, b.load(b.member_chain(buffer, 0)))
    case, merge = b.new_block(), b.new_block()
    b.switch(b.const_int(3, b.int_type(64)), merge, [(1 << 40, case)], merge=merge)
    b.set_insert_point(case)
    b.glsl(glsl.FMix, v4, b.load(x), b.load(x), b.zero(v4))
    b.branch(merge)
    b.set_insert_point(merge)
    b.emit_void(op.OpReturn)
    b.end_function()
    b.entry_point(e.ExecutionModel.GLCompute, main, "main", [])
    b.execution_mode(main, e.ExecutionMode.LocalSize, 8, 8, 1)
    return encode(b.finalize())


SEED = _seed()
COUNT = len(SEED) // 4


def check(data: bytes) -> None:
    try:
        module = decode(data)
    except DecodeError as error:
        assert 0 <= error.offset <= len(data) // 4 + 1
        return
    again = encode(module)
    assert encode(decode(again)) == again
    disassemble(module)


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_any_bytes(data: bytes) -> None:
    check(data)


CHANGES = st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, 0xFFFFFFFF)), max_size=4)


@given(CHANGES, st.integers(0, 4 * COUNT))
@settings(max_examples=500)
def test_words_changed_and_file_cut(changes: list[tuple[int, int]], end: int) -> None:
    words = list(struct.unpack(f"<{COUNT}I", SEED))
    for index, value in changes:
        words[index] = value
    data = struct.pack(f"<{COUNT}I", *words)
    check(data)
    check(data[:end])


@given(st.lists(st.tuples(st.integers(5, COUNT - 1), st.integers(0, 31)), min_size=1, max_size=3))
@settings(max_examples=500)
def test_flipped_bits(flips: list[tuple[int, int]]) -> None:
    words = list(struct.unpack(f"<{COUNT}I", SEED))
    for index, bit in flips:
        words[index] ^= 1 << bit
    check(struct.pack(f"<{COUNT}I", *words))


@given(st.data())
@settings(max_examples=100)
def test_instructions_dropped_and_repeated(data: st.DataObject) -> None:
    words = struct.unpack(f"<{COUNT}I", SEED)
    pieces = []
    at = 5
    while at < COUNT:
        length = words[at] >> 16
        pieces.append(words[at : at + length])
        at += length
    chosen = data.draw(st.lists(st.integers(0, len(pieces) - 1), max_size=2 * len(pieces)))
    flat = [*words[:5], *(word for index in chosen for word in pieces[index])]
    check(struct.pack(f"<{len(flat)}I", *flat))


def test_passes_keep_the_seed_intact() -> None:
    module = decode(SEED)
    compact_ids(module)
    trim_capabilities(module)
    assert encode(decode(encode(module))) == encode(module)


@given(st.sampled_from((16, 32, 64)), st.integers(0, 0xFFFFFFFFFFFFFFFF))
@settings(max_examples=500)
def test_floats_read_back(width: int, bits: int) -> None:
    bits &= (1 << width) - 1
    text = format_float(bits, width)
    code = {16: "<e", 32: "<f", 64: "<d"}[width]
    exponent_bits = {16: 5, 32: 8, 64: 11}[width]
    is_special = bits >> (width - 1 - exponent_bits) & ((1 << exponent_bits) - 1) == (1 << exponent_bits) - 1
    if not is_special:
        value = float.fromhex(text) if "0x" in text else float(text)
        assert struct.pack(code, value) == bits.to_bytes(width // 8, "little")
