"""Hooks of the documentation site: links to files of the repository that are no pages of the site.

On a code host `[test_trust.py](../../tests/build/test_trust.py)` is a link to a file; the site has no such page and
shows the path instead. A link to a file that does not exist stays a link, so that the strict build reports it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, /, *, page: Any, **_: Any) -> str:
    """Return the page with each link to an existing file outside `docs/` replaced by the file's path."""
    folder = Path(page.file.abs_src_path).parent
    return LINK.sub(lambda link: _shown(link, folder), markdown)


def _shown(link: re.Match[str], folder: Path) -> str:
    text, address = link[1], link[2]
    path = (folder / address).resolve()
    if not path.exists() or not path.is_relative_to(ROOT) or _is_page(path):
        return link[0]
    name = path.relative_to(ROOT).as_posix()
    return f"`{name}`" if text.strip("`") in name else f"{text} (`{name}`)"


def _is_page(path: Path) -> bool:
    return path.is_relative_to(ROOT / "docs") and path.suffix in (".md", ".png", ".svg")
