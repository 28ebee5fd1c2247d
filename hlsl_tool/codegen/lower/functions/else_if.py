"""Lower ``if`` statements and the chains of ``else if`` that follow (manual: *Control Flows*)."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.expressions.selection_chains import LONGEST_NEST, write_groups, write_nest
from hlsl_tool.codegen.lower.functions.conditions import condition
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.spirv.enums import SelectionControl

_SELECTION = {"branch": SelectionControl.DontFlatten, "flatten": SelectionControl.Flatten}


def lower_chain(ctx: Lowering, s: hir.If) -> None:
    """Lower an ``if`` statement whose condition is no constant, with the ``else if`` links that follow."""

    def write(link: hir.If, has_else: bool) -> int:
        return _link(ctx, link, has_else=has_else)

    def otherwise() -> None:
        assert rest is not None
        ctx.stmt(rest)
        ctx.at_end(rest)

    if not ctx.options.codegen_only:  # -fcgl writes DXC's modules
        links, rest = _links(s)
        if len(links) > LONGEST_NEST:
            write_groups(ctx, links, write, None if rest is None else otherwise)
            return
    links, rest = _links(s, until_constant=True)
    write_nest(ctx, links, write, None if rest is None else otherwise)


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


def _link(ctx: Lowering, link: hir.If, *, has_else: bool) -> int:
    """Lower a condition and the statement that it guards; return the merge block.

    Instructions that follow belong to the ``else``, if there is one.
    """
    b = ctx.b
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
