"""The comments that describe tests: ``// gpu test: NAME``, then lines ``setting: value`` and ``name = expression``."""

from __future__ import annotations

import re

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.gpu.testing.expected_errors import TestError

_BEGIN = re.compile(r"^\s*//\s*gpu test:[ \t]*(.*?)\s*$")
_COMMENT = re.compile(r"^\s*//\s*")
_SETTING = re.compile(r"(\w+):\s*")
_ARGUMENT = re.compile(r"(\w+)\s*=(?!=)\s*")
_WITHIN = re.compile(r",\s*within\s+(\S+)$")
SINGLE = ("kernel", "groups", "threads", "device", "profile", "check")
"""Settings that a test has once."""


@dataclass(slots=True)
class Expression:
    """The text of an expression, with its source location."""

    text: str
    place: Location


@dataclass(slots=True)
class Expectation:
    """A line ``expect: left == right, within tolerance``."""

    text: str
    place: Location
    condition: Expression
    tolerance: float | None


@dataclass(slots=True)
class ShaderTest:
    """A test: the arguments of the kernel's call, and the expectations."""

    name: str
    place: Location
    settings: dict[str, Expression] = field(default_factory=dict)
    defines: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, Expression] = field(default_factory=dict)
    expectations: list[Expectation] = field(default_factory=list)


def parse(path: str, data: bytes) -> list[ShaderTest]:
    """Return the tests in a shader; raise ``TestError`` for a line that is neither setting nor assignment."""
    tests: list[ShaderTest] = []
    current: ShaderTest | None = None
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        begin, comment = _BEGIN.match(line), _COMMENT.match(line)
        if begin is not None:
            current = ShaderTest(begin[1] or f"line {number}", _place(path, number, line, begin.start(1)))
            tests.append(current)
        elif comment is None:
            current = None
        elif current is not None and line[comment.end() :].strip():
            _directive(current, _place(path, number, line, comment.end()))
    for test in tests:
        _check(test)
    return tests


def _place(path: str, number: int, line: str, start: int) -> Location:
    return Location(path, number, start + 1, len(line.rstrip()) + 1, line)


def _rest(place: Location, skipped: int) -> Expression:
    start = place.col - 1 + skipped
    return Expression(place.source_line[start:].rstrip(), replace(place, col=start + 1))


def _directive(test: ShaderTest, place: Location) -> None:
    text = place.source_line[place.col - 1 :]
    setting, argument = _SETTING.match(text), _ARGUMENT.match(text)
    if argument is not None:
        _once(test.arguments, argument[1], _rest(place, argument.end()))
    elif setting is None:
        hint = "A line is `setting: value`, `name = expression` or `expect: condition`; an empty line ends the test."
        raise TestError(codes.EXPECTATION_SYNTAX, "this line is none of a test", place, hint)
    elif setting[1] == "expect":
        test.expectations.append(_expectation(_rest(place, setting.end())))
    elif setting[1] == "define":
        value = _rest(place, setting.end())
        name, _, text = value.text.partition("=")
        if not name.strip().isidentifier():
            raise TestError(codes.EXPECTATION_SYNTAX, "a macro is `define: NAME = VALUE`", value.place)
        test.defines[name.strip()] = text.strip() or "1"
    elif setting[1] in SINGLE:
        _once(test.settings, setting[1], _rest(place, setting.end()))
    else:
        names = ", ".join((*SINGLE, "define", "expect"))
        problem = f"there is no setting `{setting[1]}`"
        raise TestError(codes.EXPECTATION_SYNTAX, problem, place, f"Settings are {names}.")


def _once(table: dict[str, Expression], name: str, value: Expression) -> None:
    if name in table:
        raise TestError(codes.EXPECTATION_SYNTAX, f"`{name}` is given twice", value.place)
    if not value.text:
        raise TestError(codes.EXPECTATION_SYNTAX, f"`{name}` has no value", value.place)
    table[name] = value


def _expectation(whole: Expression) -> Expectation:
    within = _WITHIN.search(whole.text)
    tolerance = None
    condition = whole
    if within is not None:
        try:
            tolerance = float(within[1])
        except ValueError:
            place = replace(whole.place, col=whole.place.col + within.start(1))
            raise TestError(codes.EXPECTATION_SYNTAX, f"`{within[1]}` is no number", place) from None
        end = whole.place.col + within.start()
        condition = Expression(whole.text[: within.start()], replace(whole.place, end_col=end))
    return Expectation(whole.text, whole.place, condition, tolerance)


def _check(test: ShaderTest) -> None:
    if ("groups" in test.settings) == ("threads" in test.settings):
        raise TestError(codes.EXPECTATION_SYNTAX, "a test needs either `groups:` or `threads:`", test.place)
    if not test.expectations:
        raise TestError(codes.EXPECTATION_SYNTAX, "a test needs a line `expect:`", test.place)
