"""Remove the debug information of ``-fspv-debug=rich`` from modules, because Mesa's driver rejects it."""

from __future__ import annotations

import struct

from hlsl_tool.spirv import op

_NAME = b"OpenCL.DebugInfo.100"
_HEADER = 5
_SET_OPERAND = 3


def without_rich_debug(spirv: bytes) -> bytes:
    """Return the module without its OpenCL.DebugInfo.100 instructions; no other instruction refers to them."""
    if _NAME not in spirv:
        return spirv
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
    sets: set[int] = set()
    retained = list(words[:_HEADER])
    at = _HEADER
    while at < len(words):
        end = at + (words[at] >> 16)
        opcode, instruction = words[at] & 0xFFFF, words[at:end]
        at = end
        if opcode == op.OpExtInstImport and _NAME in struct.pack(f"<{len(instruction)}I", *instruction):
            sets.add(instruction[1])
        elif opcode != op.OpExtInst or instruction[_SET_OPERAND] not in sets:
            retained += instruction
    return struct.pack(f"<{len(retained)}I", *retained)
