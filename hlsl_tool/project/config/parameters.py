"""Parameters: values that the caller of a build passes to configurations.

`env.HlslShaders(…)` and the command line create them.  Like `discovery`, the module does not import YAML.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.system.dataclass import dataclass, field

VARIANT = "VARIANT"
"""The variable that holds the name of the chosen variant."""

CALLER = Location("the caller", 0)
"""The place of settings that parameters give."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Parameters:
    """All settings of a build that are not written in the configurations."""

    variables: tuple[tuple[str, str], ...] = ()
    """Values of `${NAME}`."""
    defines: tuple[tuple[str, str], ...] = ()
    output_dir: str = ""
    """Replaces that of the configurations; empty for theirs."""
    variant: str = ""
    """The name of one of the `variants`; empty for none."""
    at: Location | None = field(default=None, compare=False)
    """The place of the call in a SConscript, for diagnostics."""

    def values(self) -> dict[str, str]:
        return ({VARIANT: self.variant} if self.variant else {}) | dict(self.variables)

    def arguments(self) -> list[str]:
        """Return the equivalent options of the command line."""
        words = [word for name, value in self.variables for word in ("--set", f"{name}={value}")]
        words += [word for name, value in self.defines for word in ("--define", f"{name}={value}")]
        words += ["--output-dir", self.output_dir] if self.output_dir else []
        return words + (["--variant", self.variant] if self.variant else [])


DEFAULT_PARAMETERS = Parameters()


def parameters(
    variables: Mapping[str, object], defines: Mapping[str, object], output_dir: str = "", variant: str = ""
) -> Parameters:
    """Convert the arguments of a call; raise ValueError for invalid names and values."""
    return Parameters(_pairs(variables), _pairs(defines), output_dir.replace("\\", "/").rstrip("/"), variant)


def _pairs(values: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for name, value in values.items():
        if not NAME.fullmatch(name):
            raise ValueError(f"`{name}` is no name: use letters, digits and underscores")
        if isinstance(value, (list, tuple, Mapping)):
            raise ValueError(f"`{name}` wants one value; lists of values belong in the configuration")
        text = str(value).lower() if isinstance(value, bool) else "1" if value is None else str(value)
        if "\0" in text or "\n" in text:
            raise ValueError(f"`{name}` wants a value on one line")
        pairs.append((name, text))
    return tuple(sorted(pairs))
