"""Generated declarations have the interface that DXC gives them, under every layout, majorness and shift.

Over a thousand blocks, buffers and resources (`declarations`), many in each shader, are compared by name, set, binding,
member offsets, strides and decorations. DXC is found as in `test_samples_interface`. The differences of an old DXC (1.6
of 2022) are listed in docs/contributing/oracle.md; `their_rules` applies those of the layout rules.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Callable, Iterator

import pytest

from hlsl_tool.base.options.command_line import parse
from hlsl_tool.codegen.layout import rules
from hlsl_tool.codegen.layout.rules import Extent, Rule
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.frontend.sema.model.types import Array, Matrix, Struct, Vector
from hlsl_tool.spirv.decode import decode
from tests.oracle.declarations import GOLDEN, Source, make
from tests.oracle.dxc import DXC, MISSING
from tests.oracle.interface import Interface, compared
from tests.patience import PATIENCE

SHADERS = int(os.environ.get("HLSL_TOOL_DECLARATIONS", "1200")) // 25
BOUND_SHADERS = 4
EACH = 25
MEMORY = Memory()

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.nightly,
    pytest.mark.skipif(not DXC, reason=MISSING),
]

LAYOUTS = {
    "vulkan": [],
    "dx": ["-fvk-use-dx-layout"],
    "gl": ["-fvk-use-gl-layout"],
    "scalar": ["-fvk-use-scalar-layout"],
}
FOUR = ["-fvk-b-shift", "100", "0", "-fvk-t-shift", "200", "0", "-fvk-s-shift", "300", "0", "-fvk-u-shift", "400", "0"]
SHIFTS = {
    "space 0": FOUR,
    "all": ["-fvk-b-shift", "500", "all", "-fvk-t-shift", "600", "all", "-fvk-s-shift", "700", "all",
            "-fvk-u-shift", "800", "all"],
    "spaces": ["-fvk-b-shift", "10", "1", "-fvk-t-shift", "20", "2", "-fvk-u-shift", "30", "3",
               "-fvk-s-shift", "5", "1"],
    "auto shift": ["-fvk-auto-shift-bindings", *FOUR],
    "auto shift of two": ["-fvk-auto-shift-bindings", "-fvk-t-shift", "1000", "0", "-fvk-u-shift", "3", "0"],
    "space of the rest": ["-auto-binding-space", "5"],
    "space of the rest, auto shift": ["-auto-binding-space", "1", "-fvk-auto-shift-bindings", "-fvk-b-shift", "9", "1",
                                      "-fvk-u-shift", "70", "1"],
    "globals": ["-fvk-bind-globals", "77", "2"],
    "globals shifted": ["-fvk-bind-globals", "77", "0", "-fvk-auto-shift-bindings", *FOUR],
    "flat arrays": ["-fspv-flatten-resource-arrays"],
    "flat arrays, auto shift": ["-fspv-flatten-resource-arrays", "-fvk-auto-shift-bindings", *FOUR],
}  # fmt: skip


def flags_of(source: Source, more: list[str]) -> list[str]:
    sixteen = ["-enable-16bit-types"] if source.sixteen_bit else []
    return ["-spirv", "-fcgl", "-Vd", "-T", source.profile, "-E", "main", "-HV", "2021",
            "-fspv-target-env=vulkan1.2", *sixteen, *more]  # fmt: skip


def theirs(source: Source, flags: list[str], folder: pathlib.Path) -> dict[str, str]:
    path = folder / f"{source.name}.hlsl"
    path.write_text(source.text)
    command = [*DXC, *flags, str(path), "-Fo", str(folder / "dxc.spv")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if "error" in line)
    return Interface(decode((folder / "dxc.spv").read_bytes())).describe()


def ours(source: Source, flags: list[str]) -> dict[str, str]:
    options = parse([*flags, source.name]).options
    result = compile_shader(source.text, profile=source.profile, options=options, memory=MEMORY, name=source.name)
    assert result.ok, [each.message for each in result.diagnostics]
    return Interface(decode(result.spirv)).describe()


def compare(source: Source, more: list[str], folder: pathlib.Path) -> None:
    flags = flags_of(source, more)
    wanted, got = compared(theirs(source, flags, folder), ours(source, flags), counters_anywhere=False)
    assert got == wanted
    assert len(got) > source.count * 0.5  # a block and its members count once, pushed constants and $Globals as well


def rounds_struct_sizes(folder: pathlib.Path) -> bool:
    """Return whether this DXC rounds struct sizes up to their alignment under the scalar layout, as since 2023."""
    text = """struct A { double d; float f; }; struct B { A a; float g; };
    ConstantBuffer<B> probe; RWByteAddressBuffer o; [numthreads(1, 1, 1)] void main() { o.Store(0, probe.g); }"""
    source = Source("probe", text, "cs_6_2", False, 1)
    return "g offset=16" in theirs(source, flags_of(source, ["-fvk-use-scalar-layout"]), folder)["probe"]


@pytest.fixture
def their_rules(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Apply the layout rules of the installed DXC for the comparison.

    Under the scalar layout, an old DXC places the next member immediately after the last member of a struct. Under the
    DX layout, every DXC counts 16 bytes for all but the last row of a 64-bit matrix, although rows may be 32 bytes
    apart.
    """
    array: Callable[[Array, Rule, bool, bool], Extent] = rules._array
    numeric: Callable[[Vector | Matrix, Rule, bool], Extent] = rules._numeric

    def unrounded(t: Array, rule: Rule, row_major: bool, default: bool) -> Extent:
        made = array(t, rule, row_major, default)
        if rule is Rule.SCALAR and isinstance(t.element, (Struct, Array)):
            made.stride = rules.extent(t.element, rule, row_major, default).size
        return made

    def overlapping(t: Vector | Matrix, rule: Rule, row_major: bool) -> Extent:
        made = numeric(t, rule, row_major)
        if rule is Rule.FXC_CBUFFER and made.stride > 16:
            assert isinstance(t, Matrix)
            made.size -= (made.stride - 16) * ((t.rows if row_major else t.cols) - 1)
        return made

    monkeypatch.setattr(rules, "_numeric", overlapping)
    if not rounds_struct_sizes(tmp_path):
        monkeypatch.setattr(rules, "ROUNDED_STRUCTS", rules.ROUNDED_STRUCTS - {Rule.SCALAR})
        monkeypatch.setattr(rules, "_array", unrounded)
    yield


