"""Interpret the assembly of a `random_flow` module, to compute the values that it stores.

Drivers differ in the results of complex control flow, and some are wrong, so no driver is used here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

WORD = 0xFFFFFFFF
STEPS = 100_000
"""More than any of the modules takes: all loops use up fuel."""

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "OpIAdd": lambda a, b: a + b & WORD,
    "OpISub": lambda a, b: a - b & WORD,
    "OpIMul": lambda a, b: a * b & WORD,
    "OpBitwiseXor": lambda a, b: a ^ b,
    "OpBitwiseAnd": lambda a, b: a & b,
    "OpShiftRightLogical": lambda a, b: a >> b,
    "OpIEqual": lambda a, b: int(a == b),
    "OpUGreaterThan": lambda a, b: int(a > b),
    "OpLogicalAnd": lambda a, b: a & b,
}
SILENT = {"OpFunction", "OpVariable", "OpAccessChain", "OpSelectionMerge", "OpLoopMerge"}


def results(assembly: str, source: Sequence[int], invocations: int) -> list[int]:
    """Return the words that the invocations store to the output, one each."""
    lines = [line.split() for line in assembly.splitlines() if line.strip()]
    start = next(place for place, line in enumerate(lines) if "OpFunction" in line)
    constants = {line[0]: int(line[4]) for line in lines[:start] if line[2:3] == ["OpConstant"]}
    body = [_split(line) for line in lines[start:]]
    labels = {name: place for place, (name, operation, _) in enumerate(body) if operation == "OpLabel"}
    return [_walk(body, labels, constants, source[number], number) for number in range(invocations)]


def _split(line: list[str]) -> tuple[str, str, list[str]]:
    """Return (result, instruction, operands) of a line."""
    return (line[0], line[2], line[3:]) if line[1:2] == ["="] else ("", line[0], line[1:])


def _walk(
    body: list[tuple[str, str, list[str]]], labels: dict[str, int], constants: dict[str, int], word: int, number: int
) -> int:
    values = dict(constants)
    memory = {"%source": word, "%gid": number}  # of the vector only the first component is ever read
    at, block, before = 0, "", ""
    phis: dict[str, int] = {}
    for _ in range(STEPS):
        result, name, operands = body[at]
        at += 1
        if name == "OpPhi":  # all of a block read what was there before any of them
            pairs = dict(zip(operands[2::2], operands[1::2], strict=True))
            phis[result] = values[pairs[before]]
            continue
        values.update(phis)
        phis.clear()
        target = ""
        if name in OPERATIONS:
            values[result] = OPERATIONS[name](values[operands[1]], values[operands[2]])
        elif name == "OpLogicalNot":
            values[result] = 1 - values[operands[1]]
        elif name == "OpLoad":
            values[result] = memory[operands[1]]
        elif name == "OpCompositeExtract":
            values[result] = values[operands[1]]
        elif name == "OpStore":
            memory[operands[0]] = values[operands[1]]
        elif name == "OpBranch":
            target = operands[0]
        elif name == "OpBranchConditional":
            target = operands[1 if values[operands[0]] else 2]
        elif name == "OpSwitch":
            target = dict(zip(operands[2::2], operands[3::2], strict=True)).get(str(values[operands[0]]), operands[1])
        elif name == "OpReturn":
            return memory["%result"]
        elif name == "OpLabel":
            before, block = block, result
        else:
            assert name in SILENT, name
        if target:
            at = labels[target]
    raise AssertionError("it does not end")
