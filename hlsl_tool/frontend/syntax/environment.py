"""The names declared so far, to distinguish types from other names.

A name is a type, a function template, an enum, or none of these. ``sema`` does full name lookup; where this
approximation fails, the driver corrects it from the parse state (a type name where only an identifier is allowed
becomes one and hides the type).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.syntax.kinds import IDENT, TYPE, Codes

EffectKind = Literal["type", "member", "template", "enum", "hide", "open"]


class Effect(NamedTuple):
    """A change by a top-level declaration to which names are types or templates in later declarations.

    ``type``: a type in the namespace ``path`` (``""``: the global one); ``member``: a type inside a struct;
    ``template``: a function template; ``enum``: the type is an enum; ``hide``: a variable or function hides a type;
    ``open``: ``using namespace path``.
    """

    kind: EffectKind
    name: str
    path: str = ""


def signs(effect: Effect, signatures: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (name, text to append to the name's history) for each name that an effect concerns.

    A name's history decides its classification: declarations whose names have equal histories are classified alike.
    """
    kind, name, path = effect
    if kind == "open":
        inside = [type_name for type_name, history in signatures.items() if f"type:{path};" in history]
        return [(type_name, "open;") for type_name in (*sorted(inside), f"::{path}")]
    opened = "open;" if kind == "type" and path and f"::{path}" in signatures else ""
    return [(name, f"{kind}:{path};{opened}")]


@dataclass(slots=True)
class Environment:
    """The names of the types, templates, enums and namespaces declared so far, by which tokens are classified."""

    codes: Codes = field(default_factory=Codes)
    members: set[str] = field(default_factory=set)
    """Types that only a qualified name can refer to."""
    templates: set[str] = field(default_factory=set)
    enums: set[str] = field(default_factory=set)
    namespaces: dict[str, set[str]] = field(default_factory=dict)
    """``A::B`` → the types declared in it."""
    opened: set[str] = field(default_factory=set)

    @property
    def is_modern(self) -> bool:
        return self.codes.is_modern

    def apply(self, effect: Effect) -> None:
        kind, name, path = effect
        if kind == "type":
            if path:
                self.namespaces.setdefault(path, set()).add(name)
                self.members.add(name)
            if not path or path in self.opened:
                self.codes[name] = TYPE
        elif kind == "member":
            self.members.add(name)
        elif kind == "template":
            self.templates.add(name)
        elif kind == "enum":
            self.enums.add(name)
        elif kind == "hide":
            self.codes[name] = IDENT
        else:
            self.opened.add(path)
            self.codes.update(dict.fromkeys(self.namespaces.get(path, ()), TYPE))
