"""The sample shaders have the interface that DXC gives them: entry points, bindings, locations, memory layouts.

DXC is the command that the environment variable DXC names, or ``dxc`` on PATH; it has to be built with SPIR-V.  An old
one will do (tried: 1.6 of 2022); what it is known to do otherwise is said in ``OLD_TARGETS`` and ``compared``.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from hlsl_tool.compiler.compile import Memory, compile_shader
from hlsl_tool.compiler.options import ALL_SPACES, CompileOptions
from hlsl_tool.config.load import load
from hlsl_tool.config.model import Variant
from hlsl_tool.diagnostics import Sink
from hlsl_tool.source import SourceFile
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.ir import Instruction, Module, Operand

ROOT = pathlib.Path(__file__).resolve().parents[2]
DXC = shlex.split(os.environ.get("DXC", "")) or [found for found in [shutil.which("dxc")] if found]
MEMORY = Memory()

pytestmark = pytest.mark.oracle

FLAGS = {
    "vulkan": [],
    "dx": ["-fvk-use-dx-layout"],
    "gl": ["-fvk-use-gl-layout"],
    "scalar": ["-fvk-use-scalar-layout"],
    "invert_y": ["-fvk-invert-y"],
    "reflect_decorations": ["-fspv-reflect"],
    "enable_16bit_types": ["-enable-16bit-types"],
    "auto_shift_bindings": ["-fvk-auto-shift-bindings"],
    "support_nonzero_base_instance": ["-fvk-support-nonzero-base-instance"],
}

OLD_TARGETS = {"vulkan1.1spirv1.4": "vulkan1.2", "universal1.5": "vulkan1.2"}
"""Targets that an old DXC does not know, or for which it writes the BufferBlock that SPIR-V 1.5 no longer has → one
with the same interface, for both compilers."""

INTERFACE = frozenset(
    (
        e.StorageClass.Input, e.StorageClass.Output, e.StorageClass.Uniform, e.StorageClass.UniformConstant,
        e.StorageClass.PushConstant, e.StorageClass.StorageBuffer,
    )
)  # fmt: skip

PLACING = {
    e.Decoration.DescriptorSet: "set", e.Decoration.Binding: "binding", e.Decoration.Location: "location",
    e.Decoration.Component: "component", e.Decoration.Index: "index", e.Decoration.BuiltIn: "builtin",
    e.Decoration.Flat: "flat", e.Decoration.NoPerspective: "noperspective", e.Decoration.Centroid: "centroid",
    e.Decoration.Sample: "sample", e.Decoration.Coherent: "coherent", e.Decoration.Invariant: "invariant",
}  # fmt: skip
TYPE_MARKS = {e.Decoration.Block: "block", e.Decoration.BufferBlock: "bufferblock", e.Decoration.ArrayStride: "stride"}
MEMBER_MARKS = {
    e.Decoration.Offset: "offset", e.Decoration.MatrixStride: "stride", e.Decoration.RowMajor: "rows",
    e.Decoration.ColMajor: "columns", e.Decoration.BuiltIn: "builtin", e.Decoration.NonWritable: "readonly",
}  # fmt: skip


def variants() -> list[Variant]:
    sink = Sink()
    project = load(str(ROOT), ["config/shaders"], sink)
    assert not sink.diagnostics
    return project.variants


def arguments(options: CompileOptions) -> list[str]:
    """Our options in DXC's words.

    With ``-fcgl``: the whole interface, as no optimiser has seen it; with ``-Vd``, as old ones are at odds with their
    own validator over ``vk::image_format``.
    """
    made = ["-spirv", "-fcgl", "-Vd", "-T", options.profile, "-E", options.entry, "-HV", str(options.hlsl_version)]
    made += [word for folder in options.include_dirs for word in ("-I", folder)]
    made += [word for name, value in options.defines for word in ("-D", name if value is None else f"{name}={value}")]
    made += [f"-fspv-target-env={options.target_env}", "-Zpr" if options.row_major else "-Zpc", *FLAGS[options.layout]]
    for letter in "btsu":
        for shift, space in getattr(options, f"shift_{letter}"):
            made += [f"-fvk-{letter}-shift", str(shift), "all" if space == ALL_SPACES else str(space)]
    for row in options.bind_registers:
        made += ["-fvk-bind-register", *map(str, row)]
    for name, flags in FLAGS.items():
        if getattr(options, name, False):
            made += flags
    return made


class Interface:
    """What the outside sees of a module, in plain words."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.names: dict[int, str] = {}
        self.member_names: dict[tuple[int, int], str] = {}
        self.decorations: dict[int, list[list[Operand]]] = {}
        self.member_decorations: dict[tuple[int, int], list[list[Operand]]] = {}
        self.globals = {inst.result_id: inst for inst in module.globals}
        for inst in module.names:
            if inst.op == op.OpName:
                self.names[inst.id(0)] = inst.text(1)
            else:
                self.member_names[inst.id(0), inst.id(1)] = inst.text(2)
        for inst in module.annotations:
            if inst.op == op.OpDecorate:
                self.decorations.setdefault(inst.id(0), []).append(inst.operands[1:])
            elif inst.op == op.OpMemberDecorate:
                self.member_decorations.setdefault((inst.id(0), inst.id(1)), []).append(inst.operands[2:])

    def describe(self) -> dict[str, str]:
        """What it is → how it is declared."""
        return dict([*self.entries(), *self.variables()])

    def entries(self) -> Iterator[tuple[str, str]]:
        for inst in self.module.entry_points:
            modes = [mode.operands[1:] for mode in self.module.execution_modes if mode.id(0) == inst.id(1)]
            yield f"entry {inst.text(2)}", f"model {inst.id(0)}, modes {sorted(map(str, modes))}"

    def variables(self) -> Iterator[tuple[str, str]]:
        for inst in self.module.globals:
            if inst.op != op.OpVariable or inst.id(0) not in INTERFACE:
                continue
            name = self.names.get(inst.result_id, "")
            placing = self.marks(self.decorations.get(inst.result_id, []), PLACING)
            pointee = self.globals[inst.type_id].id(1)
            if "builtin" in placing or not name:
                name = f"{inst.id(0)} {placing}"
            yield name, f"class {inst.id(0)} {placing}: {self.type(pointee)}"

    def marks(self, decorations: list[list[Operand]], wanted: dict[int, str]) -> str:
        found = [(wanted[int(d[0])], *d[1:]) for d in decorations if int(d[0]) in wanted]
        return " ".join("=".join(map(str, mark)) for mark in sorted(found))

    def type(self, number: int) -> str:
        inst = self.globals[number]
        marks = self.marks(self.decorations.get(number, []), TYPE_MARKS)
        operands = inst.operands
        if inst.op == op.OpTypeStruct:
            members = [self.member(inst, index) for index in range(len(operands))]
            return f"struct {marks} {{{'; '.join(members)}}}"
        if inst.op == op.OpTypeArray:
            return f"{self.type(inst.id(0))}[{self.globals[inst.id(1)].operands[0]} {marks}]"
        if inst.op in (op.OpTypeRuntimeArray, op.OpTypeVector, op.OpTypeMatrix, op.OpTypeSampledImage, op.OpTypeImage):
            return f"op {inst.op} of {self.type(inst.id(0))} {operands[1:]} {marks}"
        return f"op {inst.op} {operands}"

    def member(self, struct: Instruction, index: int) -> str:
        key = struct.result_id, index
        marks = self.marks(self.member_decorations.get(key, []), MEMBER_MARKS)
        return f"{self.member_names.get(key, '')} {marks}: {self.type(struct.id(index))}"


