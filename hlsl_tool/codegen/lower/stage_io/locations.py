"""Assign locations to stage variables (manual: *HLSL semantic and Vulkan Location*)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.diagnostics.catalogue import vulkan as vulkan_codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.ranges import Ranges
from hlsl_tool.codegen.lower.interface import StageVariableRecord
from hlsl_tool.codegen.lower.stage_io.packing import Packer
from hlsl_tool.codegen.lower.stage_io.stage_items import StageVariable
from hlsl_tool.spirv.enums import Decoration


def assign(ctx: Lowering, variables: list[StageVariable], *, is_input: bool) -> None:
    """Assign locations to inputs or outputs without one, in order of declaration.

    With ``-fvk-stage-io-order=alpha``, and between unpacked hull and domain shaders, the order is that of semantics.
    Explicit locations must be given to all variables or none; ``SV_Target#`` has location #.
    """
    mine = [v for v in variables if not v.is_builtin and v.point.endswith("In") == is_input]
    direction = "input" if is_input else "output"
    records = _records(ctx)
    if all(v.location is not None for v in mine):
        _explicit(ctx, records, mine, direction, variables)
        return
    used = Ranges()
    rest: list[StageVariable] = []
    for v in mine:
        if v.location is not None:
            ctx.error(codes.LOCATION_PARTIAL, v.semantic.pos, chunk=v.semantic.chunk, direction=direction)
            return
        if v.semantic.system == "TARGET":
            end = v.semantic.index + v.locations
            taken = used.first(v.semantic.index, end)
            if taken is not None:
                ctx.error(
                    vulkan_codes.LOCATION_DUPLICATE, v.semantic.pos, chunk=v.semantic.chunk, location=taken, index=0
                )
                return
            _decorate(ctx, v, v.semantic.index, records)
            used.add(v.semantic.index, end)
        else:
            rest.append(v)
    alpha = ctx.options.stage_io_order == "alpha"
    packs = ctx.options.signature_packing == "optimized"
    between_patches = (ctx.stage == "hs" and not is_input) or (ctx.stage == "ds" and is_input)
    if alpha or (between_patches and not packs):
        rest.sort(key=lambda v: v.semantic.spelled)

    def take(count: int) -> int:
        """Reserve the first run of ``count`` free locations and return its start."""
        at = used.free(count, 0)
        used.add(at, at + count)
        return at

    # The engine numbers vertex attributes and render targets.
    if packs and rest and rest[0].point not in ("VSIn", "PSOut") and not alpha:
        packer = Packer(take)
        for v in sorted(rest, key=lambda v: v.point not in ("PCOut", "DSIn")):  # those of the patch first
            location, component = packer.place(v.type, v.locations, v.family)
            _decorate(ctx, v, location, records, component)
        return
    for v in rest:
        _decorate(ctx, v, take(v.locations), records)


def _explicit(
    ctx: Lowering, records: Records, variables: list[StageVariable], direction: str, signature: list[StageVariable]
) -> None:
    used: dict[tuple[int, int], str] = {}
    for v in variables:
        assert v.location is not None
        for at in range(v.location, v.location + v.locations):
            key = (at, v.index or 0)
            if key in used:
                # DXC's code generation names the variable of the whole signature at the index, not the other taker.
                name = signature[v.index or 0].semantic.spelled if ctx.options.codegen_only else used[key]
                ctx.error(
                    codes.LOCATION_TAKEN,
                    v.semantic.pos,
                    chunk=v.semantic.chunk,
                    direction=direction,
                    location=at,
                    name=name,
                )
            used[key] = v.semantic.spelled
        _decorate(ctx, v, v.location, records)
        if v.index is not None:
            ctx.b.decorate(v.id, Decoration.Index, v.index)


Records = Mapping[str, Sequence[StageVariableRecord]]
"""Name of a SPIR-V variable → its records for reflection."""


def _records(ctx: Lowering) -> Records:
    records: defaultdict[str, list[StageVariableRecord]] = defaultdict(list)
    for record in ctx.interface.stage_variables:
        records[record.name].append(record)
    return records


def _decorate(ctx: Lowering, v: StageVariable, location: int, records: Records, component: int | None = None) -> None:
    ctx.b.decorate(v.id, Decoration.Location, location)
    if component is not None:
        ctx.b.decorate(v.id, Decoration.Component, component)
    for r in records.get(ctx.b.names.get(v.id, ""), ()):
        r.location, r.component, r.index = location, component, v.index


def check_duplicates(ctx: Lowering, variables: list[StageVariable]) -> None:
    """Report a semantic that several inputs, or several outputs, have."""
    for is_input in (True, False):
        seen: set[str] = set()
        for v in variables:
            if v.point.endswith("In") != is_input or v.point in ("", "PCOut", "DSIn", "MSPOut"):
                continue  # patch constants and per-primitive outputs have a signature of their own
            name = v.semantic.spelled.upper()
            is_checked = not v.is_builtin or v.point in ("VSOut", "HSCPOut", "DSOut", "MSOut", "PSOut")
            if name in seen and is_checked:
                ctx.error(
                    codes.SEMANTIC_DUPLICATE,
                    v.semantic.pos,
                    chunk=v.semantic.chunk,
                    direction="input" if is_input else "output",
                    name=v.semantic.spelled,
                )
            seen.add(name)
