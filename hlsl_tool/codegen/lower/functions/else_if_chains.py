"""Lower chains of ``else if`` to nested selections.

A chain of more than `LONGEST_NEST` links is divided into groups. Each group is a nest of selections, and the groups
follow each other: a flag records whether no link so far was taken, and guards the next group. So the nesting depth does
not grow with the chain, while spirv-val takes time with the cube of the depth. Jumps out of a link stay valid wherever
the chain is: groups add selections only, no ``OpSwitch`` or loop that would be the target of a ``break``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.functions.conditions import condition
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import successors
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.enums import SelectionControl

LONGEST_NEST = 64
"""The number of links up to which a chain is one nest, as in DXC's modules."""
_GROUP = 32
"""The number of links in a group of a longer chain."""

_SELECTION = {"branch": SelectionControl.DontFlatten, "flatten": SelectionControl.Flatten}


def lower_chain(ctx: Lowering, s: hir.If) -> None:
    """Lower an ``if`` statement whose condition is no constant, with the ``else if`` links that follow."""
    if not ctx.options.codegen_only:  # -fcgl writes DXC's modules
        links, rest = _links(s)
        if len(links) > LONGEST_NEST:
            _groups(ctx, links, rest)
            return
    links, rest = _links(s, until_constant=True)
    with ctx.limits.nested():
        _nest(ctx, links, None if rest is None else lambda: _rest(ctx, rest))


def _links(s: hir.If, *, until_constant: bool = False) -> tuple[list[hir.If], hir.Stmt | None]:
    """Return the links of a chain whose conditions are no constants, and the last ``else`` or ``None``.

    Links with constant conditions are resolved; with ``until_constant`` the first one is the last ``else``.
    """
    links: list[hir.If] = []
    node: hir.Stmt | None = s
    while isinstance(node, hir.If):
        constant = evaluate(node.cond)
        if constant is None:
            links.append(node)
        elif until_constant:
            break
        elif constant:
            return links, node.then
        node = node.otherwise
    return links, node


def _rest(ctx: Lowering, s: hir.Stmt) -> None:
    ctx.stmt(s)
    ctx.at_end(s)


def _nest(ctx: Lowering, links: Sequence[hir.If], otherwise: Callable[[], None] | None) -> None:
    """Lower links as selections, each nested in the one before; ``otherwise`` lowers the last ``else``."""
    b = ctx.b
    merges: list[int] = []
    for index, link in enumerate(links):
        merges.append(_link(ctx, link, has_else=otherwise is not None or index < len(links) - 1))
    if otherwise is not None:
        otherwise()
        b.branch(merges[-1])
    for i in range(len(merges) - 1, -1, -1):  # the merge blocks are closed from the inside out
        b.set_insert_point(merges[i])
        if i:
            b.branch(merges[i - 1])


def _link(ctx: Lowering, link: hir.If, *, has_else: bool) -> int:
    """Lower a condition and the statement that it guards; return the merge block.

    Instructions that follow belong to the ``else``, if there is one.
    """
    b = ctx.b
    ctx.limits.deeper(link.pos)
    if link.declaration is not None:
        ctx.stmt(link.declaration)
    cond = condition(ctx, link.cond)
    then, merge = b.new_block("if.true"), b.new_block("if.merge")
    otherwise = b.new_block("if.false") if has_else else merge
    ctx.at_begin(link.then, link.cond)
    b.branch_conditional(cond, then, otherwise, merge=merge, control=_control(link.attributes))
    b.set_insert_point(then)
    ctx.stmt(link.then)
    ctx.at_ends(link, link.then)
    b.branch(merge)
    b.set_insert_point(otherwise)
    return merge


def _control(attributes: tuple[Attribute, ...]) -> int:
    return _SELECTION.get(attributes[0].name, 0) if attributes else 0


# ---------------------------------------------------------------------------------------------------------- long chains


def _groups(ctx: Lowering, links: list[hir.If], rest: hir.Stmt | None) -> None:
    """Lower a chain as a sequence of nests, which a flag guards as soon as a link before them reaches its end."""
    b = ctx.b
    searching = b.local_variable(b.bool_type(), "if.searching")
    is_guarded = False
    for start in range(0, len(links), _GROUP):
        group = links[start : start + _GROUP]
        with ctx.limits.nested():
            ctx.pos = group[0].pos
            merge = _guard(ctx, searching, group[0]) if is_guarded else 0
            if start + _GROUP >= len(links):
                _nest(ctx, group, None if rest is None else lambda: _rest(ctx, rest))
            else:
                is_guarded = _group(ctx, searching, group) or is_guarded
        if merge:
            b.branch(merge)
            b.set_insert_point(merge)


def _guard(ctx: Lowering, searching: int, link: hir.If) -> int:
    """Begin a selection that is entered if no link so far was taken; return its merge block."""
    b = ctx.b
    ctx.limits.deeper(link.pos)
    ctx.at_begin(link, link.cond)
    inside, merge = b.new_block("if.next"), b.new_block("if.next.merge")
    b.branch_conditional(b.load(searching), inside, merge, merge=merge)
    b.set_insert_point(inside)
    return merge


def _group(ctx: Lowering, searching: int, links: Sequence[hir.If]) -> bool:
    """Lower links and set the flag to whether none of them was taken.

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

    _nest(ctx, links, go_on)
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
