"""NonUniform, RelaxedPrecision and NoContraction: which values lowering marks, and the resulting decorations."""

from __future__ import annotations

from hlsl_tool.compiler.pipeline.lowering import prepare
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.builder import NON_UNIFORM, PRECISE, RELAXED_TYPE, Member, ModuleBuilder

from .helpers import begin_main, body, decorations, end_main


def by_name(b: ModuleBuilder, **values: int) -> None:
    for name, value in values.items():
        b.name(value, name)


def test_non_uniform_spreads_to_the_access() -> None:
    b = ModuleBuilder()
    image = b.image(b.f32(), e.Dim.Dim2D)
    textures = b.global_variable(b.array(image, 8), e.StorageClass.UniformConstant, "textures")
    main = begin_main(b)
    index = b.load(b.local_variable(b.u32(), "i"))
    b.mark(index, NON_UNIFORM)
    plus = b.binary(op.OpIAdd, b.u32(), index, b.const_uint(1))
    chain = b.access_chain(image, textures, [plus])
    texture = b.load(chain)
    other = b.load(b.access_chain(image, textures, [b.const_uint(0)]))
    by_name(b, index=index, plus=plus, chain=chain, texture=texture, other=other)
    end_main(b, main)
    assert decorations(b.finalize()) == ["OpDecorate %index NonUniform"]
    prepare(b)
    assert decorations(b.finalize()) == [
        "OpDecorate %index NonUniform",
        "OpDecorate %plus NonUniform",
        "OpDecorate %chain NonUniform",
        "OpDecorate %texture NonUniform",
    ]


def test_relaxed_precision() -> None:
    b = ModuleBuilder()
    struct = b.struct("S", [Member(b.f32(), "half", relaxed=True), Member(b.f32(), "full")])
    main = begin_main(b)
    x, y = b.local_variable(b.f32(), "x"), b.local_variable(b.f32(), "y")
    s = b.local_variable(struct, "s")
    b.mark(x, RELAXED_TYPE)
    low, full = b.load(x), b.load(y)
    both = b.binary(op.OpFMul, b.f32(), low, low)
    mixed = b.binary(op.OpFMul, b.f32(), low, full)
    scaled = b.binary(op.OpFMul, b.f32(), low, b.const_f32(2.0))
    less = b.binary(op.OpFOrdLessThan, b.bool_type(), low, both)
    clamped = b.glsl(glsl.FClamp, b.f32(), low, both, b.const_f32(1.0))
    member = b.load(b.member_chain(s, 0))
    other = b.load(b.member_chain(s, 1))
    by_name(b, low=low, both=both, mixed=mixed, scaled=scaled, less=less, clamped=clamped, member=member, other=other)
    end_main(b, main)
    prepare(b)
    relaxed = [line.split("%")[1].split(" ")[0] for line in decorations(b.finalize()) if line.endswith("Precision")]
    assert relaxed == ["x", "S", "low", "both", "scaled", "less", "clamped", "member"]


def test_precise_flows_backwards() -> None:
    b = ModuleBuilder()
    struct = b.struct("S", [Member(b.f32(), "exact", precise=True), Member(b.f32(), "loose")])
    main = begin_main(b)
    x, y = b.local_variable(b.f32(), "x"), b.local_variable(b.f32(), "y")
    s = b.local_variable(struct, "s")
    b.mark(x, PRECISE)
    value = b.load(y)
    product = b.binary(op.OpFMul, b.f32(), value, value)
    total = b.binary(op.OpFAdd, b.f32(), product, value)
    b.store(x, total)
    loose = b.binary(op.OpFSub, b.f32(), value, value)
    b.store(b.member_chain(s, 1), loose)
    exact = b.binary(op.OpFSub, b.f32(), value, value)
    b.store(b.member_chain(s, 0), exact)
    by_name(b, product=product, total=total, loose=loose, exact=exact)
    end_main(b, main)
    assert decorations(b.finalize()) == []
    prepare(b)
    assert decorations(b.finalize()) == [
        "OpDecorate %product NoContraction",
        "OpDecorate %total NoContraction",
        "OpDecorate %exact NoContraction",
    ]


def test_precise_parameters_and_results() -> None:
    b = ModuleBuilder()
    source = b.declare_function("f")
    main = begin_main(b)
    value = b.load(b.local_variable(b.f32(), "v"))
    argument = b.binary(op.OpFMul, b.f32(), value, value)
    b.call(source, b.f32(), [argument])
    end_main(b, main)
    _, (param,) = b.begin_function("f", b.f32(), [(b.f32(), "p")], function=source)
    b.mark(param, PRECISE)
    b.mark(source, PRECISE)
    b.set_insert_point(b.new_block("entry"))
    result = b.binary(op.OpFAdd, b.f32(), param, param)
    by_name(b, argument=argument, result=result)
    b.ret(result)
    b.end_function()
    prepare(b)
    assert decorations(b.finalize()) == ["OpDecorate %argument NoContraction", "OpDecorate %result NoContraction"]
    assert "%argument = OpFMul %float" in "\n".join(body(b.finalize()))


def test_precise_values_are_followed_through_calls_and_memory() -> None:
    b = ModuleBuilder()
    b.precise_calls = True
    source = b.declare_function("f")
    main = begin_main(b)
    x, array = b.local_variable(b.f32(), "x"), b.local_variable(b.array(b.f32(), 2), "array")
    b.mark(x, PRECISE)
    value = b.load(b.local_variable(b.f32(), "v"))
    element = b.binary(op.OpFMul, b.f32(), value, value)
    b.store(b.access_chain(b.f32(), array, [b.const_uint(0)]), element)
    loaded = b.load(b.access_chain(b.f32(), array, [b.const_uint(1)]))
    b.store(x, b.call(source, b.f32(), [loaded]))
    end_main(b, main)
    _, (param,) = b.begin_function("f", b.f32(), [(b.f32(), "p")], function=source)
    b.set_insert_point(b.new_block("entry"))
    total = b.binary(op.OpFAdd, b.f32(), param, param)
    b.ret(total)
    b.end_function()
    by_name(b, element=element, total=total)
    prepare(b)
    assert decorations(b.finalize()) == ["OpDecorate %element NoContraction", "OpDecorate %total NoContraction"]
