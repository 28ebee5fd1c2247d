"""Rewrite data classes as plain classes with explicit methods, before mypyc compiles the sources (setup.py).

mypyc leaves the methods of a data class to the standard decorator.  Then interpreted code creates the instances, which
takes most of the time of compiled code that creates nodes, and the decorator delays the import.  In the rewritten text
`__init__`, `__eq__`, `__hash__` and `__repr__` are methods like all others.  Line numbers do not change, so that
tracebacks of the compiled package are right: each method takes one line, which replaces the decorator, the docstring or
an empty line after the class.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

DATACLASS = "hlsl_tool.base.system.dataclass"
_CLASS_OF = re.compile(r"\b([\w.]+)\.__class__\b")
"""mypyc looks up this attribute by name; ``type`` is an instruction.  For the interpreter it is the other way round."""
_CACHED = "cached_property"
_IMPORTS = "from typing import Any as _Any, ClassVar as _ClassVar; "
_FUNCTIONS = "NATIVE_FIELDS as _fields, reduce as _reduce, represent as _represent, "
_EMPTY = {"list": "[]", "dict": "{}", "set": "set()"}
"""Factory → the expression that mypyc compiles best."""

STUB = """from dataclasses import MISSING, Field, asdict, dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

def fields(owner: object) -> tuple[Any, ...]: raise NotImplementedError
def is_dataclass(item: object) -> bool: raise NotImplementedError
def reduce(instance: object) -> Any: raise NotImplementedError
def replace(instance: T, /, **changes: Any) -> T: raise NotImplementedError
def represent(instance: object) -> str: raise NotImplementedError

NATIVE_FIELDS: Any

__all__ = ["MISSING", "NATIVE_FIELDS", "Field", "asdict", "dataclass", "field", "fields", "is_dataclass", "reduce",
    "replace", "represent"]
"""
"""The types of `hlsl_tool.base.system.dataclass` for rewritten modules, whose classes are no data classes to mypy."""


class Item(NamedTuple):
    """A field of a data class, as source text."""

    name: str
    annotation: str
    default: str
    """The default value; ``""`` if there is none."""
    factory: str
    init: bool
    compare: bool
    repr: bool
    kw_only: bool
    module: str
    """The name of the module that declares it."""

    def described(self, module: str) -> str:
        """Return the source line that describes the field for `hlsl_tool.base.system.dataclass.fields`."""
        marks = {"i": not self.init, "c": not self.compare, "r": not self.repr, "k": self.kw_only}
        shown = "".join(mark for mark, is_set in marks.items() if is_set)
        place = "" if self.module == module else self.module
        return "\t".join([self.name, shown, self.annotation, self.default, self.factory, place]).rstrip("\t")


class DataClass(NamedTuple):
    """A data class found in a module."""

    module: Module
    node: ast.ClassDef
    options: dict[str, bool]

    def own_items(self) -> list[Item]:
        """Return the fields that the class itself declares."""
        kw_only = self.options.get("kw_only", False)
        return [_item(statement, self.module, kw_only) for statement in self.declarations()]

    def declarations(self) -> list[ast.AnnAssign]:
        """Return the statements that declare fields."""
        return [
            statement
            for statement in self.node.body
            if isinstance(statement, ast.AnnAssign) and "ClassVar" not in ast.unparse(statement.annotation)
        ]


class Module:
    """The text of a module, and the data classes in it."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.tree = ast.parse(text)
        self.imported: dict[str, tuple[str, str]] = {}
        """Name → module and name there."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                self.imported |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
            elif isinstance(node, ast.Import):
                self.imported |= {alias.asname or alias.name: (alias.name, "") for alias in node.names}
        self.classes = {
            node.name: DataClass(self, node, options)
            for node in self.tree.body
            if isinstance(node, ast.ClassDef) and (options := self._options(node)) is not None
        }
        bound = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and _is_stored(node)}
        classes = {node.name for node in self.tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.bound = bound | classes | set(self.imported) | set(dir(builtins))
        """Names that the module's level knows, or a function of it."""

    def _options(self, node: ast.ClassDef) -> dict[str, bool] | None:
        for decorator in node.decorator_list:
            call = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(call, ast.Name) and self.imported.get(call.id) == (DATACLASS, "dataclass"):
                keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
                return {word.arg: ast.literal_eval(word.value) for word in keywords if word.arg}
        return None


