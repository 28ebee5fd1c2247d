"""Write rules for ninja."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterable

from hlsl_tool.project.build.outputs.make_rule import ninja_reads
from hlsl_tool.project.exchange.rules import Rules, Unwritable

HEAD = """\
# Written by `hlsl_tool generate ninja`; ninja writes it again when the configurations change.
# `ninja -f {file}`, or `subninja {file}` in a file of your own.
ninja_required_version = 1.10

rule hlsl_step
  command = {step} $step
  description = $title
  depfile = $depfile
  deps = gcc
  restat = 1

rule hlsl_finish
  command = {finish}
  description = hlsl manifest
  restat = 1

rule hlsl_generate
  command = {generate}
  description = hlsl rules
  depfile = {depfile}
  generator = 1
  restat = 1
"""


def ninja(rules: Rules) -> str:
    """Return the text of a ninja file; raise `Unwritable` for a name that ninja cannot represent.

    The inputs of the rules themselves are listed in a depfile, so that a deleted configuration is no error.  Inputs
    whose names a depfile cannot represent (in a folder `R&D`) are outputs of phony rules, which has the same effect.
    """
    commands = {key: _command(getattr(rules, key)) for key in ("step", "finish", "generate")}
    parts = [HEAD.format(file=rules.file, depfile=_text(rules.depfile), **commands)]
    files = [rules.plan, *(rule.file for rule in rules.steps)]
    undeclared = [name for name in rules.inputs if not ninja_reads(name)]
    parts.append(_build([rules.file], "hlsl_generate", also=files, implicit=undeclared))
    parts += [_build([name], "phony") for name in undeclared]
    for rule in rules.steps:
        variables = {"step": _command([rule.file]), "title": _text(rule.title), "depfile": _text(rule.depfile)}
        parts.append(_build(rule.outputs, "hlsl_step", [rule.source], implicit=[rule.file], variables=variables))
    outputs = [path for rule in rules.steps for path in rule.outputs]
    parts.append(_build([rules.stamp], "hlsl_finish", [*outputs, rules.plan], also=rules.outputs))
    parts.append(_build(["shaders"], "phony", [rules.stamp, *rules.outputs, *outputs]))
    return "\n".join(parts) + "\ndefault shaders\n"


def _build(
    outputs: Iterable[str],
    rule: str,
    inputs: Iterable[str] = (),
    *,
    also: Iterable[str] = (),
    implicit: Iterable[str] = (),
    variables: dict[str, str] | None = None,
) -> str:
    """Return a build statement.

    ``also`` are further outputs, ``implicit`` inputs that are not arguments of the command.
    """
    also, implicit = _paths(also), _paths(implicit)
    text = f"build {_paths(outputs)}{' | ' + also if also else ''}: {rule} {_paths(inputs)}"
    text = text.rstrip() + (f" | {implicit}" if implicit else "") + "\n"
    return text + "".join(f"  {name} = {value}\n" for name, value in (variables or {}).items())


def _paths(names: Iterable[str]) -> str:
    return " ".join(map(_path, names))


def _path(name: str) -> str:
    if "|" in name:
        raise Unwritable(f"ninja has no way to write the name {name!r}")
    return _text(name).replace(" ", "$ ").replace(":", "$:")


def _text(text: str) -> str:
    if any(letter in text for letter in "\n\r"):
        raise Unwritable(f"ninja has no way to write the name {text!r}")
    return text.replace("$", "$$")


def _command(words: list[str]) -> str:
    """Quote a command line for ninja, which runs it in a shell, or on Windows directly."""
    return _text(subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words))
