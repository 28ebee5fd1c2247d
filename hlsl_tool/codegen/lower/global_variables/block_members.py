"""Explicit offsets of members of constant buffers and of ``$Globals`` (manual: *Memory Layout*)."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import vulkan as codes
from hlsl_tool.codegen.layout.rules import Placed
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model.annotations import PackOffset, Register
from hlsl_tool.frontend.sema.model.hir import Variable

REGISTER = 16
"""The bytes of a constant register."""


def register_c(v: Variable) -> int | None:
    """Return the byte offset for ``: register(c3)``; ``None`` without such a register."""
    return next((a.number * REGISTER for a in v.registers if a.letter == "c"), None)


def sorted_by_register(members: list[Variable]) -> list[int]:
    """Return the indices of members in layout order: those with ``register(c#)`` by register, then the others."""
    fixed = sorted(
        (n for n, v in enumerate(members) if register_c(v) is not None), key=lambda n: register_c(members[n]) or 0
    )
    return fixed + [n for n, v in enumerate(members) if register_c(v) is None]


def check_overlaps(
    ctx: Lowering, placed: Sequence[Placed], members: Sequence[Variable], *, use_registers: bool
) -> None:
    """Report a member with an explicit offset that overlaps an earlier member.

    Offsets of ``packoffset`` need not ascend: DXC requires that, but Direct3D's compilers do not.
    """
    registers = [register_c(v) for v in members] if use_registers else []
    if any(r is not None and r in registers[n + 1 :] for n, r in enumerate(registers)):
        _report_shared_registers(ctx, members)
        return
    end = 0
    taken: list[tuple[int, int]] = []
    is_packed = any(v.packoffset is not None for v in members)
    for p, v in zip(placed, members, strict=True):
        register = register_c(v) if use_registers else None
        if register is not None:
            if register < end:
                at = _position(v, v.registers[0])
                ctx.error(codes.REGISTER_OVERLAP, at, chunk=v.chunk, number=register // REGISTER)
        elif is_packed and p.bits is None and any(p.offset < b and a < p.offset + p.extent.size for a, b in taken):
            ctx.error(codes.PACKOFFSET_OVERLAP, _position(v, v.packoffset), chunk=v.chunk)
        end = p.offset + p.extent.size
        taken.append((p.offset, end))


def _report_shared_registers(ctx: Lowering, members: Sequence[Variable]) -> None:
    """Report each member whose register a later member has, too."""
    seen: set[int] = set()
    for v in reversed(members):
        register = register_c(v)
        if register in seen:
            at = _position(v, v.registers[0])
            ctx.error(codes.REGISTER_TWICE, at, chunk=v.chunk, name=v.name, number=register // REGISTER)
        elif register is not None:
            seen.add(register)


def _position(v: Variable, annotation: Register | PackOffset | None) -> int:
    return annotation.pos if annotation is not None else v.pos
