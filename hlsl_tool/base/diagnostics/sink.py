"""The sink, to which all stages report their diagnostics."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

from hlsl_tool.base.diagnostics.catalogue import compiler as codes
from hlsl_tool.base.diagnostics.diagnostic import Code, Diagnostic, Location, Replacement, Severity
from hlsl_tool.base.diagnostics.errors import InternalError
from hlsl_tool.base.diagnostics.remedies import remedy
from hlsl_tool.base.diagnostics.warnings import Level, WarningOptions, flag_of, names_of
from hlsl_tool.base.system.dataclass import replace

ERROR_LIMIT = 100

Place = Location | Callable[[], Location] | None
"""A location, or a function that computes it; not called for disabled warnings."""


class Sink:
    """Collects and counts diagnostics; applies the ``-W`` flags.

    ``error``, ``warning`` and ``note`` fill the code's template with the keyword arguments.  ``note`` only creates a
    note, to be passed as one of the ``notes`` of another diagnostic.
    """

    __slots__ = (
        "_pragma_indices",
        "_pragma_levels",
        "diagnostics",
        "error_count",
        "error_limit",
        "overflowed",
        "warnings",
    )

    def __init__(self, warnings: WarningOptions | None = None, *, error_limit: int = ERROR_LIMIT) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.error_count = 0
        self.error_limit = error_limit
        self.overflowed = False
        """Whether the error limit is exceeded; stages may then stop."""
        self.warnings = warnings if warnings is not None else WarningOptions()
        self._pragma_indices: list[int] = []
        self._pragma_levels: list[dict[str, Level]] = []

    def error(
        self,
        code: Code,
        location: Place,
        /,
        *,
        notes: Iterable[Diagnostic] = (),
        hint: str | None = None,
        fixes: tuple[Replacement, ...] = (),
        **fmt: object,
    ) -> Diagnostic:
        severity: Severity = "fatal" if code.severity == "fatal" else "error"
        hint = hint or remedy(code, fmt)
        diagnostic = Diagnostic(code, severity, _fill(code, fmt), _place(location), list(notes), hint, fixes=fixes)
        self.report(diagnostic)  # beyond the limit too, the caller gets its diagnostic
        return diagnostic

    def warning(
        self,
        code: Code,
        location: Place,
        /,
        *,
        notes: Iterable[Diagnostic] = (),
        hint: str | None = None,
        fixes: tuple[Replacement, ...] = (),
        **fmt: object,
    ) -> Diagnostic | None:
        """Report a warning; return ``None`` if it is disabled."""
        if not self._pragma_levels and self.warnings.level(code) == "ignored":
            return None
        hint = hint or remedy(code, fmt)
        diagnostic = Diagnostic(code, "warning", _fill(code, fmt), _place(location), list(notes), hint, fixes=fixes)
        return self.report(diagnostic)

    def may_warn(self, code: Code) -> bool:
        """Return whether the command line or any pragma enables a warning; if not, callers can skip its checks."""
        names = names_of(code)
        return self.warnings.level(code) != "ignored" or any(
            levels.get(name, "ignored") != "ignored" for levels in self._pragma_levels for name in names
        )

    def note(
        self,
        code: Code,
        location: Place,
        /,
        *,
        hint: str | None = None,
        fixes: tuple[Replacement, ...] = (),
        **fmt: object,
    ) -> Diagnostic:
        severity: Severity = "warning" if code.severity == "warning" else "note"
        return Diagnostic(code, severity, _fill(code, fmt), _place(location), [], hint, fixes=fixes)

    def report(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """Store a diagnostic, which may come from a cache; return the stored one, or ``None`` if it is disabled.

        Here the ``-W`` flags change the severity of warnings, so that cached warnings do not depend on flags.
        """
        if diagnostic.code.severity == "warning" and diagnostic.severity == "warning":
            level = self.level(diagnostic.code, diagnostic.location)
            if level == "ignored":
                return None
            flag = flag_of(diagnostic.code)
            if level == "warning":
                diagnostic = replace(diagnostic, flag=flag)
            else:
                flag_shown = flag if diagnostic.code.default_error else f"-Werror,{flag}"
                diagnostic = replace(diagnostic, severity=level, flag=flag_shown)
        if diagnostic.severity in ("error", "fatal"):
            self.error_count += 1
            if self.error_limit and self.error_count > self.error_limit:
                if not self.overflowed:
                    self.overflowed = True
                    self.diagnostics.append(_too_many_errors())
                return None
        self.diagnostics.append(diagnostic)
        return diagnostic

    def level(self, code: Code, location: Location | None = None) -> Level:
        pragmas = None
        if self._pragma_levels and location is not None and location.index >= 0:
            at = bisect_right(self._pragma_indices, location.index)
            pragmas = self._pragma_levels[at - 1] if at else None
        return self.warnings.level(code, pragmas)

    def set_pragma_levels(self, index: int, levels: dict[str, Level]) -> None:
        """Set the levels of warnings from token ``index`` on (``#pragma dxc diagnostic``).

        Indices must not decrease.
        """
        if self._pragma_indices and index < self._pragma_indices[-1]:
            raise InternalError("pragma levels must be given in the order of the tokens")
        self._pragma_indices.append(index)
        self._pragma_levels.append(dict(levels))

    @property
    def ok(self) -> bool:
        return self.error_count == 0


def _too_many_errors() -> Diagnostic:
    code = codes.TOO_MANY_ERRORS
    return Diagnostic(code, "fatal", code.template, hint=remedy(code, {}))


def _place(location: Place) -> Location | None:
    return location() if callable(location) else location


def _fill(code: Code, fmt: dict[str, object]) -> str:
    try:
        return code.template.format(**fmt)
    except (KeyError, IndexError) as missing:
        raise InternalError(f"the message {code.id} ({code.name}) wants a field {missing}") from missing
