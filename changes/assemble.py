"""Assemble the fragments of this folder into CHANGELOG.md.

    python changes/assemble.py            # prints the lines by section
    python changes/assemble.py --write    # adds them to the newest release of CHANGELOG.md, deletes the fragments

A fragment is `WORDS.KIND.md`; `README.md` lists the kinds.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHANGELOG = HERE.parent / "CHANGELOG.md"
SECTIONS = {
    "added": "Added",
    "changed": "Changed",
    "accepted": "Accepted where it was refused",
    "refused": "Refused where it was accepted",
    "corrected": "Corrected",
    "removed": "Removed",
}


def fragments(folder: Path = HERE) -> dict[str, list[Path]]:
    """Return the fragments by kind, sorted by name.  Raises `ValueError` for a name without a kind."""
    by_kind: dict[str, list[Path]] = {kind: [] for kind in SECTIONS}
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        match = re.fullmatch(r"[a-z0-9-]+\.([a-z]+)\.md", path.name)
        if match is None or match[1] not in SECTIONS:
            raise ValueError(f"{path.name}: the name is WORDS.KIND.md, with a kind of {', '.join(SECTIONS)}")
        by_kind[match[1]].append(path)
    return by_kind


def bullet(text: str) -> str:
    """Return a fragment as an item of a list, wrapped at 120 columns."""
    lines = textwrap.wrap(" ".join(text.split()), 118, break_long_words=False, break_on_hyphens=False)
    return "- " + "\n  ".join(lines) + "\n"


def assembled(changelog: str, by_kind: dict[str, list[Path]]) -> str:
    """Return the changelog with the fragments at the end of their sections of the newest release."""
    for kind, paths in by_kind.items():
        if paths:
            items = "".join(bullet(path.read_text(encoding="utf-8")) for path in paths)
            changelog = _added(changelog, SECTIONS[kind], items)
    return changelog


def _added(changelog: str, title: str, items: str) -> str:
    releases = [match.start() for match in re.finditer(r"^## ", changelog, re.M)]
    end = releases[1] if len(releases) > 1 else len(changelog)
    release, rest = changelog[:end], changelog[end:]
    section = re.search(rf"^### {title}\n.*?(?=^##|\Z)", release, re.M | re.S)
    if section is None:
        return f"{release.rstrip()}\n\n### {title}\n\n{items}\n{rest}".rstrip() + "\n"
    body = section[0].rstrip() + "\n" + items
    after = release[section.end() :]
    gap = "\n" if after or rest else ""
    return release[: section.start()] + body + gap + after + rest


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="assemble changelog fragments")
    parser.add_argument("--write", action="store_true", help="write CHANGELOG.md and delete the fragments")
    write = parser.parse_args(arguments).write
    by_kind = fragments()
    if write:
        CHANGELOG.write_text(assembled(CHANGELOG.read_text(encoding="utf-8"), by_kind), encoding="utf-8")
        for paths in by_kind.values():
            for path in paths:
                path.unlink()
        return 0
    for kind, paths in by_kind.items():
        if paths:
            sys.stdout.write(f"### {SECTIONS[kind]}\n\n")
            sys.stdout.writelines(bullet(path.read_text(encoding="utf-8")) for path in paths)
    return 0


if __name__ == "__main__":
    sys.exit(main())
