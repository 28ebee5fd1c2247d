"""Write rules for CMake; `hlsl_shaders()` of the CMake package includes them."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.project.exchange.rules import Rule, Rules, Unwritable

HEAD = """\
# Written by `hlsl_tool generate cmake` for hlsl_shaders(), each time CMake configures.
set(hlsl_output_dir {output_dir})
set(hlsl_stamp {stamp})
set(hlsl_outputs
{outputs})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
{inputs})
if(CMAKE_GENERATOR MATCHES "Makefiles")
  # Makefiles do not know byproducts: each build looks whether all outputs are there.
  set_source_files_properties(hlsl_always PROPERTIES SYMBOLIC TRUE)
  add_custom_command(OUTPUT hlsl_always COMMAND ${{CMAKE_COMMAND}} -E true)
  set(hlsl_always hlsl_always)
endif()
add_custom_command(
  OUTPUT {stamp}
  BYPRODUCTS
{ends}
  COMMAND {finish}
  DEPENDS
{stamps}
    ${{hlsl_always}}
  COMMENT [[hlsl manifest]]
  VERBATIM)
"""

RULE = """\
add_custom_command(
  OUTPUT {stamp}
  BYPRODUCTS
{outputs}
  COMMAND {command}
  DEPENDS
{files}
  DEPFILE {depfile}
  COMMENT {title}
  VERBATIM)
"""


def cmake(rules: Rules) -> str:
    """Return the text of a CMake file; raise `Unwritable` for a name that CMake cannot represent."""
    head = HEAD.format(
        output_dir=_word(rules.output_dir),
        stamp=_word(rules.stamp),
        outputs=_lines([*rules.outputs, *(path for rule in rules.steps for path in rule.outputs)]),
        inputs=_lines(rules.inputs),
        ends=_lines(rules.outputs),
        finish=_words(rules.finish),
        stamps=_lines([rules.plan, *(rule.stamp for rule in rules.steps)]),
    )
    return "\n".join([head, *(_rule(rules, rule) for rule in rules.steps)])


def _rule(rules: Rules, rule: Rule) -> str:
    return RULE.format(
        stamp=_word(rule.stamp),
        outputs=_lines(rule.outputs),
        command=_words([*rules.step, rule.file]),
        files=_lines([rule.file, rule.source]),
        depfile=_word(rule.depfile),
        title=_word(rule.title),
    )


def _words(words: Iterable[str]) -> str:
    return " ".join(map(_word, words))


def _lines(words: Iterable[str]) -> str:
    return "\n".join(f"    {_word(word)}" for word in words)


def _word(text: str) -> str:
    """Return a text as a bracket argument, in which CMake replaces nothing."""
    if any(letter in text for letter in ";\n\r") or "]=]" in text or "$<" in text or text.endswith("]"):
        raise Unwritable(f"CMake has no way to write the name {text!r}")
    return f"[=[{text}]=]"
