"""Draw docs/images/error_message.svg: the messages of a shader with mistakes, as a terminal shows them.

    python docs/error_picture.py            # writes the picture

The text is that of a real compilation; a test compares the picture with what this program would write.
"""

from __future__ import annotations

import re
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hlsl_tool import compile_shader  # noqa: E402  # the package beside this folder
from hlsl_tool.base.diagnostics.render import render  # noqa: E402

PICTURE = ROOT / "docs" / "images" / "error_message.svg"
SOURCE = ROOT / "docs" / "examples" / "tint.hlsl"
COMMAND = "$ hlsl2spirv -T ps_6_0 -E PSMain tint.hlsl -Fo tint.spv"
LINE_HEIGHT, FONT_SIZE, CHARACTER, MARGIN = 19, 14, 8.43, 16
STYLES = {"1": "b", "1;31": "b red", "1;32": "b green", "1;35": "b magenta", "1;36": "b cyan"}
COLOURS = (
    "text{fill:#d8dee9}.b{font-weight:bold}"
    ".red{fill:#ff6b6b}.green{fill:#8fd694}.magenta{fill:#d9a0ff}.cyan{fill:#7fd4e8}"
)


def messages() -> str:
    """Return the messages of the shader with the escape sequences of terminals."""
    result = compile_shader(SOURCE.read_text(encoding="utf-8"), name="tint.hlsl", entry="PSMain", profile="ps_6_0")
    return render(result.diagnostics, color=True)


def picture(text: str) -> str:
    """Return lines with escape sequences as an SVG image."""
    lines = [COMMAND, *text.splitlines()]
    columns = max(len(re.sub(r"\033\[[\d;]*m", "", line)) for line in lines)
    width, height = round(columns * CHARACTER) + 2 * MARGIN, len(lines) * LINE_HEIGHT + 2 * MARGIN
    rows = [
        f'<text x="{MARGIN}" y="{MARGIN + LINE_HEIGHT * number - 5}" xml:space="preserve">{_spans(line)}</text>'
        for number, line in enumerate(lines, 1)
    ]
    font = f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{FONT_SIZE}"'
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>',
            f"<style>{COLOURS}</style>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#1e222a"/>',
            *rows,
            "</svg>\n",
        ]
    )


def _spans(line: str) -> str:
    spans, style = [], ""
    for part in re.split(r"(\033\[[\d;]*m)", line):
        if part.startswith("\033["):
            style = STYLES.get(part[2:-1], "")
        elif part:
            spans.append(f'<tspan class="{style}">{escape(part)}</tspan>' if style else escape(part))
    return "".join(spans)


if __name__ == "__main__":
    PICTURE.write_text(picture(messages()), encoding="utf-8")
