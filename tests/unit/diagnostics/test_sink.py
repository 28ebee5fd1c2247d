"""The sink stores diagnostics, counts them and turns warnings into errors."""

from __future__ import annotations

import pytest

from hlsl_tool.base.diagnostics import Code, Diagnostic, InternalError, Location, Sink, WarningOptions
from hlsl_tool.base.diagnostics.catalogue import registry

ERROR = Code("HLSL9901", "some-error", "error", "no `{name}`")
WARNING = Code("HLSL9902", "some-warning", "warning", "odd", group="family")
QUIET = Code("HLSL9903", "quiet-warning", "warning", "very odd", default_on=False)
NOTE = Code("HLSL9904", "some-note", "note", "here")
FATAL = Code("HLSL9905", "some-fatal", "fatal", "stop")


def severities(*flags: str) -> list[str]:
    sink = Sink(WarningOptions.from_flags(flags))
    sink.warning(WARNING, None)
    sink.warning(QUIET, None)
    return [f"{diagnostic.code.name}:{diagnostic.severity}:{diagnostic.flag}" for diagnostic in sink.diagnostics]


LOUD = "some-warning:warning:-Wfamily"
RAISED = "some-warning:error:-Werror,-Wfamily"
FLAGS = {
    (): [LOUD],
    ("-WX",): [RAISED],
    ("-no-warnings",): [],
    ("-Wno-some-warning",): [],
    ("-Wno-family",): [],
    ("-Wno-some-warning", "-Wsome-warning"): [LOUD],
    ("-Werror=some-warning",): [RAISED],
    ("-WX", "-Wno-error=family"): [LOUD],
    ("-WX", "-Wno-error"): [LOUD],
    ("-Wquiet-warning",): [LOUD, "quiet-warning:warning:-Wquiet-warning"],
    ("-O3", "-W"): [LOUD],
}


@pytest.mark.parametrize("flags", FLAGS)
def test_flags(flags: tuple[str, ...]) -> None:
    assert severities(*flags) == FLAGS[flags]


def test_errors_and_notes() -> None:
    sink = Sink()
    note = sink.note(NOTE, None)
    error = sink.error(ERROR, Location("a", 1, 2, 3), notes=[note], hint="try", name="x")
    sink.error(FATAL, None)
    assert (error.message, error.hint, error.notes) == ("no `x`", "try", [note])
    assert [diagnostic.severity for diagnostic in sink.diagnostics] == ["error", "fatal"]
    assert sink.error_count == 2
    assert not sink.ok
    assert list(error.flatten()) == [error, note]


def test_place_of_a_silent_warning_is_not_worked_out() -> None:
    def place() -> Location:
        raise AssertionError

    assert Sink().warning(QUIET, place) is None


def test_missing_field_is_a_bug_of_ours() -> None:
    with pytest.raises(InternalError, match="HLSL9901"):
        Sink().error(ERROR, None)


def test_limit() -> None:
    sink = Sink(error_limit=2)
    for _ in range(5):
        sink.error(ERROR, None, name="x")
    assert [diagnostic.code.name for diagnostic in sink.diagnostics] == ["some-error"] * 2 + ["too-many-errors"]
    assert sink.overflowed
    assert sink.error_count == 5


def test_reporting_leaves_the_remembered_diagnostic_alone() -> None:
    remembered = Diagnostic(WARNING, "warning", "odd")
    kept = Sink(WarningOptions.from_flags(["-WX"])).report(remembered)
    assert kept is not None
    assert (kept.severity, remembered.severity, remembered.flag) == ("error", "warning", "")


def test_pragma_levels_hold_by_token() -> None:
    sink = Sink()
    sink.set_pragma_levels(10, {"some-warning": "ignored"})
    sink.set_pragma_levels(20, {"family": "error"})
    found = [sink.warning(WARNING, Location("a", index=index)) for index in (9, 10, 19, 20)]
    assert [diagnostic and diagnostic.severity for diagnostic in found] == ["warning", None, None, "error"]
    with pytest.raises(InternalError):
        sink.set_pragma_levels(5, {})


def test_catalogue() -> None:
    codes = registry.all_codes()
    assert list(codes) == sorted(codes)
    assert registry.by_id("HLSL0101") is codes["HLSL0101"]
    assert [code.id for code in registry.by_name("macro-redefined")] == ["HLSL0172"]
    for code in codes.values():
        assert code.name and " " not in code.name
        assert code.severity in ("fatal", "error", "warning", "note")


def test_two_rows_with_one_id_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from hlsl_tool.base.diagnostics.catalogue import compiler as codes

    monkeypatch.setattr(codes, "TWIN", Code("HLSL0001", "twin", "error", "x"), raising=False)
    registry.all_codes.cache_clear()
    with pytest.raises(InternalError, match="HLSL0001 is used twice"):
        registry.all_codes()
    monkeypatch.undo()
    registry.all_codes.cache_clear()
