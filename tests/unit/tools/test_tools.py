"""Find and run spirv-opt and spirv-val, and convert their messages."""

from __future__ import annotations

import os
import re
import shutil
import stat
import struct
from pathlib import Path

import pytest

from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.spirv.tools.locate import Tool, find_tool, signature
from hlsl_tool.spirv.tools.optimizer import (
    OptimizerOptions,
    common_flags,
    legalize,
    legalize_flags,
    optimize,
    optimize_flags,
    upgrade_memory_model,
)
from hlsl_tool.spirv.tools.passes import Form
from hlsl_tool.spirv.tools.run import is_module
from hlsl_tool.spirv.tools.validator import validate

needs_tools = pytest.mark.skipif(
    shutil.which("spirv-opt") is None or shutil.which("spirv-val") is None, reason="SPIRV-Tools is not installed"
)


def shader(*, valid: bool = True) -> bytes:
    b = ModuleBuilder()
    b.capability(e.Capability.Shader)
    target = b.global_variable(b.f32(), e.StorageClass.Output, "out.var.X")
    b.decorate(target, e.Decoration.Location, 0)
    helper = b.declare_function("helper")
    main, _ = b.begin_function("main", b.void_type())
    b.set_insert_point(b.new_block("entry"))
    b.store(target, b.call(helper, b.f32(), []) if valid else b.const_i32(1))
    b.ret()
    b.end_function()
    b.begin_function("helper", b.f32(), function=helper)
    b.set_insert_point(b.new_block("entry"))
    b.ret(b.const_f32(1.0))
    b.end_function()
    b.entry_point(e.ExecutionModel.Fragment, main, "main", [target])
    b.execution_mode(main, e.ExecutionMode.OriginUpperLeft)
    return encode(b.finalize())


def tool(name: str) -> Tool:
    found = find_tool(name)
    assert found is not None
    return found


def script(path: Path, text: str) -> Tool:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Tool("spirv-opt", str(path), "v0")


def test_the_error_for_a_missing_tool_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlsl_tool.spirv.tools.locate.installed", lambda: None)
    sink = Sink()
    assert find_tool("spirv-opt", sink=sink, env={"PATH": "/nonexistent"}) is None
    (error,) = sink.diagnostics
    assert error.code.id == "HLSL0730"
    assert error.message.startswith("`spirv-opt` was not found; install SPIRV-Tools")
    assert "\n" not in error.message


@pytest.mark.skipif(os.name == "nt", reason="uses a shell script")
def test_option_then_variable_then_path(tmp_path: Path) -> None:
    mine = script(tmp_path / "my-opt", "echo SPIRV-Tools v2099.7 unknown hash")
    env = {"PATH": os.environ["PATH"], "SPIRV_OPT": mine.path}
    found = find_tool("spirv-opt", env=env)
    assert found is not None
    assert (found.path, found.version) == (mine.path, "v2099.7")
    other = script(tmp_path / "other", "echo nothing")
    found = find_tool("spirv-opt", other.path, env=env)
    assert found is not None
    assert (found.path, found.version) == (other.path, "unknown")
    assert re.fullmatch(r"spirv-opt v2099\.7 [0-9a-f]{16}", signature("spirv-opt", env=env))
    assert signature("spirv-opt", folder=str(tmp_path / "nowhere"), env=env) == "spirv-opt missing"


@pytest.mark.skipif(os.name == "nt", reason="uses a shell script")
@pytest.mark.parametrize(
    "other",
    [
        "echo SPIRV-Tools v2099.8",
        "echo SPIRV-Tools v2099.7 of another commit",
        "echo SPIRV-Tools v2099.7 # other code",
    ],
)
def test_another_build_of_a_tool_has_another_signature(tmp_path: Path, other: str) -> None:
    env = {"PATH": os.environ["PATH"], "SPIRV_OPT": script(tmp_path / "my-opt", "echo SPIRV-Tools v2099.7").path}
    first = signature("spirv-opt", env=env)
    shutil.copy2(tmp_path / "my-opt", tmp_path / "copy")
    assert signature("spirv-opt", env={**env, "SPIRV_OPT": str(tmp_path / "copy")}) == first  # wherever it lies
    script(tmp_path / "my-opt", other)
    assert signature("spirv-opt", env=env) != first


@pytest.mark.skipif(os.name == "nt", reason="uses a shell script")
def test_slow_and_crashing_tools(tmp_path: Path) -> None:
    sink = Sink()
    slow = script(tmp_path / "slow", "exec sleep 20")
    assert optimize(b"", OptimizerOptions(), tool=slow, sink=sink, timeout=0.2) is None
    crash = script(tmp_path / "crash", "kill -SEGV $$")
    assert optimize(b"", OptimizerOptions(), tool=crash, sink=sink) is None
    gone = Tool("spirv-opt", str(tmp_path / "gone"), "v0")
    assert optimize(b"", OptimizerOptions(), tool=gone, sink=sink) is None
    assert [d.code.id for d in sink.diagnostics] == ["HLSL0731", "HLSL0732", "HLSL0732"]


