"""The variables of a function in a call stack, by scopes: locals, arguments, statics, shared memory, resources."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.gpu.draw_stages import SEMANTICS
from hlsl_tool.interpreter import Program
from hlsl_tool.interpreter.model.layout import Place
from hlsl_tool.interpreter.model.types import Type
from hlsl_tool.interpreter.program.program import Variable
from hlsl_tool.interpreter.runtime.cells import CellPointer
from hlsl_tool.interpreter.runtime.handles import HandleTable
from hlsl_tool.interpreter.runtime.state import Registers, State
from hlsl_tool.spirv.enums import BuiltIn, ExecutionModel, StorageClass

from ..symbols.debug_info import Assignment, DebugInfo, Local
from ..symbols.types import HlslType, TypeNames
from .nodes import GroupNode, HandleNode, Memory, MemoryNode, Node, Origin, TextNode, ValueNode
from .parts import joined
from .stack import Level

_MEMORY = frozenset((StorageClass.Uniform, StorageClass.StorageBuffer, StorageClass.PushConstant))
GLOBALS = "$Globals"
_INITIALISED = "init.done."
"""The start of the names of variables that record whether a static variable of a function has its first value."""
_SEMANTICS = {
    **{getattr(BuiltIn, name): semantic for name, semantic in SEMANTICS.items()},
    BuiltIn.GlobalInvocationId: "SV_DispatchThreadID",
    BuiltIn.LocalInvocationId: "SV_GroupThreadID",
    BuiltIn.LocalInvocationIndex: "SV_GroupIndex",
    BuiltIn.WorkgroupId: "SV_GroupID",
    BuiltIn.FragCoord: "SV_Position",
    BuiltIn.FrontFacing: "SV_IsFrontFace",
    BuiltIn.VertexIndex: "SV_VertexID",
    BuiltIn.InstanceIndex: "SV_InstanceID",
    BuiltIn.TessCoord: "SV_DomainLocation",
    BuiltIn.SampleId: "SV_SampleIndex",
    BuiltIn.SampleMask: "SV_Coverage",
    BuiltIn.FragDepth: "SV_Depth",
    BuiltIn.PrimitivePointIndicesEXT: "indices",
    BuiltIn.PrimitiveLineIndicesEXT: "indices",
    BuiltIn.PrimitiveTriangleIndicesEXT: "indices",
    BuiltIn.LaunchIdKHR: "DispatchRaysIndex",
    BuiltIn.LaunchSizeKHR: "DispatchRaysDimensions",
    BuiltIn.RayTmaxKHR: "RayTCurrent",
    BuiltIn.WorldRayOriginKHR: "WorldRayOrigin",
    BuiltIn.WorldRayDirectionKHR: "WorldRayDirection",
    BuiltIn.ObjectRayOriginKHR: "ObjectRayOrigin",
    BuiltIn.ObjectRayDirectionKHR: "ObjectRayDirection",
    BuiltIn.InstanceCustomIndexKHR: "InstanceID",
    BuiltIn.HitKindKHR: "HitKind",
}
"""Built-in → its semantic, or the intrinsic that returns it."""
_WITH_OUTPUTS = (ExecutionModel.MeshEXT, ExecutionModel.Geometry)
"""The execution models whose arguments may be outputs."""
_INVOCATIONS = {
    ExecutionModel.TessellationControl: "SV_OutputControlPointID",
    ExecutionModel.Geometry: "SV_GSInstanceID",
}
"""Execution model → the semantic of the number of the invocation."""
_NUMBER = np.dtype("u4")
_THREAD = HlslType("uint3", "vector", Type(0, "vector", _NUMBER, (3,), length=3), length=3)
_THREAD.element = HlslType("uint", "scalar", Type(0, "int", _NUMBER))


@dataclass(slots=True)
class View:
    """A stopped run, as its values are read."""

    info: DebugInfo
    types: TypeNames
    state: State
    registers: Registers
    declared: dict[str, str]
    """Name of a resource → its type in HLSL."""

    @property
    def program(self) -> Program:
        """The program that runs."""
        return self.info.program

    # ---- locals

    def locals(self, level: Level) -> tuple[list[Node], list[Node]]:
        """Return the local variables and the arguments of a function."""
        variables: list[Node] = []
        arguments: list[Node] = []
        for local in self.info.locals_at(level.inst, level.function):
            node = self._local(local, level.function_id)
            (arguments if local.argument else variables).append(node)
        return variables, arguments

    def _local(self, local: Local, function: int) -> Node:
        first = local.parts[0]
        if first.indices:
            return self._parts(local)
        return self._value(local.name, first, local.type, function)

    def _value(self, name: str, part: Assignment, debug: int, function: int) -> Node:
        """Return the node of a pointer to a variable, or of a value."""
        if part.value in self.info.unpassed:
            has_outputs = self.program.model in _WITH_OUTPUTS
            return TextNode(name, "an output, or not used" if has_outputs else "the shader does not use it")
        value, of = self.registers[part.value], self.program.context.type_of(part.value)
        if value is None:
            return TextNode(name, "has no value yet")
        if part.is_pointer and of.kind == "pointer":
            assert of.element is not None
            return self._pointee(name, value, of.element, debug, Origin(part.value, function))
        if of.kind in ("pointer", "image", "sampler", "sampled_image", "acceleration_structure"):
            return HandleNode(name, of.kind, value)
        return ValueNode(name, self.types.of(of, debug), value)

    def _pointee(self, name: str, value: Any, of: Any, debug: int, origin: Origin) -> Node:
        if isinstance(value, CellPointer):
            content = value.load()
            if of.dtype is None and of.kind not in ("struct", "array"):
                return HandleNode(name, of.kind, content)
            return ValueNode(name, self.types.of(of, debug), content, origin=origin)
        if isinstance(value, HandleTable):
            return HandleNode(name, of.kind, value.load())
        return MemoryNode(self.memory, name, Place(of), self.types.of(of, debug), value)

    def _parts(self, local: Local) -> Node:
        """Return the node of a variable of which optimised code has parts in registers."""
        parts: dict[tuple[int, ...], tuple[Any, Type]] = {}
        nodes: list[Node] = []
        for part in local.parts:
            value, of = self.registers[part.value], self.program.context.type_of(part.value)
            if part.is_pointer and isinstance(value, CellPointer) and of.element is not None:
                value, of = value.load(), of.element
            if isinstance(value, (np.ndarray, list)):
                parts[part.indices] = (value, of)
            nodes.append(self._value("".join(f"[{index}]" for index in part.indices), part, 0, 0))
        whole = joined(self.info, self.types, local.type, parts)
        if whole is None:
            return GroupNode(local.name, nodes, "optimised: some of its parts")
        return ValueNode(local.name, *whole)

    # ---- global variables

    @property
    def memory(self) -> Memory:
        """What reads of memory need."""
        return Memory(self.program, self.types, self.state.memory, self.state.shape.group_of_lane)

    def statics(self) -> list[Node]:
        """Return the static variables."""
        variables = self._variables((StorageClass.Private,))
        return [self.global_node(v) for v in variables if not v.name.startswith(_INITIALISED)]

    def shared(self) -> list[Node]:
        """Return the variables in shared memory."""
        return [self.global_node(v) for v in self._variables((StorageClass.Workgroup,))]

    def stage_variables(self) -> list[Node]:
        """Return the inputs and outputs of the stage."""
        nodes = [self.global_node(v) for v in self._variables((StorageClass.Input, StorageClass.Output))]
        threads = self.state.extra.get("threads")
        if threads is not None and all(node.name != "SV_DispatchThreadID" for node in nodes):
            nodes.append(ValueNode("SV_DispatchThreadID", _THREAD, np.stack(list(threads))))
        return nodes

    def emitted(self, lane: int) -> list[Node]:
        """Return the vertices that a lane of a geometry shader has emitted, with the number of their strip."""
        emissions = self.state.extra.get("emissions")
        own = [vertex for vertex in emissions.vertices if vertex.lanes[lane]] if emissions is not None else []
        out: list[Node] = []
        for number, vertex in enumerate(own):
            parts: list[Node] = []
            for variable in self._variables((StorageClass.Output,)):
                if variable.id in vertex.outputs:
                    of = self.types.of(variable.type, self.info.globals.get(variable.id, 0))
                    parts.append(ValueNode(self._name(variable), of, vertex.outputs[variable.id]))
            values = ", ".join(f"{part.name} = {part.text(lane)}" for part in parts)
            out.append(GroupNode(f"[{number}]", parts, f"strip {vertex.strips[lane]}: {{ {values} }}"))
        return out

    def resources(self) -> list[Node]:
        """Return buffers, textures and constants; global constants are listed one by one."""
        out: list[Node] = []
        for variable in self._variables((*_MEMORY, StorageClass.UniformConstant)):
            node = self.global_node(variable)
            if variable.name == GLOBALS:
                out += map(node.child, range(node.count()))  # none if the shader uses none
            else:
                out.append(node)
        return out

    def _variables(self, storages: Iterable[int]) -> list[Variable]:
        chosen = frozenset(storages)
        return [variable for variable in self.program.variables if variable.storage in chosen]

    def global_node(self, variable: Variable) -> Node:
        """Return the node of a global variable."""
        value, debug = self.registers[variable.id], self.info.globals.get(variable.id, 0)
        name = self._name(variable)
        declared = self.declared.get(name, "")
        if isinstance(value, HandleTable):
            return self._handles(name, declared or variable.type.kind, value)
        if variable.storage in _MEMORY:
            return self._buffer(name, variable.type, declared, value, debug)
        return self._pointee(name, value, variable.type, debug, Origin(variable.id, 0))

    def _name(self, variable: Variable) -> str:
        """Return the name of a global variable as HLSL has it: that of inputs and outputs is their semantic.

        Resources without a name have that of their block, or else that of their place.
        """
        if variable.built_in == BuiltIn.InvocationId:
            return _INVOCATIONS.get(self.program.model, variable.name)
        if variable.built_in is not None:
            return _SEMANTICS.get(variable.built_in, variable.name)
        if variable.place is None or variable.name not in ("", str(variable.id)):
            return variable.name.removeprefix("in.var.").removeprefix("out.var.")
        return self.program.index.names.get(variable.type.id, "") or name_of_place(*variable.place)

    def _handles(self, name: str, declared: str, table: HandleTable) -> Node:
        if not table.sizes:
            return HandleNode(name, declared, table.objects[0] if table.objects else None)
        items: list[Node] = [
            HandleNode(f"[{n}]", declared.partition("[")[0], handle, f"{name}[{n}]")
            for n, handle in enumerate(table.objects)
        ]
        return GroupNode(name, items, declared)

    def _buffer(self, name: str, of: Type, declared: str, value: Any, debug: int) -> Node:
        """Return the node of a buffer; the elements of structured buffers are its children."""
        addresses = getattr(value, "addresses", None)
        if addresses is not None:
            inner = of.element
            assert inner is not None
            items: list[Node] = []
            for number in range(len(addresses)):
                item = self._one_buffer(f"[{number}]", Place(inner), addresses[number : number + 1], "", 0)
                item.path = f"{name}[{number}]"
                items.append(item)
            return GroupNode(name, items, declared)
        return self._one_buffer(name, Place(of), value, declared, debug)

    def _one_buffer(self, name: str, place: Place, addresses: Any, declared: str, debug: int) -> Node:
        if not is_bound(addresses):
            return TextNode(name, "the shader does not use it")
        of = self.types.of(place.type, debug)
        if of.kind == "struct" and len(of.members) == 1 and _is_runtime(of.members[0][1]):
            layout = self.program.context.layout
            _, place = layout.step(place, 0)
            of = of.members[0][1]
        node = MemoryNode(self.memory, name, place, of, addresses, declared=declared)
        if of.kind == "struct" and _is_open(name, declared):
            node.path = ""  # its members are global names
        return node

    # ---- names

    def find(self, name: str, level: Level | None) -> Node | None:
        """Return the variable that a name means in a function; ``None`` if there is none."""
        if level is not None:
            for node in (*self.locals(level)[0], *self.locals(level)[1]):
                if node.name == name:
                    return node
            this = next((node for node in self.locals(level)[1] if node.name == "this"), None)
            member = this.named(name) if this is not None else None
            if member is not None:
                return member
        for variable in self.program.variables:
            if self._name(variable) == name:
                return self.global_node(variable)
        for node in self.stage_variables():
            if node.name == name:
                return node
        for variable in self._variables(_MEMORY):
            block = self.global_node(variable)
            child = block.named(name) if not block.path else None
            if child is not None:
                return child
        return None


def is_bound(addresses: Any) -> bool:
    """Return whether addresses are those of a buffer; without one they are 0."""
    return not isinstance(addresses, np.ndarray) or bool(addresses.any())


def _is_open(name: str, declared: str) -> bool:
    """Return whether the members of a constant buffer are global names."""
    return name == GLOBALS or declared in ("cbuffer", "tbuffer", "uniform_buffer")


def name_of_place(descriptor_set: int | None, binding: int | None) -> str:
    """Return the name of a resource for which a module has none."""
    return f"set{descriptor_set}_binding{binding}"


def _is_runtime(of: HlslType) -> bool:
    return of.kind == "array" and of.length is None
