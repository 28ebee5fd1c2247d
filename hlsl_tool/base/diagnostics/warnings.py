"""Levels of warnings, set by ``-W…``, ``-WX``, ``-no-warnings`` and ``#pragma dxc diagnostic``."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Literal

from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.system.dataclass import dataclass, replace

Level = Literal["ignored", "warning", "error", "fatal"]


_GROUPS: dict[str, tuple[str, ...]] = {
    "all": ("most", "parentheses", "switch", "switch-bool"),
    "extra": ("unused-parameter",),
    "most": ("comment", "uninitialized", "unknown-pragmas", "unused"),
    "parentheses": (
        "bitwise-op-parentheses",
        "dangling-else",
        "logical-op-parentheses",
        "parentheses-equality",
        "shift-op-parentheses",
    ),
    "unused-value": ("unused-comparison",),
    "uninitialized": ("sometimes-uninitialized",),
    "unused": ("unused-const-variable", "unused-function", "unused-result", "unused-value", "unused-variable"),
}
"""Groups of clang that hold other groups or warnings.  A warning's own group is in the catalogue."""


_OWN_GROUPS = frozenset(("build", "config", "linking", "lint", "matrix-portability", "padding"))
"""Groups that clang and DXC do not have."""


def flag_of(code: Code) -> str:
    """Return the ``-W`` switch that is printed with a warning.

    It names the warning's group if DXC has that group, else the warning itself.
    """
    is_common = code.group and code.group not in _OWN_GROUPS
    return f"-W{code.group if is_common else code.name}"


def names_of(code: Code) -> tuple[str, ...]:
    """Return all names by which ``-W`` selects a warning: its own, its groups, ``everything``."""
    return _names(code.name, code.group)


@cache
def _names(own: str, group: str) -> tuple[str, ...]:
    names = [own, group] if group else [own]
    for name in names:
        names += [group for group, members in _GROUPS.items() if name in members and group not in names]
    return (*names, "everything")


@dataclass(slots=True, frozen=True)
class WarningOptions:
    """The ``-W`` flags of one compilation."""

    levels: tuple[tuple[str, Level], ...] = ()
    """(warning or group name, level) in command-line order: the last one wins."""
    all_as_errors: bool = False
    none: bool = False
    not_errors: frozenset[str] = frozenset()

    @classmethod
    def from_flags(cls, flags: Iterable[str]) -> WarningOptions:
        """Parse flags in DXC's spelling; ignore flags that do not concern warnings."""
        options = cls()
        for flag in flags:
            options = options.with_flag(flag)
        return options

    def with_flag(self, flag: str) -> WarningOptions:
        if flag in ("-WX", "/WX", "-Werror"):
            return replace(self, all_as_errors=True)
        if flag in ("-no-warnings", "/no-warnings", "-w"):
            return replace(self, none=True)
        if not flag.startswith(("-W", "/W")) or len(flag) == 2:
            return self
        name = flag[2:]
        if name == "no-error":
            return replace(self, all_as_errors=False)
        if name.startswith("no-error="):
            return replace(self, not_errors=self.not_errors | {name[9:]})
        if name.startswith("error="):
            return self._with_level(name[6:], "error")
        if name.startswith("no-"):
            return self._with_level(name[3:], "ignored")
        return self._with_level(name, "warning")

    def _with_level(self, name: str, level: Level) -> WarningOptions:
        return replace(self, levels=(*self.levels, (name, level)))

    def level(self, code: Code, pragmas: dict[str, Level] | None = None) -> Level:
        """Return the level of a warning.

        ``pragmas``, the levels at its location, take precedence over the command line.
        """
        if self.none and not code.default_error:
            return "ignored"
        names = names_of(code)
        level: Level = "error" if code.default_error else "warning" if code.default_on else "ignored"
        for name, wanted in self.levels:
            if name in names:
                level = wanted
        if level == "error" and code.default_error and not self.not_errors.isdisjoint(names):
            level = "warning"
        if level == "warning" and self.all_as_errors and not code.of_environment and self.not_errors.isdisjoint(names):
            level = "error"
        if pragmas:
            for name in names:
                if name in pragmas:
                    asked = pragmas[name]
                    return "error" if asked == "warning" and self.all_as_errors else asked
        return level
