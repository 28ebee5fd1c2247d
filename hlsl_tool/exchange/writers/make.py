"""Rules for GNU make."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from hlsl_tool.exchange.rules import Rule, Rules, Unwritable

HEAD = """\
# Written by `hlsl_tool generate make`; make writes it again when the configurations change.
# `make -f {file}`, or `include {file}` in a Makefile of your own.
.PHONY: shaders
shaders: {stamp}

# A `=` in the name of a file would make an assignment of the line.
hlsl_equals := =
hlsl_step := {step}

{file}:
\t@echo hlsl rules
\t@{generate}
-include {depfile}

{stamp}: {stamps}
\t@echo hlsl manifest
\t@{finish}
\t@touch -c {outputs}
"""

END = """\
shaders: {outputs}
{outputs}: {stamp}
\t@test -e '$@' || {finish}
"""

RULE = """\
{stamp}: {file} {source}
\t@echo {title}
\t@$(hlsl_step) {quoted}
shaders: {outputs}
{outputs}: {stamp}
\t@test -e '$@' || $(hlsl_step) {quoted}
-include {depfile}
"""


def make(rules: Rules) -> str:
    """Return the text of a makefile; raise `Unwritable` for a name that make cannot have."""
    head = HEAD.format(
        file=_path(rules.file),
        stamp=_path(rules.stamp),
        stamps=_paths(rule.stamp for rule in rules.steps),
        depfile=_path(rules.depfile),
        step=_command(rules.step),
        generate=_command(rules.generate),
        finish=_command(rules.finish),
        outputs=_command(rules.outputs),
    )
    outputs = _paths(rules.outputs)
    end = END.format(outputs=outputs, stamp=_path(rules.stamp), finish=_command(rules.finish))
    return "\n".join([head, end, *map(_rule, rules.steps)])


def _rule(rule: Rule) -> str:
    return RULE.format(
        stamp=_path(rule.stamp),
        file=_path(rule.file),
        source=_path(rule.source),
        outputs=_paths(rule.outputs),
        depfile=_path(rule.depfile),
        title=_command([rule.title]),
        quoted=_command([rule.file]),
    )


def _paths(names: Iterable[str]) -> str:
    return " ".join(map(_path, names))


def _path(name: str) -> str:
    """Return a name as a target or a prerequisite."""
    if "'" in name:
        raise Unwritable(f"make has no way to write the name {name!r}")
    _check(name)
    for letter in "\\#%:?*[~ ":
        name = name.replace(letter, "\\" + letter)
    return name.replace("$", "$$").replace("=", "$(hlsl_equals)")


def _command(words: list[str]) -> str:
    """Return a command line for the shell that make calls."""
    return _check(shlex.join(words)).replace("$", "$$")


def _check(text: str) -> str:
    if any(letter in text for letter in "\n\r\t"):
        raise Unwritable(f"make has no way to write the name {text!r}")
    return text
