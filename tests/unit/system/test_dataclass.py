"""Data classes with methods generated at their first use behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any, ClassVar, NamedTuple

import pytest

from hlsl_tool.base.system import dataclass as ours


@ours.dataclass(slots=True)
class Point:
    """A point."""

    x: int
    y: int = 2
    tags: list[str] = ours.field(default_factory=list)
    place: int = ours.field(default=0, compare=False, repr=False)
    cache: dict[str, int] = ours.field(default_factory=dict, init=False)
    total: int = ours.field(init=False, compare=False, repr=False)
    kinds: ClassVar[int] = 7

    @property
    def sum(self) -> int:
        return self.x + self.y


@ours.dataclass(slots=True)
class Deep(Point):
    z: int = 9


@ours.dataclass(slots=True, eq=False)
class Identity:
    name: str


@ours.dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    a: int
    b: tuple[int, ...] = ()


@ours.dataclass(slots=True)
class Checked:
    value: int

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError("negative")


def test_fields_and_defaults() -> None:
    p = Point(1)
    assert (p.x, p.y, p.tags, p.place, p.cache, p.sum, Point.kinds) == (1, 2, [], 0, {}, 3, 7)
    assert Point(1).tags is not p.tags
    assert not hasattr(p, "total")
    assert not hasattr(p, "__dict__")
    with pytest.raises(AttributeError):
        p.other = 1  # type: ignore[attr-defined]


def test_a_subclass_has_the_fields_of_its_base_first() -> None:
    d = Deep(1, 2, ["t"], 3, 4)
    assert (d.x, d.y, d.tags, d.place, d.z) == (1, 2, ["t"], 3, 4)
    assert isinstance(d, Point)
    assert "x" not in vars(Deep)["__slots__"]


@pytest.mark.parametrize("arguments", [(), (1, 2, [], 0, 5)])
def test_wrong_arguments_are_named_as_usual(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match=r"Point\.__init__\(\)"):
        Point(*arguments)


def test_comparison() -> None:
    assert Point(1, place=5) == Point(1, place=6)
    assert Point(1) != Point(2)
    assert Point(1) != Deep(1)
    assert Identity("a") != Identity("a")
    assert len({Identity("a"), Identity("a")}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_a_frozen_class() -> None:
    one, same = Frozen(a=1, b=(2,)), Frozen(a=1, b=(2,))
    assert one == same and hash(one) == hash(same) and len({one, same, Frozen(a=1)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.a = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.a
    with pytest.raises(TypeError):
        Frozen(1)  # type: ignore[misc]


@pytest.mark.parametrize("value", [Frozen(a=1, b=(2, 3)), Deep(1, tags=["u"])], ids=["frozen", "plain"])
def test_copies(value: Any) -> None:
    value = value if isinstance(value, Frozen) else dataclasses.replace(value)
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value and other.__class__ is value.__class__


def test_text() -> None:
    assert repr(Checked(1)) == "Checked(value=1)"
    assert repr(Frozen(a=1)) == "Frozen(a=1, b=())"
    assert repr(Identity("n")) == "Identity(name='n')"
    assert Point.__doc__ == "A point."
    assert Point.__init__.__qualname__ == "Point.__init__"


def test_post_init() -> None:
    assert Checked(1).value == 1
    with pytest.raises(ValueError, match="negative"):
        Checked(-1)


def test_matching() -> None:
    match Deep(1, 5):
        case Deep(x, y, z=z):
            assert (x, y, z) == (1, 5, 9)
        case _:
            pytest.fail("no match")


def test_our_functions() -> None:
    p = ours.replace(Point(1), y=8)
    assert (p.x, p.y) == (1, 8)
    assert [f.name for f in ours.fields(Deep)] == ["x", "y", "tags", "place", "cache", "total", "z"]
    assert ours.is_dataclass(Point) and ours.is_dataclass(p) and not ours.is_dataclass(1)


def test_functions_of_the_standard_library() -> None:
    frozen = dataclasses.replace(Frozen(a=1), b=(4,))
    assert dataclasses.asdict(frozen) == {"a": 1, "b": (4,)}
    assert dataclasses.is_dataclass(Point) and dataclasses.is_dataclass(frozen)
    assert [f.name for f in dataclasses.fields(Frozen)] == ["a", "b"]


@dataclasses.dataclass
class Standard:
    n: int


def test_our_functions_take_classes_of_the_standard_library() -> None:
    assert ours.replace(Standard(1), n=2) == Standard(2)
    assert ours.is_dataclass(Standard) and [(f.name, f.default) for f in ours.fields(Standard)] == [("n", ours.MISSING)]


class Pair(NamedTuple):
    first: object
    second: int


def test_as_a_dictionary() -> None:
    item = Deep(1, tags=["t"])
    item.total = Frozen(a=1, b=(2,))  # type: ignore[assignment]
    item.cache = {"k": Standard(3), "pair": Pair(Frozen(a=1), 2)}  # type: ignore[dict-item]
    assert ours.asdict(item) == dataclasses.asdict(item)
    assert ours.asdict(item)["tags"] is not item.tags


@pytest.mark.parametrize("frozen", [False, True])
def test_the_first_instances_are_as_those_of_the_generated_method(frozen: bool) -> None:
    @ours.dataclass(frozen=frozen, slots=True)
    class Item:
        a: int
        b: list[int] = ours.field(default_factory=list)
        c: int = 3
        d: int = ours.field(default=4, init=False)

        def __post_init__(self) -> None:
            self.b.append(self.a)

    made = [Item(1, c=5) for _ in range(6)]
    assert {repr(item).partition("Item(")[2] for item in made} == {"a=1, b=[1], c=5, d=4)"}
    assert len({id(item.b) for item in made}) == 6 and made.count(made[0]) == 6
    assert [Item(a=number, b=[]).b for number in range(4)] == [[0], [1], [2], [3]]


@pytest.mark.parametrize(
    ("arguments", "named", "words"),
    [
        ((), {}, "missing"),
        ((1, 2, 3), {}, "positional"),
        ((1,), {"a": 2}, "multiple values"),
        ((1,), {"x": 2}, "unexpected keyword"),
    ],
)
def test_the_first_instance_reports_arguments_that_do_not_fit(
    arguments: tuple[int, ...], named: dict[str, int], words: str
) -> None:
    @ours.dataclass(slots=True)
    class Item:
        a: int
        b: int = 0

    with pytest.raises(TypeError, match=words):
        Item(*arguments, **named)
    assert (Item(1).a, Item(2, 3).b) == (1, 3)
