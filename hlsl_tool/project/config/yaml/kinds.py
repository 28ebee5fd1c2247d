"""The kinds of option values in configurations: how YAML of each kind is read, described and written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.compile_options import (
    ALL_SPACES,
    DEBUG_EVERYTHING,
    space_text,
    version_number,
    version_text,
)
from hlsl_tool.base.options.kinds import (
    Bool,
    Choice,
    Debug,
    Defines,
    HexInt,
    Int,
    Kind,
    ListOf,
    Optimize,
    Place,
    Registers,
    Shifts,
    Text,
    Tristate,
    Validate,
    Version,
)
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.project.config.expansion import name_templates as names
from hlsl_tool.project.config.keys import Structure, Template
from hlsl_tool.project.config.yaml.node_values import WRONG, Reader, Wrong
from hlsl_tool.project.config.yaml.nodes import Mapping, Node, Scalar, Sequence, trap
from hlsl_tool.project.config.yaml.text import Tree, scalar

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class YamlKind:
    """What configurations need to know about one kind of value."""

    read: Callable[[Reader, Node, Any], object]
    """Convert a node to a value; raise `Wrong` after an error."""
    schema: Callable[[Any], Schema]
    """Return the JSON schema of the values."""
    describe: Callable[[Any], str]
    """Return the valid values in words, for the reference page."""
    write: Callable[[Any], Tree]
    """Convert a value back to YAML."""


def read(node: Node, kind: Kind, key: str, sink: Sink) -> object:
    """Convert the value of a key; return `WRONG` after an error."""
    try:
        return KINDS[type(kind)].read(Reader(key, sink), node, kind)
    except Wrong:
        return WRONG


def schema_of(kind: Kind) -> Schema:
    """Return the JSON schema of a kind of value."""
    return KINDS[type(kind)].schema(kind)


def describe(kind: Kind) -> str:
    """Return the valid values of a kind in words."""
    return kind.shape if isinstance(kind, Structure) else KINDS[type(kind)].describe(kind)


def value_tree(kind: Kind, value: Any) -> Tree:
    """Convert the value of an option to the tree that a configuration contains; `None` to `null`."""
    return "null" if value is None else KINDS[type(kind)].write(value)


# ---- Reading

_MAX = 0x7FFFFFFF


def _read_list(reader: Reader, node: Node, kind: ListOf) -> object:
    item = kind.item
    expected = f"a list (of one {item.what if isinstance(item, Text) else 'value'} or more)"
    nodes = reader.items(node, expected)
    if not nodes and not kind.may_be_empty:
        raise reader.type_error(node, expected)
    if isinstance(item, Choice):
        return reader.read_all(nodes, lambda node: reader.choice(node, item.values))
    return reader.read_all(nodes, lambda node: reader.text(node, item))


def _read_version(reader: Reader, node: Node, kind: Version) -> object:
    versions = ("2016", "2017", "2018", "2021", "202x", "202y")
    return version_number(reader.choice(node, versions))


def _read_shifts(reader: Reader, node: Node, kind: Shifts) -> object:
    expected = "[shift, space] or [shift, all], or a list of those"
    if not isinstance(node, Sequence) or not node.items:
        raise reader.type_error(node, expected)
    several = all(isinstance(item, Sequence) for item in node.items)

    def one(item: Node) -> tuple[int, int]:
        shift, space = reader.pair(item, expected)
        amount = reader.integer(shift, 0, _MAX)
        if isinstance(space, Scalar) and space.text == "all":
            return amount, ALL_SPACES
        return amount, reader.integer(space, 0, _MAX)

    pairs = reader.read_all(node.items if several else [node], one)
    if len(pairs) > 1 and any(pair[1] == ALL_SPACES for pair in pairs):  # type: ignore[index]  # pairs of int
        raise reader.type_error(node, "[shift, all] alone, or no `all`")
    return pairs


def _read_registers(reader: Reader, node: Node, kind: Registers) -> object:
    names = ("register", "space", "binding", "set")
    expected = "a list of {register: t3, space: 0, binding: 5, set: 1}"
    if not isinstance(node, Sequence):
        raise reader.type_error(node, expected)

    def one(item: Node) -> tuple[str, int, int, int]:
        if not isinstance(item, Mapping):
            raise reader.type_error(item, expected)
        for name, _ in item.entries:
            if name.text not in names:
                hint = did_you_mean(name.text, names)
                reader.sink.error(codes.UNKNOWN_KEY, name.at, hint=hint, key=name.text, where=f"`{reader.key}`")
                raise Wrong
        register, binding, space, place = (item.get(name) for name in ("register", "binding", "space", "set"))
        if register is None or binding is None:
            missing = "binding" if register else "register"
            reader.sink.error(codes.MISSING_KEY, item.at, where=f"an item of `{reader.key}`", key=missing)
            raise Wrong
        return (
            reader.text(register, Text("register such as t3", r"[btsuBTSU][0-9]+")).lower(),
            reader.integer(space, 0, _MAX) if space else 0,
            reader.integer(binding, 0, _MAX),
            reader.integer(place, 0, _MAX) if place else 0,
        )

    return reader.read_all(node.items, one)


def _read_place(reader: Reader, node: Node, kind: Place) -> object:
    binding, place = reader.pair(node, "[binding, set]")
    return reader.integer(binding, 0, _MAX), reader.integer(place, 0, _MAX)


def _read_debug(reader: Reader, node: Node, kind: Debug) -> object:
    if isinstance(node, Scalar) and node.text in ("true", "false") and node.plain:
        return DEBUG_EVERYTHING if node.text == "true" else ()
    nodes = reader.items(node, "true, false or a list of categories")
    return reader.read_all(nodes, lambda word: reader.choice(word, kind.values))


def _read_optimize(reader: Reader, node: Node, kind: Optimize) -> object:
    words = ("none", "size", "performance")
    if isinstance(node, Scalar) and not node.text.startswith("-"):
        return reader.choice(node, words)
    passes = reader.read_all(
        reader.items(node, f"one of {', '.join(words)}, or a list of spirv-opt passes"),
        lambda option: reader.text(
            option, Text("spirv-opt pass such as --loop-unroll", r"-[-A-Za-z0-9_=:.]+( [^\n]*)?")
        ),
    )
    return passes or "none"


def _read_validate(reader: Reader, node: Node, kind: Validate) -> object:
    words = {"true": "yes", "false": "no", "required": "required"}
    if isinstance(node, Scalar) and node.text in words:
        return words[node.text]
    hint = "write `true` or `false`" if isinstance(node, Scalar) and trap(node) else None
    raise reader.type_error(node, "true, false or required", hint)


_TEMPLATE_HINT = "it has letters, digits, `_.+-/`, and placeholders such as {stem}, {MACRO} and {MACRO=1?text}"


def _read_template(reader: Reader, node: Node, kind: Template) -> object:
    text = reader.text(node)
    if not names.is_template(text):
        raise reader.type_error(node, f"a {kind.what}", _TEMPLATE_HINT)
    return text


# ---- Schemas

_NUMBER = {"type": "integer", "minimum": 0}
MACRO_VALUE = {"type": ["string", "number", "boolean", "null"]}


def one_or_many(item: Schema, *, may_be_empty: bool = True) -> Schema:
    """Return the schema of a list of items, or of one item in its place."""
    return {"anyOf": [item, {"type": "array", "items": item, **({} if may_be_empty else {"minItems": 1})}]}


def _text_schema(kind: Text) -> Schema:
    return {"type": "string", "pattern": f"^(?:{kind.pattern})$"} if kind.pattern else {"type": "string"}


def _item_schema(kind: Text | Choice) -> Schema:
    return {"enum": list(kind.values)} if isinstance(kind, Choice) else _text_schema(kind)


def _shifts_schema(kind: Shifts) -> Schema:
    pair = {
        "type": "array",
        "prefixItems": [_NUMBER, {"anyOf": [_NUMBER, {"const": "all"}]}],
        "minItems": 2,
        "maxItems": 2,
    }
    return {"anyOf": [pair, {"type": "array", "items": pair, "minItems": 1}]}


def _registers_schema(kind: Registers) -> Schema:
    fields = {"register": {"type": "string", "pattern": "^[btsuBTSU][0-9]+$"}}
    numbers = dict.fromkeys(("space", "binding", "set"), _NUMBER)
    one = {
        "type": "object",
        "properties": {**fields, **numbers},
        "required": ["register", "binding"],
        "additionalProperties": False,
    }
    return {"type": "array", "items": one}


def _optimize_schema(kind: Optimize) -> Schema:
    passes = {"type": "string", "pattern": "^-"}
    return {"anyOf": [{"enum": ["none", "size", "performance"]}, passes, {"type": "array", "items": passes}]}


# ---- Writing


def _write_pairs(value: tuple[tuple[int, int], ...]) -> Tree:
    pairs: list[Tree] = [[str(shift), space_text(space)] for shift, space in value]
    return pairs[0] if len(pairs) == 1 else pairs


def _write_registers(value: tuple[tuple[str, int, int, int], ...]) -> Tree:
    names = ("register", "space", "binding", "set")
    return [dict(zip(names, map(str, register), strict=True)) for register in value]


def _write_debug(value: tuple[str, ...]) -> Tree:
    return _write_bool(value) if value in ((), DEBUG_EVERYTHING) else [scalar(category) for category in value]


def _write_items(value: tuple[object, ...]) -> Tree:
    return [scalar(str(item)) for item in value]


def _write_text(value: object) -> Tree:
    return scalar(str(value))


def _write_bool(value: object) -> Tree:
    return "true" if value else "false"


# ---- The table


def _words(values: tuple[str, ...]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def _read_nothing(reader: Reader, node: Node, kind: Kind) -> object:
    raise AssertionError(f"`{reader.key}` has a reader of its own")


_BOOL = YamlKind(
    lambda reader, node, kind: reader.boolean(node),
    lambda kind: {"type": "boolean"},
    lambda kind: "`true`, `false`",
    _write_bool,
)
KINDS: dict[type[Kind], YamlKind] = {
    Bool: _BOOL,
    Tristate: _BOOL,
    Int: YamlKind(
        lambda reader, node, kind: reader.integer(node, kind.low, kind.high),
        lambda kind: {"type": "integer", "minimum": kind.low, "maximum": kind.high},
        lambda kind: "a number",
        str,
    ),
    HexInt: YamlKind(
        lambda reader, node, kind: reader.integer(node, 1, 0xFFFFFFFF, hexadecimal=True),
        lambda kind: {"type": "integer", "minimum": 1, "maximum": 0xFFFFFFFF},
        lambda kind: "a number",
        lambda value: f"{value:#x}",
    ),
    Text: YamlKind(
        lambda reader, node, kind: reader.text(node, kind),
        _text_schema,
        lambda kind: f"a {kind.what}" if kind.what != "text" else "text",
        _write_text,
    ),
    Choice: YamlKind(
        lambda reader, node, kind: reader.choice(node, kind.values),
        lambda kind: {"enum": list(kind.values)},
        lambda kind: _words(kind.values),
        _write_text,
    ),
    ListOf: YamlKind(
        _read_list,
        lambda kind: one_or_many(_item_schema(kind.item), may_be_empty=kind.may_be_empty),
        lambda kind: "a list of " + _words(kind.item.values) if isinstance(kind.item, Choice) else "a list",
        _write_items,
    ),
    Version: YamlKind(
        _read_version,
        lambda kind: {"enum": [2016, 2017, 2018, 2021, "2016", "2017", "2018", "2021", "202x", "202y"]},
        lambda kind: "a version",
        version_text,
    ),
    Defines: YamlKind(
        _read_nothing,
        lambda kind: {
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
            "additionalProperties": one_or_many(MACRO_VALUE),
        },
        lambda kind: "macros",
        lambda value: {name: "~" if text is None else scalar(text) for name, text in value},
    ),
    Shifts: YamlKind(
        _read_shifts, _shifts_schema, lambda kind: "`[shift, space]`, `[shift, all]`, or a list", _write_pairs
    ),
    Registers: YamlKind(_read_registers, _registers_schema, lambda kind: "a list", _write_registers),
    Place: YamlKind(
        _read_place,
        lambda kind: {"type": "array", "prefixItems": [_NUMBER, _NUMBER], "minItems": 2, "maxItems": 2},
        lambda kind: "`[binding, set]`",
        lambda value: [str(number) for number in value],
    ),
    Debug: YamlKind(
        _read_debug,
        lambda kind: {"anyOf": [{"type": "boolean"}, one_or_many({"enum": list(kind.values)})]},
        lambda kind: "`true`, `false`, or of " + _words(kind.values),
        _write_debug,
    ),
    Optimize: YamlKind(
        _read_optimize,
        _optimize_schema,
        lambda kind: "`none`, `size`, `performance`, or a list",
        lambda value: _write_items(value) if isinstance(value, tuple) else str(value),
    ),
    Validate: YamlKind(
        _read_validate,
        lambda kind: {"enum": [True, False, "required"]},
        lambda kind: "`true`, `false`, `required`",
        lambda value: {"yes": "true", "no": "false"}.get(value, value),
    ),
    Template: YamlKind(
        _read_template,
        lambda kind: {"type": "string", "pattern": f"^(?:{names.PATTERN})$"},
        lambda kind: f"a {kind.what}, with placeholders",
        _write_text,
    ),
}
"""Kind of value → its row; a `Structure` has code of its own in `load`, `schema` and `describe`."""
