"""Remove breakable lists: ``switch 0i { default: { … break; … } }``.

Before: a `Wrap`, or a `Switch` with only a default, in which `Leave` items skip the remaining items. After: the
remaining items are in those branches that do not leave. If both branches continue and one of them may leave, a flag
guards the remaining items.

    if c { a; leave }  b      →  if c { a } else { b }
"""

from __future__ import annotations

from hlsl_tool.wgsl.control_flow import regions as r

MAX_DEPTH = 40
"""The depth of branches above which a list stays breakable: WGSL limits nesting."""


class _TooDeep(Exception):
    """Raised if the branches would be nested too deeply."""


def remove_shells(root: r.Region) -> None:
    """Replace breakable lists by branches, in place; every exit in the tree must leave the innermost construct."""
    order: list[r.Region] = [root]
    for region in order:
        for item in region.items:
            order += r.children(item)
    for region in reversed(order):
        if any(_body(item) is not None for item in region.items):
            region.items = [new for item in region.items for new in _replaced(item)]


def _body(item: r.Item) -> r.Region | None:
    """Return the region inside a breakable list; ``None`` for other constructs."""
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
        items = shell.flatten(body.items, False, 0)
    except _TooDeep:
        return [item]
    return [r.SetFlag(flag, 0), *items] if shell.flag_used else items


class _Shell:
    """Rewrites one breakable list (a `switch` with only a default) as nested branches."""

    def __init__(self, flag: r.Flag) -> None:
        self.flag = flag
        self.flag_used = False
        self.with_exits: dict[int, bool] = {}
        """Branches → whether they leave the list."""
        self.ending: dict[int, bool] = {}
        """Branches → whether control never reaches their end."""

    def _has_exit(self, item: r.Item) -> bool:
        """Return whether an item may exit from this breakable list; exits from constructs in the item do not count."""
        if isinstance(item, r.Leave):
            return not item.again
        if not isinstance(item, (r.If, r.IfFlag)):
            return False
        cached = self.with_exits.get(id(item))
        if cached is None:
            cached = any(self._has_exit(inner) for region in r.children(item) for inner in region.items)
            self.with_exits[id(item)] = cached
        return cached

    def _goes_on(self, items: list[r.Item]) -> bool:
        """Return whether control may reach the end of a list of items."""
        return not any(self._ends(item) for item in items)

    def _ends(self, item: r.Item) -> bool:
        if isinstance(item, (r.Leave, r.End)):
            return True
        if not isinstance(item, (r.If, r.IfFlag)):
            return False
        cached = self.ending.get(id(item))
        if cached is None:
            cached = not any(self._goes_on(region.items) for region in r.children(item))
            self.ending[id(item)] = cached
        return cached

    def flatten(self, items: list[r.Item], flagged: bool, depth: int) -> list[r.Item]:
        """Return a list of items rewritten without exits from the breakable list.

        With ``flagged``, an exit is replaced by setting the flag that guards later items; otherwise it is removed.
        ``depth`` is the number of branches around the items; raise `_TooDeep` beyond the limit.
        """
        if depth > MAX_DEPTH:
            raise _TooDeep
        out: list[r.Item] = []
        for index, item in enumerate(items):
            if isinstance(item, r.Leave) and not item.again:
                return [*out, r.SetFlag(self.flag, 1)] if flagged else out
            if isinstance(item, (r.If, r.IfFlag)) and self._has_exit(item):
                return [*out, *self._branches(item, items[index + 1 :], flagged, depth + 1)]
            out.append(item)
            if isinstance(item, (r.Leave, r.End)):
                break
        return out

    def _branches(self, item: r.If | r.IfFlag, rest: list[r.Item], flagged: bool, depth: int) -> list[r.Item]:
        """Return the items that replace an `if` with exits from the breakable list, and all items after it.

        Those items, ``rest``, move into the branch without exits, or behind a check of the flag if both branches may
        continue. ``flagged`` and ``depth`` are as for `flatten`.
        """
        sides = [item.then.items, item.otherwise.items]
        going = [index for index, side in enumerate(sides) if self._goes_on(side)]
        after: list[r.Item] = []
        if rest and len(going) == 1:
            sides[going[0]] = [*sides[going[0]], *rest]
        elif rest and going:
            self.flag_used = True
            after = [r.IfFlag(self.flag, 0, r.Region(self.flatten(rest, flagged, depth)))]
        then, otherwise = (r.Region(self.flatten(side, flagged or bool(after), depth)) for side in sides)
        if isinstance(item, r.If):
            return [r.If(item.block, item.condition, item.negated, then, otherwise), *after]
        return [r.IfFlag(item.flag, item.value, then, otherwise), *after]
