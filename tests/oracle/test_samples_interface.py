"""The sample shaders have the interface that DXC gives them: entry points, bindings, locations, memory layouts.

DXC is the command in the environment variable DXC, or ``dxc`` on PATH; it must be built with SPIR-V. An old one is
sufficient (tried: 1.6 of 2022); ``OLD_TARGETS`` and `interface` list its differences.
"""

from __future__ import annotations

import dataclasses
import pathlib
import subprocess

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import ALL_SPACES, CompileOptions
from hlsl_tool.base.source import SourceFile
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.permutation import Permutation
from hlsl_tool.spirv.decode import decode
from tests.oracle.dxc import DXC, MISSING
from tests.oracle.interface import Interface, compared
from tests.patience import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
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


def permutations() -> list[Permutation]:
    sink = Sink()
    project = load(str(ROOT), ["config/shaders"], sink)
    assert not sink.diagnostics
    return project.permutations


def arguments(options: CompileOptions) -> list[str]:
    """Return this compiler's options as DXC's command line.

    It includes ``-fcgl``, so that the interface is complete, as no optimiser has changed it; and ``-Vd``, as old
    versions of DXC do not agree with their own validator about ``vk::image_format``.
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


def with_dxc(permutation: Permutation, target: pathlib.Path) -> bytes:
    command = [*DXC, *arguments(permutation.options), permutation.source, "-Fo", str(target)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return target.read_bytes()


def with_ours(permutation: Permutation) -> bytes:
    path = ROOT / permutation.source
    source = SourceFile.from_bytes(permutation.source, str(path), path.read_bytes())
    options = permutation.options
    result = compile_shader(source, entry=options.entry, profile=options.profile, options=options, memory=MEMORY)
    assert result.ok, [str(each.message) for each in result.diagnostics]
    return result.spirv


@pytest.mark.skipif(not DXC, reason=MISSING)
@pytest.mark.parametrize("permutation", permutations(), ids=lambda permutation: permutation.name)
def test_interface(permutation: Permutation, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if permutation.options.profile[:2] in ("as", "ms"):
        pytest.skip("DXC 1.6 knows SPV_NV_mesh_shader only")
    monkeypatch.chdir(ROOT)
    target = OLD_TARGETS.get(permutation.options.target_env, permutation.options.target_env)
    permutation.options = dataclasses.replace(permutation.options, target_env=target, codegen_only=True)
    dxc = Interface(decode(with_dxc(permutation, tmp_path / "dxc.spv"))).describe()
    ours = Interface(decode(with_ours(permutation))).describe()
    wanted, got = compared(dxc, ours)
    assert got == wanted
