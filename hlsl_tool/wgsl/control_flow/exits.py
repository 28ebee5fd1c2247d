"""Convert exits from constructs to WGSL's `break` and `continue`.

Before: a `Leave` names any open construct. After: it names the innermost one that `break` (or `continue`) ends. An `if`
with an exit from inside is wrapped in a breakable list; an exit from several constructs at once sets a flag, which the
outer ones check after the innermost has been left.
"""

from __future__ import annotations

from hlsl_tool.wgsl.control_flow import regions as r


def resolve_exits(root: r.Region) -> None:
    """Rewrite all exits (`Leave`) in a tree of regions as WGSL's `break` and `continue`, in place."""
    left = _targets(root)
    _wrap(root, left)
    _Resolver().region(root, [])
    _mark_endless(root)


def _mark_endless(region: r.Region) -> tuple[set[int], bool]:
    """Mark the endless loops in a region.

    Return (ids of the constructs that exits in the region leave, whether the region contains an end of the function).
    """
    left: set[int] = set()
    ends = False
    for item in region.items:
        if isinstance(item, r.Leave) and not item.again:
            left.add(id(item.target))
        ends = ends or isinstance(item, r.End)
        inner: set[int] = set()
        inner_ends = False
        for child in r.children(item):
            child_left, child_ends = _mark_endless(child)
            inner |= child_left
            inner_ends = inner_ends or child_ends
        if isinstance(item, r.Loop):
            item.endless = item.break_if is None and not inner_ends and id(item) not in inner
        left |= inner
        ends = ends or inner_ends
    return left, ends


def _targets(root: r.Region) -> set[int]:
    """Return the ids of the constructs that any `Leave` in the tree names."""
    targets: set[int] = set()
    pending = [root]
    while pending:
        for item in pending.pop().items:
            if isinstance(item, r.Leave) and not item.again:
                targets.add(id(item.target))
            pending += r.children(item)
    return targets


def _wrap(root: r.Region, left: set[int]) -> None:
    """Put each `if` with an exit to its own end into a breakable list (`Wrap`), and dissolve lists without exits.

    ``left`` contains the ids of the constructs that some exit leaves.
    """
    pending = [root]
    while pending:
        region = pending.pop()
        items: list[r.Item] = []
        for item in region.items:
            if isinstance(item, r.If) and id(item) in left:
                items.append(r.Wrap(item, r.Region([item])))
            elif isinstance(item, r.Wrap) and id(item.target) not in left:
                _wrap(item.body, left)
                items += item.body.items
                continue
            else:
                items.append(item)
            pending += r.children(item)
        region.items = items


_Escape = tuple[r.Leave, r.Flag]


class _Resolver:
    def region(self, region: r.Region, open_: list[tuple[object, r.Item]]) -> list[_Escape]:
        """Rewrite the exits (`Leave`) in a region as exits from the innermost open construct.

        An exit from several constructs sets a flag first. Return (exit, flag) for each of these: the caller must check
        the flag after the innermost construct. ``open_`` lists the open constructs, the innermost last.
        """
        items: list[r.Item] = []
        escapes: list[_Escape] = []
        for item in region.items:
            if isinstance(item, r.Leave):
                self._leave(item, items, open_, escapes)
                break  # items behind it are unreachable
            if isinstance(item, (r.Loop, r.Switch, r.Wrap)):
                self._construct(item, items, open_, escapes)
            else:
                for child in r.children(item):
                    escapes += self.region(child, open_)
                items.append(item)
                if isinstance(item, r.End):
                    break
        region.items = items
        return escapes

    def _leave(
        self, item: r.Leave, items: list[r.Item], open_: list[tuple[object, r.Item]], escapes: list[_Escape]
    ) -> None:
        if item.again:
            loop = next((node for node in reversed(open_) if isinstance(node[1], r.Loop)), None)
            if loop is not None and loop[0] is item.target:
                items.append(item)
                return
        elif open_ and open_[-1][0] is item.target:
            items.append(item)
            return
        flag = next((existing for leave, existing in escapes if leave.target is item.target), None)
        if flag is None:
            flag = r.Flag("leave")
            escapes.append((r.Leave(item.target, item.again), flag))
        items.append(r.SetFlag(flag, 1))
        items.append(r.Leave(open_[-1][0]))

    def _construct(
        self,
        item: r.Loop | r.Switch | r.Wrap,
        items: list[r.Item],
        open_: list[tuple[object, r.Item]],
        escapes: list[_Escape],
    ) -> None:
        key: object = item.target if isinstance(item, r.Wrap) else item
        inner: list[_Escape] = []
        for child in r.children(item):
            inner += self.region(child, [*open_, (key, item)])
        merged: dict[tuple[int, bool], _Escape] = {}
        for leave, flag in inner:
            items.append(r.SetFlag(flag, 0))
            merged.setdefault((id(leave.target), leave.again), (leave, flag))
        items.append(item)
        for leave, flag in inner:
            then = r.Region([leave])
            escapes += self.region(then, open_)
            items.append(r.IfFlag(flag, 1, then))
