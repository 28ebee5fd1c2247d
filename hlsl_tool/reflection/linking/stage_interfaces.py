"""Inputs, outputs and bindings of graphics entry points as plain data, extracted from a final module.

See the Vulkan specification, *Shader Input and Output Interfaces*. Build records store the data as JSON, so that a
pipeline can be checked again after a change of one stage, without compiling the others.
"""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.system.dataclass import MISSING, dataclass, field, fields, is_dataclass
from hlsl_tool.codegen.lower.interface import InterfaceRecord, StageVariableRecord
from hlsl_tool.reflection.linking.binding_table import Binding, binding_table
from hlsl_tool.reflection.spirv_types import TypeReader
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration, ExecutionMode, ExecutionModel, StorageClass
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction, Module

STAGES: dict[int, str] = {
    ExecutionModel.Vertex: "vertex",
    ExecutionModel.TessellationControl: "hull",
    ExecutionModel.TessellationEvaluation: "domain",
    ExecutionModel.Geometry: "geometry",
    ExecutionModel.Fragment: "pixel",
    ExecutionModel.TaskNV: "amplification",
    ExecutionModel.MeshNV: "mesh",
    ExecutionModel.TaskEXT: "amplification",
    ExecutionModel.MeshEXT: "mesh",
}
"""The stages of graphics pipelines by HLSL's names."""

_INTERPOLATION = {
    Decoration.Flat: "nointerpolation",
    Decoration.NoPerspective: "noperspective",
    Decoration.Centroid: "centroid",
    Decoration.Sample: "sample",
}
_OF_VERTICES = {("hull", "input"), ("hull", "output"), ("domain", "input"), ("geometry", "input"), ("mesh", "output")}
"""(stage, direction) pairs with variables that are arrays of one element per vertex."""
_DOMAINS = {ExecutionMode.Triangles: "triangles", ExecutionMode.Quads: "quads", ExecutionMode.Isolines: "isolines"}


