"""Opcodes that several packages treat alike."""

from __future__ import annotations

from . import op

ACCESS_CHAINS = frozenset((op.OpAccessChain, op.OpInBoundsAccessChain))
ATOMICS = frozenset(range(op.OpAtomicLoad, op.OpAtomicXor + 1))
"""The core's atomics, on integers."""
SUBGROUP = frozenset(range(op.OpGroupNonUniformElect, op.OpGroupNonUniformQuadSwap + 1))
