"""The generated tables are up to date, complete and fast to import."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.grammar import core, generate, tables

JSON = os.environ.get("HLSL_TOOL_SPIRV_GRAMMAR", "")
ROOT = Path(generate.__file__).parent.parent


@pytest.mark.skipif(not JSON, reason="HLSL_TOOL_SPIRV_GRAMMAR does not name a folder with the registry's JSON files")
def test_generated_files_are_current() -> None:
    for name, text in generate.modules(Path(JSON)).items():
        assert (ROOT / name).read_text("utf-8") == text, f"{name} is stale: run generate.py"


def test_constants_for_people() -> None:
    assert (op.OpLoad, op.OpStore, op.OpExtInst) == (61, 62, 12)
    assert e.StorageClass.Function == 7
    assert e.Dim.Dim2D == 1
    assert e.FunctionControl.None_ == 0
    assert glsl.FMix == 46
    assert op.OpDecorateStringGOOGLE == op.OpDecorateString
    assert e.BuiltIn.LaunchIdNV == e.BuiltIn.LaunchIdKHR


def test_every_opcode_has_a_shape() -> None:
    for number in core.INSTRUCTIONS:
        flags, tail = tables.shape(number)
        assert all(isinstance(flag, bool) for flag in flags)
        assert tail in (True, False, None)


def test_every_capability_name_is_known() -> None:
    names = {row[0] for row in core.ENUMERANTS["Capability"].values()} | set(core.ENUMERANT_ALIASES["Capability"])
    for row in core.INSTRUCTIONS.values():
        assert set(row[2]) <= names


@pytest.mark.parametrize(
    ("opcode", "operands", "kinds"),
    [
        (op.OpLoad, [1, e.MemoryAccess.Aligned, 16], ["IdRef", "MemoryAccess", "LiteralInteger"]),
        (op.OpStore, [1, 2], ["IdRef", "IdRef"]),
        (op.OpDecorate, [1, e.Decoration.Binding, 3], ["IdRef", "Decoration", "LiteralInteger"]),
        (op.OpPhi, [1, 2, 3, 4], ["IdRef"] * 4),
        (
            op.OpImageSampleExplicitLod,
            [1, 2, e.ImageOperands.Grad | e.ImageOperands.ConstOffset, 3, 4, 5],
            ["IdRef", "IdRef", "ImageOperands", "IdRef", "IdRef", "IdRef"],
        ),
        (op.OpSpecConstantOp, [op.OpIAdd, 1, 2], ["LiteralSpecConstantOpInteger", "IdRef", "IdRef"]),
    ],
)
def test_operand_kinds(opcode: int, operands: list[int | str], kinds: list[str]) -> None:
    assert tables.parse_kinds(opcode, operands) == kinds


@pytest.mark.parametrize(
    ("opcode", "operands"),
    [(op.OpLoad, []), (op.OpLoad, [1, 0x80000000]), (op.OpStore, [1, 2, 0, 9]), (op.OpDecorate, [1, 99999])],
)
def test_operands_against_the_grammar(opcode: int, operands: list[int | str]) -> None:
    with pytest.raises(tables.OperandError):
        tables.parse_kinds(opcode, operands)


def test_wide_switch_literals() -> None:
    kinds = tables.parse_kinds(op.OpSwitch, [1, 2, 7, 0, 3], 2)
    assert kinds == ["IdRef", "IdRef", "LiteralContextDependentNumber", "", "IdRef"]
