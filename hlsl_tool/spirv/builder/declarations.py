"""Module-level declarations: names, decorations, strings, variables, entry points; flags on values (`mark`)."""

from __future__ import annotations

from collections.abc import Mapping

from hlsl_tool.base.system.dataclass import dataclass, field

from .. import op
from ..enums import AddressingModel, Decoration, MemoryModel
from ..ir import Instruction, Operand
from .constants import ConstantTable
from .limits import MAX_STRING, check_size
from .types import declares

NON_UNIFORM = 1
RELAXED = 2
PRECISE = 4
RELAXED_TYPE = 8


@dataclass(slots=True)
class Entry:
    """An entry point; ``interface`` are the stage variables, and other variables are added from SPIR-V 1.4 on."""

    model: int
    function: int
    name: str
    interface: list[int] = field(default_factory=list)
    owners: Mapping[int, int] = field(default_factory=dict)
    """Global variable that belongs to one entry point only → the function of that one."""


class Declarations(ConstantTable):
    """The methods of ``ModuleBuilder`` for everything before the functions."""

    def __init__(self, *, storage_buffer_class: bool = False) -> None:
        super().__init__(storage_buffer_class=storage_buffer_class)
        self.names: dict[int, str] = {}
        self.decorations: dict[tuple[object, ...], Instruction] = {}
        """Module-level annotations with provisional ids, without duplicates, in order."""
        self.marks: dict[int, int] = {}
        """Value → NON_UNIFORM | RELAXED | PRECISE | RELAXED_TYPE.

        The lowering sets NON_UNIFORM, PRECISE and RELAXED_TYPE according to the source; passes propagate them and
        derive RELAXED; the decorations are written with the values.
        """
        self.variables: list[Instruction] = []
        self._builtins: dict[tuple[int, int, int], int] = {}
        self.strings: dict[str, int] = {}
        self.file_names: dict[str, int] = {}
        """Name of a file → the id that positions mention; ``string`` declares it."""
        self.sources: list[Instruction] = []
        self.processed: list[str] = []
        self.ext_sets: dict[str, int] = {}
        self.entries: list[Entry] = []
        self.execution_modes: dict[tuple[int, int], Instruction] = {}
        self.capabilities: list[int] = []
        self.extensions: list[str] = []
        self.addressing_model: int = AddressingModel.Logical
        self.memory_model: int = MemoryModel.GLSL450
        self.debug_globals: list[Instruction] = []
        """Module-level debug instructions, written after the variables."""
        self.line_mode: str = ""
        """"" for no positions, "line" for OpLine, "debug" for DebugLine of NonSemantic.Shader.DebugInfo.100."""
        self.debug_sources: dict[int, int] = {}
        """File string → DebugSource, for ``line_mode`` "debug"."""
        self.strict_ieee = False
        """-Gis: all arithmetic is decorated NoContraction."""
        self.precise_calls = False
        """Whether NoContraction is propagated through calls and local memory."""
        self.own_ids = 0
        """While a function is recorded, the first id that it defines; 0 otherwise."""
        self.entry_wrappers: set[int] = set()
        """Functions that are not in the source: their instructions have no positions."""

    # ---- names and decorations

    def name(self, target: int, name: str) -> None:
        """Set the ``OpName`` of an id, written together with the id; no name is written for ``""``."""
        if name:
            self.names[target] = name

    def annotate(self, opcode: int, target: int, operands: tuple[Operand, ...]) -> None:
        """Add an annotation with this opcode, unless the target already has it."""
        if target < self.own_ids:
            self.module_changes += 1
        key = (opcode, target, *operands)
        if key not in self.decorations:
            self.decorations[key] = Instruction(opcode, 0, 0, [target, *operands])

    def decorate(self, target: int, decoration: int, *literals: int | str) -> None:
        """Add OpDecorate with literal operands (for LinkageAttributes including a string)."""
        self.annotate(op.OpDecorate, target, (decoration, *literals))

    def decorate_id(self, target: int, decoration: int, *ids: int) -> None:
        """Add OpDecorateId."""
        self.annotate(op.OpDecorateId, target, (decoration, *ids))

    def decorate_string(self, target: int, decoration: int, *strings: str) -> None:
        """Add OpDecorateString, for UserSemantic and UserTypeGOOGLE."""
        self.annotate(op.OpDecorateString, target, (decoration, *strings))

    def decorate_member(self, target: int, member: int, decoration: int, *literals: int) -> None:
        """Add OpMemberDecorate, except for layout decorations, which belong to ``Member``."""
        self.annotate(op.OpMemberDecorate, target, (member, decoration, *literals))

    def decorate_binding(self, variable: int, descriptor_set: int, binding: int) -> None:
        """Add DescriptorSet and Binding, in DXC's order."""
        self.decorate(variable, Decoration.DescriptorSet, descriptor_set)
        self.decorate(variable, Decoration.Binding, binding)

    def decorate_linkage(self, target: int, name: str, linkage: int) -> None:
        """Add LinkageAttributes with the linkage type Export or Import."""
        self.decorate(target, Decoration.LinkageAttributes, name, linkage)

    def _decorate_spec_id(self, number: int, spec_id: int) -> None:
        self.decorate(number, Decoration.SpecId, spec_id)

    def mark(self, value: int, flags: int) -> None:
        """Add flags to a value for the passes that propagate them: NON_UNIFORM, PRECISE, RELAXED_TYPE."""
        if value < self.own_ids and not self.is_current(value):
            self.module_changes += 1
        self.marks[value] = self.marks.get(value, 0) | flags

    def is_current(self, function: int) -> bool:
        """Return whether an id is that of the function under construction."""
        return False

    def has_mark(self, value: int, flag: int) -> bool:
        return bool(self.marks.get(value, 0) & flag)

    # ---- variables

    @declares
    def global_variable(
        self, value_type: int, storage: int, name: str = "", *, init: int | None = None, before: int | None = None
    ) -> int:
        """Add a module variable of type ``value_type`` (the pointee).

        With ``before``, insert it before an existing one.
        """
        pointer = self.pointer(storage, value_type)
        operands: list[Operand] = [self.types[pointer].storage]
        if init is not None:
            operands.append(init)
        number = self.new_id()
        self._types_of[number] = pointer
        inst = Instruction(op.OpVariable, pointer, number, operands)
        if before is None:
            self.variables.append(inst)
        else:
            index = next(i for i, other in enumerate(self.variables) if other.result_id == before)
            self.variables.insert(index, inst)
        self.name(number, name)
        return number

    @declares
    def builtin_variable(self, value_type: int, storage: int, builtin: int, name: str = "") -> int:
        """Return the stage variable for a storage class and built-in; add it at the first request.

        Arrays are distinguished by their types: stages that read all vertices of a primitive have arrays of values that
        are single in others, and a library contains both.
        """
        key = (storage, builtin, value_type if self.type_info(value_type).kind == "array" else 0)
        variable = self._builtins.get(key)
        if variable is not None:
            return variable
        number = self._builtins[key] = self.global_variable(value_type, storage, name)
        self.decorate(number, Decoration.BuiltIn, builtin)
        return number

    # ---- strings, sources, extended sets

    @declares
    def string(self, text: str) -> int:
        number = self.strings.get(text)
        if number is None:
            check_size("bytes of a string", len(text.encode("utf-8", "surrogateescape")), MAX_STRING)
            number = self.strings[text] = self.file_names.get(text) or self.new_id()
        return number

    def source(self, language: int, version: int, file: int | None = None, text: str | None = None) -> None:
        """Add an ``OpSource`` with an optional file and text; a long text continues in OpSourceContinued."""
        operands: list[Operand] = [language, version]
        if file is not None:
            operands.append(file)
        chunks = chop(text, _FIRST_CHUNK, _NEXT_CHUNK) if text and file is not None else []
        self.sources.append(Instruction(op.OpSource, 0, 0, operands + list(chunks[:1])))
        self.sources += [Instruction(op.OpSourceContinued, 0, 0, [chunk]) for chunk in chunks[1:]]

    def ext_set(self, name: str) -> int:
        """Return the id of an extended instruction set; import it at the first request."""
        number = self.ext_sets.get(name)
        if number is None:
            number = self.ext_sets[name] = self.new_id()
        self.requested[number] = None
        return number

    def module_processed(self, text: str) -> None:
        """Add an ``OpModuleProcessed``."""
        self.processed.append(text)

    # ---- entry points, capabilities

    def entry_point(
        self, model: int, function: int, name: str, interface: list[int], *, owners: Mapping[int, int] | None = None
    ) -> None:
        """Add an entry point; ``interface`` are its stage variables.

        ``owners`` maps global variables that only one entry point of the module uses to that entry point's function.
        """
        self.entries.append(Entry(model, function, name, list(interface), owners or {}))

    @declares
    def execution_mode(self, function: int, mode: int, *literals: int) -> None:
        """Add OpExecutionMode, unless the entry point already has this mode."""
        if not self.has_execution_mode(function, mode):
            self.execution_modes[function, mode] = Instruction(op.OpExecutionMode, 0, 0, [function, mode, *literals])

    @declares
    def execution_mode_id(self, function: int, mode: int, *ids: int) -> None:
        """Add OpExecutionModeId, whose operands are ids."""
        if not self.has_execution_mode(function, mode):
            self.execution_modes[function, mode] = Instruction(op.OpExecutionModeId, 0, 0, [function, mode, *ids])

    def has_execution_mode(self, function: int, mode: int) -> bool:
        """Return whether an entry point has an execution mode."""
        return (function, mode) in self.execution_modes

    @declares
    def capability(self, capability: int) -> None:
        """Add a capability that ``codegen.passes.capabilities`` need not derive from instructions."""
        if capability not in self.capabilities:
            self.capabilities.append(capability)

    @declares
    def extension(self, name: str) -> None:
        if name not in self.extensions:
            self.extensions.append(name)

    @declares
    def promote_addressing_model(self, model: int) -> None:
        """Set the addressing model, unless a wider one is set; physical storage buffers are wider than logical."""
        order = [
            AddressingModel.Logical,
            AddressingModel.Physical32,
            AddressingModel.Physical64,
            AddressingModel.PhysicalStorageBuffer64,
        ]
        if order.index(model) > order.index(self.addressing_model):
            self.addressing_model = model


_FIRST_CHUNK = 0xFFFA
_NEXT_CHUNK = 0xFFFD
"""Sizes of the parts of an OpSource in bytes, as in DXC."""


def chop(text: str, first: int, other: int = 0) -> list[str]:
    """Split a text between UTF-8 characters: the first part has up to ``first`` bytes, others up to ``other``."""
    data = text.encode("utf-8", "surrogateescape")
    pieces: list[str] = []
    start, limit = 0, first
    while start < len(data):
        end = min(start + limit, len(data))
        while end < len(data) and end > start + 1 and data[end] & 0xC0 == 0x80:
            end -= 1
        pieces.append(data[start:end].decode("utf-8", "surrogateescape"))
        start, limit = end, other or first
    return pieces
