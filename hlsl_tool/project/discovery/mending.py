"""Find the settings and macros that a shader needs to compile, by trying them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.diagnostics.catalogue import preprocessor as preprocessor_codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.diagnostics.catalogue import syntax as syntax_codes
from hlsl_tool.base.options.checks import OptionError, split_profile
from hlsl_tool.base.options.command_line import parse
from hlsl_tool.base.options.compile_options import CompileOptions, changed
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.project.discovery.discover import GUESSED, Discovery, Guess, macros_to_set
from hlsl_tool.project.discovery.reading.macro_values import MentionedValue
from hlsl_tool.project.discovery.reading.macros import UNDEFINED, TestedMacro

MAX_TRIALS = 40
"""Limit on the compilations that are tried for one shader."""

MAX_ALIKE = 8
"""Limit on the shaders that are tried for errors with the same text in the same file."""

MAX_ROUNDS = 4
"""Limit on the steps that one shader may need."""

UNKNOWN_NAMES = (sema_codes.UNDECLARED.id, sema_codes.UNKNOWN_TYPE.id, syntax_codes.UNKNOWN_TYPE.id)
"""Ids of the codes about names that nothing declares; errors of workers have codes of their own."""

_SWITCH = re.compile(r"`(-[^`]+)`")
_MACRO_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|[A-Z]\w*_")
"""A name in capitals, or with an underscore at its end, as macros have; variables hardly do."""


Cause = tuple[str, str, str, int]
"""Code, text, file and line of an error."""


Chosen = tuple[tuple["Step", ...], list[Diagnostic]]
"""Steps, and the errors that remain after them."""


@dataclass(frozen=True, slots=True)
class Step:
    """A change that may mend a shader: settings, or the value of a macro."""

    settings: tuple[tuple[str, Any], ...] = ()
    """Field of `CompileOptions` → value.  A profile raises the shader model only."""
    macro: tuple[str, str] = ("", "")
    note: str = ""


GENERAL = (
    Step((("hlsl_version", 2018),), note="HLSL 2018: the text is not valid in HLSL 2021"),
    Step((("profile", "6_6"),), note="shader model 6.6: the text does not compile in an earlier one"),
    Step((("enable_16bit_types", True), ("profile", "6_2")), note="16-bit types: the text does not compile without"),
    Step((("hlsl_version", 2016),), note="HLSL 2016: the text is not valid in later versions"),
    Step((("legacy_macro_expansion", True),), note="legacy_macro_expansion: `##` joins expanded macros"),
)
"""Steps that are tried for any error, after those that its message names."""


@dataclass(slots=True)
class Mender:
    """Mends shaders of one folder; steps that mended a shader are tried first for the next."""

    discovery: Discovery
    memory: Memory = field(default_factory=Memory)
    learned: list[tuple[Step, ...]] = field(default_factory=list)
    trials: int = 0
    fs: CachedFileSystem = field(init=False)
    values: dict[str, MentionedValue] = field(default_factory=dict)
    """Values of macros that the project mentions."""
    tested: dict[str, dict[str, TestedMacro]] = field(default_factory=dict)
    tried: Counter[tuple[object, ...]] = field(default_factory=Counter)
    """Code, text and file of an error → number of the shaders that were tried for it."""

    def __post_init__(self) -> None:
        self.fs = CachedFileSystem(OSFileSystem(self.discovery.root))

    def mend_all(self, failures: Iterable[tuple[Guess, list[Diagnostic]]]) -> bool:
        """Change the settings of shaders that failed with these errors; return whether any was changed.

        Of all shaders with the same first error, one is tried; the others get the settings that mend it, and the next
        build shows whether these mend them, too.
        """
        failures = [(guess, errors) for guess, errors in failures if errors]
        names = {name for _, errors in failures for name in _unknown(errors)}
        names.update(name for guess, _ in failures for name in self._tested(guess))
        self.values = self.discovery.macro_values.of(names)
        groups: dict[Cause, list[Guess]] = {}
        for guess, errors in failures:
            groups.setdefault(_key(errors[0]), []).append(guess)
        changed = [self._mend_group(cause, guesses) for cause, guesses in groups.items()]
        return any(changed)

    def _mend_group(self, cause: Cause, guesses: list[Guess]) -> bool:
        """Mend shaders with the same first error; return whether their settings were changed."""
        if self.tried[cause[:-1]] >= MAX_ALIKE:
            return False
        self.tried[cause[:-1]] += 1
        steps = self.steps_for(guesses[0])
        for guess in guesses if steps else ():
            for step in steps:
                guess.options, guess.macros = applied(step, guess.options, guess.macros)
                guess.notes += [step.note] if step.note not in guess.notes else []
        return bool(steps)

    def steps_for(self, guess: Guess) -> list[Step]:
        """Return steps after which a shader compiles, else the settings that its messages name and that help."""
        self.trials = 0
        options, macros = guess.options, dict(guess.macros)
        errors = self._errors(guess.source, options, macros)
        steps: list[Step] = []
        for _ in range(MAX_ROUNDS):
            if not errors or any(error.code.id == preprocessor_codes.MISSING_INCLUDE.id for error in errors):
                break
            chosen = self._round(guess, options, macros, errors)
            if chosen is None:
                break
            taken, errors = chosen
            steps += taken
            for step in taken:
                options, macros = applied(step, options, macros)
        if errors or not steps:
            return [step for step in steps if step.settings and step not in GENERAL]
        if tuple(steps) not in self.learned:
            self.learned.insert(0, tuple(steps))
        return steps

    def _round(
        self, guess: Guess, options: CompileOptions, macros: dict[str, str], errors: list[Diagnostic]
    ) -> Chosen | None:
        """Return steps that leave no error, else those that remove the first one; `None` if none does.

        Steps without a hint of the project are tried only if the others do not help.
        """
        for bundles in (self._reasoned(guess, macros, errors), self._guessed(guess, macros)):
            best: Chosen | None = None
            for bundle in bundles:
                changed_options, changed_macros = options, macros
                for step in bundle:
                    changed_options, changed_macros = applied(step, changed_options, changed_macros)
                if (changed_options, changed_macros) == (options, macros):
                    continue
                if self.trials >= MAX_TRIALS:
                    break
                left = self._errors(guess.source, changed_options, changed_macros)
                if not left:
                    return bundle, left
                if _is_progress(errors, left) and (best is None or len(left) < len(best[1])):
                    best = bundle, left
            if best is not None:
                return best
        return None

    def _reasoned(self, guess: Guess, macros: dict[str, str], errors: list[Diagnostic]) -> Iterator[tuple[Step, ...]]:
        """Yield steps to try together: those of the messages, those of other shaders, and macros of the project."""
        for error in errors[:3]:
            for step in _hinted(error, guess.options.profile):
                yield (step,)
        yield from self.learned
        unknown = tuple(self._unknown_names(errors))
        given = tuple(self._given_macros(guess, macros))
        yield from filter(None, (unknown, given, unknown + given))

    def _guessed(self, guess: Guess, macros: dict[str, str]) -> Iterator[tuple[Step, ...]]:
        """Yield macros that the shader tests, one at a time, and the general steps."""
        for step in GENERAL:
            yield (step,)
        for name, macro in self._tested(guess).items():
            if name not in macros:
                note = f"{name} is needed to compile: {macro.file}:{macro.line} tests it"
                for value in macro.axis():
                    if value not in (UNDEFINED, "0"):
                        yield (Step(macro=(name, value), note=note),)

    def _tested(self, guess: Guess) -> dict[str, TestedMacro]:
        """Return the macros that a source and its includes test and do not define; other sources may define them."""
        if guess.source not in self.tested:
            self.tested[guess.source] = macros_to_set(self.discovery, guess.source)
        return self.tested[guess.source]

    def _unknown_names(self, errors: list[Diagnostic]) -> Iterator[Step]:
        """Yield macros for undeclared identifiers in capitals, and for unknown types that a command line defines."""
        for name, code in _unknown(errors).items():
            mentioned = self.values.get(name)
            if mentioned is not None:
                note = f"{name} is not defined by a shader: {mentioned.value} is from {mentioned.file}:{mentioned.line}"
                yield Step(macro=(name, mentioned.value), note=note)
            elif code == sema_codes.UNDECLARED.id:
                yield Step(macro=(name, "1"), note=f"{name}{GUESSED}")

    def _given_macros(self, guess: Guess, macros: dict[str, str]) -> Iterator[Step]:
        """Yield the tested macros that a command line defines."""
        for name in self._tested(guess):
            mentioned = self.values.get(name)
            if mentioned is not None and mentioned.is_given and name not in macros:
                note = f"{name} is needed to compile: {mentioned.file}:{mentioned.line} defines it as {mentioned.value}"
                yield Step(macro=(name, mentioned.value), note=note)

    def _errors(self, path: str, options: CompileOptions, macros: dict[str, str]) -> list[Diagnostic]:
        self.trials += 1
        source = self.discovery.sources.parsed[path].source
        options = replace(options, defines=tuple(macros.items()), error_limit=20, codegen_only=True, validate="no")
        result = compile_shader(
            source, entry=options.entry, profile=options.profile, options=options, fs=self.fs, memory=self.memory
        )
        return [found for found in result.diagnostics if found.severity in ("error", "fatal")]


def applied(step: Step, options: CompileOptions, macros: dict[str, str]) -> tuple[CompileOptions, dict[str, str]]:
    """Return options and macros after a step."""
    settings = dict(step.settings)
    model = settings.pop("profile", None)
    if isinstance(model, str):
        stage, _, present = options.profile.partition("_")
        settings["profile"] = f"{stage}_{max(present, model, key=_number)}"
    name, value = step.macro
    return replace(options, **settings), {**macros, name: value} if name else macros


def _number(model: str) -> tuple[int, ...]:
    return tuple(int(part) for part in model.split("_") if part.isdecimal())


def _is_progress(before: list[Diagnostic], after: list[Diagnostic]) -> bool:
    """Return whether the first error is gone, without more errors instead; `#error` hides those behind it."""
    first = before[0]
    if _key(first) in map(_key, after):
        return False
    return len(after) <= len(before) or first.code.id == preprocessor_codes.USER_ERROR.id


def _key(error: Diagnostic) -> Cause:
    """Return what identifies an error: its code, text, file and line."""
    at = error.location
    return error.code.id, error.message, at.file if at else "", at.line if at else 0


def _hinted(error: Diagnostic, profile: str) -> Iterator[Step]:
    """Yield the settings that the hint of a message names as switches."""
    for match in _SWITCH.finditer(error.hint or ""):
        try:
            options = parse(["-T", profile, "x.hlsl", *match[1].split()], read=lambda name: None).options
        except OptionError:
            continue
        settings = {name: value for name, value in changed(options) if name not in ("profile", "command_line")}
        model = split_profile(options.profile)
        if model is not None and options.profile != profile:
            settings["profile"] = f"{model[1]}_{model[2]}"
        if settings.get("enable_16bit_types"):
            settings["profile"] = "6_2"
        if settings and "error_limit" not in settings:
            yield Step(tuple(settings.items()), note=f"`{match[1]}`: {error.message}")


def _unknown(errors: list[Diagnostic]) -> dict[str, str]:
    """Return the names in capitals that errors report as unknown, each with the id of its first error's code."""
    names: dict[str, str] = {}
    for error in errors:
        quoted = re.search(r"'(\w+)'", error.message)
        if error.code.id in UNKNOWN_NAMES and quoted and _MACRO_NAME.fullmatch(quoted[1]):
            names.setdefault(quoted[1], error.code.id)
    return names