@dataclass(slots=True)
class Slot:
    """An input or output variable with a location."""

    name: str
    location: int
    component: int = 0
    scalar: str = "float"
    bits: int = 32
    width: int = 1
    dims: list[int] = field(default_factory=list)
    """Lengths of arrays and numbers of columns, outermost first."""
    patch: bool = False
    per_primitive: bool = False
    interpolation: list[str] = field(default_factory=list)
    semantic: str = ""
    """The semantic in the source; for foreign modules derived from the names that DXC gives."""
    vertices: int = 0
    """The number of vertices of the array around the variable; 0 without one."""
    place: list[Any] | None = None
    """[file, line, column, end, text of the line] of the declaration."""

    @property
    def type(self) -> str:
        """The type in HLSL: `float2[4]`."""
        word = self.scalar if self.bits == 32 else f"{self.scalar}{self.bits}_t"
        return word + (str(self.width) if self.width > 1 else "") + "".join(f"[{n}]" for n in self.dims)

    @property
    def what(self) -> str:
        """The variable as diagnostics name it: `TEXCOORD1 (float2)`."""
        return f"'{self.semantic or self.name or 'a variable'}' ({self.type})"

    def cells(self) -> set[tuple[int, int]]:
        """Return the set of (location, component) pairs that the variable occupies."""
        count = 1
        for n in self.dims:
            count *= n
        words = self.width * (2 if self.bits == 64 else 1)
        step = (words + 3) // 4
        return {
            (self.location + i * step + at // 4, at % 4)
            for i in range(count)
            for at in range(self.component, self.component + words)
        }


@dataclass(slots=True)
class StageInterface:
    """The interface of one entry point."""

    stage: str
    entry: str
    inputs: list[Slot] = field(default_factory=list)
    outputs: list[Slot] = field(default_factory=list)
    builtins_read: dict[str, int] = field(default_factory=dict)
    """Built-in → number of elements, for those that the entry point reads."""
    builtins_written: dict[str, int] = field(default_factory=dict)
    vertices_out: int = 0
    """The number of control points that a hull shader writes."""
    domain: str = ""
    bindings: list[Binding] = field(default_factory=list)
    binding_places: dict[str, list[Any]] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Return the interface as JSON data; fields with default values are omitted."""
        content: dict[str, Any] = compact(self)
        return content

    @classmethod
    def of(cls, content: dict[str, Any]) -> StageInterface:
        """Create the interface from the data of `plain`."""
        fields_of_class = dict(content)
        for direction in ("inputs", "outputs"):
            fields_of_class[direction] = [Slot(**slot) for slot in fields_of_class.get(direction, ())]
        fields_of_class["bindings"] = [Binding(**row) for row in fields_of_class.get("bindings", ())]
        return cls(**fields_of_class)


def compact(item: Any) -> Any:
    """Return a dataclass as a mapping of its fields, without those at their defaults; applied recursively."""
    if isinstance(item, list):
        return [compact(element) for element in item]
    if not is_dataclass(item):
        return item
    content = {}
    for f in fields(item):
        value = getattr(item, f.name)
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        if value != default:
            content[f.name] = compact(value)
    return content


def pack_place(place: Location | None) -> list[Any] | None:
    """Return a source location as JSON data."""
    return None if place is None else [place.file, place.line, place.col, place.end_col, place.source_line]


def unpack_place(place: list[Any] | None) -> Location | None:
    """Return the source location for the data of `pack_place`."""
    return None if place is None else Location(*place)


def stage_interfaces(module: Module, interface: InterfaceRecord | None = None) -> list[StageInterface]:
    """Return the interface of each entry point that is a graphics stage."""
    if not any(inst.id(0) in STAGES for inst in module.entry_points):
        return []
    types = TypeReader(module)
    variables = {inst.result_id: inst for inst in module.globals if inst.op == op.OpVariable}
    rows = [row for row in binding_table(module, interface) if row.used and row.set is not None]
    return [
        _Reader(types, module, inst, variables, interface, rows).read()
        for inst in module.entry_points
        if inst.id(0) in STAGES
    ]


class _Reader:
    """Extracts the interface of one entry point."""

    def __init__(
        self,
        types: TypeReader,
        module: Module,
        inst: Instruction,
        variables: dict[int, Instruction],
        interface: InterfaceRecord | None,
        rows: list[Binding],
    ) -> None:
        self.types = types
        self.variables = [variables[x] for x in inst.operands[3:] if isinstance(x, int) and x in variables]
        self.modes = [mode for mode in module.execution_modes if mode.id(0) == inst.id(1)]
        self.out = StageInterface(STAGES[inst.id(0)], inst.text(2), bindings=rows)
        self.records: dict[tuple[str, str], StageVariableRecord] = {}
        for v in interface.stage_variables if interface is not None else ():
            self.records.setdefault((v.name, v.direction), v)
        for r in interface.resources if interface is not None else ():
            place = pack_place(r.place)
            if place is not None:
                self.out.binding_places[r.name] = place

    def read(self) -> StageInterface:
        for variable in self.variables:
            if variable.id(0) == StorageClass.Input:
                self._variable(variable, "input", self.out.inputs, self.out.builtins_read)
            elif variable.id(0) == StorageClass.Output:
                self._variable(variable, "output", self.out.outputs, self.out.builtins_written)
        for slots in (self.out.inputs, self.out.outputs):
            slots.sort(key=lambda s: (s.patch, s.location, s.component, s.name))
        for mode in self.modes:
            if mode.id(1) == ExecutionMode.OutputVertices and self.out.stage == "hull":
                self.out.vertices_out = mode.id(2)
            self.out.domain = _DOMAINS.get(mode.id(1), self.out.domain) if self.out.stage != "geometry" else ""
        return self.out

    def _variable(self, variable: Instruction, direction: str, slots: list[Slot], builtins: dict[str, int]) -> None:
        types, number = self.types, variable.result_id
        inner = types.definitions[types.definitions[variable.type_id].id(1)]
        patch = types.has(number, Decoration.Patch)
        vertices = 0
        is_built_in = types.has(number, Decoration.BuiltIn)
        of_vertices = (self.out.stage, direction) in _OF_VERTICES or types.has(number, Decoration.PerVertexKHR)
        if of_vertices and not patch and inner.op == op.OpTypeArray and not is_built_in:
            vertices = int(types.constant(inner.id(1)))
            inner = types.definitions[inner.id(0)]
        if is_built_in:
            name = enum_name("BuiltIn", types.decoration(number, Decoration.BuiltIn) or 0) or ""
            if of_vertices and name in ("ClipDistance", "CullDistance") and inner.op == op.OpTypeArray:
                inner = types.definitions[inner.id(0)]
            builtins[name] = int(types.constant(inner.id(1))) if inner.op == op.OpTypeArray else 1
        elif inner.op == op.OpTypeStruct:
            self._block(variable, inner, patch, vertices, slots, builtins)
        elif types.decoration(number, Decoration.Location) is not None:
            slot = Slot(types.names.get(number, ""), types.decoration(number, Decoration.Location) or 0)
            slot.component = types.decoration(number, Decoration.Component) or 0
            slot.patch, slot.vertices = patch, vertices
            slot.per_primitive = types.has(number, Decoration.PerPrimitiveEXT)
            slot.interpolation = [word for d, word in _INTERPOLATION.items() if types.has(number, d)]
            self._type(slot, inner)
            self._source(slot, direction)
            slots.append(slot)

    def _block(
        self,
        variable: Instruction,
        block: Instruction,
        patch: bool,
        vertices: int,
        slots: list[Slot],
        builtins: dict[str, int],
    ) -> None:
        """Add the members of an interface block, as glslang writes it: they have locations or are built-ins."""
        types = self.types
        following = types.decoration(variable.result_id, Decoration.Location)
        for n, member in enumerate(block.ints()):
            marks = types.member_decorations.get((block.result_id, n), {})
            inner = types.definitions[member]
            built_in = marks.get(Decoration.BuiltIn)
            if built_in:
                length = int(types.constant(inner.id(1))) if inner.op == op.OpTypeArray else 1
                builtins[enum_name("BuiltIn", int(built_in[0])) or ""] = length
                continue
            own = marks.get(Decoration.Location)
            location = int(own[0]) if own else following
            if location is None:
                continue
            slot = Slot(types.member_names.get((block.result_id, n), ""), location, patch=patch, vertices=vertices)
            slot.component = int((marks.get(Decoration.Component) or [0])[0])
            slot.interpolation = [word for d, word in _INTERPOLATION.items() if d in marks]
            per_primitive = Decoration.PerPrimitiveEXT
            slot.per_primitive = per_primitive in marks or types.has(variable.result_id, per_primitive)
            self._type(slot, inner)
            slots.append(slot)
            following = max(cell[0] for cell in slot.cells()) + 1

    def _type(self, slot: Slot, inner: Instruction) -> None:
        types = self.types
        while inner.op in (op.OpTypeArray, op.OpTypeMatrix):
            slot.dims.append(int(types.constant(inner.id(1))) if inner.op == op.OpTypeArray else inner.id(1))
            inner = types.definitions[inner.id(0)]
        if inner.op == op.OpTypeVector:
            slot.width = inner.id(1)
            inner = types.definitions[inner.id(0)]
        if inner.op == op.OpTypeFloat:
            slot.scalar, slot.bits = "float", inner.id(0)
        elif inner.op == op.OpTypeInt:
            slot.scalar, slot.bits = "int" if inner.id(1) else "uint", inner.id(0)
        else:
            slot.scalar = types.names.get(inner.result_id, "struct")

    def _source(self, slot: Slot, direction: str) -> None:
        record = self.records.get((slot.name, direction))
        if record is not None:
            slot.semantic, slot.place = record.semantic, pack_place(record.place)
        elif slot.name.startswith(("in.var.", "out.var.")):
            slot.semantic = slot.name.split(".", 2)[2]
