"""Passes over complete modules, with the text before and after."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from hlsl_tool.codegen.passes.debug_info.forward_references import fixup_ext_inst_forward_refs
from hlsl_tool.codegen.passes.invocation_interlock import place_invocation_interlock
from hlsl_tool.codegen.passes.legalization import needs_legalization
from hlsl_tool.codegen.passes.preserve_interface import restore_interface
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.builder import ImageOperands, Member, ModuleBuilder
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Instruction, Module
from tests.compact_ids import compact_ids

from .helpers import begin_main, body, code, end_main

_SECOND_IS_ID = ((op.OpEntryPoint, 1), (op.OpFunction, 1))
BEGIN, END = "OpBeginInvocationInterlockEXT", "OpEndInvocationInterlockEXT"


def test_compact_ids() -> None:
    b = ModuleBuilder()
    end_main(b, begin_main(b))
    module = b.finalize()
    before = body(module)
    for inst in (*module.preamble(), module.functions[0].definition):
        for index, operand in enumerate(inst.operands):
            is_id = inst.op in (op.OpName, op.OpTypeFunction) or (inst.op, index) in _SECOND_IS_ID
            if is_id:
                inst.operands[index] = operand * 10 if isinstance(operand, int) else operand
        inst.type_id *= 10
        inst.result_id *= 10
    module.functions[0].blocks[0].label *= 10
    module.bound *= 10
    compact_ids(module)
    assert [line for line in body(module) if "OpTypeFunction" not in line and "OpFunction " not in line] == [
        line for line in before if "OpTypeFunction" not in line and "OpFunction " not in line
    ]
    assert module.bound == 5


def test_forward_references_of_debug_instructions() -> None:
    b = ModuleBuilder()
    debug = b.ext_set(shader_debug.SET)
    void = b.void_type()
    one, two = b.new_id(), b.new_id()
    b.debug_globals.append(Instruction(op.OpExtInst, void, one, [debug, shader_debug.DebugInfoNone, two]))
    b.debug_globals.append(Instruction(op.OpExtInst, void, two, [debug, shader_debug.DebugInfoNone]))
    b.debug_globals.append(Instruction(op.OpExtInst, void, b.new_id(), [debug, shader_debug.DebugInfoNone, one]))
    end_main(b, begin_main(b))
    module = b.finalize()
    fixup_ext_inst_forward_refs(module)
    opcodes = [line.split(" ")[2] for line in body(module) if "DebugInfoNone" in line]
    assert opcodes == ["OpExtInstWithForwardRefsKHR", "OpExtInst", "OpExtInst"]
    assert 'OpExtension "SPV_KHR_relaxed_extended_instruction"' in body(module)


def test_forward_references_that_the_set_allows() -> None:
    """The pass converts forward references to members in OpenCL.DebugInfo.100 to ordinary instructions.

    Newer versions of spirv-opt write OpExtInstWithForwardRefsKHR, although the instruction set needs no extension.
    """
    b = ModuleBuilder()
    debug = b.ext_set(opencl_debug.SET)
    void = b.void_type()
    b.extension("SPV_KHR_relaxed_extended_instruction")
    member = b.new_id()
    words = [debug, opencl_debug.DebugTypeComposite, member]
    b.debug_globals.append(Instruction(op.OpExtInstWithForwardRefsKHR, void, b.new_id(), [*words]))
    b.debug_globals.append(Instruction(op.OpExtInst, void, member, [debug, opencl_debug.DebugTypeMember]))
    end_main(b, begin_main(b))
    module = b.finalize()
    fixup_ext_inst_forward_refs(module)
    assert not any("ForwardRefs" in line or "relaxed" in line for line in body(module))


def interlocked(build: str) -> Module:
    """Build a fragment shader from a small program of accesses ``a``, ``if`` blocks and loops."""
    b = ModuleBuilder()
    main = begin_main(b)
    b.execution_mode(main, e.ExecutionMode.PixelInterlockOrderedEXT)
    b.execution_mode(main, e.ExecutionMode.OriginUpperLeft)
    b.capability(e.Capability.Shader)
    b.capability(e.Capability.FragmentShaderPixelInterlockEXT)
    b.extension("SPV_EXT_fragment_shader_interlock")
    x = b.local_variable(b.f32(), "x")
    condition = b.const_bool(True)
    stack: list[tuple[str, int, int]] = []
    for letter in build:
        if letter == "a":
            b.emit_void(op.OpBeginInvocationInterlockEXT)
            b.store(x, b.const_f32(1.0))
            b.emit_void(op.OpEndInvocationInterlockEXT)
        elif letter == "(":
            true, merge = b.new_block("true"), b.new_block("merge")
            b.branch_conditional(condition, true, merge, merge=merge)
            b.set_insert_point(true)
            stack.append(("if", merge, 0))
        elif letter == "[":
            header, inner, cont, merge = (b.new_block(n) for n in ("header", "body", "cont", "merge"))
            b.branch(header)
            b.set_insert_point(header)
            b.branch_conditional(condition, inner, merge, merge=merge, continuing=cont)
            b.set_insert_point(cont)
            b.branch(header)
            b.set_insert_point(inner)
            stack.append(("loop", merge, cont))
        elif letter == "r":
            b.ret()
        else:
            _, merge, cont = stack.pop()
            if not b.is_terminated:
                b.branch(cont or merge)
            b.set_insert_point(merge)
    end_main(b, main)
    return b.finalize()


def simulate(module: Module, choices: int) -> list[str]:
    """Return the interlock instructions and stores on one path; ``choices`` has a bit for each branch taken."""
    blocks = {block.label: block for block in module.functions[0].blocks}
    label = module.functions[0].blocks[0].label
    seen: list[str] = []
    for _ in range(60):
        for inst in blocks[label].instructions:
            if inst.op == op.OpBeginInvocationInterlockEXT:
                seen.append("begin")
            elif inst.op == op.OpEndInvocationInterlockEXT:
                seen.append("end")
            elif inst.op == op.OpStore:
                seen.append("access")
        last = blocks[label].instructions[-1]
        if last.op == op.OpReturn:
            return seen
        if last.op == op.OpBranch:
            label = last.id(0)
        else:
            label = last.id(1 if choices & 1 else 2)
            choices >>= 1
    return seen


@pytest.mark.parametrize(
    "build", ["a", "aa", "(a)", "(a)a", "a(a)", "[a]", "a[(a)]a", "(ar)a", "[(a)]", "([a])(a)", "(a(ar)a)"]
)
def test_one_critical_section(build: str) -> None:
    module = interlocked(build)
    place_invocation_interlock(module)
    for choices in range(64):
        path = simulate(module, choices)
        assert path.count("begin") == path.count("end") <= 1
        if "access" in path:
            assert path.index("begin") < path.index("access")
            assert len(path) - 1 - path[::-1].index("access") < path.index("end")
    assert encode(decode(encode(module))) == encode(module)
    if shutil.which("spirv-val"):
        done = subprocess.run(["spirv-val", "--target-env", "vulkan1.0"], input=encode(module), capture_output=True)
        assert done.returncode == 0, done.stderr.decode()


def test_interlock_text() -> None:
    module = interlocked("(a)a")
    assert code(module).count(BEGIN) == 2
    place_invocation_interlock(module)
    assert code(module)[1:] == [
        "%entry = OpLabel",
        "%x = OpVariable %_ptr_Function_float Function",
        BEGIN,
        "OpSelectionMerge %merge None",
        "OpBranchConditional %true_0 %true %merge",
        "%true = OpLabel",
        "OpStore %x %float_1",
        "OpBranch %merge",
        "%merge = OpLabel",
        "OpStore %x %float_1",
        END,
        "OpReturn",
        "OpFunctionEnd",
    ]


def test_removed_interface_variables_come_back() -> None:
    def shader(*, with_inputs: bool) -> Module:
        b = ModuleBuilder()
        v4 = b.vector(b.f32(), 4)
        interface = []
        if with_inputs:
            unused = b.global_variable(b.array(v4, 3), e.StorageClass.Input, "in.var.UNUSED")
            b.decorate(unused, e.Decoration.Location, 1)
            interface.append(unused)
        used = b.global_variable(v4, e.StorageClass.Output, "out.var.A")
        b.decorate(used, e.Decoration.Location, 0)
        interface.append(used)
        main = begin_main(b)
        b.store(used, b.zero(v4))
        end_main(b, main, interface=tuple(interface))
        return b.finalize()

    module = shader(with_inputs=False)
    restore_interface(module, shader(with_inputs=True))
    text = body(module)
    assert 'OpEntryPoint Fragment %main "main" %in_var_UNUSED %out_var_A' in text
    assert "OpDecorate %in_var_UNUSED Location 1" in text
    assert "%in_var_UNUSED = OpVariable %_ptr_Input__arr_v4float_uint_3 Input" in text
    assert len([line for line in text if "OpTypeVector" in line]) == 1, "types are shared with what is there"
    if shutil.which("spirv-val"):
        module.capabilities = [Instruction(op.OpCapability, 0, 0, [e.Capability.Shader])]
        module.execution_modes = [
            Instruction(op.OpExecutionMode, 0, 0, [module.entry_points[0].id(1), e.ExecutionMode.OriginUpperLeft])
        ]
        done = subprocess.run(["spirv-val", "--target-env", "vulkan1.0"], input=encode(module), capture_output=True)
        assert done.returncode == 0, done.stderr.decode()


def test_modules_that_need_legalization_are_found() -> None:
    def shader(kind: str) -> Module:
        b = ModuleBuilder()
        image = b.image(b.f32(), e.Dim.Dim2D)
        texture = b.global_variable(image, e.StorageClass.UniformConstant, "t")
        if kind == "struct":
            b.global_variable(b.struct("S", [Member(image)]), e.StorageClass.UniformConstant)
        main = begin_main(b)
        if kind == "local":
            b.store(b.local_variable(image), b.load(texture))
        elif kind == "pointer":
            b.local_variable(b.pointer(e.StorageClass.Uniform, b.struct("B", [Member(b.f32())], interface="storage")))
        elif kind == "interlock":
            b.emit_void(op.OpBeginInvocationInterlockEXT)
        elif kind in ("offset", "constant"):
            v2 = b.vector(b.i32(), 2)
            offset = b.zero(v2) if kind == "constant" else b.load(b.local_variable(v2))
            operands = ImageOperands(lod=b.const_i32(0), const_offset=offset)
            b.image_fetch(b.vector(b.f32(), 4), b.load(texture), b.zero(v2), operands)
        end_main(b, main)
        return b.finalize()

    assert [
        kind
        for kind in ("", "local", "pointer", "struct", "interlock", "offset", "constant")
        if needs_legalization(shader(kind))
    ] == ["local", "pointer", "struct", "interlock", "offset"]
