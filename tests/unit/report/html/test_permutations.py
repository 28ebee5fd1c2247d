"""Decision trees that show which macros of a shader's permutations change its module."""

from __future__ import annotations

from itertools import product

from hlsl_tool.apps.report.html.permutations import MAX_LEAVES, Branch, tree, without_effect


def rows(axes: dict[str, list[str]], module: str) -> list[tuple[dict[str, str], str]]:
    """Return all permutations, each with its module: the value of an expression over the axes."""
    choices = (dict(zip(axes, values, strict=True)) for values in product(*axes.values()))
    return [(choice, str(eval(module, {}, choice))) for choice in choices]


def shape(branch: Branch) -> object:
    if not branch.children:
        return branch.values, branch.digest
    return branch.values, branch.children[0].axis, [shape(child) for child in branch.children]


def test_equal_branches_are_one() -> None:
    axes = {"A": ["0", "1", "2"], "B": ["0", "1"]}
    root = tree(list(axes), rows(axes, "B if A != '2' else '9'"))
    assert shape(root) == ((), "A", [(("0", "1"), "B", [(("0",), "0"), (("1",), "1")]), (("2",), "9")])
    assert [child.count for child in root.children] == [4, 2]


def test_an_axis_without_effect_is_left_out() -> None:
    axes = {"DEAD": ["0", "1"], "B": ["0", "1"]}
    root = tree(list(axes), rows(axes, "B"))
    assert shape(root) == ((), "B", [(("0",), "0"), (("1",), "1")])
    assert root.count == 4
    assert [child.count for child in root.children] == [2, 2]


def test_axes_without_effect() -> None:
    axes = {"DEAD": ["0", "1"], "B": ["0", "1"], "HALF": ["0", "1"]}
    assert without_effect(axes, rows(axes, "B if HALF == '1' else '7'")) == ["DEAD"]
    assert without_effect(axes, rows(axes, "'x'")) == list(axes)
    assert without_effect(["ONE", "B"], [({"ONE": "0", "B": "0"}, "x"), ({"ONE": "0", "B": "1"}, "x")]) == ["B"]


def test_one_module() -> None:
    axes = {"A": ["0", "1"]}
    assert shape(tree(["A"], rows(axes, "'x'"))) == ((), "x")


def test_a_missing_axis_is_a_value() -> None:
    root = tree(["A", "B"], [({"A": "0"}, "x"), ({"A": "1", "B": "0"}, "y"), ({"A": "1", "B": "1"}, "z")])
    assert shape(root) == ((), "A", [(("0",), "x"), (("1",), "B", [(("0",), "y"), (("1",), "z")])])


def test_large_trees_are_cut() -> None:
    axes = {"A": [str(n) for n in range(10)], "B": [str(n) for n in range(500)]}
    root = tree(list(axes), rows(axes, "A + ',' + B"))

    def leaves(branch: Branch) -> int:
        return sum(map(leaves, branch.children)) if branch.children else 1

    assert leaves(root) == MAX_LEAVES
    assert root.hidden == 9
    assert root.children[0].hidden == 500 - MAX_LEAVES
