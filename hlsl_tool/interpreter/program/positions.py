"""Places in the HLSL, from ``OpLine`` and from debug information.

The sets NonSemantic.Shader.DebugInfo.100 and OpenCL.DebugInfo.100 number scopes, functions and inlined calls alike; the
first one has ids of constants for lines, and lines of its own in place of ``OpLine``.
"""

from __future__ import annotations

from functools import cached_property

from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS
from hlsl_tool.spirv.ir import Instruction

from ..instructions.context import Context
from ..runtime.code import Inlined, Position


class Positions:
    """Follows the place of the instructions of a function."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.current: Position | None = None
        self._inlined: Inlined | None = None

    @cached_property
    def _sets(self) -> set[int]:
        """The ids of the imports of the debug information."""
        names = (shader_debug.SET, opencl_debug.SET)
        return {number for number, name in self.context.index.sets.items() if name in names}

    def begin_block(self) -> None:
        """Forget the place: lines and scopes hold in one block."""
        self.current = self._inlined = None

    def moves(self, inst: Instruction) -> bool:
        """Return whether an instruction is a line or scope, which becomes the current one."""
        if inst.op == op.OpLine:
            file, line, column = inst.ints()
            self.current = Position(self.context.index.strings.get(file, ""), line, column, 0, self._inlined)
            return True
        if inst.op == op.OpNoLine:
            self.current = None
            return True
        if inst.op not in EXT_INSTS or inst.id(0) not in self._sets:
            return False
        words = inst.ints()
        if words[1] == shader_debug.DebugLine:
            line, column, end = (self.context.constant(words[at]) or 0 for at in (3, 5, 6))
            self.current = Position(self._file(words[2]), line, column, end + 1, self._inlined)
        elif words[1] == shader_debug.DebugNoLine:
            self.current = None
        elif words[1] == shader_debug.DebugScope:
            self._inlined = self._inlining(words[2], words[3]) if len(words) > 3 else None
        elif words[1] == shader_debug.DebugNoScope:
            self._inlined = None
        else:
            return False
        return True

    def _file(self, source: int) -> str:
        inst = self.context.index.definitions.get(source)
        return self.context.index.strings.get(inst.id(2), "") if inst is not None else ""

    def _inlining(self, scope: int, place: int) -> Inlined | None:
        """Return the function of a scope, and where its call was, given the ``DebugInlinedAt``."""
        definitions = self.context.index.definitions
        function, call = self._function(scope), definitions.get(place)
        if function is None or call is None:
            return None
        words = call.ints()
        caller = self._function(words[3])
        outer = self._inlining(words[3], words[4]) if len(words) > 4 else None
        file = self._file(caller.id(4)) if caller is not None else ""
        has_ids = self.context.index.sets[words[0]] == shader_debug.SET
        line = self.context.constant(words[2]) if has_ids else words[2]
        position = Position(file, line or 0, 0, inlined=outer)
        return Inlined(self.context.index.strings.get(function.id(2), ""), position)

    def _function(self, scope: int) -> Instruction | None:
        """Return the ``DebugFunction`` of a scope."""
        inst = self.context.index.definitions.get(scope)
        while inst is not None and inst.id(1) == shader_debug.DebugLexicalBlock:
            inst = self.context.index.definitions.get(inst.id(5))
        return inst if inst is not None and inst.id(1) == shader_debug.DebugFunction else None
