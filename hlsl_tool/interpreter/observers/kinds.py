"""The kinds of faults, their levels and groups; what `--check` takes."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.diagnostic import Code

GROUPS: dict[str, tuple[Code, ...]] = {
    "bounds": (
        codes.READ_OUTSIDE,
        codes.WRITE_OUTSIDE,
        codes.TEXEL_OUTSIDE,
        codes.INDEX_OUTSIDE,
        codes.RESOURCE_OUTSIDE,
        codes.WILD_POINTER,
    ),
    "accesses": (codes.READ_ONLY, codes.MISALIGNED, codes.ATOMIC_FORMAT),
    "unwritten": (codes.UNINITIALIZED, codes.OUTPUT_UNWRITTEN),
    "races": (codes.RACE,),
    "divergence": (codes.BARRIER_DIVERGENT, codes.DERIVATIVE_DIVERGENT, codes.NOT_UNIFORM),
    "integers": (
        codes.DIVISION_BY_ZERO,
        codes.UNSIGNED_DIVISION,
        codes.DIVISION_OVERFLOW,
        codes.SHIFT_TOO_FAR,
        codes.CONVERSION,
    ),
    "floats": (codes.NAN, codes.INFINITY, codes.NAN_CLAMPED),
}
"""Name → the kinds that it stands for."""

_DEFINED = frozenset(
    code.name
    for code in (
        codes.READ_OUTSIDE,
        codes.WRITE_OUTSIDE,
        codes.TEXEL_OUTSIDE,
        codes.UNSIGNED_DIVISION,
        codes.SHIFT_TOO_FAR,
        codes.CONVERSION,
        codes.NAN,
        codes.INFINITY,
        codes.NAN_CLAMPED,
    )
)
"""Kinds whose result Direct3D defines."""

STRICT = frozenset(code.name for group in GROUPS.values() for code in group)
LEVELS: dict[str, frozenset[str]] = {"d3d": STRICT - _DEFINED, "strict": STRICT}
DEFAULT = "d3d"
_NAMES: dict[str, frozenset[str]] = {
    **LEVELS,
    **{name: frozenset(code.name for code in group) for name, group in GROUPS.items()},
    **{code.name: frozenset((code.name,)) for group in GROUPS.values() for code in group},
}


def chosen(text: str) -> frozenset[str]:
    """Return the kinds of a list of levels, groups and kinds, separated by commas; raise ``ValueError`` for others."""
    kinds: frozenset[str] = frozenset()
    for name in text.split(","):
        if name.strip() not in _NAMES:
            raise ValueError(f"there is no check `{name.strip()}` (there are: {', '.join(_NAMES)})")
        kinds |= _NAMES[name.strip()]
    return kinds


def names_one(text: str) -> bool:
    """Return whether a text has the name of a level, group or kind, so that it is meant as a list of them."""
    return any(name.strip() in _NAMES for name in text.split(","))
