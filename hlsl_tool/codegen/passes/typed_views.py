"""Declare a byte-address buffer once for each type that it is accessed as.

Before: an access of a type other than ``uint`` is a bitcast of a pointer (`pointer_casts`). After: it is an access
chain that starts at a *view*: a variable with the same descriptor set and binding, whose block is a runtime array of
the new type. All variables of one descriptor are decorated ``Aliased``. A variable that is only accessed through views
is removed.

64-bit atomics, and stores of 8 and 16 bits, need views: 32-bit words would tear the former and race in the latter.
"""

from __future__ import annotations

from hlsl_tool.spirv import op, opencl_debug
from hlsl_tool.spirv.analysis.kinds import ARRAYS, EXT_INSTS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Instruction, Module

from .global_definitions import Globals
from .pointer_casts import remove_unused_chains, typed_accesses, used_operands

_DEBUGGED_VARIABLE = 9
"""The operand of DebugGlobalVariable that names the variable."""


def separate_typed_views(module: Module, index: ModuleIndex | None = None) -> bool:
    """Replace bitcasts of pointers by views, in place; return whether there were any.

    Pointers that do not start at a variable are not changed.
    """
    accesses = typed_accesses(module, index or ModuleIndex(module))
    if not accesses:
        return False
    views = _Views(module)
    for access in accesses:
        pointee = views.definitions[access.bitcast.type_id].id(1)
        access.bitcast.op = op.OpAccessChain
        access.bitcast.operands = [views.find(access.variable, pointee), *access.indices]
    remove_unused_chains(module)
    views.finish()
    return True


class _Views:
    """Creates the views of a module's buffers."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.globals = Globals(module)
        self.definitions = module.definitions()
        self.views: dict[tuple[int, int], int] = {}
        """(variable, element type) → view."""

    def find(self, variable: int, element: int) -> int:
        """Return the view of a variable as an array of type ``element``; create it at the first request."""
        view = self.views.get((variable, element))
        if view is None:
            view = self.views[variable, element] = self._make(variable, element)
        return view

    def _make(self, variable: int, element: int) -> int:
        original = self.definitions[variable]
        storage = original.id(0)
        block_type = self._retyped(self.definitions[original.type_id].id(1), element)
        number = self.globals.take_id()
        pointer = self.globals.pointer(storage, block_type)
        self.module.globals.append(Instruction(op.OpVariable, pointer, number, [storage]))
        self._copy_annotations(variable, number)
        for entry in self.module.entry_points:
            if variable in entry.operands[3:]:
                entry.operands.append(number)
        return number

    def _retyped(self, type_id: int, element: int) -> int:
        """Return the type of a buffer (or of an array of buffers) with the element type replaced."""
        inst = self.definitions[type_id]
        number = self.globals.take_id()
        if inst.op in ARRAYS:
            retyped = Instruction(inst.op, 0, number, [self._retyped(inst.id(0), element), *inst.operands[1:]])
        else:
            elements = self.globals.take_id()
            self.module.globals.append(Instruction(op.OpTypeRuntimeArray, 0, elements, [element]))
            stride = Instruction(op.OpDecorate, 0, 0, [elements, Decoration.ArrayStride, self._size(element)])
            self.module.annotations.append(stride)
            retyped = Instruction(op.OpTypeStruct, 0, number, [elements])
        self._copy_annotations(type_id, number)
        self.module.globals.append(retyped)
        return number

    def _size(self, scalar: int) -> int:
        """Return the size in bytes of a number type."""
        return self.definitions[scalar].id(0) // 8

    def _copy_annotations(self, source: int, target: int) -> None:
        for section in (self.module.names, self.module.annotations):
            copies = [inst.copy() for inst in section if inst.operands[0] == source]
            for inst in copies:
                inst.operands[0] = target
            section += copies

    def finish(self) -> None:
        """Remove variables that views have replaced, and decorate variables of the same descriptor ``Aliased``."""
        used = set(used_operands(self.module))
        of_variable: dict[int, list[int]] = {}
        for (variable, _), view in self.views.items():
            of_variable.setdefault(variable, []).append(view)
        unused = {variable for variable in of_variable if variable not in used}
        self._redirect_debug_variables({variable: of_variable[variable][0] for variable in unused})
        self._remove(unused)
        for variable, views in of_variable.items():
            aliases = views if variable in unused else [variable, *views]
            if len(aliases) > 1:
                self._decorate_aliased(aliases)

    def _decorate_aliased(self, variables: list[int]) -> None:
        self.module.annotations += [
            Instruction(op.OpDecorate, 0, 0, [variable, Decoration.Aliased]) for variable in variables
        ]

    def _redirect_debug_variables(self, views: dict[int, int]) -> None:
        """Make the debug information of a removed variable refer to its first view.

        The debug instruction is moved after the view's declaration.
        """
        module = self.module
        moved = [
            inst
            for inst in module.globals
            if inst.op in EXT_INSTS
            and inst.operands[1] == opencl_debug.DebugGlobalVariable
            and inst.operands[_DEBUGGED_VARIABLE] in views
        ]
        if not moved:
            return
        ids = {inst.result_id for inst in moved}
        module.globals = [inst for inst in module.globals if inst.result_id not in ids]
        for inst in moved:
            inst.operands[_DEBUGGED_VARIABLE] = views[inst.id(_DEBUGGED_VARIABLE)]
        module.globals += moved

    def _remove(self, variables: set[int]) -> None:
        module = self.module
        module.globals = [inst for inst in module.globals if inst.result_id not in variables or not inst.result_id]
        module.names = [inst for inst in module.names if inst.operands[0] not in variables]
        module.annotations = [inst for inst in module.annotations if inst.operands[0] not in variables]
        for entry in module.entry_points:
            entry.operands = [*entry.operands[:3], *(o for o in entry.operands[3:] if o not in variables)]
