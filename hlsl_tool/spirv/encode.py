"""Encode modules as words."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator

from . import op
from .grammar.tables import INSTRUCTIONS
from .ir import MAGIC, Function, Instruction, Module

MAX_WORDS = 0xFFFF
"""The word count of an instruction is a 16-bit field."""


class EncodeError(ValueError):
    """An instruction that no SPIR-V module can hold, such as one with more than 65535 words."""


def string_words(text: str) -> list[int]:
    """Return the words of a literal string: UTF-8, NUL-terminated, padded with NULs, little-endian."""
    raw = text.encode("utf-8", "surrogateescape")
    raw += b"\0" * (4 - len(raw) % 4)
    words = array("I", raw)
    if sys.byteorder == "big":
        words.byteswap()
    return list(words)


def _encode_all(instructions: Iterable[Instruction], words: list[int]) -> None:
    append, extend = words.append, words.extend
    for inst in instructions:
        start = len(words)
        append(0)
        if inst.type_id:
            append(inst.type_id)
        if inst.result_id:
            append(inst.result_id)
        for operand in inst.operands:
            if operand.__class__ is int:
                append(operand)
            else:
                assert isinstance(operand, str)
                extend(string_words(operand))
        count = len(words) - start
        if count > MAX_WORDS:
            name = INSTRUCTIONS[inst.op][0] if inst.op in INSTRUCTIONS else f"opcode {inst.op}"
            raise EncodeError(f"{name} has {count} words, and an instruction at most {MAX_WORDS}")
        words[start] = count << 16 | inst.op


def function_instructions(function: Function) -> Iterator[Instruction]:
    """Yield every instruction of a function in the order of the words, with OpLabel and OpFunctionEnd."""
    yield from function.prelude
    yield function.definition
    header = function.header
    place = 0
    for index, param in enumerate(function.parameters):
        while place < len(header) and header[place][0] <= index:
            yield header[place][1]
            place += 1
        yield param
    for _, inst in header[place:]:
        yield inst
    for block in function.blocks:
        yield from block.prelude
        yield Instruction(op.OpLabel, 0, block.label, [])
        yield from block.instructions
    yield from function.epilogue
    yield Instruction(op.OpFunctionEnd, 0, 0, [])


def encode_words(module: Module) -> array[int]:
    """Return the module as 32-bit words.  Raises ``EncodeError``."""
    words = [MAGIC, module.version, module.generator, module.bound, module.schema]
    _encode_all(module.preamble(), words)
    for function in module.functions:
        _encode_all(function_instructions(function), words)
    _encode_all(module.trailing, words)
    try:
        return array("I", words)
    except (OverflowError, TypeError) as error:
        raise EncodeError("an operand is no 32-bit word") from error


def encode(module: Module) -> bytes:
    """Return the module as the bytes of a ``.spv`` file, little-endian.  Raises ``EncodeError``."""
    words = encode_words(module)
    if sys.byteorder == "big":
        words.byteswap()
    return words.tobytes()
