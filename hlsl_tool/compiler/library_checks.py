"""Check `CompileOptions` that library users create; the command line and YAML are checked when they are parsed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import attrgetter

from hlsl_tool.base.options.compile_options import DEFAULTS, CompileOptions
from hlsl_tool.base.system.dataclass import fields

_LEVELS = ("none", "size", "performance")
_SUCH_AS = {"defines": 'such as (("NAME", "1"), ("OTHER", None))'}


_NAMES = tuple(field.name for field in fields(CompileOptions))
_values = attrgetter(*_NAMES)
_DEFAULTS = _values(DEFAULTS)


def check_options(options: CompileOptions) -> None:
    """Raise ``ValueError`` if a field has a value that is invalid for its option."""
    changed = [
        name for name, value, default in zip(_NAMES, _values(options), _DEFAULTS, strict=True) if value != default
    ]
    if changed not in ([], ["profile"], ["entry", "profile"]):
        _check(options, changed)


@cache
def _choices() -> dict[str, Sequence[str]]:
    """Return field → valid values, for the fields with a fixed set of values."""
    from hlsl_tool.base.options.kinds import Choice  # start-up time
    from hlsl_tool.base.options.table import TABLE

    choices = {row.field: row.kind.values for row in TABLE if isinstance(row.kind, Choice)}
    return {**choices, "optimize": _LEVELS, "validate": ("yes", "required", "no")}


def _check(options: CompileOptions, names: Sequence[str]) -> None:
    choices = _choices()
    for field in names:
        value = getattr(options, field)
        if field in choices:
            if value not in choices[field] and not (field == "optimize" and isinstance(value, tuple)):
                values = ", ".join(choices[field])
                raise ValueError(f"CompileOptions.{field} cannot be {value!r}; it is one of {values}")
        elif isinstance(getattr(DEFAULTS, field), tuple) and not isinstance(value, tuple):
            expected = f"a tuple {_SUCH_AS[field]}" if field in _SUCH_AS else "a tuple"
            raise ValueError(f"CompileOptions.{field} wants {expected}, got a {type(value).__name__}")