def rewrite(root: Path, paths: Iterable[Path]) -> dict[Path, str]:
    """Return path → rewritten text of each file with data classes; ``root`` is the folder from which imports start."""
    modules = {}
    for path in paths:
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = path, Module(name, path.read_text(encoding="utf-8"))
    known = {name: module for name, (_, module) in modules.items()}
    texts = {path: _rewritten(module, known) for path, module in modules.values()}
    return {path: text for path, text in texts.items() if text is not None}


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _item(statement: ast.AnnAssign, module: Module, kw_only: bool = False) -> Item:
    assert isinstance(statement.target, ast.Name)
    name, annotation = statement.target.id, ast.unparse(statement.annotation)
    value = statement.value
    function = value.func if isinstance(value, ast.Call) else None
    if isinstance(function, ast.Name) and module.imported.get(function.id) == (DATACLASS, "field"):
        assert isinstance(value, ast.Call)
        given = {word.arg: ast.unparse(word.value) for word in value.keywords}
        factory = given.get("default_factory", "")
        is_init, is_compared, is_shown = (given.get(flag, "True") == "True" for flag in ("init", "compare", "repr"))
        default = given.get("default", "")
        return Item(name, annotation, default, factory, is_init, is_compared, is_shown, kw_only, module.name)
    default = ast.unparse(value) if value is not None else ""
    return Item(name, annotation, default, "", True, True, True, kw_only, module.name)


def _rewritten(module: Module, modules: dict[str, Module]) -> str | None:
    lines = module.text.splitlines()
    extra: dict[int, list[str]] = {}
    is_lazy = module.imported.get("cached_property") == ("functools", "cached_property")
    for node in module.tree.body if is_lazy else ():
        if isinstance(node, ast.ClassDef):
            _rewrite_cached_properties(lines, node)
    for data_class in module.classes.values():
        _rewrite_class(lines, extra, data_class, modules)
    for alias in module.tree.body:
        if isinstance(alias, ast.Assign):
            _rewrite_union(lines, extra, alias, module)
    text = "\n".join("\n".join([line, *extra.get(number, ())]) for number, line in enumerate(lines)) + "\n"
    text = _CLASS_OF.sub(r"type(\1)", text)
    ours = f"from {DATACLASS} import "
    changed = text.replace(ours, _IMPORTS + ours + _FUNCTIONS, 1) if module.classes else text
    return None if changed == module.text else changed


def _rewrite_union(lines: list[str], extra: dict[int, list[str]], alias: ast.Assign, module: Module) -> None:
    """Replace a union of data classes by a common base class that has the fields they all share.

    mypyc reads an attribute of a union by a chain of type checks, one for each class.  Unions of fewer than four
    classes are not changed.
    """
    name = ast.unparse(alias.targets[0])
    members = _members(alias.value)
    classes = [module.classes[member].node for member in members if member in module.classes]
    if len(classes) < max(4, len(members)) or f"{name}.__args__" in module.text:
        return
    headers = [next(n for n in range(c.decorator_list[0].lineno - 1, c.lineno) if lines[n]) for c in classes]
    if any(lines[number] != f"class {node.name}:" for number, node in zip(headers, classes, strict=True)):
        return  # a base class, or a part of another union
    common = set.intersection(*({(i.name, i.annotation) for i in module.classes[m].own_items()} for m in members))
    for number in range(alias.lineno - 1, alias.end_lineno or 0):
        lines[number] = ""
    for number, node in zip(headers, classes, strict=True):
        lines[number] = f"class {node.name}({name}):"
        for statement in module.classes[node.name].declarations():
            if _item(statement, module)[:2] in common:
                # The collector would visit an attribute twice that mypyc finds in two classes, and free what is in use.
                lines[statement.lineno - 1] = ""
    place = min(headers) - 1
    base = f"class {name}: {'; '.join(f'{field}: {annotation}' for field, annotation in sorted(common)) or 'pass'}"
    if lines[place]:
        extra[place] = [base]
    lines[place] = lines[place] or base


