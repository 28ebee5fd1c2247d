"""Data classes as rewritten for mypyc: plain classes that behave like the data classes, with unchanged line numbers."""

from __future__ import annotations

import ast
import copy
import dataclasses
import pickle
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hlsl_tool.base.system import dataclass as ours
from hlsl_tool.base.system.native_classes import rewrite

ROOT = Path(__file__).resolve().parents[3]
BASE = '''"""The module."""

from typing import ClassVar

from hlsl_tool.base.system.dataclass import dataclass, field as data_field


@dataclass(slots=True)
class Point:
    """A point
    in space."""

    x: int
    y: int = (
        2
    )
    """The second."""
    tags: list[str] = data_field(default_factory=list)
    place: int = data_field(default=0, compare=False, repr=False)
    cache: dict[str, int] = data_field(default_factory=dict, init=False)
    kinds: ClassVar[int] = 7

    # A comment.
    def double(self) -> int:
        """Return it twice."""
        return 2 * self.x


def after() -> None:
    raise ValueError
'''
DERIVED = '''from pkg import base
from hlsl_tool.base.system.dataclass import dataclass, field


@dataclass(slots=True)
class Deep(base.Point):
    z: int = 3
    total: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.total = self.x + self.z


@dataclass(
    frozen=True,
    slots=True,
)
class Frozen:
    """A name and a size."""

    name: str
    size: int = 1

    def __repr__(self) -> str:
        return self.name


@dataclass(eq=False, kw_only=True)
class Keywords:
    """Two fields."""

    a: int
    make: list[int] = field(default_factory=lambda: [1])
'''

LAZY = """from functools import cached_property

calls = []


class Index:
    \"\"\"Tables.\"\"\"

    def __init__(self, n: int) -> None:
        self.n = n

    @cached_property
    def table(self) -> list[int]:
        \"\"\"Numbers.\"\"\"
        calls.append(self.n)
        return [
            n for n in range(self.n)
        ]
"""
UNION = """from hlsl_tool.base.system.dataclass import dataclass


@dataclass(slots=True)
class A:
    x: int
    y: str = ""


@dataclass(slots=True)
class B:
    y: str
    x: int


@dataclass(slots=True)
class C(B):
    z: int = 0


@dataclass(slots=True)
class D:
    x: int


@dataclass(slots=True)
class E:
    x: int
    e: int = 0


Node = A | B | D | E
Other = A | B | C | D
Pair = A | B
More = A | B | D | E | int
"""


def modules(folder: Path, texts: dict[str, str]) -> dict[str, str]:
    paths = []
    for name, text in texts.items():
        paths.append(folder / "pkg" / f"{name}.py")
        paths[-1].parent.mkdir(exist_ok=True)
        paths[-1].write_text(text)
    return {path.stem: text for path, text in rewrite(folder, paths).items()}


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    texts = modules(tmp_path, {"base": BASE, "derived": DERIVED})
    package = ModuleType("pkg")
    monkeypatch.setitem(sys.modules, "pkg", package)
    out = []
    for name, text in texts.items():
        module: Any = ModuleType(f"pkg.{name}")
        monkeypatch.setitem(sys.modules, f"pkg.{name}", module)
        exec(compile(text, name, "exec"), module.__dict__)
        setattr(package, name, module)
        out.append(module)
    return out[0], out[1]


def test_instances(pair: tuple[Any, Any]) -> None:
    base, derived = pair
    point = base.Point(1)
    assert (point.x, point.y, point.tags, point.place, point.cache) == (1, 2, [], 0, {})
    assert base.Point.kinds == 7 and point.double() == 2
    assert base.Point(1).tags is not point.tags
    tags = ["t"]
    assert base.Point(1, 2, tags).tags is tags
    assert repr(point) == "Point(x=1, y=2, tags=[], cache={})"
    assert point == base.Point(1, place=5) and point != base.Point(2) and point != 1
    deep = derived.Deep(1, z=4)
    assert deep.total == 5 and deep != point and repr(deep) == "Deep(x=1, y=2, tags=[], cache={}, z=4, total=5)"
    keywords = derived.Keywords(a=1)
    assert keywords.make == [1] and keywords != derived.Keywords(a=1)
    with pytest.raises(TypeError):
        derived.Keywords(1)
    assert {derived.Frozen("n"), derived.Frozen("n", 1)} == {derived.Frozen("n")} and repr(derived.Frozen("n")) == "n"


def test_functions_on_data_classes(pair: tuple[Any, Any]) -> None:
    base, derived = pair
    deep = derived.Deep(1, tags=["t"])
    assert ours.is_dataclass(deep) and ours.is_dataclass(derived.Deep)
    assert [f.name for f in ours.fields(deep)] == ["x", "y", "tags", "place", "cache", "z", "total"]
    assert ours.replace(deep, z=9).total == 10
    assert ours.asdict(base.Point(1)) == {"x": 1, "y": 2, "tags": [], "place": 0, "cache": {}}


def test_fields_are_those_of_the_data_classes(pair: tuple[Any, Any]) -> None:
    """Types and defaults are equal, including those of a base class in another module."""
    names = ("name", "type", "init", "compare", "repr", "kw_only", "default", "default_factory")
    plain = run("from __future__ import annotations\n" + BASE)
    derived = run("from __future__ import annotations\n" + DERIVED.replace("from pkg import base\n", ""), base=plain)
    for module, original, name in ((pair[0], plain, "Point"), (pair[1], derived, "Deep"), (pair[1], derived, "Frozen")):
        native, data_class = getattr(module, name), getattr(original, name)
        assert native.__match_args__ == data_class.__match_args__
        for field, other in zip(ours.fields(native), ours.fields(data_class), strict=True):
            assert [getattr(field, each) for each in names] == [getattr(other, each) for each in names]
    make = ours.fields(pair[1].Keywords)[1]
    assert make.kw_only and make.default_factory() == [1] and pair[1].Keywords.__match_args__ == ()


