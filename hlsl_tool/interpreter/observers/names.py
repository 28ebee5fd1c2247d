"""Names of variables and parts of them, for messages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Function, Instruction

from ..instructions.memory import CHAINS, split
from ..model.types import Type
from ..program.program import Program

_BYTES = ("type.ByteAddressBuffer", "type.RWByteAddressBuffer")


class Names:
    """The names of the variables of a program, and of the parts to which access chains lead."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @cached_property
    def functions(self) -> list[Function]:
        """The functions that the entry point reaches."""
        reached = self.program.context.functions
        return [function for function in self.program.module.functions if function.id in reached]

    @cached_property
    def _chains(self) -> dict[int, Instruction]:
        return {inst.result_id: inst for f in self.functions for inst in f.instructions() if inst.op in CHAINS}

    @cached_property
    def partial_writes(self) -> set[int]:
        """The identities of the loads and stores that write some components of a vector, as ``v.xy = …`` does."""
        found = set()
        for function in self.functions:
            loads: dict[int, Instruction] = {}
            changed: dict[int, Instruction] = {}
            for inst in function.instructions():
                if inst.op == op.OpLoad:
                    loads[inst.result_id] = inst
                elif inst.op == op.OpVectorShuffle and inst.id(0) in loads:
                    changed[inst.result_id] = loads[inst.id(0)]
                elif inst.op == op.OpStore and inst.id(1) in changed and changed[inst.id(1)].id(0) == inst.id(0):
                    found |= {id(inst), id(changed[inst.id(1)])}
        return found

    @cached_property
    def byte_addresses(self) -> dict[int, int]:
        """The ids of shifts that make indices from addresses in a ``ByteAddressBuffer`` → the bytes of an element."""
        found: dict[int, int] = {}
        for function in self.functions:
            shifts: dict[int, tuple[int, int]] = {}  # result → (address, the bytes of what it counts then)
            indices: dict[int, int] = {}
            parts: set[int] = set()
            for inst in function.instructions():
                if inst.op == op.OpShiftRightLogical:
                    shifts[inst.result_id] = inst.id(0), 1 << (self.program.context.constant(inst.id(1)) or 0)
                elif inst.op in (op.OpUMod, op.OpBitwiseAnd):  # of an address of a part of a word
                    parts.add(inst.id(0))
                elif inst.op in CHAINS and (size := self._element_size(inst)):
                    indices |= {i: size for i in split(inst)[2] if i in shifts and shifts[i][1] == size}
            found |= {i: size for i, size in indices.items() if shifts[i][0] not in parts}
        return found

    def _element_size(self, inst: Instruction) -> int:
        """Return the size in bytes of what the indices of an access chain count, 0 if it is not a byte-address buffer.

        A byte-address buffer is an array of words, or of other scalars where it is accessed as such.
        """
        base, of, _ = split(inst)
        whole: Type | None = self.program.context.type_of(base).element
        if whole is None or self.program.index.names.get(whole.id, "") not in _BYTES:
            return 0
        dtype = (self.program.context.types[of] if of else whole.members[0]).scalar.dtype
        return dtype.itemsize if dtype is not None else 0

    def root(self, pointer: int) -> int:
        """Return the variable or parameter to which a pointer leads."""
        while pointer in self._chains:
            pointer = split(self._chains[pointer])[0]
        return pointer

    def of(self, pointer: int) -> str:
        """Return the text for what is at a pointer, such as ``light.position.x``; empty for one without name."""
        parts: list[str] = []
        while pointer in self._chains:
            inst = self._chains[pointer]
            pointer = split(inst)[0]
            parts = [*(text for _, _, text in self.steps(inst)), *parts]
        name = self.program.index.names.get(pointer, "").removeprefix("param.var.").removeprefix("out.var.")
        return f"{name}{''.join(parts)}".removeprefix("$Globals.") if name else ""

    def quoted(self, pointer: int, otherwise: str = "a variable") -> str:
        """Return the text in quotes, or another one for a pointer to something without a name."""
        text = self.of(pointer)
        return f"`{text}`" if text else otherwise

    def steps(self, inst: Instruction) -> Iterator[tuple[int, Type, str]]:
        """Yield the ids of the indices of an access chain, the types that they index, and their texts."""
        base, of, indices = split(inst)
        context = self.program.context
        whole = context.types[of] if of else context.type_of(base).element
        for number in indices:
            if whole is None:
                return
            constant = context.constant(number)
            yield number, whole, self._text(whole, constant)
            whole = whole.part(constant or 0) if whole.kind in ("struct", "array", "matrix", "vector") else None

    def _text(self, whole: Type, constant: int | None) -> str:
        if whole.kind == "struct":
            if self.program.index.names.get(whole.id, "").startswith("type.") and len(whole.members) == 1:
                name = self.program.index.member_names.get((whole.id, constant or 0), "")
                return f".{name}" if name else ""
            return f".{self.program.index.member_names.get((whole.id, constant or 0), constant)}"
        if whole.kind == "vector" and constant is not None and constant < 4:
            return f".{'xyzw'[constant]}"
        return "[…]" if constant is None else f"[{constant}]"
