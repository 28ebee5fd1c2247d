"""Helper functions for operations that WGSL lacks; those in use become part of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.context import Context


def inverse_helper(context: Context, size: int, spelled: str) -> str:
    """Return the name of a helper function that inverts a square matrix by cofactors."""
    key = f"inverse {spelled}"
    if key not in context.helpers:
        name = context.names.unique(f"inverse_{spelled}", "inverse")
        columns = [
            ", ".join(_cofactor(size, column, row) for row in range(size)) for column in range(size)
        ]  # the transpose of the cofactors
        body = "".join(f"    {column},\n" for column in columns)
        head = f"fn {name}(m: {spelled}) -> {spelled} {{\n  let scale = 1.0 / determinant(m);\n"
        context.helpers[key] = name, f"{head}  return scale * {spelled}(\n{body}  );\n}}\n"
    return context.helpers[key][0]


def _cofactor(size: int, row: int, column: int) -> str:
    """Return the text of a signed minor: the determinant without a row and a column (``m[column][row]``)."""
    rows = [k for k in range(size) if k != row]
    columns = [k for k in range(size) if k != column]
    sign = "-" if (row + column) % 2 else ""
    return f"{sign}({_determinant(rows, columns)})"


def _determinant(rows: list[int], columns: list[int]) -> str:
    if len(rows) == 1:
        return f"m[{columns[0]}][{rows[0]}]"
    terms: list[str] = []
    for index, (column, rest) in enumerate(
        (column, [other for other in columns if other != column]) for column in columns
    ):
        operator = " - " if index % 2 else " + " if index else ""
        inner = _determinant(rows[1:], rest)
        terms.append(f"{operator}m[{column}][{rows[0]}] * ({inner})")
    return "".join(terms)
