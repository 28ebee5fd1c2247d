"""Remove breakable lists: ``switch 0i { default: { … break; … } }``.

Before: a `Wrap`, or a `Switch` with a default only, whose `Leave` items skip the rest of the list.  After: the rest is
in the branches that do not leave.  If both branches go on and one of them may leave, a flag guards the rest.

    if c { a; leave }  b      →  if c { a } else { b }
"""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.wgsl.control_flow import regions as r

MAX_DEPTH = 40
"""The depth of branches above which a list stays breakable: WGSL limits nesting."""


class _TooDeep(Exception):
    """The branches would be nested too deeply."""


class _Flat(NamedTuple):
    """Items without exits from the list."""

    items: list[r.Item]
    goes_on: bool
    """Whether control may reach the end."""
    leaves: bool
    """Whether control may have left the list, in which case it reaches the end of the items, too."""


def remove_shells(root: r.Region) -> None:
    """Rewrite the tree, in which every exit leaves the innermost construct, in place."""
    order: list[r.Region] = [root]
    for region in order:
        for item in region.items:
            order += r.children(item)
    for region in reversed(order):
        if any(_body(item) is not None for item in region.items):
            region.items = [new for item in region.items for new in _replaced(item)]


def _body(item: r.Item) -> r.Region | None:
    """Return the list of a shell; ``None`` for other constructs."""
    if isinstance(item, r.Wrap):
        return item.body
    if isinstance(item, r.Switch) and len(item.cases) == 1 and item.cases[0].default and not item.cases[0].values:
        return item.cases[0].body
    return None


def _replaced(item: r.Item) -> list[r.Item]:
    body = _body(item)
    if body is None:
        return [item]
    flag = r.Flag("left")
    try:
        shell = _Shell(flag)
        flat = shell.flatten(body.items, False, 0)
    except _TooDeep:
        return [item]
    return [r.SetFlag(flag, 0), *flat.items] if shell.flag_used else flat.items


class _Shell:
    def __init__(self, flag: r.Flag) -> None:
        self.flag = flag
        self.flag_used = False
        self.with_exits: dict[int, bool] = {}

    def _has_exit(self, item: r.Item) -> bool:
        """Return whether an item leaves the shell; exits of constructs inside belong to those."""
        if isinstance(item, r.Leave):
            return not item.again
        if not isinstance(item, (r.If, r.IfFlag)):
            return False
        cached = self.with_exits.get(id(item))
        if cached is None:
            cached = any(self._has_exit(inner) for region in r.children(item) for inner in region.items)
            self.with_exits[id(item)] = cached
        return cached

    def flatten(self, items: list[r.Item], flagged: bool, depth: int) -> _Flat:
        """Return the items without exits; with ``flagged``, an exit sets the flag."""
        if depth > MAX_DEPTH:
            raise _TooDeep
        out: list[r.Item] = []
        for index, item in enumerate(items):
            if isinstance(item, r.Leave) and not item.again:
                if flagged:
                    out.append(r.SetFlag(self.flag, 1))
                return _Flat(out, False, True)
            if isinstance(item, (r.If, r.IfFlag)) and self._has_exit(item):
                return self._branches(out, item, items[index + 1 :], flagged, depth + 1)
            out.append(item)
            if isinstance(item, (r.Leave, r.End)):
                return _Flat(out, False, False)
        return _Flat(out, True, False)

    def _branches(
        self, out: list[r.Item], item: r.If | r.IfFlag, rest: list[r.Item], flagged: bool, depth: int
    ) -> _Flat:
        """Append an `if` with exits, and the items behind it."""
        sides = [item.then.items, item.otherwise.items]
        flats = [self.flatten(side, flagged, depth) for side in sides]
        going = [index for index, flat in enumerate(flats) if flat.goes_on]
        after: list[r.Item] = []
        if rest and len(going) == 1:
            flats[going[0]] = self.flatten([*sides[going[0]], *rest], flagged, depth)
        elif rest and going:
            self.flag_used = True
            flats = [self.flatten(side, True, depth) for side in sides]
            last = self.flatten(rest, flagged, depth)
            after = [r.IfFlag(self.flag, 0, r.Region(last.items))]
            flats.append(_Flat([], last.goes_on, last.leaves))
        then, otherwise = r.Region(flats[0].items), r.Region(flats[1].items)
        if isinstance(item, r.If):
            new: r.Item = r.If(item.block, item.condition, item.negated, then, otherwise)
        else:
            new = r.IfFlag(item.flag, item.value, then, otherwise)
        goes_on = flats[-1].goes_on if after else any(flat.goes_on for flat in flats)
        return _Flat([*out, new, *after], goes_on, any(flat.leaves for flat in flats))
