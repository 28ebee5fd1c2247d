"""The picture of error messages is what the compiler prints."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_picture_is_in_step() -> None:
    program = runpy.run_path(str(ROOT / "docs" / "error_picture.py"))
    picture = program["picture"](program["messages"]())
    assert program["PICTURE"].read_text(encoding="utf-8") == picture, "run: python docs/error_picture.py"
    assert "did you mean" in picture