def _members(union: ast.expr) -> list[str]:
    """Return the names of the types in a union such as `A | B`; [] if the expression is not a union of plain names."""
    if isinstance(union, ast.BinOp) and isinstance(union.op, ast.BitOr):
        left, right = _members(union.left), _members(union.right)
        return left + right if left and right else []
    return [union.id] if isinstance(union, ast.Name) else []


def _rewrite_cached_properties(lines: list[str], node: ast.ClassDef) -> None:
    """Rewrite each `functools.cached_property` of a class in ``lines`` as a property that stores its value.

    mypyc would compile it to a property that is computed at each access.
    """
    attributes = []
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and [ast.unparse(d) for d in member.decorator_list] == [_CACHED]:
            cache, (first, *_, last) = f"_cached_{member.name}", member.body
            returns = [each for each in ast.walk(member) if isinstance(each, ast.Return)]
            if ast.get_docstring(member) is None or returns != [last] or member.returns is None:
                raise ValueError(f"{node.name}.{member.name}: a docstring, a type and one return, please")
            lines[member.decorator_list[0].lineno - 1] = " " * member.col_offset + "@property"
            lines[first.lineno - 1] = " " * first.col_offset + f"if self.{cache} is not None: return self.{cache}"
            for number in range(first.lineno, first.end_lineno or 0):
                lines[number] = ""
            begin, end = last.lineno - 1, (last.end_lineno or 0) - 1
            lines[begin] = lines[begin].replace("return", f"self.{cache} =", 1)
            lines[end] += f"; return self.{cache}"
            attributes.append(f"{cache}: {ast.unparse(member.returns)} | None = None")
    if attributes:
        lines[node.body[0].lineno - 1] = " " * node.body[0].col_offset + "; ".join(attributes)
        for number in range(node.body[0].lineno, node.body[0].end_lineno or 0):
            lines[number] = ""


def _rewrite_class(
    lines: list[str], extra: dict[int, list[str]], data_class: DataClass, modules: dict[str, Module]
) -> None:
    """Rewrite a data class in ``lines``.

    Methods for which there is no free line are added to ``extra``, under the index of the line that they follow.
    """
    node = data_class.node
    for statement in data_class.declarations():
        _remove_default(lines, statement)
    indent = " " * (node.col_offset + 4)
    methods = [indent + text for text in _methods(data_class, modules)]
    first = next(d.lineno for d in node.decorator_list if "dataclass" in ast.unparse(d)) - 1
    body = node.body[0]
    header_end = body.lineno - 1
    header = " ".join(line.strip() for line in lines[node.lineno - 1 : header_end])
    lines[first] = indent[4:] + header
    free = [*range(first + 1, header_end), *_free_lines(lines, node)]
    for number in free:
        lines[number] = ""
    for number, text in zip(free, methods, strict=False):
        lines[number] = text
    if len(methods) > len(free):
        extra[free[0] if free else (node.end_lineno or 0) - 1] = methods[len(free) :]


def _free_lines(lines: list[str], node: ast.ClassDef) -> list[int]:
    """Return the indices of reusable lines: docstrings of a class and its fields, and empty lines in and after it."""
    out: list[int] = []
    end = node.body[0].lineno - 1
    for member in node.body:
        decorators: list[ast.expr] = getattr(member, "decorator_list", [])
        begin = (decorators[0] if decorators else member).lineno - 1
        out += range(end, begin)
        end = member.end_lineno or 0
        if isinstance(member, ast.Expr) and isinstance(member.value, ast.Constant):
            out += range(begin, end)
    out += range(end, min(end + 2, len(lines)))
    return out


def _remove_default(lines: list[str], statement: ast.AnnAssign) -> None:
    if statement.value is None:
        return
    first, column = (statement.annotation.end_lineno or 0) - 1, statement.annotation.end_col_offset or 0
    last = (statement.end_lineno or 0) - 1
    assert lines[first].isascii() or lines[first].encode()[:column].isascii(), lines[first]
    lines[first] = lines[first][:column]
    for number in range(first + 1, last + 1):
        lines[number] = ""


