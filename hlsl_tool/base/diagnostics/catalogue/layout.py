"""HLSL0860 on: offsets of members, padding, and matrices whose bytes depend on the layout."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code

PADDING = Code(
    "HLSL0860", "padding", "warning", "{bytes} bytes of padding before '{member}' of '{struct}' ({rule})",
    default_on=False, doc="Order the members as the note proposes, or declare the padding as a member of its own.",
)
PADDING_END = Code(
    "HLSL0861", "padding-end", "warning", "{bytes} bytes of padding at the end of '{struct}' ({rule})",
    group="padding", default_on=False, doc="Only elements of arrays and structs inside structs have padding there.",
)
PADDING_INSIDE = Code(
    "HLSL0862", "padding-inside", "warning",
    "{bytes} bytes of padding behind each {part} of '{member}' of '{struct}' ({rule})",
    group="padding", default_on=False, doc="Elements of four components, or the scalar layout, have none.",
)
MATRIX_STRIDE = Code(
    "HLSL0863", "matrix-stride", "warning",
    "'{type} {member}' of '{struct}' has {part}s of {size} bytes, {stride} apart: tight matrices of CPU or CUDA code do not fit",
    group="matrix-portability", default_on=False,
    doc="Declare four components in each row, or use the scalar layout; otherwise the host has to insert padding into the matrix.",
)
MATRIX_ORDER = Code(
    "HLSL0864", "matrix-order", "warning",
    "'{type} {member}' of '{struct}' lies by columns: targets without a matrix layout, CPU or CUDA code, take rows",
    group="matrix-portability", default_on=False, doc="Declare it `row_major`, or compile with -Zpr.",
)
REORDER = Code("HLSL0865", "padding-order", "note", "{text}", doc="Declare the members in the order of the note to save the padding.")
PACKOFFSET_GLOBAL = Code("HLSL0866", "packoffset-global", "error", "packoffset is only allowed in a constant buffer", doc="Put the variable into a `cbuffer`, and `packoffset` on the variable.")
OFFSET_ALIGNMENT = Code(
    "HLSL0868", "offset-alignment", "warning", "The offset provided in the attribute should be {align}-byte aligned.",
    doc="Vulkan's rules for the layout require it; with the scalar layout the size of a component is enough.",
)
OFFSET_OVERLAP = Code(
    "HLSL1168", "offset-overlap", "error",
    "'{member}' overlaps '{other}', which lies in the bytes from {first} to {end}",
    doc="`vk::offset` gives two members of a block the same bytes, which SPIR-V for Vulkan does not allow.",
)
OFFSET_RANGE = Code(
    "HLSL1857", "offset-range", "error", "'{member}' ends at byte {end} of its block, which has at most 4294967296 bytes",
    doc="Offsets in SPIR-V have 32 bits. Give the member a smaller offset, or the arrays before it fewer elements.",
)
OFFSET_STRADDLE = Code(
    "HLSL0869", "offset-straddle", "warning",
    "'{member}' lies across a boundary of 16 bytes, which vectors may not ({rule})",
    doc="Move the member, or use the scalar layout.",
)
