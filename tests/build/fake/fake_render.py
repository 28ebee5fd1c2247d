"""Stands in for the renderers while they are not there; to be deleted with them."""

from __future__ import annotations


def render(diagnostics, form="text", color=False):
    lines = []
    for diagnostic in diagnostics:
        for item in diagnostic.flatten():
            at = item.location
            place = f"{at.file}:{at.line}:{at.col}: " if at else ""
            lines.append(f"{place}{item.severity}: {item.message} [{item.code.id}]")
            if item.hint:
                lines.append(f"  hint: {item.hint}")
    return "".join(line + "\n" for line in lines)
