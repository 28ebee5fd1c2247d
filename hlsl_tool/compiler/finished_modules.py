"""Cache finished modules: many permutations of a shader are lowered to the same module.

The steps after lowering depend on the module, its `Requirements`, the options and SPIRV-Tools.  If these are equal, the
module is legalised, optimised and validated only once.  Only modules without diagnostics are stored.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable

from hlsl_tool.base.options.compile_options import PREPROCESSING, CompileOptions, changed
from hlsl_tool.base.system.hashing import blake2b
from hlsl_tool.compiler.pipeline.facts import Requirements
from hlsl_tool.compiler.validation import tool_path
from hlsl_tool.spirv.ir import Instruction, Module, Operand
from hlsl_tool.spirv.tools.locate import VARIABLES, find_tool

LIMIT = 64 << 20
"""Bytes of cached modules above which the cache is cleared."""

Key = tuple[object, ...]


class FinishedModules:
    """The words of finished modules by `key_of` the lowered modules, and the keys of those that are valid."""

    def __init__(self) -> None:
        self._modules: dict[Key, bytes] = {}
        self._valid: set[Key] = set()
        self._size = 0

    def get(self, key: Key) -> bytes | None:
        """Return the words of a finished module; ``None`` if it is not cached."""
        return self._modules.get(key)

    def put(self, key: Key, spirv: bytes) -> None:
        """Store the words of a finished module."""
        if self._size > LIMIT:
            self._modules.clear()
            self._valid.clear()
            self._size = 0
        self._modules[key] = spirv
        self._size += len(spirv)

    def is_valid(self, key: Key) -> bool:
        """Return whether the words with a key (`key_of_words`) have been found valid, without a diagnostic."""
        return key in self._valid

    def add_valid(self, key: Key) -> None:
        """Record that the words with a key are valid."""
        self._valid.add(key)


def key_of(module: Module, requirements: Requirements, options: CompileOptions) -> Key | None:
    """Return all that decides the finished module and its diagnostics; ``None`` if it cannot or need not be cached."""
    if options.codegen_only or options.print_all or options.print_steps:  # nothing is left to do, or steps are printed
        return None
    try:
        data = _serialised(module)
    except ValueError:  # an operand that is neither an integer nor a string
        return None
    return _digest(data), requirements, *_context(options)


def key_of_words(data: bytes, options: CompileOptions) -> Key:
    """Return all that decides whether a module is valid, and the diagnostics about it."""
    return _digest(data), *_context(options)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=32).digest()


def _context(options: CompileOptions) -> Key:
    """Return the options that do not act on tokens only, and SPIRV-Tools."""
    acting = tuple((name, value) for name, value in changed(options) if name not in PREPROCESSING)
    return acting, *(find_tool(name, tool_path(options, name)) for name in VARIABLES)


def _serialised(module: Module) -> bytes:
    """Return the contents of a module as bytes, in less than half the time that encoding takes."""
    header = (module.version, module.generator, module.bound, module.schema)
    functions = [
        (
            _rows((*function.prelude, function.definition, *function.parameters, *function.epilogue)),
            [(place, *_rows((inst,))) for place, inst in function.header],
            [(block.label, _rows(block.prelude), _rows(block.instructions)) for block in function.blocks],
        )
        for function in module.functions
    ]
    content = (header, _rows(module.preamble()), functions, _rows(module.trailing))
    return marshal.dumps(content, 2)  # later versions of the format mark objects with several references


def _rows(instructions: Iterable[Instruction]) -> list[tuple[int, int, int, list[Operand]]]:
    return [(inst.op, inst.type_id, inst.result_id, inst.operands) for inst in instructions]
