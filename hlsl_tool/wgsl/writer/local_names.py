"""Give local names without numbers to variables in scopes where nothing else has these names.

Names are chosen before the scopes of all variables are known, so that two loops have the variables ``i`` and ``i_1``.
Before: the text of a function whose names are all different. After: the second loop's variable is ``i``, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.wgsl.writer.unique_names import TAKEN

_TOKEN = re.compile(r"\.?\b[A-Za-z_]\w*|[{}]")
"""An identifier, a member with its dot, or a brace; the suffix of a number (``1u``) is none."""


@dataclass(slots=True, eq=False)
class _Block:
    """A scope: the range of its tokens, and the names that it declares."""

    start: int
    parent: _Block | None = None
    end: int = 0
    names: set[str] = field(default_factory=set)

    def outwards(self) -> Iterator[_Block]:
        block: _Block | None = self
        while block is not None:
            yield block
            block = block.parent


def reuse_names(text: str, numbered: Mapping[str, str], module: set[str]) -> str:
    """Return the text of a function with shorter names.

    ``numbered`` maps each name with a number to the name without one; ``module`` are the names of the module.
    """
    matches = list(_TOKEN.finditer(text))
    tokens = [match[0] for match in matches]
    for index, block in _declarations(tokens):
        name = tokens[index]
        if name not in numbered:
            continue
        inside = set(tokens[block.start : block.end])
        visible = {other for outer in block.outwards() for other in outer.names}
        for candidate in _candidates(numbered[name], name):
            if candidate not in inside and candidate not in visible and candidate not in module:
                tokens[block.start : block.end] = [
                    candidate if token == name else token for token in tokens[block.start : block.end]
                ]
                block.names.remove(name)
                block.names.add(candidate)
                break
    pieces: list[str] = []
    end = 0
    for match, token in zip(matches, tokens, strict=True):
        pieces += [text[end : match.start()], token]
        end = match.end()
    return "".join([*pieces, text[end:]])


def _candidates(base: str, name: str) -> list[str]:
    """Return the names to try in place of one with a number."""
    number = int(name.rpartition("_")[2])
    return [word for word in (base, *(f"{base}_{k}" for k in range(1, number))) if word not in TAKEN]


def _declarations(tokens: list[str]) -> list[tuple[int, _Block]]:
    """Return (index of the name, scope) of each local declaration, and record all names in their scopes.

    The header of a `for` loop is part of the scope of its body, and the parameters part of that of the function's.
    """
    declared: list[tuple[int, _Block]] = []
    block = _Block(0)
    opening: _Block | None = block
    for index, token in enumerate(tokens):
        if token == "for":
            opening = block = _Block(index, block)
        elif token == "{":
            if opening is None:
                block = _Block(index, block)
            opening = None
        elif token == "}":
            block.end = index + 1
            block = block.parent or block
        elif index and tokens[index - 1] in ("let", "var"):
            declared.append((index, block))
            block.names.add(token)
        elif opening is not None and block.parent is None:
            block.names.add(token)
    return declared
