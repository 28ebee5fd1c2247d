"""Values of variables, block by block: Braun et al., "Simple and Efficient Construction of SSA Form" (2013).

A composite is a tuple of the values of its elements. ``None`` in a tuple is an unset element: the block has not stored
to it, so its value is that at the start of the block. Other values are ids, or a ``LazyComposite``: a composite whose
elements are loaded or copied when they are used.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from typing import cast

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.passes.promote.promoted_body import (
    Composite,
    EmittedBlock,
    Instructions,
    LazyComposite,
    Path,
    PromotedTypes,
    Unsuited,
    Value,
    scalar,
)
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction


@dataclass(slots=True)
class Phi:
    """A phi instruction whose operands may not be known yet."""

    number: int
    type_id: int
    args: list[tuple[Node, int]] = field(default_factory=list)


@dataclass(slots=True)
class Node:
    """A block of the input function with the blocks emitted for it: several, if calls in it were inlined."""

    label: int
    source: list[Instruction]
    preds: list[Node] = field(default_factory=list)
    is_done: bool = False
    is_sealed: bool = True
    """Whether all predecessors are done."""
    is_header: bool = False
    """Whether it is the header of a loop."""
    defs: dict[int, object] = field(default_factory=dict)
    """Variable → the value that the block has stored so far; unset elements are None."""
    phis: list[Phi] = field(default_factory=list)
    pending: list[tuple[int, Path, Phi]] = field(default_factory=list)
    """(variable, path, phi) whose operands are determined when the node is sealed."""
    emitted: list[EmittedBlock] = field(default_factory=list)
    start: dict[tuple[int, Path], Value] = field(default_factory=dict)
    """Cache: (variable, path) → its value at the start."""
    extracts: dict[tuple[int, Path], int] = field(default_factory=dict)
    """(composite, path) → the id of its extraction in this block."""
    index: int = 0
    """The position in the order in which nodes are promoted."""
    dominator: Node | None = None
    depth: int = 0
    """The depth in the dominator tree."""
    jump: Node | None = None
    """A dominator further up, so that each dominator is reached in a logarithmic number of steps."""

    @property
    def end(self) -> Instructions:
        """The list of instructions of the last emitted block."""
        return self.emitted[-1].instructions

    def release(self) -> None:
        """Drop the references to other blocks and to values, which refer back to the promoter."""
        self.preds.clear()
        self.dominator = self.jump = None
        self.defs.clear()
        self.start.clear()
        self.phis.clear()


def _common_dominator(a: Node, b: Node) -> Node:
    """Return the nearest common dominator of two blocks."""
    while a is not b:
        if a.depth < b.depth:
            a, b = b, a
        if a.depth > b.depth:
            assert a.jump is not None and a.dominator is not None
            a = a.jump if a.jump.depth >= b.depth else a.dominator
        else:
            assert a.jump is not None and b.jump is not None and a.dominator is not None and b.dominator is not None
            a, b = (a.dominator, b.dominator) if a.jump is b.jump else (a.jump, b.jump)
    return a


class Values:
    """Reads and writes of variables, independent of the instructions that perform them."""

    def __init__(self, types: PromotedTypes, initial: Callable[[int, Path, bool], Value]) -> None:
        self.types = types
        self.initial = initial
        """Returns the value of a root at a path at the start of a node without predecessors; true for the entry."""
        self.entry: Node
        """The first node, set before anything is read."""
        self.roots: dict[int, int] = {}
        """Variable or parameter that is replaced → its type."""
        self.phis: list[Phi] = []
        self.stored: set[int] = set()
        self.stores: dict[int, list[int]] = {}
        """Root → the indices of the nodes that store to it, ascending."""
        self.headers: list[int] = []
        """The indices of the loop headers so far, ascending."""
        self.count = 0

    def enter(self, node: Node) -> None:
        """Assign the next index to the block that is promoted now, and set its dominator."""
        node.index = self.count
        self.count += 1
        if node.is_header:
            self.headers.append(node.index)
        before = [pred for pred in node.preds if pred.is_done]
        if not before:
            return
        dominator = before[0]
        for pred in before[1:]:
            dominator = _common_dominator(dominator, pred)
        node.dominator, node.depth = dominator, dominator.depth + 1
        jump = dominator.jump
        is_far = jump is not None and jump.jump is not None and dominator.depth + jump.jump.depth == 2 * jump.depth
        node.jump = jump.jump if is_far and jump is not None else dominator

    def _unchanged_since(self, node: Node, root: int) -> Node | None:
        """Return the outermost dominator of a merge after which no block on the way to the merge stores to a variable.

        The result is ``None`` without one. Nodes are in topological order except for loops. So only nodes with indices
        between those of a dominator and of the merge can be on a path between them, unless one of them is the header of
        a loop.
        """
        stores = self.stores.get(root, ())
        at = bisect_left(stores, node.index)
        lowest = stores[at - 1] if at else -1
        at = bisect_left(self.headers, node.index)
        if at:
            lowest = max(lowest, self.headers[at - 1])
        above = node
        while True:
            if above.jump is not None and above.jump.index >= lowest:
                above = above.jump
            elif above.dominator is not None and above.dominator.index >= lowest:
                above = above.dominator
            else:
                return above if above is not node else None

    # ---- reading

    def read(self, node: Node, root: int, path: Path) -> Value:
        """Return the value of the variable ``root``, or of its element at ``path``, at the current end of a block."""
        return self._read(node, node.defs.get(root), root, path)

    def read_then(self, node: Node, tree: object, root: int, path: Path) -> Value:
        """Return what `read` would have returned when ``tree`` was the value of the variable ``root`` in the block."""
        return self._read(node, tree, root, path)

    def _read(self, node: Node, tree: object, root: int, path: Path) -> Value:
        key = root, path
        visited = []
        while True:
            depth = 0
            for step in path:
                if not isinstance(tree, tuple):
                    break
                tree = tree[step]
                depth += 1
            if tree is not None:
                value = self._there(node, tree, root, path, depth)
                break
            at_start = node.start.get(key)
            if at_start is not None:
                value = at_start
                break
            above: Node | None = None
            if node.is_header or not node.preds:
                pass
            elif len(node.preds) == 1:
                above = node.preds[0]
            else:
                above = self._unchanged_since(node, root)
            if above is None:
                value = self._incoming(node, root, path)
                break
            visited.append(node)
            node = above
            tree = node.defs.get(root)
        for other in visited:
            other.start[key] = value
        return value

    def _there(self, node: Node, tree: object, root: int, path: Path, depth: int) -> Value:
        if isinstance(tree, tuple):
            return self._filled(node, root, path, tree)
        if depth < len(path):
            return self.part(tree, self.types.part(self.roots[root], path[:depth]), path[depth:], node)
        return cast("int | LazyComposite", tree)

    def _filled(self, node: Node, root: int, path: Path, tree: Composite) -> Composite:
        """Return a composite with its unset elements replaced by their values at the start of the block.

        The composite ``tree`` is the value of the variable ``root``, or of its element at ``path``.
        """
        if not _has_unset(tree):
            return tree
        elements = list(tree)
        for index, element in enumerate(tree):
            if element is None:
                elements[index] = self._read(node, None, root, (*path, index))
            elif isinstance(element, tuple):
                elements[index] = self._filled(node, root, (*path, index), element)
        return tuple(elements)

    def _incoming(self, node: Node, root: int, path: Path) -> Value:
        """Return the value of the variable ``root``, or of its element at ``path``, at the start of a block.

        The block has no predecessors or several; for several, create a phi if needed.
        """
        if not node.preds:
            value = self.initial(root, path, node is self.entry)
        elif not node.is_header:
            type_id = self.types.part(self.roots[root], path)
            value = self._merged(node, [self.read(pred, root, path) for pred in node.preds], type_id)
        else:
            type_id = self.types.part(self.roots[root], path)
            elements = self.types.elements(type_id)
            if elements is not None:
                value = tuple(self._read(node, None, root, (*path, index)) for index in range(len(elements)))
            else:
                phi = self._phi(node, type_id)
                value = phi.number
                node.start[root, path] = value
                if node.is_sealed:
                    self._complete(node, root, path, phi)
                else:
                    node.pending.append((root, path, phi))
        node.start[root, path] = value
        return value

    def _phi(self, node: Node, type_id: int) -> Phi:
        phi = Phi(self.types.new_id(), type_id)
        node.phis.append(phi)
        self.phis.append(phi)
        return phi

    def _complete(self, node: Node, root: int, path: Path, phi: Phi) -> None:
        for pred in node.preds:
            phi.args.append((pred, scalar(self.read(pred, root, path))))

    def _merged(self, node: Node, values: list[Value], type_id: int) -> Value:
        first = values[0]
        if all(value is first or value == first for value in values[1:]):
            return first
        elements = self.types.elements(type_id)
        if elements is not None:
            part = self.part
            return tuple(
                self._merged(
                    node, [part(v, type_id, (n,), pred) for v, pred in zip(values, node.preds, strict=True)], element
                )
                for n, element in enumerate(elements)
            )
        phi = self._phi(node, type_id)
        phi.args = [(pred, scalar(value)) for pred, value in zip(node.preds, values, strict=True)]
        return phi.number

    def seal(self, node: Node) -> None:
        """Complete the phis of a loop header, now that all of its predecessors are done."""
        node.is_sealed = True
        for root, path, phi in node.pending:
            self._complete(node, root, path, phi)
        node.pending = []

    # ---- parts

    def part(self, value: object, type_id: int, path: Path, node: Node | Instructions) -> Value:
        """Return the element of a composite at a path; append an extraction, if needed, to the block or list.

        Raises ``Unsuited`` if the element is unset.
        """
        for at, step in enumerate(path):
            if isinstance(value, tuple):
                value = value[step]
            elif isinstance(value, LazyComposite) and self.types.elements(type_id) is not None:
                value = value.element(step)
            else:
                value = scalar(value)  # type: ignore[arg-type]
                assert isinstance(value, int)
                return self.extract(value, type_id, path[at:], node)
            type_id = self.types.part(type_id, (step,))
            if value is None:
                raise Unsuited("a hole in a composite")
        return value  # type: ignore[return-value]  # None is excluded

    def extract(self, composite: int, type_id: int, path: Path, node: Node | Instructions) -> int:
        """Return the id of an element of the composite with id ``composite``; append the extraction if needed."""
        types = self.types
        constant = types.constant_part(composite, type_id, path) if composite in types.definitions else None
        if constant is not None:
            return constant
        number = node.extracts.get((composite, path)) if isinstance(node, Node) else None
        if number is None:
            number = types.new_id()
            inst = Instruction(op.OpCompositeExtract, types.part(type_id, path), number, [composite, *path])
            if isinstance(node, Node):
                node.extracts[composite, path] = number
                node.end.append(inst)
            else:
                node.append(inst)
        return number

    # ---- writing

    def write(self, node: Node, root: int, path: Path, value: object) -> None:
        """Store a value to the variable ``root``, or to its element at ``path``, at the end of a block.

        Unset elements of the value leave those of the variable unchanged. Raises ``Unsuited`` if the value has some and
        the block has stored to the variable or element before.
        """
        self.stored.add(root)
        stores = self.stores.setdefault(root, [])
        if not stores or stores[-1] != node.index:
            insort(stores, node.index)
        node.defs[root] = self._with(node, node.defs.get(root), self.roots[root], path, value)

    def _with(self, node: Node, tree: object, type_id: int, path: Path, value: object) -> object:
        if not path:
            if isinstance(value, tuple) and None in value and tree is not None:
                raise Unsuited("a composite stored in part")  # `write_parts` stores the parts one by one
            return value
        elements = self.types.elements(type_id)
        assert elements is not None
        index = path[0]
        if tree is None:
            parts: list[object] = [None] * len(elements)
        elif isinstance(tree, tuple):
            parts = list(tree)
        else:
            parts = [self.part(cast("Value", tree), type_id, (n,), node) for n in range(len(elements))]
        parts[index] = self._with(node, parts[index], elements[index], path[1:], value)
        return tuple(parts)

    def write_parts(self, node: Node, root: int, path: Path, value: object) -> None:
        """Store those elements of a composite that are set to the variable ``root``, or to its element at ``path``."""
        if isinstance(value, tuple):
            if _has_unset(value):
                for index, element in enumerate(value):
                    self.write_parts(node, root, (*path, index), element)
                return
        elif value is None:
            return
        self.write(node, root, path, value)


def _has_unset(tree: Composite) -> bool:
    return any(element is None or (isinstance(element, tuple) and _has_unset(element)) for element in tree)
