"""One level of a configuration (defaults, file, shader, entry): its settings, each with its source location."""

from __future__ import annotations

import re

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.kinds import ListOf, Row, Text
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.config import keys
from hlsl_tool.project.config.secrets import concealed
from hlsl_tool.project.config.yaml.kinds import read
from hlsl_tool.project.config.yaml.node_values import WRONG
from hlsl_tool.project.config.yaml.nodes import Mapping, Node, Scalar, Sequence, describe, trap

_MACRO = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(slots=True)
class Setting:
    """A value and its source location, which is `None` for the built-in default."""

    value: object
    at: Location | None = None
    items: tuple[Location, ...] = ()
    """The places of the items of a list."""

    def place(self, number: int) -> Location | None:
        """Return the place of an item of a list."""
        return self.items[number] if number < len(self.items) else self.at


UNDEFINED = "\0"
"""Value of an axis for permutations in which its macro is not defined; no text of a configuration contains it."""


def shown(value: str | None) -> str:
    """Return the value of a macro as it is written in YAML."""
    return "~" if value == UNDEFINED else value or ""


_SELECTORS = ("source", "entry", "if")
"""Keys of an override that select shaders."""


@dataclass(slots=True)
class Macro:
    """A macro and its values; a YAML list, even of one value, makes it an axis of permutations."""

    name: str
    values: tuple[str | None, ...]
    """`None` defines the macro without a value; `UNDEFINED` occurs in an axis only."""
    axis: bool
    at: Location


Condition = list[tuple[str, Location, list[tuple[str, Location]]]]
"""Macros, each with the values that it may have, and the places of both."""


@dataclass(slots=True)
class Exclusion:
    """Permutations to omit: those in which each of these macros has one of the given values."""

    macros: Condition
    at: Location


@dataclass(slots=True)
class Override:
    """An item of `overrides`: settings for the shaders that match its sources, entry points and macro values.

    An empty condition matches every shader.
    """

    sources: tuple[str, ...]
    """Paths or patterns, from the source folder."""
    entries: tuple[str, ...]
    """Names or patterns."""
    macros: Condition
    """The values of macros that select permutations."""
    layer: Layer
    at: Location
    is_used: bool = False
    """Whether it has selected a shader."""


@dataclass(slots=True)
class Layer:
    """The settings of one level of a configuration, or the result of merging several levels."""

    settings: dict[str, Setting] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    exclusions: list[Exclusion] = field(default_factory=list)
    overrides: list[Override] = field(default_factory=list)
    variants: dict[str, tuple[Layer, ...]] = field(default_factory=dict)
    """Name → settings, of the outer files first."""
    parts: dict[str, Node] = field(default_factory=dict)
    """Unread values of keys with a structure: shaders, entries, sources."""
    at: Location | None = None
    broken: set[str] = field(default_factory=set)
    """Keys with an invalid value, which must not be reported as missing, too."""


def merge_layers(lower: Layer, upper: Layer) -> Layer:
    """Merge two layers: settings and macros of ``upper`` win key by key; exclusions and overrides are concatenated."""
    return Layer(
        {**lower.settings, **upper.settings},
        {**lower.macros, **upper.macros},
        lower.exclusions + upper.exclusions,
        lower.overrides + upper.overrides,
        lower.variants | {name: lower.variants.get(name, ()) + own for name, own in upper.variants.items()},
        upper.parts,
        upper.at,
        lower.broken | upper.broken,
    )


def read_layer(node: Node, level: str, sink: Sink) -> Layer:
    """Parse the settings of a YAML mapping at a level; report unknown and misplaced keys."""
    layer = Layer(at=node.at)
    where = keys.LEVEL_NAMES[level]
    if not isinstance(node, Mapping):
        sink.error(codes.WRONG_TYPE, node.at, key=where, wanted="a mapping", got=describe(node))
        return layer
    todo = [("", node)]
    while todo:
        prefix, mapping = todo.pop()
        for name, value in mapping.entries:
            key = prefix + name.text
            if (level in "df" and key.startswith("x-")) or (level == "o" and key in _SELECTORS):
                continue
            if key in keys.GROUPS:
                if isinstance(value, Mapping):
                    todo.append((key + ".", value))
                else:
                    sink.error(codes.WRONG_TYPE, value.at, key=key, wanted="a mapping", got=describe(value))
                continue
            row = keys.OPTION_ROWS.get(key) or keys.STRUCTURE_ROWS.get(key)
            if row is None:
                _unknown(key, name, prefix, level, sink)
            elif level not in keys.levels(key):
                _misplaced(key, name, level, sink)
            else:
                _take(layer, row, key, value, sink)
    return layer


