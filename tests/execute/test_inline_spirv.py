"""Inline SPIR-V, the headers that come with the compiler, and physical pointers, run on a device."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from tests.execute.tables import Inputs, Row, Runner, as_floats, as_ints, as_words, floats, words
from tests.execute.vulkan import addresses, image, storage

GLSL = """
[[vk::ext_instruction(/* Sin */ 13, "GLSL.std.450")]] float3 spvSin(float3 v);
[[vk::ext_instruction(/* FMin */ 37, "GLSL.std.450")]] float spvMin(float a, float b);
[[vk::ext_instruction(/* OpBitReverse */ 204)]] uint spvReverse(uint v);
[[vk::ext_instruction(/* OpLoad */ 61)]] float spvLoad([[vk::ext_reference]] float p, [[vk::ext_literal]] int access);
[[vk::ext_instruction(62)]] void spvStore([[vk::ext_reference]] float p, float v, [[vk::ext_literal]] int a);
[[vk::ext_instruction(/* OpCompositeExtract */ 81)]] float spvExtract(float4 v, [[vk::ext_literal]] uint i);
template <typename R, typename T> [[vk::ext_instruction(/* OpBitcast */ 124)]] R spvBitcast(T v);
[[vk::ext_instruction(/* OpConstant */ 43)]] int spvConstant([[vk::ext_literal]] int v);
"""


def test_instructions(run: Runner) -> None:
    inputs: Inputs = {"v": ("float4", (0.5, 1.0, -2.0, 8.0)), "u": ("uint", 0x12345678)}
    prologue = "float m = v.w; float n; spvStore(n, spvLoad(m, /* Volatile */ 1) * 2, 0);"
    rows: list[Row] = [
        ("spvSin(v.xyz)", "float3", (0.479425539, 0.841470985, -0.909297427)),
        ("spvMin(v.x, v.z)", "float", -2.0),
        ("spvReverse(u)", "uint", 0x1E6A2C48),
        ("n", "float", 16.0),
        ("spvExtract(v, 2)", "float", -2.0),
        ("spvBitcast<uint>(v.y)", "uint", 0x3F800000),
        ("spvBitcast<int2>(v.xy)", "int2", (0x3F000000, 0x3F800000)),
        ("spvConstant(-42)", "int", -42),
    ]
    run.table(rows, inputs, declarations=GLSL, prologue=prologue)


def test_builtin_input(run: Runner) -> None:
    source = """
    [[vk::ext_builtin_input(/* NumWorkgroups */ 24)]] static const uint3 groups;
    RWStructuredBuffer<uint> o : register(u0);
    [numthreads(1, 1, 1)] void main(uint3 g : SV_GroupID) { o[g.x] = groups.x * 10 + groups.y; }
    """
    assert as_words(run(source, {(0, 0): storage(12)}, (3, 1, 1))[0, 0]) == (31, 31, 31)


def test_images_of_inline_types(run: Runner) -> None:
    run.needs("shaderStorageImageReadWithoutFormat")
    one = "vk::Literal<vk::integral_constant<uint, {}> >"
    operands = ", ".join(one.format(n) for n in (1, 0, 0, 0, 2, 3))  # 2D, a storage image, R32f
    source = f"""
    typedef vk::SpirvOpaqueType</* OpTypeImage */ 25, float, {operands} > Image;
    [[vk::ext_instruction(/* OpImageRead */ 98)]] float4 read(Image i, int2 at);
    [[vk::ext_instruction(/* OpImageWrite */ 99)]] void write(Image i, int2 at, float4 v);
    [[vk::ext_storage_class(/* UniformConstant */ 0)]] Image given : register(u2);
    [[vk::ext_storage_class(0)]] Image made;
    RWStructuredBuffer<float> o : register(u1);
    [numthreads(1, 1, 1)] void main() {{
        write(made, int2(1, 0), read(given, int2(1, 0)) * 2);
        o[0] = read(given, int2(0, 0)).x;
    }}"""
    made, given = (image(floats(*row), "r32f", (2, 1)) for row in ((0, 0), (3, 4)))
    out = run(source, {(0, 0): made, (0, 1): storage(4), (0, 2): given})
    assert as_floats(out[0, 1]) == (3,)
    assert as_floats(out[0, 0]) == (0, 8)


def test_conversions_by_type(run: Runner) -> None:
    source = """
    #include <vk/opcode_selector.h>
    StructuredBuffer<float4> f : register(t0);
    RWStructuredBuffer<int4> i : register(u1);
    RWStructuredBuffer<uint4> u : register(u2);
    RWStructuredBuffer<float4> g : register(u3);
    [numthreads(1, 1, 1)] void main() {
        i[0] = vk::util::ConversionSelector<float, int>::Convert<int4>(f[0]);
        u[0] = vk::util::ConversionSelector<int, uint>::Convert<uint4>(i[0]);
        g[0] = vk::util::ConversionSelector<int, float>::Convert<float4>(i[0]);
        g[1] = vk::util::ConversionSelector<uint, float>::Convert<float4>(u[0]);
        g[2] = vk::util::ConversionSelector<float, float>::Convert<float4>(f[0]);
        i[1] = vk::util::ArithmeticSelector<int>::Div(i[0], int4(2, 2, 2, 2));
        u[1] = vk::util::ArithmeticSelector<uint>::Div(u[0], uint4(2, 2, 2, 2));
        g[3] = vk::util::ArithmeticSelector<float>::Sub(f[0], vk::util::ArithmeticSelector<float>::Negate(f[0]));
    }
    """
    values = (1.75, -3.5, 0.25, 6.0)
    resources = {(0, 0): storage(floats(*values)), (0, 1): storage(32), (0, 2): storage(32), (0, 3): storage(64)}
    out = run(source, resources)
    assert as_ints(out[0, 1]) == (1, -3, 0, 6, 0, -1, 0, 3)
    assert as_words(out[0, 2]) == (1, 0xFFFFFFFD, 0, 6, 0, 0x7FFFFFFE, 0, 3)
    expected = (1, -3, 0, 6, 1, 4294967296.0, 0, 6, *values, 3.5, -7, 0.5, 12)
    assert as_floats(out[0, 3]) == pytest.approx(expected)


def test_groupshared_pointer(run: Runner) -> None:
    source = """
    #include <vk/spirv.h>
    [[vk::ext_instruction(/* OpLoad */ 61)]] int Load(vk::WorkgroupSpirvPointer<int> p);
    groupshared int shared_data[8];
    RWStructuredBuffer<int> o : register(u0);
    int Twice(vk::WorkgroupSpirvPointer<int> p) { return Load(p) * 2; }
    [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
        shared_data[i] = i * i;
        GroupMemoryBarrierWithGroupSync();
        vk::WorkgroupSpirvPointer<int> p = vk::GetGroupSharedAddress(shared_data[7 - i]);
        o[i] = Twice(p);
    }
    """
    assert as_ints(run(source, {(0, 0): storage(32)})[0, 0]) == (98, 72, 50, 32, 18, 8, 2, 0)


def test_buffer_pointers(run: Runner) -> None:
    """A shader follows a linked list of two nodes by the address in another buffer; a bool in it is a word."""
    run.needs("bufferDeviceAddress", "shaderInt64")
    source = """
    struct Node { float3 v; float s; bool b; int n[2]; };
    typedef vk::BufferPointer<Node, 16> NodePointer;
    struct Root { NodePointer node; vk::BufferPointer<float> numbers; };
    StructuredBuffer<Root> root : register(t0);
    RWStructuredBuffer<float> o : register(u1);

    float sum(NodePointer p) { return p.Get().v.x + p.Get().v.y + p.Get().v.z; }
    void next(inout NodePointer p) { p = NodePointer((uint64_t)p + 32); }

    [numthreads(1, 1, 1)] void main() {
        NodePointer p = root[0].node;
        o[0] = sum(p);
        Node copy = p.Get();
        o[1] = copy.s + copy.n[1] + (copy.b ? 100 : 0);
        next(p);
        o[2] = sum(p);
        p.Get().v.yz = float2(o[0], 7);
        p.Get().b = false;
        p.Get().n[0] += 5;
        InterlockedAdd(p.Get().n[1], 3);
        vk::BufferPointer<int> bits = vk::reinterpret_pointer_cast<int>(root[0].numbers);
        o[3] = asfloat(bits.Get());
        root[0].numbers.Get() = 2.5;
    }
    """
    node = struct.Struct("<3ffI2i4x")
    nodes = node.pack(1, 2, 3, 4, 1, 5, 6) + node.pack(10, 20, 30, 40, 1, 50, 60)
    resources = {
        (0, 0): addresses((0, 2), (0, 3)),
        (0, 1): storage(16),
        (0, 2): storage(nodes),
        (0, 3): storage(floats(0.125)),
    }
    out = run(source, resources)
    assert as_floats(out[0, 1]) == (6, 110, 60, 0.125)
    assert node.unpack(out[0, 2][32:]) == (10, 6, 7, 40, 0, 55, 63)
    assert as_floats(out[0, 3]) == (2.5,)


def test_pointers_chosen_and_copied(run: Runner) -> None:
    """Pointers pass through functions and conditions, and a struct that points to its own type is copied."""
    run.needs("bufferDeviceAddress", "shaderInt64")
    source = """
    typedef vk::BufferPointer<float> P;
    struct Link { vk::BufferPointer<Link> next; float v; };
    StructuredBuffer<P> pointers : register(t0);
    StructuredBuffer<Link> first : register(t1);
    RWStructuredBuffer<float> o : register(u2);
    P choose(bool b, P x, P y) { if (b) return x; return y; }
    [numthreads(1, 1, 1)] void main() {
        P p = pointers[0], q = pointers[1];
        o[0] = choose(o[3] > 0, p, q).Get();
        o[1] = choose(o[3] == 0, p, q).Get();
        P r = o[3] > 1 ? p : q;
        r.Get() = 9;
        Link l = first[0];
        Link m = l.next.Get();
        o[2] = m.v + m.next.Get().v;
    }
    """
    resources = {
        (0, 0): addresses((0, 3), (0, 4)),
        (0, 1): addresses((0, 5)),
        (0, 2): storage(16),
        (0, 3): storage(floats(1.5)),
        (0, 4): storage(floats(2.5)),
        (0, 5): addresses((0, 6)),
        (0, 6): storage(bytes(8) + floats(0.25, 0)),
    }
    resources[0, 1] = replace(resources[0, 1], data=bytes(16))
    resources[0, 5] = replace(resources[0, 5], data=bytes(8) + floats(4, 0))
    out = run(source, resources)
    assert as_floats(out[0, 2]) == (2.5, 1.5, 4.25, 0)
    assert as_floats(out[0, 4]) == (9,)


def test_pointers_in_static_structs(run: Runner) -> None:
    """The numbers of a static struct are zero; a pointer beside them has no value until it gets one."""
    run.needs("bufferDeviceAddress", "shaderInt64")
    source = """
    typedef vk::BufferPointer<float> P;
    struct Inner { P pointers[2]; };
    struct Holder { int number; Inner inner; float2 pair; };
    StructuredBuffer<P> pointers : register(t0);
    RWStructuredBuffer<float> o : register(u1);
    static Holder holders[2];
    float read() { static Holder local; local.inner.pointers[0] = pointers[0]; local.number++;
                   return local.inner.pointers[0].Get() + local.number; }
    [numthreads(1, 1, 1)] void main() {
        o[0] = holders[1].number + holders[0].pair.y;
        holders[1].inner.pointers[1] = pointers[0];
        o[1] = holders[1].inner.pointers[1].Get();
        o[2] = read() + read();
    }
    """
    resources = {(0, 0): addresses((0, 2)), (0, 1): storage(12), (0, 2): storage(floats(1.5))}
    assert as_floats(run(source, resources)[0, 1]) == (0, 1.5, 6)


def test_inline_types_in_memory(run: Runner) -> None:
    """A 16-bit integer declared as an inline SPIR-V type works behind an address and in a local variable."""
    run.needs("bufferDeviceAddress", "shaderInt64", "shaderInt16", "storageBuffer16BitAccess")
    source = """
    typedef vk::SpirvType<21, 2, 2, vk::Literal<vk::integral_constant<uint, 16> >,
                          vk::Literal<vk::integral_constant<bool, true> > > Short;
    [[vk::ext_instruction(/* OpSConvert */ 114)]] int Widen(Short s);
    [[vk::ext_instruction(/* OpIAdd */ 128)]] Short Add(Short a, Short b);
    StructuredBuffer<uint64_t> address : register(t0);
    RWStructuredBuffer<int> o : register(u1);
    [[vk::ext_capability(/* Int16 */ 22), vk::ext_capability(/* StorageBuffer16BitAccess */ 4433)]]
    [numthreads(1, 1, 1)] void main() {
        Short a = vk::RawBufferLoad<Short>(address[0], 2);
        Short b = vk::RawBufferLoad<Short>(address[0] + 2, 2);
        o[0] = Widen(Add(a, b));
    }
    """
    resources = {(0, 0): addresses((0, 2)), (0, 1): storage(4), (0, 2): storage(words(0xFFFE7FFF))}
    assert as_ints(run(source, resources)[0, 1]) == (0x7FFD,)
