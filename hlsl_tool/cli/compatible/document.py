"""Update the option tables in the pages about migration: run `python -m hlsl_tool.cli.compatible.document`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hlsl_tool.cli.compatible import actions, glslang, glslc
from hlsl_tool.cli.compatible.option_rows import Option
from hlsl_tool.cli.compatible.usage import spelled

PAGES = {"docs/how-to/from-glslc.md": glslc.TABLE, "docs/how-to/from-glslang.md": glslang.TABLE}
START, END = "<!-- options, by hlsl_tool.cli.compatible.document -->\n", "<!-- end of options -->\n"


def with_table(page: str, table: Sequence[Option]) -> str:
    """Return the text of a page with its option table replaced by a new one."""
    before, _, rest = page.partition(START)
    return before + START + "\n" + as_markdown(table) + "\n" + END + rest.partition(END)[2]


def as_markdown(table: Sequence[Option]) -> str:
    """Return a Markdown table with the spellings and the effect of each option."""
    lines = ["| Option | |", "|---|---|"]
    for option in table:
        refused = "refused: " if option.action is actions.refuse else ""
        lines.append(f"| {', '.join(f'`{name}`' for name in spelled(option))} | {refused}{option.doc} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Update the tables of both pages; the working folder must be the root of the repository."""
    for name, table in PAGES.items():
        path = Path(name)
        path.write_text(with_table(path.read_text("utf-8"), table), "utf-8")


if __name__ == "__main__":
    main()
