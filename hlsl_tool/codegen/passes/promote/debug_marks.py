"""Record the values of declared variables during promotion, as markers in the function.

A marker is an instruction of a pseudo opcode (``promoted_body.MARKERS``), which ``scopes`` writes as DebugValue or
DebugDeclare.
"""

from __future__ import annotations

from collections.abc import Container

from hlsl_tool.codegen.passes.promote.promoted_body import VALUE, Instructions, LazyComposite, Path
from hlsl_tool.codegen.passes.promote.ssa_values import Node
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

Line = tuple[int, ...]


class Marks:
    """The declared variables of one function, and the markers that are filled in when it is finished."""

    def __init__(self) -> None:
        self.declared: dict[int, Line] = {}
        """Promoted variable or parameter → the line of its declaration."""
        self.stores: list[tuple[Instructions, Line, object]] = []
        """(placeholder, line of the marker, value) for each store."""
        self.entries: list[tuple[Instructions, int, Line]] = []
        """(placeholder, parameter, line of its declaration)."""

    def store(self, where: Instructions, root: int, path: Path, line: Line | None, value: object) -> None:
        """Record that a value is stored to a variable, or to its element at a path."""
        declaration = self.declared.get(root)
        if declaration is not None:
            placeholder: Instructions = []
            where.append(placeholder)
            position = declaration[1] if line is None else line[1]
            self.stores.append((placeholder, (0, position, declaration[2], *path), value))

    def fill(self, inputs: dict[tuple[int, Path], int], nodes: dict[int, Node], trivial: Container[int]) -> None:
        """Fill the placeholders, and add markers for phis except for those that are ``trivial``.

        ``inputs`` maps parameters and paths to the ids of their values on entry. All values that are needed are there,
        so that no marker emits instructions.
        """
        for placeholder, line, value in self.stores:
            _append(placeholder, value, line)
        for placeholder, root, line in self.entries:
            for (parameter, path), number in inputs.items():
                if parameter == root:
                    placeholder.append(Instruction(VALUE, 0, 0, [number], (*line[:3], *path)))
        for node in nodes.values():
            numbers = {phi.number for phi in node.phis if phi.number not in trivial}
            merged: Instructions = []
            if numbers:
                for (root, path), value in node.start.items():
                    if root in self.declared and isinstance(value, int) and value in numbers:
                        merged.append(Instruction(VALUE, 0, 0, [value], (*self.declared[root][:3], *path)))
            node.emitted[0].instructions[:0] = merged


def _append(out: Instructions, value: object, line: Line) -> None:
    """Append markers for the parts of a value that have been computed."""
    if isinstance(value, int):
        out.append(Instruction(VALUE, 0, 0, [value], line))
    elif isinstance(value, tuple):
        for index, element in enumerate(value):
            _append(out, element, (*line, index))
    elif isinstance(value, LazyComposite):
        computed = value.computed()
        whole = computed.get(-1)
        if whole is not None:
            _append(out, whole, line)
            return
        for index, element in computed.items():
            _append(out, element, (*line, index))


def remains(inst: Instruction, used: set[int], definitions: dict[int, Instruction]) -> bool:
    """Return whether the value or variable of a marker is used by something else, or is a constant."""
    number = inst.id(0)
    if number in used:
        return True
    definition = definitions.get(number)
    return inst.op == VALUE and definition is not None and definition.op != op.OpUndef
