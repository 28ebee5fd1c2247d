"""Render diagnostics in the selected output format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Diagnostic

WHOLE_FORMS = ("json", "sarif")
"""Forms that are one document for all messages."""

FORMS = ("text", *WHOLE_FORMS, "gcc", "msvc", "github")


def render_messages(diagnostics: Sequence[Diagnostic], form: str = "text", *, color: bool = False) -> str:
    """Render diagnostics in the format ``form``, one of `FORMS`; ``color`` adds escape sequences for terminals."""
    # Imported here: a build without a message needs no renderer.
    from hlsl_tool.base.diagnostics.render import render

    return render(list(diagnostics), form, color=color)