@pytest.mark.parametrize(("seed", "count"), [*((seed, EACH) for seed in range(SHADERS)), GOLDEN])
def test_layouts(seed: int, count: int, tmp_path: pathlib.Path, their_rules: None) -> None:
    source = make(seed, count)
    for layout in LAYOUTS.values():
        for majorness in ("-Zpc", "-Zpr"):
            compare(source, [majorness, *layout], tmp_path)


@pytest.mark.parametrize("seed", range(SHADERS))
@pytest.mark.parametrize("shift", SHIFTS)
def test_shifts(seed: int, shift: str, tmp_path: pathlib.Path) -> None:
    compare(make(seed, EACH, buffer_arrays="flat" not in shift), SHIFTS[shift], tmp_path)


@pytest.mark.parametrize("seed", range(BOUND_SHADERS))
def test_bound_registers(seed: int, tmp_path: pathlib.Path, their_rules: None) -> None:
    """``-fvk-bind-register`` binds every resource, in reverse order, over four sets."""
    source = make(seed, EACH, bound=True)
    rows: list[str] = []
    for number, (register, space) in enumerate(reversed(source.registers)):
        rows += ["-fvk-bind-register", register, str(space), str(number * 3), str(number % 4)]
    compare(source, rows, tmp_path)
    compare(source, [*rows, "-Zpr", "-fvk-use-dx-layout"], tmp_path)
