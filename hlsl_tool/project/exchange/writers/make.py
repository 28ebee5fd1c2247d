"""Write rules for GNU make."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from hlsl_tool.project.build.outputs.make_rule import make_reads
from hlsl_tool.project.exchange.rules import Rule, Rules, Unwritable

HEAD = """\
# Written by `hlsl_tool generate make`; make writes it again when the configurations change.
# `make -f {file}`, or `include {file}` in a Makefile of your own.
.PHONY: shaders
shaders: {stamp}

# A `=` in the name of a file would make an assignment of the line.
hlsl_equals := =
hlsl_step := {step}
hlsl_space := $(subst ,, )
hlsl_found = $(wildcard $(subst $(hlsl_space),\\$(hlsl_space),$(1)))

# A build command that only restores a missing output makes its stamp as old as the last one, which needs no update.
{file_target}:
\t@echo hlsl rules
\t@{generate}
-include {depfile}

# An output that stays the same is older than its stamp: make looks at its time again after the recipe, and leaves what
# depends on it alone.  No program runs for an output that is there.
{stamp_target}: {plan} {stamps}
\t@echo hlsl manifest
\t@{finish}
"""

END = """\
shaders: {outputs}
{targets}: {stamp}
\t@{recipe}
"""

RULE = """\
{stamp_target}: {file} {source}
\t@echo {title}
\t@$(hlsl_step) {quoted}
shaders: {outputs}
{targets}: {stamp}
\t@{recipe}
-include {depfile}
"""


def make(rules: Rules) -> str:
    """Return the text of a makefile; raise `Unwritable` for a name that make cannot represent."""
    for name in rules.inputs:  # their depfile has no more ways to write a name
        _path(name)
    head = HEAD.format(
        file=_path(rules.file),
        file_target=_target(rules.file),
        stamp=_path(rules.stamp),
        stamp_target=_target(rules.stamp),
        plan=_path(rules.plan),
        stamps=_paths(rule.stamp for rule in rules.steps),
        depfile=_path(rules.depfile),
        step=_command(rules.step),
        generate=_command(rules.generate),
        finish=_command(rules.finish),
    )
    outputs, targets = _paths(rules.outputs), _targets(rules.outputs)
    recipe = _restore(rules.outputs, _command(rules.finish))
    end = END.format(outputs=outputs, targets=targets, stamp=_path(rules.stamp), recipe=recipe)
    return "\n".join([head, end, *(_rule(rule, rules.stamp) for rule in rules.steps)])


def _rule(rule: Rule, last: str) -> str:
    step, stamp, last = _command([rule.file]), _command([rule.stamp]), _command([last])
    command = f"{{ $(hlsl_step) {step} && {{ test ! -e {last} || touch -c -r {last} {stamp}; }}; }}"
    return RULE.format(
        stamp=_path(rule.stamp),
        stamp_target=_target(rule.stamp),
        file=_path(rule.file),
        source=_path(rule.source),
        outputs=_paths(rule.outputs),
        targets=_targets(rule.outputs),
        depfile=_path(rule.depfile),
        title=_command([rule.title]),
        quoted=step,
        recipe=_restore(rule.outputs, command),
    )


def _restore(outputs: Iterable[str], command: str) -> str:
    """Return the text of a recipe that runs a command if the target is missing, and else does nothing.

    Usually make itself evaluates the condition, so that existing targets need no shell. A shell evaluates it if a name
    contains wildcards, or the command contains parentheses, which would end make's function call.
    """
    is_pattern = any(name.startswith("~") or set("*?[]\\") & set(name) for name in outputs)
    if is_pattern or set("()") & set(command.replace("$(hlsl_step)", "")):
        return f"if test -e '$@'; then touch '$@'; else {command}; fi"
    return f"$(if $(call hlsl_found,$@),,test -e '$@' || {command})"


def _paths(names: Iterable[str]) -> str:
    return " ".join(map(_path, names))


def _targets(names: Iterable[str]) -> str:
    return " ".join(map(_target, names))


def _target(name: str) -> str:
    """Escape a name as a target, in which `%` would form a pattern."""
    return _path(name).replace("%", "\\%")


def _path(name: str) -> str:
    """Escape a name as a prerequisite."""
    if not make_reads(name):
        raise Unwritable(f"make has no way to write the name {name!r}")
    _check(name)
    for letter in "\\#:?*[ ":
        name = name.replace(letter, "\\" + letter)
    if name.startswith("~"):  # a home folder, and only there
        name = "./" + name
    return name.replace("$", "$$").replace("=", "$(hlsl_equals)")


def _command(words: list[str]) -> str:
    """Quote a command line for the shell that make runs."""
    return _check(shlex.join(words)).replace("$", "$$")


def _check(text: str) -> str:
    if any(letter in text for letter in "\n\r\t"):
        raise Unwritable(f"make has no way to write the name {text!r}")
    return text
