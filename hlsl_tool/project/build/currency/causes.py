"""Explain why a job is out of date: name the changed option, tool or file and, in a file, the changed declaration.

The log records the digests of the files from which the outputs were made; the store has the earlier texts of these
files.  If an earlier text is not available, the explanation names only the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable

from hlsl_tool.base.system.paths import UP
from hlsl_tool.project.build.currency.log import Record

EditsOf = Callable[[str, str, str], Iterable[str]]
"""(file, digest then, digest now) → descriptions of the differences (`edits`)."""

_SKIPPED = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*(.*)$", re.M)
_TOKEN = re.compile(r'\w+|"(?:\\.|[^"\\\n])*"|[^\w\s]')
_BLOCKS = ("struct", "class", "interface", "enum", "cbuffer", "tbuffer", "namespace")
_MACROS = "defines"


def causes(
    record: Record | None,
    lines: list[str],
    digest_of: Callable[[str], str],
    output_of: Callable[[str], str],
    edits_of: EditsOf,
) -> list[str]:
    """Describe each difference between the last build of a job (``record``) and today; return [] if there is none.

    ``lines`` are today's options and tools of the job, as `name: value`.  ``digest_of`` and ``output_of`` return
    today's digest of an input file and of an output, or an empty string for a missing file.  ``edits_of`` returns the
    names of the declarations that differ between two versions of a file.
    """
    if record is None or not record.files:
        return ["no earlier build is recorded"]
    if not record.key:
        return ["the build before was ended while it wrote"]
    reasons = _options(record.lines, lines) if record.lines else []
    for name, then in sorted(record.files.items()):
        now = digest_of(name)
        if not now:
            reasons.append(f"{name}: is gone")
        elif now != then:
            reasons += [f"{name}: {edit}" for edit in edits_of(name, then, now)]
    for name in filter(digest_of, record.missing):
        what = "is no folder any more" if name.endswith(UP) else "is there now, and is found first"
        reasons.append(f"{name.removesuffix(UP)}: {what}")
    for path, then in sorted(record.outputs.items()):
        now = output_of(path)
        if now != then:
            reasons.append(f"{path}: {'was changed by another program' if now else 'is gone'}")
    return reasons


def _options(old: list[str], new: list[str]) -> list[str]:
    before, after = (dict(line.partition(": ")[::2] for line in lines) for lines in (old, new))
    differences = []
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name, ""), after.get(name, "")
        if one == other:
            continue
        if name == _MACROS:
            differences += _changed("macro", *(dict(json.loads(text or "[]")) for text in (one, other)))
        elif name == "tool":
            differences += _tools(one, other)
        else:
            differences.append(f"option {name}: {one or 'the default'} → {other or 'the default'}")
    return differences


def _tools(one: str, other: str) -> list[str]:
    before, after = (dict(part.partition(" ")[::2] for part in text.split("; ")) for text in (one, other))
    differences = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, "none"), after.get(name, "none")
        if old != new:
            versions = [text.partition(" ")[0] for text in (old, new)]  # behind it, a hash of the program
            change = f"{versions[0]} → {versions[1]}" if versions[0] != versions[1] else f"{old} → {new}"
            differences.append(f"{name}: another {'version' if versions[0] != versions[1] else 'build'} ({change})")
    return differences


def edits(old: str | None, new: str | None) -> tuple[str, ...]:
    """Name the declarations that differ between two texts of a file; `None` stands for a text that is not available."""
    if old is None or new is None:
        return ("was changed",)
    before, after = declarations(old), declarations(new)
    differences = [
        text
        for kind in sorted(before.keys() | after.keys())
        for text in _changed(kind, before.get(kind, {}), after.get(kind, {}))
    ]
    return tuple(differences) or ("comments, white space or line breaks were changed",)


def _changed(kind: str, before: dict[str, str], after: dict[str, str]) -> list[str]:
    differences = []
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            differences.append(f"{kind} `{name}` is new")
        elif name not in after:
            differences.append(f"{kind} `{name}` is gone")
        elif before[name] != after[name]:
            differences.append(f"{kind} `{name}` was changed")
    return differences


def declarations(text: str) -> dict[str, dict[str, str]]:
    """Return kind → name → tokens of the declarations, macros and directives of a source text (not preprocessed)."""
    from hlsl_tool.frontend.syntax.chunks import Splitter  # not for a build with nothing to do

    text = _SKIPPED.sub(lambda match: match[0] if match[0].startswith('"') else " ", text.replace("\\\n", " "))
    by_kind: dict[str, dict[str, str]] = {}

    def add(kind: str, name: str, tokens: str) -> None:
        same = by_kind.setdefault(kind, {})
        same[name] = f"{same[name]} {tokens}" if name in same else tokens  # overloads

    for directive in _DIRECTIVE.finditer(text):
        word, rest = directive[1], " ".join(directive[2].split())
        macro = re.match(r"\w+", rest)
        if word in ("define", "undef") and macro:
            add("macro", macro[0], f"{word} {rest}")
        else:
            add("directive", f"#{word}", rest)
    tokens = _TOKEN.findall(_DIRECTIVE.sub("", text))
    start = 0
    for end in [*Splitter().ends(tokens, 0), len(tokens)]:
        if tokens[start:end] not in ([], [";"]):
            add(*_named(tokens[start:end]), " ".join(tokens[start:end]))
        start = end
    return by_kind


def _named(tokens: list[str]) -> tuple[str, str]:
    """Guess (kind, name) of a top-level declaration from its tokens; a kind is `struct`, `function`, `variable`, …."""
    for at, token in enumerate(tokens):
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token in _BLOCKS and following.isidentifier():
            return token, following
        if token == "(" and at and tokens[at - 1].isidentifier() and "[" not in tokens[:at]:
            return "function", tokens[at - 1]
        if token == "(" and at > 1 and tokens[at - 1].isidentifier() and tokens[at - 2].isidentifier():
            return "function", tokens[at - 1]  # behind attributes
        if token in (":", "=", ";", "[") and at > 1 and tokens[at - 1].isidentifier():
            return "variable", tokens[at - 1]
    return "declaration", " ".join(tokens[:4])
