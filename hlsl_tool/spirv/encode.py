"""Encode modules as words."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache

from . import op
from .grammar.tables import HAS_STRING, INSTRUCTIONS
from .ir import MAGIC, Function, Instruction, Module, Operand

MAX_WORDS = 0xFFFF
"""The word count of an instruction is a 16-bit field."""


class EncodeError(ValueError):
    """Raised for an instruction that cannot be encoded, such as one with more than 65535 words."""


def string_words(text: str) -> list[int]:
    """Return the words of a literal string: UTF-8, NUL-terminated, padded with NULs, little-endian."""
    raw = text.encode("utf-8", "surrogateescape")
    raw += b"\0" * (4 - len(raw) % 4)
    words = array("I", raw)
    if sys.byteorder == "big":
        words.byteswap()
    return list(words)


_name_words = lru_cache(maxsize=1 << 13)(string_words)  # modules share many names
_LONG = 100
"""Strings with more characters are texts rather than names."""


_WITHOUT_STRINGS = frozenset(INSTRUCTIONS) - HAS_STRING


def _encode_all(instructions: Iterable[Instruction], words: list[int], without_strings: frozenset[int]) -> None:
    append, extend = words.append, words.extend
    for inst in instructions:
        opcode, type_id, result_id, operands = inst.op, inst.type_id, inst.result_id, inst.operands
        if opcode not in without_strings:
            operands = _words_of(operands)
        count = len(operands) + (3 if type_id and result_id else 2 if type_id or result_id else 1)
        if count > MAX_WORDS:
            name = INSTRUCTIONS[opcode][0] if opcode in INSTRUCTIONS else f"opcode {opcode}"
            raise EncodeError(f"{name} has {count} words, and an instruction at most {MAX_WORDS}")
        append(count << 16 | opcode)
        if type_id:
            append(type_id)
        if result_id:
            append(result_id)
        extend(operands)  # type: ignore[arg-type]  # there are no strings


def _words_of(operands: list[Operand]) -> list[Operand]:
    """Return the operands with each string replaced by its words."""
    words: list[Operand] = []
    for operand in operands:
        if isinstance(operand, str):
            words += _name_words(operand) if len(operand) <= _LONG else string_words(operand)
        else:
            words.append(operand)
    return words


def _encode_function(function: Function, words: list[int], without_strings: frozenset[int]) -> None:
    if function.header:
        _encode_all(function_instructions(function), words, without_strings)
        return
    _encode_all((*function.prelude, function.definition, *function.parameters), words, without_strings)
    for block in function.blocks:
        _encode_all(block.prelude, words, without_strings)
        words += (2 << 16 | op.OpLabel, block.label)
        _encode_all(block.instructions, words, without_strings)
    _encode_all(function.epilogue, words, without_strings)
    words.append(1 << 16 | op.OpFunctionEnd)


def function_instructions(function: Function) -> Iterator[Instruction]:
    """Yield the instructions of a function in binary order, including OpLabel and OpFunctionEnd."""
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


def _encode_module(module: Module, without_strings: frozenset[int]) -> array[int]:
    words = [MAGIC, module.version, module.generator, module.bound, module.schema]
    _encode_all(module.preamble(), words, without_strings)
    for function in module.functions:
        _encode_function(function, words, without_strings)
    _encode_all(module.trailing, words, without_strings)
    return array("I", words)


def encode_words(module: Module) -> array[int]:
    """Return the module as 32-bit words.  Raises ``EncodeError``."""
    try:
        try:
            return _encode_module(module, _WITHOUT_STRINGS)
        except TypeError:  # inline SPIR-V may have strings where the grammar has none
            return _encode_module(module, frozenset())
    except (OverflowError, TypeError) as error:
        raise EncodeError("an operand is no 32-bit word") from error


def encode(module: Module) -> bytes:
    """Return the module as the bytes of a ``.spv`` file, little-endian.  Raises ``EncodeError``."""
    words = encode_words(module)
    if sys.byteorder == "big":
        words.byteswap()
    return words.tobytes()
