"""Checks of `CompileOptions` for callers of the library; the command line and YAML check while they read."""

from __future__ import annotations

from hlsl_tool.options.kinds import Choice
from hlsl_tool.options.model import DEFAULTS, CompileOptions
from hlsl_tool.options.table import TABLE

_LEVELS = ("none", "size", "performance")
_CHOICES = {row.field: row.kind.values for row in TABLE if isinstance(row.kind, Choice)} | {
    "optimize": _LEVELS,
    "validate": ("yes", "required", "no"),
}
_TUPLES = tuple(row.field for row in TABLE if isinstance(getattr(DEFAULTS, row.field, None), tuple))
_SUCH_AS = {"defines": 'such as (("NAME", "1"), ("OTHER", None))'}


def check_options(options: CompileOptions) -> None:
    """Raise ``ValueError`` for a field with a value that its option does not take."""
    for field, values in _CHOICES.items():
        value = getattr(options, field)
        if value not in values and not (field == "optimize" and isinstance(value, tuple)):
            raise ValueError(f"CompileOptions.{field} cannot be {value!r}; it is one of {', '.join(values)}")
    for field in _TUPLES:
        value = getattr(options, field)
        if not isinstance(value, tuple):
            expected = f"a tuple {_SUCH_AS[field]}" if field in _SUCH_AS else "a tuple"
            raise ValueError(f"CompileOptions.{field} wants {expected}, got a {type(value).__name__}")
