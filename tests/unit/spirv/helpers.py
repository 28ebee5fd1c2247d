"""A small, hand-built fragment shader for several tests."""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.builder import Member, ModuleBuilder
from hlsl_tool.spirv.ir import Module
from hlsl_tool.spirv.text import disassemble


def body(module: Module) -> list[str]:
    """Return the assembly of a module without header and indentation, as lines."""
    return [line.strip() for line in disassemble(module).splitlines() if not line.startswith(";")]


def begin_main(b: ModuleBuilder) -> int:
    """Start ``void main()`` and its first block."""
    main, _ = b.begin_function("main", b.void_type())
    b.set_insert_point(b.new_block("bb.entry"))
    return main


def end_main(b: ModuleBuilder, main: int, interface: list[int] | None = None) -> None:
    """Add OpReturn, end the function, and declare it as the entry point of a fragment shader."""
    if not b.is_terminated:
        b.ret()
    b.end_function()
    b.entry_point(e.ExecutionModel.Fragment, main, "main", interface or [])
    b.execution_mode(main, e.ExecutionMode.OriginUpperLeft)


def sample_builder(version: tuple[int, int] = (1, 0)) -> ModuleBuilder:
    """Return a builder with a structured buffer, an if, an extended instruction and a call."""
    b = ModuleBuilder(version=version)
    b.capability(e.Capability.Shader)
    b.ext_set(glsl.SET)
    v4 = b.vector(b.f32(), 4)
    element = b.struct("S", [Member(b.f32(), "a", 0), Member(b.matrix(v4, 4), "m", 16, 16, False)])
    block = b.struct(
        "type.StructuredBuffer.S", [Member(b.runtime_array(element, 80), "", 0)], interface="storage", read_only=True
    )
    buffer = b.global_variable(block, e.StorageClass.Uniform, "buf")
    b.decorate_binding(buffer, 0, 1)
    position = b.builtin_variable(v4, e.StorageClass.Input, e.BuiltIn.FragCoord, "gl_FragCoord")
    target = b.global_variable(v4, e.StorageClass.Output, "out.var.SV_Target")
    b.decorate(target, e.Decoration.Location, 0)
    source = b.declare_function("src.main")
    main = begin_main(b)
    b.store(target, b.call(source, v4, [b.load(position)]))
    end_main(b, main, [position, target])
    _, (param,) = b.begin_function("src.main", v4, [(v4, "pos")], function=source)
    b.set_insert_point(b.new_block("bb.entry"))
    x = b.local_variable(b.f32(), "x")
    true, false, merge = b.new_block("if.true"), b.new_block("if.false"), b.new_block("if.merge")
    condition = b.binary(op.OpFOrdLessThan, b.bool_type(), b.extract(param, 0), b.const_f32(0.5))
    b.branch_conditional(condition, true, false, merge=merge)
    b.set_insert_point(true)
    b.store(x, b.const_f32(-1.5))
    b.branch(merge)
    b.set_insert_point(false)
    b.store(x, b.load(b.member_chain(buffer, 0, 3, 0)))
    b.branch(merge)
    b.set_insert_point(merge)
    mixed = b.glsl(glsl.FMix, b.f32(), b.load(x), b.const_f32(2), b.const_f32(3))
    b.ret(b.construct(v4, [mixed] * 4))
    b.end_function()
    return b
