"""Write chains of selections: ``else if`` statements, and ``?:`` expressions in the last operand of others.

A chain of more than `LONGEST_NEST` links is divided into groups. Each group is a nest of selections, and the groups
follow each other: a flag records whether no link so far was taken, and guards the next group. So the nesting depth does
not grow with the chain, while spirv-val takes time with the cube of the depth. Jumps out of a link stay valid wherever
the chain is: groups add selections only, no ``OpSwitch`` or loop that would be the target of a ``break``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import successors
from hlsl_tool.spirv.builder import ModuleBuilder

LONGEST_NEST = 64
"""The number of links up to which a chain is one nest, as in DXC's modules."""
_GROUP = 32
"""The number of links in a group of a longer chain."""

Link = TypeVar("Link", hir.If, hir.Ternary)


def write_nest(
    ctx: Lowering, links: Sequence[Link], write: Callable[[Link, bool], int], otherwise: Callable[[], None] | None
) -> None:
    """Write links as selections, each nested in the one before.

    ``write`` gets a link and whether it has an ``else``. It writes the condition and what it guards, returns the merge
    block, and leaves the insertion point in the ``else``. ``otherwise`` writes the last ``else``.
    """
    b = ctx.b
    merges: list[int] = []
    with ctx.limits.nested():
        for index, link in enumerate(links):
            ctx.limits.deeper(link.pos)
            merges.append(write(link, otherwise is not None or index < len(links) - 1))
        if otherwise is not None:
            otherwise()
            b.branch(merges[-1])
    for i in range(len(merges) - 1, -1, -1):  # the merge blocks are closed from the inside out
        b.set_insert_point(merges[i])
        if i:
            b.branch(merges[i - 1])


def write_groups(
    ctx: Lowering, links: Sequence[Link], write: Callable[[Link, bool], int], otherwise: Callable[[], None] | None
) -> None:
    """Write links as a sequence of nests, which a flag guards as soon as a link before them reaches its end.

    The parameters are those of `write_nest`.
    """
    b = ctx.b
    searching = b.local_variable(b.bool_type(), "chain.searching")
    is_guarded = False
    for start in range(0, len(links), _GROUP):
        group = links[start : start + _GROUP]
        with ctx.limits.nested():
            ctx.pos = group[0].pos
            merge = _guard(ctx, searching, group[0]) if is_guarded else 0
            if start + _GROUP >= len(links):
                write_nest(ctx, group, write, otherwise)
            else:
                is_guarded = _write_group(ctx, searching, group, write) or is_guarded
        if merge:
            b.branch(merge)
            b.set_insert_point(merge)


def _guard(ctx: Lowering, searching: int, link: Link) -> int:
    """Begin a selection that is entered if no link so far was taken; return its merge block."""
    b = ctx.b
    ctx.limits.deeper(link.pos)
    ctx.at_begin(link, link.cond)
    inside, merge = b.new_block("chain.next"), b.new_block("chain.merge")
    b.branch_conditional(b.load(searching), inside, merge, merge=merge)
    b.set_insert_point(inside)
    return merge


def _write_group(ctx: Lowering, searching: int, links: Sequence[Link], write: Callable[[Link, bool], int]) -> bool:
    """Write a nest and set the flag to whether none of its links was taken.

    Return whether a link that is taken can reach its end.
    """
    b = ctx.b
    first = b.current_block
    b.store(searching, b.const_bool(False))
    none_taken = 0

    def go_on() -> None:
        nonlocal none_taken
        none_taken = b.current_block
        b.store(searching, b.const_bool(True))

    write_nest(ctx, links, write, go_on)
    return _is_reached(b, first, b.current_block, none_taken)


def _is_reached(b: ModuleBuilder, start: int, end: int, avoided: int) -> bool:
    """Return whether a path leads from the block ``start`` to the block ``end`` without the block ``avoided``."""
    seen = {start, avoided}
    todo = [start]
    while todo:
        block = b.blocks[todo.pop()]
        if not block.instructions:
            continue
        last = block.instructions[-1]
        is_wide = last.op == op.OpSwitch and b.type_of(last.id(0)).width > 32
        for label in successors(block, 2 if is_wide else 1):
            if label == end:
                return True
            if label not in seen:
                seen.add(label)
                todo.append(label)
    return False
