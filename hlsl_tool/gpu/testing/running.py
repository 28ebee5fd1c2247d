"""Run tests: evaluate arguments, call the kernel once, compare results."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.gpu.checking import DEFAULT, Sanitizer, checked_options, chosen, observed
from hlsl_tool.gpu.encodings import Array, natural_type
from hlsl_tool.gpu.kernel import Kernel
from hlsl_tool.gpu.loading import PROFILE, TARGET, load
from hlsl_tool.gpu.signature import Parameter
from hlsl_tool.gpu.testing.expected_errors import TestError

from .directives import Expectation, Expression, ShaderTest
from .expressions import Evaluator, tree

RELATIVE, ABSOLUTE = 1e-5, 1e-6
"""The tolerances for floats without ``within``."""
MOST_SHOWN = 5
"""Number of elements that a message shows."""


class Run:
    """The call of a test's kernel; it is made when the first expectation is checked."""

    def __init__(self, test: ShaderTest, path: Path, include_dirs: Sequence[Path]) -> None:
        self.test, self.path, self.include_dirs = test, path, include_dirs

    @cached_property
    def kernel(self) -> Kernel:
        settings = self.test.settings
        options = CompileOptions(profile=_text(settings.get("profile"), PROFILE), target_env=TARGET)
        return load(
            self.path,
            _text(settings.get("kernel"), "main"),
            defines=self.test.defines,
            include_dirs=[self.path.parent, *self.include_dirs],
            options=checked_options(options) if self.checks else options,
            device="cpu" if self.checks else _text(settings.get("device"), "") or None,
        )

    @cached_property
    def checks(self) -> str:
        """The kinds of faults that the setting ``check`` names; empty without one."""
        setting = self.test.settings.get("check")
        if setting is None or setting.text == "false":
            return ""
        if "device" in self.test.settings:
            raise TestError(codes.EXPECTATION_SYNTAX, "a test with `check:` runs on the interpreter", setting.place)
        kinds = DEFAULT if setting.text == "true" else setting.text
        try:
            chosen(kinds)
        except ValueError as error:
            raise TestError(codes.EXPECTATION_SYNTAX, str(error), setting.place) from None
        return kinds

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The arguments before the call, by name."""
        out: dict[str, Any] = {}
        parameters = {p.name: p for p in self.kernel.parameters}
        for name, expression in self.test.arguments.items():
            value = Evaluator(expression.place, out).value(tree(expression))
            parameter = parameters.get(name)
            out[name] = _converted(parameter, value, expression) if parameter is not None else value
        return out

    @cached_property
    def results(self) -> dict[str, Any]:
        """The arguments after the call, by name."""
        count: dict[str, Any] = {}
        for name in ("groups", "threads"):
            if name in self.test.settings:
                expression = self.test.settings[name]
                count[name] = Evaluator(expression.place, self.arguments).value(tree(expression))
        if not self.checks:
            return {**self.arguments, **self.kernel.run(**self.arguments, **count)}
        sanitizer = Sanitizer(self.checks)
        with observed(self.kernel.backend, sanitizer):
            written = self.kernel.run(**self.arguments, **count)
        if sanitizer.findings:
            raise TestError.of([finding.diagnostic() for finding in sanitizer.findings])
        return {**self.arguments, **written}

    def check(self, expectation: Expectation) -> None:
        """Compare the results with an expectation; raise ``TestError`` if it is not met."""
        place = expectation.condition.place
        condition = tree(expectation.condition)
        values = Evaluator(place, self.results, self.arguments)
        if not isinstance(condition, ast.Compare) or len(condition.ops) != 1:
            raise values.error(condition, "an expectation is a comparison, such as `target == source * 2`")
        left, right = (np.asarray(values.value(node)) for node in (condition.left, condition.comparators[0]))
        try:
            left, right = np.broadcast_arrays(left, right)
        except ValueError:
            raise values.error(condition, f"the shapes {left.shape} and {right.shape} differ") from None
        if isinstance(condition.ops[0], ast.Eq):
            holds = _equal(left, right, expectation.tolerance)
        else:
            holds = np.asarray(values.value(condition))
        if not holds.all():
            raise TestError(codes.EXPECTATION_FAILED, _differences(left, right, holds), expectation.place)


def _text(expression: Expression | None, default: str) -> str:
    return expression.text if expression is not None else default


def _converted(parameter: Parameter, value: Any, expression: Expression) -> Any:
    """Convert an argument of a test to the element type of the parameter, and return it.

    Only values of numpy's default types (int64, float64, bool) are converted; others are returned as arrays. Raise
    `TestError` for numbers that the element type cannot hold.
    """
    if not parameter.is_positional or isinstance(value, tuple):
        return value
    array = np.asarray(value)
    wanted = natural_type(parameter)
    if wanted is None or array.dtype not in (np.int64, np.float64, np.bool_):
        return array
    with np.errstate(all="ignore"):
        converted = array.astype(wanted)
    if converted.dtype.kind != "f" and not np.array_equal(converted, array):
        problem = f"`{parameter.name}` has numbers that {wanted} cannot hold"
        raise TestError(codes.EXPECTATION_SYNTAX, problem, replace(expression.place))
    return converted


def _equal(left: Array, right: Array, tolerance: float | None) -> Array:
    if tolerance is None and not (left.dtype.kind == "f" or right.dtype.kind == "f"):
        return np.asarray(left == right)
    relative, absolute = (RELATIVE, ABSOLUTE) if tolerance is None else (tolerance, tolerance)
    return np.isclose(left, right, relative, absolute, equal_nan=True)


def _differences(left: Array, right: Array, holds: Array) -> str:
    wrong = np.argwhere(~holds)
    lines = [f"{len(wrong)} of {holds.size} elements differ" if holds.size > 1 else "the values differ"]
    for index in wrong[:MOST_SHOWN]:
        place = tuple(index)
        where = f"[{', '.join(map(str, place))}] " if place else ""
        lines.append(f"    {where}{left[place]}, expected {right[place]}")
    if len(wrong) > MOST_SHOWN:
        lines.append("    …")
    return "\n".join(lines)
