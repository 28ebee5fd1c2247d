"""Read documentation pages: their fenced blocks, in order, as steps that a test can carry out.

A block with `title="FILE"` is a file. A `console` block shows commands after `$ ` and their output; an `sh` block has
commands only. Comments in front of a block control how it runs:

    <!-- not run: REASON -->       the commands are skipped
    <!-- status 2 -->              the exit status of the block's last command; 0 without this line
    <!-- needs: vulkan -->         the commands are skipped where there is no Vulkan device
    <!-- needs: PROGRAM -->        the commands are skipped where the program is not installed

A command `cd FOLDER` changes the folder of later commands. In shown output `…` alone on a line matches any number of
lines and `…` within a line for any text. Times (`0.7 s`, `48.3 ms`) are not compared. A page with
`<!-- folder: samples -->` starts in a copy of the sample project (of its configurations, `lit.yaml`) and of
`docs/examples`; other pages start in an empty folder. `<!-- file: NAME … -->` is a file that the reader does not see.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = re.compile(r"^(?P<indent> *)```(?P<language>\w*)(?P<more>[^\n]*)\n(?P<body>.*?)^ *```$", re.M | re.S)
HIDDEN = re.compile(r"<!-- file: (?P<name>\S+)\n(?P<body>.*?)^-->$", re.M | re.S)
NOTE = re.compile(r"<!-- (?P<name>not run|status|needs):? (?P<value>[^>]*?) -->\s*$")
TIME = re.compile(r"\b\d+(\.\d+)? (s|ms)\b")


@dataclass(slots=True)
class Command:
    """A command, and the output that the page shows for it; None if it shows none."""

    line: str
    output: str | None = None
    status: int = 0


@dataclass(slots=True)
class Step:
    """A file to write, or commands to run."""

    line: int
    file: str = ""
    text: str = ""
    commands: list[Command] = field(default_factory=list)
    not_run: str = ""
    needs: str = ""


def steps(page: str) -> list[Step]:
    """Return the files and commands of a page in the order in which they stand."""
    found = [(match.start(), _block(page, match)) for match in BLOCK.finditer(page)]
    for match in HIDDEN.finditer(page):
        found.append((match.start(), Step(_line(page, match), match["name"], match["body"])))
    return [step for _, step in sorted(found, key=lambda pair: pair[0]) if step is not None]


def _line(page: str, match: re.Match[str]) -> int:
    return page.count("\n", 0, match.start()) + 1


def _block(page: str, match: re.Match[str]) -> Step | None:
    body = re.sub(f"^{match['indent']}", "", match["body"], flags=re.M)
    title = re.search(r'title="([^"]+)"', match["more"])
    step = Step(_line(page, match))
    if title:
        step.file, step.text = title[1], body
        return step
    if match["language"] not in ("console", "sh"):
        return None
    notes = _notes(page[: match.start()])
    step.not_run, step.needs = notes.get("not run", ""), notes.get("needs", "")
    step.commands = _console(body) if match["language"] == "console" else [Command(body)]
    step.commands[-1].status = int(notes.get("status", 0))
    return step


def _notes(before: str) -> dict[str, str]:
    """Return the comments directly in front of a block, such as `status 2`, as name → value."""
    notes: dict[str, str] = {}
    while match := NOTE.search(before):
        notes[match["name"]] = match["value"]
        before = before[: match.start()]
    return notes


def _console(body: str) -> list[Command]:
    commands: list[Command] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            commands.append(Command(line[2:]))
        elif line.startswith("> "):
            commands[-1].line += "\n" + line[2:]
        else:
            commands[-1].output = (commands[-1].output or "") + line + "\n"
    return commands


def pattern(shown: str) -> re.Pattern[str]:
    """Return the expression that real output has to match as a whole."""
    parts = []
    for line in normalised(shown):
        if line == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(part) for part in line.split("…")) + r"\n")
    return re.compile("".join(parts))


def normalised(text: str) -> list[str]:
    """Return the lines without times, trailing spaces and empty lines at either end."""
    return [TIME.sub("TIME", line.rstrip()) for line in text.strip("\n").splitlines()]


def pages(root: Path) -> list[Path]:
    """Return README, CONTRIBUTING and every page of `docs/` that shows commands."""
    files = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    return [path for path in files if any(step.commands for step in steps(path.read_text(encoding="utf-8")))]
