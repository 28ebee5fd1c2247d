"""What the declarations so far mean for telling names from types.

Only that much is known here: a name is a type, a function template, an enum, or (again) neither.  Look-up proper is
``sema``'s; where this is too coarse, the driver corrects it by the parse state (a type's name where only a name can
stand is one, and hides the type from there on).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from hlsl_tool.syntax.kinds import IDENT, TYPE, Codes

EffectKind = Literal["type", "member", "template", "enum", "hide", "open"]


class Effect(NamedTuple):
    """One thing that a chunk changes for those behind it.

    ``type``: a type in the namespace ``path`` (``""``: the global one); ``member``: a type inside a struct;
    ``template``: a function template; ``enum``: the type is an enum; ``hide``: a variable or function took the name of
    a type; ``open``: ``using namespace path``.
    """

    kind: EffectKind
    name: str
    path: str = ""


def signs(effect: Effect, signatures: Mapping[str, str]) -> list[tuple[str, str]]:
    """What an effect adds to the histories of names: (name, addition).

    A name's history decides how it is classified: chunks whose names have equal histories are classified alike.
    """
    kind, name, path = effect
    if kind == "open":
        inside = [known for known, history in signatures.items() if f"type:{path};" in history]
        return [(known, "open;") for known in (*sorted(inside), f"::{path}")]
    opened = "open;" if kind == "type" and path and f"::{path}" in signatures else ""
    return [(name, f"{kind}:{path};{opened}")]


@dataclass(slots=True)
class Environment:
    """The effects so far, worked out for the classifier."""

    codes: Codes = field(default_factory=Codes)
    members: set[str] = field(default_factory=set)
    """Types that only a qualified name finds."""
    templates: set[str] = field(default_factory=set)
    enums: set[str] = field(default_factory=set)
    namespaces: dict[str, set[str]] = field(default_factory=dict)
    """``A::B`` → the types declared in it."""
    opened: set[str] = field(default_factory=set)

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
