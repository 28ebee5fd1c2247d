"""What variables hold, block by block: Braun et al., "Simple and Efficient Construction of SSA Form" (2013).

A composite is a tuple of what its members are; None in one is a hole: nothing was stored there in this block, so that
the blocks before have to be asked.  Other values are ids, and ``Lazy`` is a composite in memory of which only what
somebody asks for is loaded.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from .model import Entry, Path, Piece, Unsuited

if TYPE_CHECKING:
    from .cleaner import Cleaner
    from .inlining import Instance


class Lazy:
    """A composite that a load would give, at the place of that load."""

    __slots__ = ("cleaner", "made", "path", "pointer", "source", "type_id", "where")

    def __init__(
        self, cleaner: Cleaner, source: int, pointer: int, path: Path, type_id: int, where: list[Instruction | Entry]
    ) -> None:
        self.cleaner = cleaner
        self.source = source
        """The id of the load, whose decorations all of its parts get."""
        self.pointer = pointer
        self.path = path
        self.type_id = type_id
        self.where = where
        self.made: dict[int, Value] = {}

    def kid(self, index: int) -> Value:
        found = self.made.get(index)
        if found is None:
            types = self.cleaner.types
            type_id = types.part(self.type_id, (index,))
            found = Lazy(self.cleaner, self.source, self.pointer, (*self.path, index), type_id, self.where)
            if types.kids(type_id) is None:
                found = found.whole()
            self.made[index] = found
        return found

    def whole(self) -> int:
        """The composite in one load."""
        found = self.made.get(-1)
        if found is None:
            pointer = self.pointer
            if self.path:
                pointer = self.cleaner.chain_to(self.pointer, self.path, self.type_id, self.where)
            found = self.cleaner.program.copy_of(self.source)
            self.where.append(Instruction(op.OpLoad, self.type_id, found, [pointer]))
            self.made[-1] = found
        assert isinstance(found, int)
        return found


class Later(Lazy):
    """A value of a function that was inlined: its instructions are copied when somebody asks for it."""

    __slots__ = ("instance", "value")

    def __init__(self, instance: Instance, value: object, type_id: int) -> None:
        self.instance = instance
        self.value = value
        self.type_id = type_id
        self.made = {}

    def kid(self, index: int) -> Value:
        if not isinstance(self.value, tuple):
            raise Unsuited("a part of what has none")
        found = self.made.get(index)
        if found is None:
            kids = self.instance.cleaner.types.kids(self.type_id)
            assert kids is not None
            found = self.made[index] = self.instance.value(self.value[index], kids[index])
        return found

    def whole(self) -> int:
        if not isinstance(self.value, tuple):
            assert isinstance(self.value, int)
            return self.instance.demand(self.value)
        found = self.made.get(-1)
        if found is None:
            found = self.made[-1] = self.instance.whole(self.value, self.type_id)
        assert isinstance(found, int)
        return found


def leaf(value: Value) -> int:
    """The id of a value that has no parts."""
    if isinstance(value, int):
        return value
    assert isinstance(value, Lazy)
    return value.whole()


Tree = tuple[object, ...]
Value = int | Tree | Lazy


@dataclass(slots=True)
class Phi:
    """A value chosen by the block before."""

    number: int
    type_id: int
    args: list[tuple[Node, int]] = field(default_factory=list)


@dataclass(slots=True)
class Node:
    """A block of the function as it was, and what has become of it: several blocks, if functions were inlined."""

    label: int
    source: list[Instruction]
    preds: list[Node] = field(default_factory=list)
    is_done: bool = False
    is_sealed: bool = True
    """Whether all blocks before are done."""
    is_header: bool = False
    """Of a loop."""
    defs: dict[int, object] = field(default_factory=dict)
    phis: list[Phi] = field(default_factory=list)
    pending: list[tuple[int, Path, Phi]] = field(default_factory=list)
    """Phis whose operands are to be found once the node is sealed."""
    pieces: list[Piece] = field(default_factory=list)
    start: dict[tuple[int, Path], Value] = field(default_factory=dict)
    """What is known to be in variables at the start."""
    extracts: dict[tuple[int, Path], int] = field(default_factory=dict)
    index: int = 0
    """The place in the order in which nodes are cleaned."""
    dominator: Node | None = None
    depth: int = 0
    """Of the node in the tree of dominators."""
    jump: Node | None = None
    """A dominator further up: the way to any of them takes a logarithm of their number."""

    @property
    def end(self) -> list[Instruction | Entry]:
        """Where instructions can be added at the end."""
        return self.pieces[-1].instructions

    def forget(self) -> None:
        """Let go of other nodes and of values, which know the cleaner."""
        self.preds.clear()
        self.dominator = self.jump = None
        self.defs.clear()
        self.start.clear()
        self.phis.clear()


def _common_dominator(a: Node, b: Node) -> Node:
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
    """Reads and writes variables; the part of ``Cleaner`` that knows nothing of instructions."""

    def __init__(self, cleaner: Cleaner) -> None:
        self.cleaner = cleaner
        self.types = cleaner.types
        self.roots: dict[int, int] = {}
        """What is taken apart → its type."""
        self.phis: list[Phi] = []
        self.stored: set[int] = set()
        self.stores: dict[int, list[int]] = {}
        """Root → the indices of the nodes that store to it, in order."""
        self.headers: list[int] = []
        """The indices of the loop headers so far, in order."""
        self.count = 0

    def enter(self, node: Node) -> None:
        """Number a node that is cleaned next, and find its dominator."""
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
        """Return the furthest dominator at whose end a variable is what it is at the start of a merge; None if there is
        none.

        The order is topological but for loops.  So between a dominator and the merge lie only nodes with indices in
        between, unless one of those is the header of a loop.
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
        """What is at a path at the end of a node, so far."""
        return self._read(node, node.defs.get(root), root, path)

    def read_then(self, node: Node, tree: object, root: int, path: Path) -> Value:
        """As ``read``, when the node's definition of the root was ``tree``."""
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
            known = node.start.get(key)
            if known is not None:
                value = known
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
            return self.cleaner.part(tree, self.types.part(self.roots[root], path[:depth]), path[depth:], node)
        return cast("int | Lazy", tree)

    def _filled(self, node: Node, root: int, path: Path, tree: Tree) -> Tree:
        """The tree without holes."""
        if not _has_holes(tree):
            return tree
        found = list(tree)
        for index, kid in enumerate(tree):
            if kid is None:
                found[index] = self._read(node, None, root, (*path, index))
            elif isinstance(kid, tuple):
                found[index] = self._filled(node, root, (*path, index), kid)
        return tuple(found)

    def _incoming(self, node: Node, root: int, path: Path) -> Value:
        """What is there at the start of a node that has not one block before it."""
        if not node.preds:
            value = self.cleaner.initial(root, path, is_entry=node is self.cleaner.entry)
        elif not node.is_header:
            type_id = self.types.part(self.roots[root], path)
            value = self._merged(node, [self.read(pred, root, path) for pred in node.preds], type_id)
        else:
            type_id = self.types.part(self.roots[root], path)
            kids = self.types.kids(type_id)
            if kids is not None:
                value = tuple(self._read(node, None, root, (*path, index)) for index in range(len(kids)))
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
            phi.args.append((pred, leaf(self.read(pred, root, path))))

    def _merged(self, node: Node, values: list[Value], type_id: int) -> Value:
        first = values[0]
        if all(value is first or value == first for value in values[1:]):
            return first
        kids = self.types.kids(type_id)
        if kids is not None:
            part = self.cleaner.part
            return tuple(
                self._merged(
                    node, [part(v, type_id, (n,), pred) for v, pred in zip(values, node.preds, strict=True)], kid
                )
                for n, kid in enumerate(kids)
            )
        phi = self._phi(node, type_id)
        phi.args = [(pred, leaf(value)) for pred, value in zip(node.preds, values, strict=True)]
        return phi.number

    def seal(self, node: Node) -> None:
        """All blocks before a loop's header are done."""
        node.is_sealed = True
        for root, path, phi in node.pending:
            self._complete(node, root, path, phi)
        node.pending = []

    # ---- writing

    def write(self, node: Node, root: int, path: Path, value: object) -> None:
        """Store; holes in the value leave what is there."""
        self.stored.add(root)
        stores = self.stores.setdefault(root, [])
        if not stores or stores[-1] != node.index:
            insort(stores, node.index)
        node.defs[root] = self._with(node, node.defs.get(root), self.roots[root], path, value)

    def _with(self, node: Node, tree: object, type_id: int, path: Path, value: object) -> object:
        if not path:
            if isinstance(value, tuple) and None in value and tree is not None:
                raise Unsuited("a composite stored in part")  # `write_parts` does not
            return value
        kids = self.types.kids(type_id)
        assert kids is not None
        index = path[0]
        if tree is None:
            parts: list[object] = [None] * len(kids)
        elif isinstance(tree, tuple):
            parts = list(tree)
        else:
            parts = [self.cleaner.part(cast("Value", tree), type_id, (n,), node) for n in range(len(kids))]
        parts[index] = self._with(node, parts[index], kids[index], path[1:], value)
        return tuple(parts)

    def write_parts(self, node: Node, root: int, path: Path, value: object) -> None:
        """Store what there is in a tree with holes."""
        if isinstance(value, tuple):
            if _has_holes(value):
                for index, kid in enumerate(value):
                    self.write_parts(node, root, (*path, index), kid)
                return
        elif value is None:
            return
        self.write(node, root, path, value)


def _has_holes(tree: Tree) -> bool:
    return any(kid is None or (isinstance(kid, tuple) and _has_holes(kid)) for kid in tree)