def test_the_standard_library_knows_them(pair: tuple[Any, Any]) -> None:
    base, derived = pair
    deep = derived.Deep(1, tags=["t"])
    assert dataclasses.is_dataclass(deep) and dataclasses.is_dataclass(derived.Deep)
    assert [f.name for f in dataclasses.fields(deep)] == ["x", "y", "tags", "place", "cache", "z", "total"]
    assert dataclasses.fields(base.Point)[1].default == 2
    assert dataclasses.replace(deep, z=9).total == 10
    assert dataclasses.asdict(base.Point(1)) == {"x": 1, "y": 2, "tags": [], "place": 0, "cache": {}}
    match deep:
        case derived.Deep(x, y, [tag]):
            assert (x, y, tag) == (1, 2, "t")
        case _:
            pytest.fail("the fields have no places")


def test_copies(pair: tuple[Any, Any]) -> None:
    base, derived = pair
    point = base.Point(1, tags=["t"])
    point.cache["a"] = 3
    shallow, deep = copy.copy(point), copy.deepcopy(point)
    assert shallow == deep == point and shallow.tags is point.tags and deep.tags is not point.tags
    assert deep.cache == {"a": 3} and copy.deepcopy(derived.Deep(1)).total == 4
    assert pickle.loads(pickle.dumps(point)) == point


def test_lines_stay(tmp_path: Path) -> None:
    for name, text in modules(tmp_path, {"base": BASE, "derived": DERIVED}).items():
        original = {"base": BASE, "derived": DERIVED}[name]
        assert text.count("\n") == original.count("\n")
        for number, line in enumerate(original.splitlines()):
            if line.lstrip().startswith(("return", "raise", "self.", "def")):
                assert text.splitlines()[number] == line


def run(text: str, **names: Any) -> Any:
    module: Any = ModuleType("single")
    module.__dict__.update(names)
    exec(compile(text, "single", "exec"), module.__dict__)
    return module


def test_cached_properties(tmp_path: Path) -> None:
    text = modules(tmp_path, {"lazy": LAZY})["lazy"]
    module = run(text)
    index = module.Index(2)
    assert index.table == [0, 1] and index.table is index.table and module.calls == [2]
    assert module.Index(0).table == [] and text.count("\n") == LAZY.count("\n")
    with pytest.raises(ValueError, match="a docstring, a type and one return"):
        modules(tmp_path, {"lazy": LAZY.replace('"""Numbers."""', "pass")})


def test_unions_are_base_classes(tmp_path: Path) -> None:
    text = modules(tmp_path, {"union": UNION})["union"]
    module = run("from __future__ import annotations\n" + text)
    assert isinstance(module.Node, type) and module.Node.__annotations__ == {"x": "int"}
    assert module.A.__base__ is module.B.__base__ is module.D.__base__ is module.E.__base__ is module.Node
    assert all("x" not in cls.__annotations__ for cls in (module.A, module.B, module.D)), "mypyc would visit it twice"
    assert str(module.Pair) == "single.A | single.B"
    assert str(module.More) == "single.A | single.B | single.D | single.E | int"
    assert not isinstance(module.Other, type), "a class has one base"
    assert module.C("y", 1).z == 0 and module.A(1) != module.D(1)


def test_refusals(tmp_path: Path) -> None:
    clash = (
        "import part\nfrom hlsl_tool.base.system.dataclass import dataclass, field\n\n\n"
        "@dataclass(slots=True)\nclass A:\n"
    )
    with pytest.raises(ValueError, match="name of a factory"):
        modules(tmp_path, {"clash": clash + "    part: int = field(default_factory=part.Part)\n"})
    base = BASE.replace("2\n", "TWO\n").replace("import ClassVar", "import ClassVar\nTWO = 2")
    with pytest.raises(ValueError, match="lacks a name of the default of y: TWO"):
        modules(tmp_path, {"base": base, "derived": DERIVED})


def test_the_package() -> None:
    """All data classes of the compiled packages can be rewritten, and their lines do not move."""
    packages = re.search(r"^COMPILED = (.*)$", (ROOT / "setup.py").read_text("utf-8"), re.M)
    assert packages
    folders = [ROOT / "hlsl_tool" / name for name in ast.literal_eval(packages[1])]
    rewritten = rewrite(ROOT, [path for folder in folders for path in sorted(folder.rglob("*.py"))])
    assert len(rewritten) > 80
    moved = [path for path, text in rewritten.items() if text.count("\n") != path.read_text("utf-8").count("\n")]
    assert not moved
    for path, text in rewritten.items():
        names = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)}
        assert names >= {n.name for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.ClassDef)}


def test_no_membership_stops_mypyc() -> None:
    """mypyc ends with an internal error at `x in (a, *b)`."""
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    compiled = ast.literal_eval(text.partition("COMPILED = ")[2].partition("\n")[0])
    for path in (path for folder in compiled for path in (ROOT / "hlsl_tool" / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for display in node.comparators if isinstance(node, ast.Compare) else ():
                elements = display.elts if isinstance(display, ast.Tuple | ast.List | ast.Set) else ()
                assert not any(isinstance(item, ast.Starred) for item in elements), f"{path}:{node.lineno}"
