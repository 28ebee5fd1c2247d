"""The table at the end of `init`: built and failed shaders, and a next step for each failure."""

from __future__ import annotations

from collections import Counter

from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.diagnostics.catalogue import preprocessor as preprocessor_codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.diagnostics.visible import visible
from hlsl_tool.project.config.hints import configured
from hlsl_tool.project.discovery.configuration import STAGE_NAMES
from hlsl_tool.project.discovery.discover import Discovery, Guess
from hlsl_tool.project.discovery.trial_build import Failure, Trial

MAX_FAILURES = 25
"""Limit on the failures that are listed."""


def table(discovery: Discovery, trial: Trial) -> str:
    """Return the table, with the failures below it."""
    failed = Counter(failure.guess.entry.stage for failure in trial.failures)
    total = Counter(guess.entry.stage for guess in discovery.guesses)
    rows = [
        (STAGE_NAMES.get(stage, stage), total[stage] - failed[stage], failed[stage])
        for stage in STAGE_NAMES
        if total[stage]
    ]
    rows.append(("all", sum(total.values()) - sum(failed.values()), sum(failed.values())))
    width = max(len(name) for name, _, _ in rows)
    lines = [f"{'stage':<{width}}  built  failed"]
    lines += [f"{name:<{width}}  {built:>5}  {count:>6}" for name, built, count in rows]
    return "\n".join(lines) + "\n" + _failures(trial)


def _failures(trial: Trial) -> str:
    """Return each first error once, with the shaders that have it, and the next step."""
    groups: dict[tuple[str, str, str], list[Failure]] = {}
    for failure in trial.failures:
        error = failure.error
        key = (_place(error), error.code.id, error.message) if error else ("", "", "")
        groups.setdefault(key, []).append(failure)
    text = "\nFailed:\n" if groups else ""
    for failures in list(groups.values())[:MAX_FAILURES]:
        text += _group(failures)
    if len(groups) > MAX_FAILURES:
        text += f"  … and {len(groups) - MAX_FAILURES} more errors: `hlsl_tool build` shows them all\n"
    return text


def _group(failures: list[Failure]) -> str:
    first, error = failures[0].guess, failures[0].error
    more = f" and {len(failures) - 1} more" if len(failures) > 1 else ""
    text = f"  {visible(_name(first))}{more}\n"
    if error is not None:
        place = f"{visible(_place(error))}: " if error.location is not None else ""
        text += f"    {place}{visible(error.message)} [{error.code.id}]\n"
        text += f"    next: {visible(next_step(error))}\n"
    return text


def _name(guess: Guess) -> str:
    return f"{guess.source} {guess.entry.name or 'library'} ({guess.options.profile})"


def _place(error: Diagnostic | None) -> str:
    at = error.location if error else None
    return f"{at.file}:{at.line}" if at is not None and at.line else (at.file if at is not None else "")


def next_step(error: Diagnostic) -> str:
    """Return what to do about an error, by its code and its hint."""
    if error.code.id == preprocessor_codes.MISSING_INCLUDE.id:
        name = error.message.split("'")[1] if "'" in error.message else error.message
        return (
            f"the folder has no file `{name}`: get it (a submodule, or a step of the project's build),"
            " and add its folder to `include_dirs`"
        )
    if error.code.id == preprocessor_codes.USER_ERROR.id:
        return "the shader refuses these macros: set those that it tests under `defines`"
    if error.code.id == sema_codes.UNDECLARED.id:
        return "declare it, or, if the project's build defines it, give the macro a value under `defines`"
    hint = configured([error])[0].hint
    return hint or f"`hlsl_tool explain {error.code.id}`"