def _unknown(key: str, name: Scalar, prefix: str, level: str, sink: Sink) -> None:
    flag = keys.FLAG_KEYS.get(name.text.lstrip("-/").rstrip("=").lower())
    allowed = [k for k in (*keys.OPTION_ROWS, *keys.STRUCTURE_ROWS, *keys.GROUPS) if level in keys.levels(k)]
    if flag is not None:
        hint: str | None = f"the key for this flag is `{flag}`"
    elif prefix:
        hint = did_you_mean(name.text, {k[len(prefix) :].split(".")[0] for k in allowed if k.startswith(prefix)})
    else:
        tails = {k.rpartition(".")[2]: k for k in allowed if "." in k}
        other = keys.OTHER_WORDS.get(name.text.lower()) or tails.get(name.text)
        if other in allowed:
            lists = "; a list of values makes permutations: `defines: { MACRO: [0, 1] }`"
            hint = f"did you mean `{other}`?{lists if other == 'defines' else ''}"
        else:
            hint = did_you_mean(name.text, {k for k in allowed if "." not in k})
    where = f"`{prefix[:-1]}`" if prefix else keys.LEVEL_NAMES[level]
    sink.error(codes.UNKNOWN_KEY, name.at, hint=hint, key=name.text, where=where)


def _misplaced(key: str, name: Scalar, level: str, sink: Sink) -> None:
    places = [keys.LEVEL_NAMES[letter] for letter in keys.levels(key)]
    sink.error(
        codes.MISPLACED_KEY,
        name.at,
        hint=f"it belongs in {' or '.join(places)}",
        key=key,
        where=keys.LEVEL_NAMES[level],
    )


def _take(layer: Layer, row: Row, key: str, value: Node, sink: Sink) -> None:
    if key == "defines":
        layer.macros.update(_macros(value, sink))
    elif key == "exclude":
        layer.exclusions += _exclusions(value, sink)
    elif key == "variants":
        layer.variants = _variants(value, sink)
    elif key == "overrides":
        layer.overrides += _overrides(value, sink)
    elif isinstance(row.kind, keys.Structure):
        layer.parts[key] = value
    else:
        setting = read(value, row.kind, key, sink)
        if setting is WRONG:
            layer.broken.add(key)
        else:
            if key == "store" and isinstance(setting, tuple):
                setting = tuple(map(concealed, setting))
            items = tuple(item.at for item in value.items) if isinstance(value, Sequence) else ()
            layer.settings[key] = Setting(setting, value.at, items)


# ---------------------------------------------------------------- macros


def _macros(node: Node, sink: Sink) -> dict[str, Macro]:
    if not isinstance(node, Mapping):
        expected = "a mapping from macros to values"
        hint = "write `NAME: value`, or `NAME: [0, 1]` for permutations"
        sink.error(codes.WRONG_TYPE, node.at, hint=hint, key="defines", wanted=expected, got=describe(node))
        return {}
    macros = {}
    for name, value in node.entries:
        if not _MACRO.fullmatch(name.text):
            sink.error(codes.NOT_A_MACRO, name.at, name=name.text)
            continue
        axis = isinstance(value, Sequence)
        nodes = value.items if isinstance(value, Sequence) else [value]
        if not nodes:
            expected = "a value or a list of values"
            sink.error(codes.WRONG_TYPE, value.at, key=name.text, wanted=expected, got="an empty list")
            continue
        values: list[str | None] = []
        for item in nodes:
            text = _macro_value(item, name.text, sink, may_be_undefined=axis)
            if text is WRONG:
                continue
            if text in values:
                sink.error(codes.DUPLICATE_KEY, item.at, key=f"{name.text}={text}")
                continue
            values.append(text)  # type: ignore[arg-type]  # WRONG is gone
        if values:
            macros[name.text] = Macro(name.text, tuple(values), axis, name.at)
    return macros


def _macro_value(node: Node, name: str, sink: Sink, *, may_be_undefined: bool) -> object:
    """Return the replacement text of a macro; ``None`` for an empty value, which defines it as 1 (as `-DNAME` does).

    ``may_be_undefined``: `~` is allowed, and gives `UNDEFINED`.
    """
    if not isinstance(node, Scalar):
        sink.error(codes.WRONG_TYPE, node.at, key=name, wanted="a value", got=describe(node))
        return WRONG
    if node.plain and node.text == "":
        return None
    meaning = trap(node)
    if meaning == "null" and may_be_undefined:
        return UNDEFINED
    if meaning and node.text not in ("true", "false"):
        hint = f"`{name}: [~]` leaves the macro undefined, `{name}:` defines it as 1" if meaning == "null" else None
        sink.error(codes.AMBIGUOUS, node.at, hint=hint, text=node.text, meaning=meaning)
        return WRONG
    if "\n" in node.text or "\0" in node.text:
        got = "several lines" if "\n" in node.text else "a zero"
        sink.error(codes.WRONG_TYPE, node.at, key=name, wanted="a value on one line", got=got)
        return WRONG
    return node.text


