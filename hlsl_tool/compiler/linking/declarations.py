"""Add the types, constants and variables of modules to the joined module, equal ones once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import linking as codes
from hlsl_tool.codegen.lower.core.function_names import is_signature
from hlsl_tool.compiler.linking.descriptions import (
    HEAPS,
    binding_hint,
    binding_text,
    struct_difference,
    type_text,
)
from hlsl_tool.compiler.linking.renaming import Renaming
from hlsl_tool.compiler.linking.unit import Unit, is_linkage
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.ir import Instruction, Module, Operand

Key = tuple[object, ...]

_LINES = frozenset((op.OpLine, op.OpNoLine))
_OF_STAGES = frozenset((StorageClass.Input, StorageClass.Output))
_OF_RAYS = frozenset(
    (
        StorageClass.RayPayloadKHR,
        StorageClass.IncomingRayPayloadKHR,
        StorageClass.HitAttributeKHR,
        StorageClass.CallableDataKHR,
        StorageClass.IncomingCallableDataKHR,
    )
)
_OF_MODULES = _OF_STAGES | _OF_RAYS | {StorageClass.Private}
"""Storage classes whose variables belong to one module; those of others are shared by name."""
_SINGLE = frozenset((StorageClass.PushConstant, StorageClass.ShaderRecordBufferKHR))
"""Storage classes of which a program has one variable, whatever its name is."""


class Variable(NamedTuple):
    """A variable that modules share: its module, its id there and its key."""

    unit: Unit
    number: int
    key: Key

    def binding(self) -> str:
        """Return the binding in words."""
        return binding_text(self.unit.index, self.number)


class Declarations:
    """The declarations of the joined module, and the ids there of what each module declares."""

    def __init__(self, units: Sequence[Unit], sink: Sink) -> None:
        self.units = units
        self.sink = sink
        self.module = Module(generator=units[0].module.generator)
        self.ids: list[Renaming] = []
        """For each module: its ids in the joined module."""
        self.own: list[set[int]] = []
        """For each module: the ids whose declarations or functions the joined module takes from it."""
        self.dropped: set[tuple[int, int]] = set()
        """(number of a module, id) of the functions to leave out: resolved imports, and those that nothing calls."""
        self._keys: dict[Key, int] = {}
        self._variables: dict[str, Variable] = {}
        self._bindings: dict[tuple[Operand, ...], tuple[Unit, str]] = {}
        self._pointers: dict[tuple[Operand, str], list[tuple[int, int]]] = {}
        """(storage class, struct) of pointers that are declared in advance → (id, number of the module)."""
        self._joined: list[set[int]] = [set() for _ in units]
        """For each module: pointers declared in advance that are equal to those of an earlier module."""
        self._constants: dict[Operand, Variable] = {}
        """Number of a specialisation constant → its first declaration."""
        for unit in units:
            self.ids.append(Renaming(unit.index, self.module.bound - 1))
            self.own.append(set(range(1, unit.module.bound)))
            self.module.bound += unit.module.bound - 1

    def add(self, number: int) -> None:
        """Add the imported instruction sets, sources, types, constants and variables of a module."""
        unit, ids = self.units[number], self.ids[number]
        forward: set[int] = set()
        source, module = unit.module, self.module
        for inst in source.ext_inst_imports:
            self._add(number, inst, (inst.op, *inst.operands), module.ext_inst_imports, forward)
        for inst in source.sources:
            if inst.op == op.OpString and is_signature(inst.text(0)):
                self.own[number].discard(inst.result_id)
                continue
            # One OpSource is enough where none names a file; its version is that of the first module
            operands = inst.operands[:1] if inst.op == op.OpSource and len(inst.operands) < 3 else inst.operands
            key = inst.op, *ids.operands(Instruction(inst.op, 0, 0, operands))
            self._add(number, inst, key, module.sources, forward)
        declared: set[int] = {inst.result_id for inst in (*source.ext_inst_imports, *source.sources)}
        for inst in source.globals:
            if inst.op in _LINES:  # the places of declarations are of no use to the passes
                continue
            if inst.op == op.OpTypeForwardPointer:
                self._join_pointer(number, inst)
            if (inst.result_id or inst.operands[0]) in self._joined[number]:
                continue
            forward.update(operand for operand in ids.used(inst) if operand not in declared)
            declared.add(inst.result_id)
            self._add(number, inst, self._key(unit, ids, inst), module.globals, forward)

    def _join_pointer(self, number: int, inst: Instruction) -> None:
        """Give a pointer to a struct that contains it the id of the equal pointer of an earlier module, if any."""
        unit, pointer = self.units[number], inst.id(0)
        struct = unit.index.definitions[pointer].id(1)
        others = self._pointers.setdefault((inst.operands[1], unit.index.names.get(struct, "")), [])
        for other, at in others:
            if at != number and not struct_difference(self.units[at].index, other, unit.index, pointer):
                self.ids[number].ids[pointer] = self.ids[at][other]
                self.own[number].discard(pointer)
                self._joined[number].add(pointer)
                return
        others.append((pointer, number))

    def _add(
        self, number: int, inst: Instruction, key: Key | None, section: list[Instruction], forward: set[int]
    ) -> None:
        """Add an instruction, or refer to the equal one; ``forward`` are ids that earlier instructions mention."""
        ids, result = self.ids[number], inst.result_id
        if key is not None and (equal := self._keys.get(key)) is not None and result not in forward:
            if result:
                ids.ids[result] = equal
                self.own[number].discard(result)
            return
        if key is not None:
            self._keys.setdefault(key, ids[result])
        section.append(ids.instruction(inst))

    # ---- keys

    def _key(self, unit: Unit, ids: Renaming, inst: Instruction) -> Key | None:
        """Return all that tells a declaration from others; ``None`` if it is equal to no other one."""
        names: tuple[str, ...] = ()
        if inst.op == op.OpTypeStruct:
            members = [unit.index.member_names.get((inst.result_id, at), "") for at in range(len(inst.operands))]
            names = unit.index.names.get(inst.result_id, ""), *members
        key = inst.op, ids[inst.type_id], *ids.operands(inst), names, *_decorations(unit, ids, inst)
        if inst.op == op.OpVariable:
            return self._variable_key(unit, inst, key)
        spec = unit.index.decorations.get(inst.result_id, {}).get(Decoration.SpecId)
        if spec is not None:
            self._check_constant(spec[0], Variable(unit, inst.result_id, key))
        return key

    def _variable_key(self, unit: Unit, inst: Instruction, key: Key) -> Key | None:
        storage, name = inst.id(0), unit.index.names.get(inst.result_id, "")
        decorations = unit.index.decorations.get(inst.result_id, {})
        if storage in _OF_STAGES and Decoration.BuiltIn in decorations:
            return key
        linkage = unit.linkages.get(inst.result_id)
        if linkage is not None:  # the counter of a function's parameter
            return linkage.name, *key
        if storage in _OF_MODULES or not name:
            return None
        self._check_binding(unit, inst.result_id, name)
        shared = f"{storage}" if storage in _SINGLE else name
        variable = Variable(unit, inst.result_id, key)
        first = self._variables.setdefault(shared, variable)
        if name in HEAPS:  # a heap has a variable for each type, all of one binding
            if first.binding() != variable.binding():
                self._report_variable(name, first, variable)
        elif first.unit is unit:
            return None if first.number != inst.result_id else (shared, *key)
        elif first.key != key:
            self._report_variable(name, first, variable)
        return shared, *key

    # ---- checks

    def _report_variable(self, name: str, first: Variable, second: Variable) -> None:
        """Report that two modules declare a variable differently: its type, its binding, or the rest."""
        a, b = (variable.unit.index for variable in (first, second))
        kinds = [type_text(index, index.definitions[v.number].type_id) for index, v in ((a, first), (b, second))]
        if kinds[0] == kinds[1] or name in HEAPS:
            kinds = [first.binding(), second.binding()]
            hint = binding_hint(name) or "give it a register, or `vk::binding`, that is the same in both"
        else:
            hint = "declare it in a header that both include"
        if kinds[0] == kinds[1]:
            hint = "declare it in a header that both include, and compile both with the same options"
            kinds = ["declared with some modifiers", "with others"]
        difference = struct_difference(a, a.definitions[first.number].type_id, b, b.definitions[second.number].type_id)
        if difference:
            hint, kinds = difference, ["of one struct", "of another one of the same name"]
        self.sink.error(
            codes.LINK_RESOURCE,
            second.unit.place(name, second.number),
            notes=first.unit.notes(name, first.number, self.sink),
            hint=hint,
            name=name,
            first=first.unit.name,
            is_first=kinds[0],
            second=second.unit.name,
            is_second=kinds[1],
        )

    def _check_binding(self, unit: Unit, number: int, name: str) -> None:
        """Warn if the binding of a resource is that of another resource in another module."""
        decorations = unit.index.decorations.get(number, {})
        if Decoration.Binding not in decorations:
            return
        place = *decorations.get(Decoration.DescriptorSet, [0]), *decorations[Decoration.Binding]
        first, other = self._bindings.setdefault(place, (unit, name))
        if first is not unit and other != name:
            self.sink.warning(
                codes.LINK_BINDING,
                unit.place(name, number),
                hint=binding_hint(name) or "give one of them another register, or `[[vk::binding]]`",
                name=name,
                second=unit.name,
                other=other,
                first=first.name,
                set=place[0],
                binding=place[1],
            )

    def _check_constant(self, spec: Operand, constant: Variable) -> None:
        """Report a specialisation constant that two modules declare differently."""
        first = self._constants.setdefault(spec, constant)
        if first.unit is not constant.unit and first.key != constant.key:
            name = constant.unit.index.names.get(constant.number, "")
            self.sink.error(
                codes.LINK_RESOURCE,
                constant.unit.place(name, constant.number),
                notes=first.unit.notes(name, first.number, self.sink),
                hint="give both the same type and the same default, or different numbers",
                name=name,
                first=first.unit.name,
                is_first=f"another specialisation constant {spec}",
                second=constant.unit.name,
                is_second=f"specialisation constant {spec}",
            )


def _decorations(unit: Unit, ids: Renaming, inst: Instruction) -> tuple[Key, Key]:
    """Return the decorations of a declaration and of its members, in a fixed order.

    Those that depend on the other side of a link are left out: imports and exports, and Flat of built-ins.
    """
    number = inst.result_id
    own = [
        i for i in unit.index.annotations.get(number, ()) if not is_linkage(i) and i.operands[1:] != [Decoration.Flat]
    ]
    members = unit.index.member_annotations.get(number, ())
    return _sorted(own, ids), _sorted(members, ids)


def _sorted(annotations: Iterable[Instruction], ids: Renaming) -> Key:
    return tuple(sorted(((inst.op, *ids.operands(inst)[1:]) for inst in annotations), key=repr))