@pytest.mark.skipif(os.name == "nt", reason="uses a shell script")
def test_a_tool_without_memory_is_an_error(tmp_path: Path) -> None:
    sink = Sink()
    abort = "echo \"terminate called after throwing an instance of 'std::bad_alloc'\" >&2; kill -ABRT $$"
    greedy = script(tmp_path / "greedy", abort)
    assert optimize(b"", OptimizerOptions(), tool=greedy, sink=sink) is None
    [problem] = sink.diagnostics
    assert (problem.code.id, problem.message) == ("HLSL1310", "`spirv-opt` needs more than 2048 MB of memory")
    assert problem.hint is not None
    assert "unroll" in problem.hint


def test_flags_in_order() -> None:
    options = OptimizerOptions(
        target_env="vulkan1.1spirv1.4",
        combined_image_samplers=((0, 1), (2, 3)),
        reduce_load_size=True,
        preserve_bindings=True,
        fix_func_call_arguments=True,
        max_id=0x400000,
    )
    assert common_flags(options, Tool("spirv-opt", "spirv-opt", "v2025.5")) == [
        "--skip-validation",
        "--target-env=vulkan1.1spv1.4",
        "--preserve-bindings",
        "--max-id-bound=4194304",
    ]
    dce = "--eliminate-dead-code-aggressive"
    assert legalize_flags(options) == [
        "--legalize-hlsl",
        "--convert-to-sampled-image=0:1 2:3",
        dce,
        "--reduce-load-size=1.1",
        dce,
        "--compact-ids",
        "--spread-volatile-semantics",
        "--fix-func-call-param",
    ]
    assert optimize_flags(options) == ["-O", "--spread-volatile-semantics", "--compact-ids"]
    assert optimize_flags(OptimizerOptions(config=("--loop-unroll",))) == ["--loop-unroll"]
    assert optimize_flags(OptimizerOptions(level=0, config=("--loop-unroll",))) == []


def test_flags_for_promoted_modules() -> None:
    ssa = optimize_flags(OptimizerOptions(form=Form(unrolls=False, has_variables=False)))
    memory = optimize_flags(OptimizerOptions(form=Form(unrolls=False)))
    assert "-O" not in ssa
    assert ssa[-1] == memory[-1] == "--compact-ids"
    assert not {"--inline-entry-points-exhaustive", "--loop-unroll", "--ssa-rewrite"} & set(ssa)
    assert memory.index("--ssa-rewrite") < memory.index("--ccp")
    assert [flag for flag in memory if flag in ssa] == ssa
    # The passes that a user names are those that run.
    assert optimize_flags(OptimizerOptions(config=("-Os",), form=Form())) == ["-Os"]
    assert optimize_flags(OptimizerOptions(level=0, form=Form())) == []


@needs_tools
def test_optimise_legalise_validate() -> None:
    sink = Sink()
    data = shader()
    assert validate(data, "vulkan1.0", tool=tool("spirv-val"), sink=sink) == "valid"
    legal = legalize(data, OptimizerOptions(), tool=tool("spirv-opt"), sink=sink)
    assert legal is not None
    for made in (
        optimize(data, OptimizerOptions(), tool=tool("spirv-opt"), sink=sink),
        optimize(data, OptimizerOptions(), tool=tool("spirv-opt"), sink=sink, legalization="whole"),
        legal,
        optimize(legal, OptimizerOptions(level=0), tool=tool("spirv-opt"), sink=sink, legalization="begun"),
    ):
        assert made is not None
        assert len(decode(made).functions) == 1, "the call is inlined"
        assert validate(made, "vulkan1.0", tool=tool("spirv-val"), sink=sink) == "valid"
    upgraded = upgrade_memory_model(data, OptimizerOptions("vulkan1.2"), tool=tool("spirv-opt"), sink=sink)
    assert upgraded is not None
    assert decode(upgraded).memory_model[0].operands[1] == e.MemoryModel.Vulkan
    assert not sink.diagnostics


@needs_tools
def test_all_flags_are_known_to_the_installed_optimizer() -> None:
    sink = Sink()
    options = OptimizerOptions(
        combined_image_samplers=((0, 0),),
        reduce_load_size=True,
        fix_func_call_arguments=True,
        preserve_bindings=True,
        max_id=0x400000,
    )
    assert optimize(shader(), options, tool=tool("spirv-opt"), sink=sink, legalization="whole") is not None
    assert not sink.diagnostics


