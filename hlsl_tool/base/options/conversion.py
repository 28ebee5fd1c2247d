"""The options of conversions from SPIR-V to other languages."""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.options.kinds import Bool, Choice, Int
from hlsl_tool.base.system.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ConversionOption:
    """An option of the conversion to one language."""

    kind: Choice | Int | Bool
    doc: str
    flag: str
    """The flag of the verb that converts; without a value it chooses the second of two values."""
    placeholder: str = ""
    """The name of the flag's value; empty for a flag without one."""

    @property
    def values(self) -> tuple[str, ...] | tuple[bool, ...] | range:
        """The valid values of the option."""
        if isinstance(self.kind, Choice):
            return self.kind.values
        return range(self.kind.low, self.kind.high + 1) if isinstance(self.kind, Int) else (False, True)

    @property
    def default(self) -> Any:
        """The value if the option is not given: the first valid one."""
        return self.values[0]

    def is_value(self, value: object) -> bool:
        """Return whether a value has the right type and is valid for the option."""
        return type(value) is type(self.default) and value in self.values

    def describe_values(self) -> str:
        """Return the valid values in the words of messages."""
        if isinstance(self.kind, Choice):
            return " or ".join(f"`{value}`" for value in self.kind.values)
        if isinstance(self.kind, Int):
            return f"a whole number from {self.kind.low} to {self.kind.high}"
        return "`True` or `False`"
