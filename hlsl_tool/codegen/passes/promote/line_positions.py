"""Preserve the source positions of instructions during promotion.

``OpLine`` applies to all instructions after it in its block. During promotion each instruction has its own position, so
that instructions can be removed and moved; afterwards ``OpLine`` is written where the position changes.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import MERGES
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module

_WITHOUT = (op.OpPhi, op.OpVariable)
"""Opcodes before which ``OpLine`` is not allowed: they must begin a block."""


def detach(module: Module) -> None:
    """Remove ``OpLine`` from all functions, and store its position in the instructions that it applies to."""
    for function in module.functions:
        lines = [inst for inst in function.prelude if inst.op == op.OpLine]
        function.definition.line = tuple(lines[-1].ints()) if lines else None
        function.prelude, function.header, function.epilogue = [], [], []
        for block in function.blocks:
            block.prelude = []
            block.instructions = _positioned(block.instructions)
    module.trailing = []


def _positioned(instructions: list[Instruction]) -> list[Instruction]:
    out: list[Instruction] = []
    line: tuple[int, ...] | None = None
    for inst in instructions:
        if inst.op == op.OpLine:
            line = tuple(inst.ints())
        elif inst.op == op.OpNoLine:
            line = None
        else:
            inst.line = line
            out.append(inst)
    return out


def attach(functions: list[Function]) -> None:
    """Write ``OpLine`` before each instruction whose position differs from its predecessor's."""
    for function in functions:
        line, function.definition.line = function.definition.line, None
        if line is not None:
            function.prelude = [Instruction(op.OpLine, 0, 0, [*line])]
        for block in function.blocks:
            block.instructions = _lined(block)


def _lined(block: Block) -> list[Instruction]:
    out: list[Instruction] = []
    last: tuple[int, ...] | None = None
    for inst in block.instructions:
        is_merged = bool(out) and out[-1].op in MERGES  # no instruction is allowed between a merge and its branch
        if inst.line is not None and inst.line != last and inst.op not in _WITHOUT and not is_merged:
            last = inst.line
            out.append(Instruction(op.OpLine, 0, 0, list(last)))
        inst.line = None
        out.append(inst)
    return out