@needs_tools
def test_errors_of_the_tools() -> None:
    sink = Sink()
    assert validate(shader(valid=False), "vulkan1.0", tool=tool("spirv-val"), sink=sink) == "invalid"
    options = OptimizerOptions(config=("--no-such-pass",))
    assert optimize(shader(), options, tool=tool("spirv-opt"), sink=sink) is None
    first, second = sink.diagnostics
    assert first.code.id == "HLSL0735"
    assert [note.code.id for note in first.notes] == ["HLSL0736"]
    assert first.message.startswith("generated SPIR-V is invalid: OpStore Pointer")
    assert second.message.startswith("failed to optimize SPIR-V: Unknown flag '--no-such-pass'")


@needs_tools
def test_a_module_that_spirv_opt_does_not_know_is_unchanged() -> None:
    sink = Sink()
    module = decode(shader())
    module.capabilities.append(Instruction(op.OpCapability, 0, 0, [0x7FFF]))
    data = encode(module)
    assert optimize(data, OptimizerOptions(), tool=tool("spirv-opt"), sink=sink) == data
    (warning,) = sink.diagnostics
    assert warning.code.id == "HLSL0741"
    assert warning.message.endswith("does not know capability operand: 32767")
    assert optimize(data, OptimizerOptions(), tool=tool("spirv-opt"), sink=sink, legalization="whole") is None
    assert sink.diagnostics[1].code.id == "HLSL0733"


@needs_tools
def test_an_instruction_that_spirv_val_does_not_know_is_a_warning() -> None:
    sink = Sink()
    b = ModuleBuilder()
    b.capability(e.Capability.Shader)
    main, _ = b.begin_function("main", b.void_type())
    b.set_insert_point(b.new_block("entry"))
    b.emit_raw(op.OpUntypedVariableKHR + 60000, b.i32())
    b.ret()
    b.end_function()
    b.entry_point(e.ExecutionModel.GLCompute, main, "main", [])
    assert validate(encode(b.finalize()), "vulkan1.0", tool=tool("spirv-val"), sink=sink) == "unknown"
    assert sink.diagnostics[0].code.id == "HLSL0737"
    assert "was not validated: spirv-val" in sink.diagnostics[0].message
    assert sink.ok


def test_an_extension_that_spirv_val_does_not_know_is_a_warning(tmp_path: Path) -> None:
    complaint = "Capability ComputeDerivativeGroupLinearNV is not allowed by Vulkan 1.1 specification"
    old = script(tmp_path / "spirv-val", f"echo 'error: {complaint} (or requires extension)' >&2; exit 1")
    for declared, verdict in ((False, "invalid"), (True, "unknown")):
        b = ModuleBuilder()
        b.capability(e.Capability.ComputeDerivativeGroupLinearKHR)
        if declared:
            b.extension("SPV_KHR_compute_shader_derivatives")
        assert validate(encode(b.finalize()), "vulkan1.1", tool=old, sink=Sink()) == verdict


def test_the_false_alarm_of_2025_1_about_culled_primitives_is_a_warning(tmp_path: Path) -> None:
    complaint = (
        "[VUID-CullPrimitiveEXT-CullPrimitiveEXT-07036] According to the Vulkan spec BuiltIn CullPrimitiveEXT variable"
        " needs to be a boolean value array.ID <9> (OpVariable) is not a bool scalar."
    )
    false = script(tmp_path / "spirv-val", f"echo 'error: line 29: {complaint}' >&2; exit 1")
    for declared, verdict in ((False, "invalid"), (True, "unknown")):
        b = ModuleBuilder()
        b.capability(e.Capability.MeshShadingEXT)
        if declared:
            b.extension("SPV_EXT_mesh_shader")
        sink = Sink()
        assert validate(encode(b.finalize()), "vulkan1.3", tool=false, sink=sink) == verdict
        assert sink.ok == declared


@pytest.mark.parametrize(
    ("words", "is_whole"),
    [
        ([], True),
        ([2 << 16 | 17, 1], True),
        ([1 << 16 | 56, 2 << 16 | 17, 1], True),
        ([3 << 16 | 17, 1], False),
        ([2 << 16 | 17], False),
        ([2 << 16 | 17, 1, 2 << 16 | 17], False),
        ([0, 0], False),
    ],
)
def test_a_module_whose_instructions_end_with_the_file_is_whole(words: list[int], is_whole: bool) -> None:
    data = struct.pack(f"={5 + len(words)}I", 0x07230203, 0x10000, 0, 8, 0, *words)
    assert is_module(data) is is_whole
    assert not is_module(data[:-1])
