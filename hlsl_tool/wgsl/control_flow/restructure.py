"""Rewrite constructs that WGSL lacks: continue constructs with exits, and switches whose cases fall through."""

from __future__ import annotations

from hlsl_tool.wgsl.control_flow import regions as r


def plain_loop(loop: r.Loop) -> r.Loop:
    """Return a loop whose ``continuing`` obeys WGSL 9.4.5: its only exit is ``break if`` at its end.

    If it has other exits, the body becomes a breakable list followed by the continuing part, and `continue` leaves that
    list.
    """
    if loop.continuing is None or not _leaves(loop.continuing):
        return loop
    body = r.Wrap(object(), loop.body)
    _redirect(loop.body, loop, body.target)
    outer = r.Region([body, *loop.continuing.items])
    if loop.break_if is not None:
        condition, negated = loop.break_if
        block = _last_block(loop.continuing)
        outer.items.append(r.If(block, condition, negated, r.Region([r.Leave(loop)]), r.Region()))
        loop.break_if = None
    loop.body, loop.continuing = outer, None
    return loop


def _leaves(region: r.Region) -> bool:
    """Return whether a region has an exit from the loop or the function."""
    inside: set[int] = set()
    pending = [region]
    exits: list[r.Leave] = []
    while pending:
        for item in pending.pop().items:
            if isinstance(item, r.End):
                return True
            if isinstance(item, r.Leave):
                exits.append(item)
            inside.add(id(item.target if isinstance(item, r.Wrap) else item))
            pending += r.children(item)
    return any(id(leave.target) not in inside for leave in exits)


def _redirect(region: r.Region, loop: r.Loop, target: object) -> None:
    """Replace every ``continue`` of the loop by an exit from ``target``."""
    pending = [region]
    while pending:
        for item in pending.pop().items:
            if isinstance(item, r.Leave) and item.target is loop and item.again:
                item.target, item.again = target, False
            pending += r.children(item)


def _last_block(region: r.Region) -> int:
    return next(item.block for item in reversed(region.items) if isinstance(item, r.Code))


def staged_switch(node: r.Switch, entries: dict[int, r.Region], falls: list[tuple[int, int]]) -> list[r.Item]:
    """Write a switch whose cases fall through as a switch that selects the first case, followed by the cases in order.

    switch selector { case 1: { stage = 0; } default: { stage = 1; } }
    if stage == 0 { …; stage = 1; }
    if stage == 1 { … }

    ``entries`` maps a case's label to the assignments that precede the case, ``falls`` lists the pairs of labels
    (case, case that it falls into). Return the two statements.
    """
    order = _order([case.label for case in node.cases], falls)
    by_label = {case.label: case for case in node.cases}
    number = {label: index for index, label in enumerate(order)}
    stage = r.Flag("stage", numeric=True)
    bodies = r.Region()
    for label in order:
        case = by_label[label]
        wrap = r.Wrap(case, case.body)
        _replace_falls(case.body, node, stage, number, wrap.target)
        if case.body.items:
            bodies.items.append(r.IfFlag(stage, number[label], r.Region([wrap])))
        case.body = r.Region([*entries[label].items, r.SetFlag(stage, number[label])])
    first = r.Switch(node.block, node.selector, node.cases)
    return [first, r.Wrap(node, bodies)]


def _order(labels: list[int], falls: list[tuple[int, int]]) -> list[int]:
    """Return the labels of cases in an order in which each case precedes those that it falls into.

    ``falls`` lists the pairs of labels (case, case that it falls into). Other cases keep their order.
    """
    into: dict[int, list[int]] = {}
    for source, target in falls:
        into.setdefault(source, []).append(target)
    out: list[int] = []
    seen: set[int] = set()
    for start in reversed(labels):
        path = [(start, iter(into.get(start, ())))]
        if start in seen:
            continue
        seen.add(start)
        while path:
            label, rest = path[-1]
            following = next((target for target in rest if target not in seen), None)
            if following is None:
                out.append(label)
                path.pop()
            else:
                seen.add(following)
                path.append((following, iter(into.get(following, ()))))
    return out[::-1]


def _replace_falls(region: r.Region, node: r.Switch, stage: r.Flag, number: dict[int, int], target: object) -> None:
    """Replace each jump from a case into another one of the switch ``node``, in place.

    The replacement assigns the other case's entry of ``number`` to the flag ``stage``, and exits from ``target``.
    """
    pending = [region]
    while pending:
        current = pending.pop()
        items: list[r.Item] = []
        for item in current.items:
            pending += r.children(item)
            if isinstance(item, r.Fall) and item.target is node:
                items.append(r.SetFlag(stage, number[item.label]))
                if current is not region:
                    items.append(r.Leave(target))
            else:
                items.append(item)
        current.items = items