def _methods(data_class: DataClass, modules: dict[str, Module]) -> list[str]:
    """Return the missing methods of the class, one per line, and the line that lists its fields."""
    node, options = data_class.node, data_class.options
    written = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    items = _items(data_class, modules)
    described = "\n".join(item.described(data_class.module.name) for item in items)
    places = "".join(f'"{item.name}", ' for item in items if item.init and not item.kw_only)
    constants = [
        f"__native_fields__: _ClassVar[str] = {described!r}",
        "__dataclass_fields__: _ClassVar[_Any] = _fields",
        f"__match_args__: _ClassVar[tuple[str, ...]] = ({places})",
        "__reduce__: _ClassVar[_Any] = _reduce",
    ]
    out = ["; ".join(constants)]
    if "__init__" not in written:
        out.append(_init(data_class, items, modules))
    compared = [item.name for item in items if item.compare]
    if options.get("eq", True) and "__eq__" not in written:
        tests = [f"isinstance(other, {node.name})", "type(other) is type(self)"]
        tests += [f"self.{name} == other.{name}" for name in compared]
        out.append(f"def __eq__(self, other: object) -> bool: return {' and '.join(tests)}")
    if options.get("eq", True) and options.get("frozen") and "__hash__" not in written:
        values = "".join(f"self.{name}, " for name in compared)
        out.append(f"def __hash__(self) -> int: return hash(({values}))")
    if "__repr__" not in written:
        out.append("def __repr__(self) -> str: return _represent(self)")
    return out


def _bases(data_class: DataClass, modules: dict[str, Module]) -> list[DataClass]:
    out = []
    for base in data_class.node.bases:
        name = ast.unparse(base).partition("[")[0]
        owner, _, attribute = name.rpartition(".")
        module, inner = data_class.module.imported.get(owner or name, (data_class.module.name, ""))
        if owner:
            module, name = f"{module}.{inner}".strip("."), attribute
        elif inner:
            name = inner
        if module in modules and name in modules[module].classes:
            out.append(modules[module].classes[name])
    return out


def _items(data_class: DataClass, modules: dict[str, Module]) -> list[Item]:
    """Return all fields of a data class; those of base classes come first."""
    items = {item.name: item for base in _bases(data_class, modules) for item in _items(base, modules)}
    return list((items | {item.name: item for item in data_class.own_items()}).values())


def _init(data_class: DataClass, items: list[Item], modules: dict[str, Module]) -> str:
    own = {item.name for item in data_class.own_items()}
    parameters, body = ["self", *(["*"] if data_class.options.get("kw_only") else [])], []
    for item in items:
        name, annotation = item.name, item.annotation
        if name not in own and not _names(annotation) <= data_class.module.bound:
            annotation = "_Any"
        made = _EMPTY.get(item.factory) or (f"({item.factory})()" if "lambda" in item.factory else f"{item.factory}()")
        if not item.init:
            body += [f"self.{name} = {made if item.factory else item.default}"] if item.factory or item.default else []
        elif item.factory:
            if _names(item.factory) & {each.name for each in items}:
                raise ValueError(f"{data_class.module.name}: a field has the name of a factory, {item.factory}")
            parameters.append(f"{name}: {annotation} | None = None")
            body.append(f"self.{name} = {made} if {name} is None else {name}")
        else:
            if name not in own and not _names(item.default or "0") <= data_class.module.bound:
                raise ValueError(f"{data_class.module.name} lacks a name of the default of {name}: {item.default}")
            parameters.append(f"{name}: {annotation}" + (f" = {item.default}" if item.default else ""))
            body.append(f"self.{name} = {name}")
    if _has_post_init(data_class, modules):
        body.append("self.__post_init__()")
    return f"def __init__({', '.join(parameters)}) -> None: {'; '.join(body) or 'pass'}"


def _has_post_init(data_class: DataClass, modules: dict[str, Module]) -> bool:
    members = {each.name for each in data_class.node.body if isinstance(each, ast.FunctionDef)}
    return "__post_init__" in members or any(_has_post_init(base, modules) for base in _bases(data_class, modules))


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
