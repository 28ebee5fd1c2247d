"""Hints for diagnostics that an option would avoid: they name the switch, in backticks.

The switches are those of the command line.  `hlsl_tool.project.config.hints` replaces them by keys of configurations.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code

_ROWS = "declare the matrix `row_major`, or compile with `-Zpr`"
_HALF = "compile with `-enable-16bit-types`, in shader model 6.2 or later"
_BYTES = "compile with `-enable-8bit-types`, in shader model 6.2 or later"
_MODEL = "compile for shader model {model} or later, such as with `-T {needed}`"

REMEDIES = {
    "HLSL0001": "`-ferror-limit=0` shows all errors",
    "HLSL0317": _HALF,
    "HLSL0640": "compile with `-fvk-variable-offsets`, for devices with VK_KHR_maintenance8",
    "HLSL0610": "give its place: `-fvk-bind-globals <binding> <set>`",
    "HLSL0613": "give its place: `-fvk-bind-register <register> <space> <binding> <set>`",
    "HLSL0652": _ROWS,
    "HLSL0693": "give its place: `{option} <binding> <set>`",
    "HLSL0705": "allow the extension, too: `-fspv-extension={name}`",
    "HLSL0706": "compile with `-fspv-target-env={needed}`",
    "HLSL0755": "raise the limit: `-fspv-max-id {highest:x}`",
    "HLSL0864": _ROWS,
    "HLSL1011": f"{_HALF}, or remove the suffix",
    "HLSL1448": "compile for shader model 6.8 or later, such as with `-T cs_6_8`",
    "HLSL1449": _MODEL,
    "HLSL1470": _MODEL,
    "HLSL1471": _MODEL,
    "HLSL1472": _MODEL,
    "HLSL1473": _MODEL,
    "HLSL1480": _MODEL,
    "HLSL1810": _BYTES,
    "HLSL1505": "compile with `-HV 202x`",
}
"""Id of a code → its hint, a `str.format` template with the fields of the message."""


def remedy(code: Code, fields: dict[str, object]) -> str | None:
    """Return the hint for a diagnostic that an option would avoid; ``None`` for other diagnostics."""
    template = REMEDIES.get(code.id)
    return template.format(**fields) if template is not None else None