def _exclusions(node: Node, sink: Sink) -> list[Exclusion]:
    if isinstance(node, Mapping):
        node = Sequence([node], node.at)
    if not isinstance(node, Sequence):
        sink.error(codes.WRONG_TYPE, node.at, key="exclude", wanted="a list of {MACRO: value}", got=describe(node))
        return []
    exclusions = [(_condition(item, "exclude", sink), item.at) for item in node.items]
    return [Exclusion(macros, at) for macros, at in exclusions if macros]


def _condition(node: Node, key: str, sink: Sink) -> Condition:
    """Parse a mapping from macros to the values that a permutation must have; return [] after an error."""
    if not isinstance(node, Mapping) or not node.entries:
        sink.error(codes.WRONG_TYPE, node.at, key=key, wanted="{MACRO: value}", got=describe(node))
        return []
    macros = []
    for name, value in node.entries:
        nodes = value.items if isinstance(value, Sequence) else [value]
        texts = [(_macro_value(node, name.text, sink, may_be_undefined=True), node.at) for node in nodes]
        macros.append((name.text, name.at, [(_text(text), at) for text, at in texts if text is not WRONG]))
    return macros


def _text(value: object) -> str:
    return "" if value is None else str(value)


# ---------------------------------------------------------------- overrides


def _overrides(node: Node, sink: Sink) -> list[Override]:
    if isinstance(node, Mapping):
        node = Sequence([node], node.at)
    if not isinstance(node, Sequence):
        expected = "a list such as [{ if: { HALF: 1 }, enable_16bit_types: true }]"
        sink.error(codes.WRONG_TYPE, node.at, key="overrides", wanted=expected, got=describe(node))
        return []
    overrides = (_override(item, sink) for item in node.items)
    return [override for override in overrides if override is not None]


def _override(node: Node, sink: Sink) -> Override | None:
    if not isinstance(node, Mapping):
        sink.error(codes.WRONG_TYPE, node.at, key="overrides", wanted="{source, entry, if, …}", got=describe(node))
        return None
    if not any(name.text in _SELECTORS for name, _ in node.entries):
        sink.error(codes.MISSING_KEY, node.at, where="the override", key="source", hint="or `entry`, or `if`")
        return None
    condition = node.get("if")
    macros = [] if condition is None else _condition(condition, "if", sink)
    layer = read_layer(node, "o", sink)
    if condition is not None:
        for macro in list(layer.macros.values()):
            if macro.axis:
                del layer.macros[macro.name]
                hint = "an override with `if` is for permutations that exist: give it one value"
                sink.error(codes.WRONG_TYPE, macro.at, hint=hint, key=macro.name, wanted="a value", got="a list")
    return Override(
        read_patterns(node.get("source"), "source", sink),
        read_patterns(node.get("entry"), "entry", sink),
        macros,
        layer,
        node.at,
    )


def _variants(node: Node, sink: Sink) -> dict[str, tuple[Layer, ...]]:
    if not isinstance(node, Mapping):
        expected = "a mapping such as { debug: { optimize: none } }"
        sink.error(codes.WRONG_TYPE, node.at, key="variants", wanted=expected, got=describe(node))
        return {}
    variants: dict[str, tuple[Layer, ...]] = {}
    for name, value in node.entries:
        if isinstance(value, Mapping) and (inner := value.get("variants")) is not None:
            sink.error(codes.MISPLACED_KEY, inner.at, key="variants", where="a variant")
            continue
        is_empty = isinstance(value, Scalar) and not value.text
        variants[name.text] = () if is_empty else (read_layer(value, "d", sink),)
    return variants


def read_patterns(node: Node | None, key: str, sink: Sink) -> tuple[str, ...]:
    """Return the names and patterns in the value of a key; empty if the key is missing, or after an error."""
    if node is None:
        return ()
    patterns = read(node, ListOf(Text("name or pattern"), may_be_empty=False), key, sink)
    return tuple(text.replace("\\", "/") for text in patterns) if isinstance(patterns, tuple) else ()
