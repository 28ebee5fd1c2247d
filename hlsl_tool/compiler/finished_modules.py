"""Cache finished modules: many permutations of a shader are lowered to the same module.

The steps after lowering depend on the module, its `Requirements`, the options and SPIRV-Tools.  If these are equal, the
module is legalised, optimised and validated only once.  Only modules without diagnostics are stored.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable

from hlsl_tool.base.options.compile_options import PREPROCESSING, CompileOptions, changed
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.base.system.hashing import blake2b
from hlsl_tool.compiler.pipeline.facts import Requirements
from hlsl_tool.compiler.validation import tool_path
from hlsl_tool.spirv.ir import Instruction, Module, Operand
from hlsl_tool.spirv.tools.locate import VARIABLES, find_tool

LIMIT = 64 << 20
"""Bytes of cached modules above which the cache is cleared."""

Key = tuple[object, ...]


class FinishedModules:
    """The words of finished modules by the keys of the lowered ones, and the keys of words that are valid."""

    def __init__(self) -> None:
        self.modules: dict[Key, bytes] = {}
        self.valid: set[Key] = set()
        self.size = 0
        """Bytes of the modules."""

    def put(self, key: Key, spirv: bytes) -> None:
        """Store the words of a finished module."""
        if self.size > LIMIT:
            self.modules.clear()
            self.valid.clear()
            self.size = 0
        self.modules[key] = spirv
        self.size += len(spirv)


class Slot:
    """The place of a compilation's module in the cache; without a cache or a key nothing is found or stored."""

    def __init__(self, cache: FinishedModules | None, key: Key | None) -> None:
        self.cache = cache if key is not None else None
        self.key = key or ()

    def get(self) -> bytes | None:
        """Return the words of the finished module; ``None`` if they are not cached."""
        return self.cache.modules.get(self.key) if self.cache is not None else None

    def is_valid(self, spirv: bytes) -> bool:
        """Return whether words are known to be valid under the options of this compilation."""
        return self.cache is not None and self._key_of_words(spirv) in self.cache.valid

    def put(self, spirv: bytes) -> None:
        """Store the words of the finished module, which are valid."""
        if self.cache is not None:
            self.cache.put(self.key, spirv)
            self.cache.valid.add(self._key_of_words(spirv))

    def _key_of_words(self, spirv: bytes) -> Key:
        return _digest(spirv), *self.key[1:]


def key_of(module: Module, requirements: Requirements, options: CompileOptions) -> Key | None:
    """Return all that decides the finished module and its diagnostics; ``None`` if it cannot or need not be cached."""
    if options.codegen_only or options.print_all or options.print_steps:  # nothing is left to do, or steps are printed
        return None
    try:
        data = _serialised(module)
    except ValueError:  # an operand that is neither an integer nor a string
        return None
    without_places = replace(requirements, float_comparisons=())  # the module has the comparisons themselves
    acting = tuple((name, value) for name, value in changed(options) if name not in PREPROCESSING)
    tools = tuple(find_tool(name, tool_path(options, name)) for name in VARIABLES)
    return _digest(data), without_places, acting, tools


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=32).digest()


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
