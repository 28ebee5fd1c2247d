"""The debug instructions outside of functions as a graph, and their order in the module.

An instruction comes after those that it refers to. In OpenCL.DebugInfo.100 a composite type and its members refer to
each other, and the composite comes first, as the specification requires. In NonSemantic.Shader.DebugInfo.100 there are
no forward references: members come first and do not name their parent, and classes do not list their methods.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.lower.debug_info.ref import Ref
from hlsl_tool.frontend.sema.model.hir import CBuffer
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.ir import Instruction, Operand


@dataclass(slots=True, frozen=True)
class TypeOf:
    """A placeholder for the debug type of a variable, resolved last because a class lists all its functions."""

    id: int
    declared: Type | CBuffer | None


@dataclass(slots=True, frozen=True)
class FunctionTypeOf:
    """A placeholder for the debug type of a function, resolved last."""

    result: TypeOf
    params: tuple[TypeOf, ...]


@dataclass(slots=True, eq=False)
class Node:
    """A debug instruction; its operands are nodes, strings (written as OpString), literal numbers and ids (``Ref``)."""

    number: int
    operands: list[Node | str | int]
    id: int
    needs: list[Node] = field(default_factory=list)
    """Instructions that must be written before this one, in the order in which DXC visits them."""
    sizes: frozenset[int] = frozenset()
    """Indices of operands that are constants in both instruction sets: sizes and offsets in bits."""
    rest_number: int = 0
    rest: list[list[Node | str | int]] = field(default_factory=list)
    """Operands of instructions ``rest_number`` that follow immediately: continuations of a source text."""
    type_of: TypeOf | FunctionTypeOf | None = None
    """The type, which becomes operand 1 and the first of ``needs``."""


class Graph:
    """All debug instructions of one module outside of functions."""

    def __init__(self, builder: ModuleBuilder, *, is_vulkan: bool) -> None:
        self.b = builder
        self.is_vulkan = is_vulkan
        self.set_name = shader_debug.SET if is_vulkan else opencl_debug.SET
        self.set = builder.new_id()
        self.nodes: list[Node] = []
        """The instructions in the order of creation; types are at the end."""

    def node(
        self,
        number: int,
        *operands: Node | str | int,
        needs: list[Node] | None = None,
        sizes: frozenset[int] = frozenset(),
    ) -> Node:
        """Create and return an instruction of the debug set, with opcode ``number`` and a new id; do not add it.

        ``needs`` are the instructions to write before it, by default its operands. ``sizes`` are the indices of
        operands that are ids of constants in both instruction sets, not literals.
        """
        own = [o for o in operands if isinstance(o, Node)] if needs is None else needs
        return Node(number, list(operands), self.b.new_id(), own, sizes)

    def add(
        self,
        number: int,
        *operands: Node | str | int,
        needs: list[Node] | None = None,
        sizes: frozenset[int] = frozenset(),
    ) -> Node:
        """Create an instruction as `node` does, add it to the graph, and return it."""
        node = self.node(number, *operands, needs=needs, sizes=sizes)
        self.nodes.append(node)
        return node

    def sorted(self) -> list[Node]:
        """Return the instructions in post-order, operands first.

        The traversal starts with the last instruction that no other refers to.
        """
        referred = {id(n) for node in self.nodes for n in node.needs}
        stack = [node for node in self.nodes if id(node) not in referred]
        order: list[Node] = []
        visited: set[int] = set()
        done: set[int] = set()
        for start in [*reversed(stack), *self.nodes]:
            path = [start] if id(start) not in visited else []
            while path:
                node = path[-1]
                visited.add(id(node))
                following = next((n for n in node.needs if id(n) not in visited), None)
                if following is not None:
                    path.append(following)
                    continue
                path.pop()
                if id(node) not in done:
                    done.add(id(node))
                    order.append(node)
        return order

    def write(self) -> None:
        """Write all instructions to the builder, in the order that `sorted` returns."""
        void = self.b.void_type()
        self.b.ext_sets[self.set_name] = self.set  # behind the sets that the code imports, as in DXC
        for node in self.sorted():
            operands: list[Operand] = [self.set, node.number]
            operands += [self._operand(o, at in node.sizes) for at, o in enumerate(node.operands)]
            self.b.debug_globals.append(Instruction(op.OpExtInst, void, node.id, operands))
            for rest in node.rest:
                words: list[Operand] = [self.set, node.rest_number, *(self._operand(o, False) for o in rest)]
                self.b.debug_globals.append(Instruction(op.OpExtInst, void, self.b.new_id(), words))

    def _operand(self, o: Node | str | int, is_size: bool) -> int:
        if isinstance(o, Node):
            return o.id
        if isinstance(o, str):
            return self.b.string(o)
        if isinstance(o, Ref):
            return int(o)
        return self.b.lazy_uint(o) if is_size or self.is_vulkan else o