def compared(wanted: dict[str, str], got: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Both less what old versions did otherwise.

    Until 2023 every RWStructuredBuffer had a counter, used or not, so counters without a ``vk::counter_binding`` got
    other bindings as well.  Until 2024 quad operations of compute shaders said nothing of derivative groups.
    """
    wanted = {name: text for name, text in wanted.items() if not name.startswith("counter.var.") or name in got}
    return _counters_anywhere(wanted), _counters_anywhere(_without_groups(got))


def _without_groups(interface: dict[str, str]) -> dict[str, str]:
    modes = (e.ExecutionMode.DerivativeGroupQuadsKHR, e.ExecutionMode.DerivativeGroupLinearKHR)
    pattern = "|".join(rf", '\[{int(mode)}\]'" for mode in modes)
    return {name: re.sub(pattern, "", text) if name.startswith("entry ") else text for name, text in interface.items()}


def _counters_anywhere(interface: dict[str, str]) -> dict[str, str]:
    return {
        name: re.sub(r"binding=\d+ ", "", text) if name.startswith("counter.var.") else text
        for name, text in interface.items()
    }


def with_dxc(variant: Variant, target: pathlib.Path) -> bytes:
    command = [*DXC, *arguments(variant.options), variant.source, "-Fo", str(target)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return target.read_bytes()


def with_ours(variant: Variant) -> bytes:
    path = ROOT / variant.source
    source = SourceFile.from_bytes(variant.source, str(path), path.read_bytes())
    options = variant.options
    result = compile_shader(source, entry=options.entry, profile=options.profile, options=options, memory=MEMORY)
    assert result.ok, [str(each.message) for each in result.diagnostics]
    return result.spirv


@pytest.mark.skipif(not DXC, reason="no dxc on PATH, nor named by the environment variable DXC")
@pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)
def test_interface(variant: Variant, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if variant.options.profile[:2] in ("as", "ms"):
        pytest.skip("DXC 1.6 knows SPV_NV_mesh_shader only")
    monkeypatch.chdir(ROOT)
    target = OLD_TARGETS.get(variant.options.target_env, variant.options.target_env)
    variant.options = dataclasses.replace(variant.options, target_env=target, codegen_only=True)
    dxc = Interface(decode(with_dxc(variant, tmp_path / "dxc.spv"))).describe()
    ours = Interface(decode(with_ours(variant))).describe()
    wanted, got = compared(dxc, ours)
    assert got == wanted
