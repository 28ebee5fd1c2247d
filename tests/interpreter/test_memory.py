"""Memory: bounds, layouts and atomics."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hlsl_tool.interpreter import Buffer, Resources, Settings, dispatch
from hlsl_tool.interpreter.instructions.context import BUILDERS
from hlsl_tool.interpreter.instructions.memory import BufferTable
from hlsl_tool.interpreter.model.layout import leaf_of
from hlsl_tool.interpreter.runtime.masks import Mask
from hlsl_tool.interpreter.runtime.memory import AddressSpace
from hlsl_tool.interpreter.runtime.state import Shape, State
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction
from tests.interpreter.shaders import program, run


class Recorder:
    """An observer that records accesses out of bounds."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int]] = []
        self.steps = 0

    def step(self, state: Any, registers: Any) -> None:
        self.steps += 1

    def access(self, state: Any, access: Any) -> None:
        if access.outside.any():
            self.found.append((access.kind, self.line(state)))

    def line(self, state: Any) -> int:
        block = state.frame.function.blocks[state.frame.block]
        return int(block.positions[state.frame.step].line)


OUTSIDE = """
RWStructuredBuffer<float> o : register(u0);
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    float x = o[i + 2];
    o[i] = x + 1;
    o[i + 3] = 7;
}"""


def test_reads_out_of_bounds_are_zero_and_writes_are_dropped() -> None:
    (result,) = run(OUTSIDE, np.arange(4, dtype=np.float32))
    assert result.tolist() == [3, 4, 1, 7]


def test_an_observer_sees_the_line_of_an_access_out_of_bounds() -> None:
    recorder = Recorder()
    run(OUTSIDE, np.zeros(4, np.float32), settings=Settings(observer=recorder), debug=("line",), optimize="none")
    assert recorder.found == [("read", 4), ("write", 6)]
    assert recorder.steps > 10


LOCAL = """
RWStructuredBuffer<uint> o : register(u0);
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    uint t[2] = { 5, 6 };
    t[i] = 7;
    uint old; InterlockedAdd(o[i + 1],
        t[i + 1], old);
}"""


def test_an_observer_sees_atomics_out_of_bounds() -> None:
    recorder = Recorder()
    settings = Settings(observer=recorder)
    (result,) = run(LOCAL, np.zeros(4, np.uint32), settings=settings, debug=("line",), optimize="none")
    assert recorder.found == [("atomic", 6)]
    assert result.tolist() == [0, 6, 0, 0]


LAYOUT = """
struct S { float2 a; row_major float2x3 m; uint16_t h[3]; double d; };
StructuredBuffer<S> s : register(t0);
RWStructuredBuffer<float> o : register(u1);
[numthreads(2, 1, 1)] void main(uint i : SV_GroupIndex) {
    o[i] = s[i].a.y + mul(s[i].m, float3(1, 10, 100)).y + s[i].h[i + 1] + (float)s[i].d;
}"""


def test_structs_have_the_offsets_of_the_module() -> None:
    fields = [("a", "f4", 2), ("m", "f4", (2, 3)), ("h", "u2", 3), ("pad", "u2", 1), ("d", "f8")]
    data = np.zeros(2, fields)
    assert data.itemsize == 48
    data["a"], data["m"], data["h"], data["d"] = [[1, 2], [3, 4]], np.arange(12).reshape(2, 2, 3), [[5, 6, 7]] * 2, 0.5
    result = run(LAYOUT, data, np.zeros(2, np.float32), enable_16bit_types=True, layout="scalar")[1]
    assert result.tolist() == [2 + 543 + 6 + 0.5, 4 + 9 + 100 + 1100 + 7 + 0.5]


def test_shared_memory_is_freed_after_each_batch() -> None:
    source = """
    RWStructuredBuffer<uint> o : register(u0);
    groupshared uint s[1024];
    [numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex, uint g : SV_GroupID) {
        s[i] = g; GroupMemoryBarrierWithGroupSync(); o[g] = s[63 - i];
    }"""
    buffer = Buffer(np.zeros(256, np.uint32))
    resources = Resources({(0, 0): [buffer]})
    dispatch(program(source), (256, 1, 1), resources, Settings(lanes=256))
    assert buffer.bytes.view(np.uint32).tolist() == list(range(256))
    assert len(resources.space.buffers) == 2


