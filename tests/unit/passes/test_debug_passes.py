"""The passes that repair debug information after spirv-opt."""

from __future__ import annotations

import copy

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.passes.debug_info.debug_values import restore_debug_values
from hlsl_tool.codegen.passes.debug_info.declarations import drop_debug_declarations
from hlsl_tool.codegen.passes.debug_info.sources import restore_debug_sources
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Instruction, Module

from .helpers import begin_main, body, end_main


def sources(files: dict[str, list[str]]) -> Module:
    """Return a module with a DebugSource for each file, whose text is split into several strings."""
    b = ModuleBuilder()
    set_id, void = b.ext_set(shader_debug.SET), b.void_type()
    for name, pieces in files.items():
        for number, texts in enumerate([[name, *pieces[:1]], *([piece] for piece in pieces[1:])]):
            opcode = shader_debug.DebugSourceContinued if number else shader_debug.DebugSource
            operands = [set_id, opcode, *(b.string(text) for text in texts)]
            b.debug_globals.append(Instruction(op.OpExtInst, void, b.new_id(), operands))
    end_main(b, begin_main(b))
    return b.finalize()


def debug_lines(module: Module) -> list[str]:
    return [line.partition(" = ")[2] for line in body(module) if "DebugSource" in line]


def test_a_source_comes_back_with_its_continuation() -> None:
    before = sources({"main.hlsl": ["m"], "empty.hlsli": ["a", "b"]})
    after = sources({"main.hlsl": ["m"]})
    assert debug_lines(after) == ["OpExtInst %void %1 DebugSource %3 %4"]
    bound = after.bound
    restore_debug_sources(after, before)
    strings = {inst.text(0): inst.result_id for inst in after.sources}
    file, a, b = strings["empty.hlsli"], strings["a"], strings["b"]
    assert debug_lines(after) == [
        f"OpExtInst %void %1 DebugSource %{file} %{a}",
        f"OpExtInst %void %1 DebugSourceContinued %{b}",
        "OpExtInst %void %1 DebugSource %3 %4",
    ]
    assert after.bound == bound + 5
    assert len({inst.result_id for inst in after.globals}) == len(after.globals)


def test_existing_sources_are_unchanged() -> None:
    before = sources({"main.hlsl": ["m"], "other.hlsli": []})
    after = copy.deepcopy(before)
    restore_debug_sources(after, before)
    assert encode(after) == encode(before)


@pytest.mark.parametrize("set_name", [opencl_debug.SET, shader_debug.SET])
def test_declarations_name_variables(set_name: str) -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    array = b.local_variable(b.array(b.f32(), 2), "array")
    element = b.access_chain(b.f32(), array, [b.const_i32(1)])
    expression = b.ext_inst(set_name, b.void_type(), opencl_debug.DebugExpression)
    for declared in (array, element):
        b.ext_inst(set_name, b.void_type(), opencl_debug.DebugDeclare, expression, declared, expression)
    b.global_variable(b.f32(), e.StorageClass.Private, "unused")
    end_main(b, main)
    module = b.finalize()
    declares = [line for line in body(module) if "DebugDeclare" in line]
    assert len(declares) == 2
    drop_debug_declarations(module)
    assert [line for line in body(module) if "DebugDeclare" in line] == declares[:1]
    assert "%array" in declares[0]


@pytest.mark.parametrize(("set_name", "stays"), [(opencl_debug.SET, False), (shader_debug.SET, True)])
def test_declarations_with_indices(set_name: str, stays: bool) -> None:
    """A DebugDeclare with indices is dropped in OpenCL.DebugInfo.100, which has no such operands, and only there."""
    b = ModuleBuilder()
    main = begin_main(b)
    array = b.local_variable(b.array(b.f32(), 2), "array")
    expression = b.ext_inst(set_name, b.void_type(), opencl_debug.DebugExpression)
    indices = b.const_i32(0), b.const_i32(1)
    b.ext_inst(set_name, b.void_type(), opencl_debug.DebugDeclare, expression, array, expression, *indices)
    end_main(b, main)
    module = b.finalize()
    drop_debug_declarations(module)
    assert any("DebugDeclare" in line for line in body(module)) is stays


STRUCT = """struct P { float a; float b; };
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) { P p; p.a = o[i]; p.b = 1; o[0] = p.a; }
"""


def test_a_type_comes_back_before_its_members() -> None:
    """In OpenCL.DebugInfo.100 a struct names its members in advance, and each of them the struct."""
    options = CompileOptions(debug=("rich",), codegen_only=True)
    before = decode(compile_shader(STRUCT, profile="cs_6_0", options=options).spirv)
    set_id = next(inst.result_id for inst in before.ext_inst_imports if inst.operands[0] == opencl_debug.SET)
    composite = next(i for i in before.globals if i.operands[:2] == [set_id, opencl_debug.DebugTypeComposite])
    function = before.functions[-1]
    declaration = next(
        i
        for i in function.instructions()
        if i.operands[:2] == [set_id, opencl_debug.DebugDeclare] and i.op in EXT_INSTS
    )
    local = next(inst for inst in before.globals if inst.result_id == declaration.id(2))
    value = next(inst for inst in function.instructions() if inst.op == op.OpLoad)
    declaration.operands[1:4] = [opencl_debug.DebugValue, local.result_id, value.result_id]
    local.operands[3] = composite.result_id
    after = copy.deepcopy(before)
    after.globals = [i for i in after.globals if i.op not in EXT_INSTS or i.operands[1] not in REMOVED]
    for block in after.functions[-1].blocks:
        block.instructions = [i for i in block.instructions if i.operands[:2] != [set_id, opencl_debug.DebugValue]]
    restore_debug_values(after, before)
    numbers = [inst.operands[1] for inst in after.globals if inst.op in EXT_INSTS and inst.operands[1] in REMOVED]
    assert numbers.index(opencl_debug.DebugTypeComposite) < numbers.index(opencl_debug.DebugTypeMember)


REMOVED = (opencl_debug.DebugTypeComposite, opencl_debug.DebugTypeMember, opencl_debug.DebugLocalVariable)