ATOMICS = """
RWStructuredBuffer<int> o : register(u0);
[numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {
    int old; InterlockedAdd(o[i & 3], i + 1, old);
    o[8 + i] = old;
    InterlockedMin(o[4], -(int)i); InterlockedMax(o[5], (int)i - 100);
    InterlockedExchange(o[6], i, old);
    InterlockedCompareExchange(o[7], 0, i + 1, old);
}"""


def test_atomics_act_in_the_order_of_lanes() -> None:
    (result,) = run(ATOMICS, np.array([0, 0, 0, 0, 5, -200, 0, 0, *[0] * 64], np.int32))
    totals, olds = [0] * 4, []
    for i in range(64):
        olds.append(totals[i & 3])
        totals[i & 3] += i + 1
    assert result.tolist() == [*totals, -63, -37, 63, 1, *olds]


@pytest.mark.parametrize("index", ["i & 3", "3 - (i & 3)"])
def test_a_local_array_with_a_variable_index(index: str) -> None:
    source = f"""
    RWStructuredBuffer<float> o : register(u0);
    [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {{
        float2 t[4] = {{ 1..xx, 2..xx, 3..xx, 4..xx }};
        t[{index}].y = i * 10;
        o[i] = t[{index}].y + t[1].x + t[(i + 1) & 3].y;
    }}"""
    (result,) = run(source, np.zeros(8, np.float32))
    expected = []
    for i in range(8):
        t = [[1, 1], [2, 2], [3, 3], [4, 4]]
        at = eval(index, {}, {"i": i})
        t[at][1] = i * 10
        expected.append(t[at][1] + t[1][0] + t[(i + 1) & 3][1])
    assert result.tolist() == expected


def test_elements_of_nested_arrays_of_buffers() -> None:
    table = BufferTable(np.arange(100, 124), (2, 3, 4))
    for index in ([1], [1, 0]):
        inner = table.element(np.array(index, np.uint32)).element(np.array([2], np.uint32))
        assert inner.element(np.array([3], np.uint32)).tolist() == [100 + 12 * i + 11 for i in index]
        assert not inner.element(np.array([90], np.uint32)).any()


VARYING = """
RWStructuredBuffer<uint> o : register(u0);
RWStructuredBuffer<uint> b[2] : register(u1);
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    o[i] = b[NonUniformResourceIndex(i == 3)][i];
}"""


def test_an_observer_sees_the_buffer_of_each_lane() -> None:
    seen = []

    class Reads(Recorder):
        def access(self, state: Any, access: Any) -> None:
            if access.kind == "read":
                seen.append((access.buffer.bytes[0], access.mask.lanes.tolist()))

    buffers = [Buffer(np.full(4, number, np.uint32)) for number in range(3)]
    resources = Resources({(0, 0): buffers[:1], (0, 1): buffers[1:]})
    dispatch(program(VARYING), (1, 1, 1), resources, Settings(observer=Reads()))
    assert seen == [(1, [0, 1, 2]), (2, [3])]
    assert buffers[0].bytes.view(np.uint32).tolist() == [1, 1, 1, 2]


def test_no_lane_loads_from_different_buffers() -> None:
    space = AddressSpace()
    addresses = np.array([space.add(Buffer(np.ones(4, np.uint32))) for _ in range(2)])
    leaf = leaf_of(np.dtype(np.uint32), np.zeros((), np.int64))
    assert space.load(leaf, addresses, Mask(np.zeros(2, np.bool_)), None).shape == (2,)


def test_an_atomic_of_a_vector_that_does_not_fit_is_dropped() -> None:
    space, buffer = AddressSpace(), Buffer(np.zeros(3, np.float16))
    addresses = np.array([space.add(buffer), buffer.address + 4])
    state = State(Shape(2, np.zeros(2, np.int64)), Mask(np.ones(2, np.bool_)), space)
    halves: Any = SimpleNamespace(
        numbers_of=lambda _: np.dtype(np.float16), types=SimpleNamespace(of=lambda _: SimpleNamespace(length=2))
    )
    step = BUILDERS[op.OpAtomicFAddEXT](halves, Instruction(op.OpAtomicFAddEXT, 1, 4, [2, 0, 0, 3]))
    assert step is not None
    step({2: addresses, 3: np.ones((2, 2), np.float16)}, state)
    assert buffer.bytes.view(np.float16).tolist() == [1, 1, 0]
