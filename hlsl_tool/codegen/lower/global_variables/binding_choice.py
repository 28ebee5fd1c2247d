"""Choose descriptor sets and bindings (manual: *HLSL register and Vulkan binding*).

Three passes assign bindings: those of attributes, those of registers (shifted), and for all other resources the lowest
free bindings of their sets in order of declaration. ``-fvk-bind-register`` replaces all three.
"""

from __future__ import annotations

from collections import defaultdict

from hlsl_tool.base.diagnostics.catalogue import linking as linking_codes
from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.ranges import Ranges
from hlsl_tool.codegen.lower.interface import ResourceRecord
from hlsl_tool.frontend.sema.model.annotations import Attribute, Register
from hlsl_tool.frontend.sema.model.hir import CBuffer, Variable
from hlsl_tool.frontend.sema.model.types import Array, ObjectType, Struct, Type, innermost
from hlsl_tool.spirv.heaps import RESOURCE_HEAP_SET, SAMPLER_HEAP_SET

ALL_SPACES = -1
RESOURCE_HEAP = "ResourceDescriptorHeap"


@dataclass(slots=True)
class Resource:
    """A resource variable that needs a descriptor set and a binding."""

    variable: int
    type: Type | None
    decl: Variable | CBuffer | None
    is_counter: bool = False
    is_globals: bool = False
    heap: str = ""
    """The descriptor heap of an array of descriptors, or of its counters."""
    record: ResourceRecord | None = None
    takes_all: bool = False
    """Whether an array takes one binding for each element, although it is one variable."""
    kind: str = ""
    """The letter of its kind of register: ``b``, ``t``, ``s``, ``u``."""


MAX_BINDING = 0xFFFFFFFF


@dataclass(slots=True)
class _Used:
    """The bindings in use in each descriptor set."""

    sets: defaultdict[int, Ranges] = field(default_factory=lambda: defaultdict(Ranges))
    lowest: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """(set, count, shift) → end of the last search: lower bindings never become free again."""

    def use(self, set_no: int, binding: int, count: int = 1) -> None:
        if count > 0:
            self.sets[set_no].add(binding, binding + count)

    def next(self, set_no: int, count: int, shift: int) -> int:
        """Reserve the first run of ``count`` free bindings at or after ``shift``, and return its start."""
        if count <= 0:
            return shift
        key = set_no, count, shift
        at = self.sets[set_no].free(count, self.lowest.get(key, shift))
        self.use(set_no, at, count)
        self.lowest[key] = at + count
        return at


def attribute(r: Resource, name: str) -> Attribute | None:
    """Return the ``vk::`` attribute ``name`` of a resource's declaration; ``None`` without one."""
    for a in r.decl.attributes if r.decl is not None else ():
        if a.scope == "vk" and a.name == name:
            return a
    return None


def register_of(decl: Variable | CBuffer | None, stage: str = "") -> Register | None:
    """Return the register that a declaration has in this stage; ``None`` without one.

    The last ``register`` with the stage's profile and the letter of the resource's kind applies. A ``space`` without a
    register applies to a register without a space.
    """
    if decl is None:
        return None
    registers = [a for a in decl.registers if a.letter not in ("c", "i")]
    registers = [a for a in registers if not a.profile or a.profile.startswith(stage)] or registers
    spaces = [a for a in registers if not a.letter]
    numbered = [a for a in registers if a.letter]
    if not numbered:
        return spaces[-1] if spaces else None
    kind = implicit_letter(decl.type if isinstance(decl, Variable) else None, decl)
    register = ([a for a in numbered if a.letter == kind] or numbered)[-1]
    if register.space is None and spaces:
        return replace(register, space=spaces[-1].space)
    return register


def binding_count(t: Type | None) -> int:
    """Return the number of D3D registers that a type takes: array elements and struct members count singly."""
    n = 1
    while isinstance(t, Array):
        n *= t.size or 1
        t = t.element
    if isinstance(t, Struct):
        return n * sum(binding_count(f.type) for f in t.all_fields())
    return n


def implicit_letter(t: Type | None, decl: Variable | CBuffer | None) -> str:
    """Return the register letter (``b``, ``t``, ``s``, ``u``) for the kind of a resource."""
    if isinstance(decl, CBuffer):
        return "t" if decl.keyword == "tbuffer" else "b"
    inner = innermost(t) if t is not None else None
    if not isinstance(inner, ObjectType):
        return "b"
    n = inner.name
    if n.startswith("Sampler"):
        return "s"
    if n == "ConstantBuffer":
        return "b"
    if n.startswith(("RW", "RasterizerOrdered", "Append", "Consume")):
        return "u"
    return "t"


class Binder:
    """Assigns sets and bindings to a module's resources."""

    def __init__(self, ctx: Lowering, resources: list[Resource]) -> None:
        self.ctx = ctx
        self.resources = [r for r in resources if not r.heap]
        self.heaps = [r for r in resources if r.heap]
        self.flatten = ctx.options.flatten_resource_arrays or ctx.flatten_resources
        self.used = _Used()
        self.default_space = ctx.options.auto_binding_space or 0

    def run(self) -> None:
        self._all()
        self._check_pairs()

    def _check_pairs(self) -> None:
        """Report textures and samplers marked as combined whose binding has no matching sampler or texture."""
        halves: dict[tuple[int, int], dict[bool, Resource]] = {}
        combined = {id(record) for record in self.ctx.combined_image_samplers}
        for r in self.resources:
            if r.record is not None and id(r.record) in combined and r.record.set is not None:
                place = (r.record.set, r.record.binding or 0)
                halves.setdefault(place, {})[r.record.kind.startswith("Sampler")] = r
        for (set_no, binding), resources in sorted(halves.items()):
            if len(resources) == 1:
                (r,) = resources.values()
                pos, chunk = (r.decl.pos, r.decl.chunk) if r.decl is not None else (0, None)
                self.ctx.error(linking_codes.COMBINED_ALONE, pos, chunk=chunk, set=set_no, binding=binding)

    def _all(self) -> None:
        if self.ctx.options.bind_registers:
            self._by_table()
            self._heaps()
            return
        o = self.ctx.options
        for reserved in (o.bind_resource_heap, o.bind_sampler_heap, o.bind_counter_heap):
            if reserved is not None:
                self.used.use(reserved[1], reserved[0])
        self._by_attribute()
        self._by_register()
        self._automatic()
        self._heaps()

    def _heaps(self) -> None:
        """Bind the descriptor heaps in use, then their counters; the default is a free binding in set 0.

        With SPV_EXT_descriptor_heap, they get separate sets until ``codegen/passes/descriptor_heap`` replaces them.
        """
        o = self.ctx.options
        resources = [r for r in self.heaps if r.heap == RESOURCE_HEAP and not r.is_counter]
        samplers = [r for r in self.heaps if r.heap != RESOURCE_HEAP]
        counters = [r for r in self.heaps if r.is_counter]
        if o.descriptor_heap:
            for group, heap in ((resources, RESOURCE_HEAP_SET), (samplers, SAMPLER_HEAP_SET)):
                for r in group:
                    self.ctx.b.decorate_binding(r.variable, heap, 0)
            resources, samplers = [], []
        elif o.bind_registers:
            for group, place, option in (
                (resources, o.bind_resource_heap, "-fvk-bind-resource-heap"),
                (samplers, o.bind_sampler_heap, "-fvk-bind-sampler-heap"),
            ):
                if group and place is None:
                    decl = group[0].decl
                    self.ctx.error(
                        codes.BIND_REGISTER_HEAP,
                        decl.pos if decl is not None else 0,
                        option=option,
                        chunk=decl.chunk if decl is not None else None,
                    )
                    return
        places: dict[int, tuple[int, int]] = {}
        for group, place in (
            (resources, o.bind_resource_heap),
            (samplers, o.bind_sampler_heap),
            (counters, o.bind_counter_heap),
        ):
            if group:
                pair = place if place is not None else (self.used.next(0, 1, 0), 0)
                places.update((r.variable, pair) for r in group)
        for r in self.heaps:
            if r.variable in places:
                binding, set_no = places[r.variable]
                self._place(r, set_no, binding, "heap", reserve=False)

    def _place(
        self, r: Resource, set_no: int, binding: int, rule: str, *, reserve: bool = True, shift: int = 0
    ) -> None:
        if reserve:
            self.used.use(set_no, binding, self._count(r))
        self.ctx.b.decorate_binding(r.variable, set_no, binding)
        if r.record is not None:
            r.record.set, r.record.binding, r.record.rule, r.record.shift = set_no, binding, rule, shift

    def _count(self, r: Resource) -> int:
        return binding_count(r.type) if (self.flatten or r.takes_all) and r.type is not None else 1

    def _shift(self, letter: str, set_no: int) -> int:
        o = self.ctx.options
        shifts = {"b": o.shift_b, "t": o.shift_t, "s": o.shift_s, "u": o.shift_u, "buffer": o.shift_buffer}
        table = shifts.get(letter, ())
        everywhere = 0
        for shift, space in reversed(table):  # the last one for a set counts
            if space == set_no:
                return shift
            if space == ALL_SPACES:
                everywhere = shift
        return everywhere

    def _set_of(self, r: Resource) -> int:
        a = attribute(r, "binding")
        if a is not None:
            return self._attribute_set(a)
        reg = register_of(r.decl, self.ctx.stage)
        return reg.space if reg is not None and reg.space is not None else self.default_space

    def _attribute_set(self, a: Attribute) -> int:
        return int(a.args[1]) if len(a.args) > 1 and isinstance(a.args[1], int) else self.default_space

    def _by_attribute(self) -> None:
        for r in self.resources:
            if r.is_counter:
                c = attribute(r, "counter_binding")
                if c is not None and isinstance(c.args[0], int):
                    self._place(r, self._set_of(r), c.args[0], "attribute")
                continue
            a = attribute(r, "binding")
            if a is not None and a.args and isinstance(a.args[0], int):
                self._place(r, self._attribute_set(a), a.args[0], "attribute")

    def _by_register(self) -> None:
        for r in self.resources:
            if r.is_counter or attribute(r, "binding") is not None:
                continue
            reg = register_of(r.decl, self.ctx.stage)
            if reg is None or not reg.letter:
                continue
            set_no = reg.space if reg.space is not None else self.default_space
            letter = "t" if reg.letter == "s" and attribute(r, "combinedImageSampler") is not None else reg.letter
            shift = self._shift(letter, set_no)
            if not self._is_in_range(r, reg, reg.number + shift, set_no):
                continue
            self._place(r, set_no, reg.number + shift, "shift" if shift else "register", shift=shift)

    def _is_in_range(self, r: Resource, register: Register, binding: int, set_no: int) -> bool:
        """Return whether SPIR-V allows a binding and a set number; report the register if not."""
        if 0 <= binding <= MAX_BINDING and 0 <= set_no <= MAX_BINDING:
            return True
        pos, chunk = (r.decl.pos, r.decl.chunk) if r.decl is not None else (0, None)
        self.ctx.error(codes.REGISTER_RANGE, pos, chunk=chunk, register=f"{register.letter}{register.number}")
        return False

    def _automatic(self) -> None:
        for r in self.resources:
            shift_letter = implicit_letter(r.type, r.decl) if self.ctx.options.auto_shift_bindings else ""
            if r.is_counter:
                if attribute(r, "counter_binding") is None:
                    set_no = self._set_of(r)
                    self._next(r, set_no, "")  # counters have no registers, and no shift
                continue
            if attribute(r, "binding") is not None:
                continue
            reg = register_of(r.decl, self.ctx.stage)
            if reg is not None and not reg.letter:
                self._next(r, reg.space if reg.space is not None else self.default_space, shift_letter)
            elif reg is None:
                fixed = self.ctx.options.bind_globals
                if r.is_globals and fixed is not None:
                    shift = self._shift(shift_letter, fixed[1])
                    self._place(r, fixed[1], fixed[0] + shift, "bind-globals", reserve=False, shift=shift)
                else:
                    self._next(r, self.default_space, shift_letter)

    def _next(self, r: Resource, set_no: int, letter: str) -> None:
        shift = self._shift(letter, set_no) if letter else 0
        binding = self.used.next(set_no, self._count(r), shift)
        self._place(r, set_no, binding, "automatic", reserve=False, shift=shift)

    def _by_table(self) -> None:
        """Apply ``-fvk-bind-register``; report a resource that the option does not list."""
        o = self.ctx.options
        table = {(reg.lower(), space): (binding, set_no) for reg, space, binding, set_no in o.bind_registers}
        for r in self.resources:
            reg = register_of(r.decl, self.ctx.stage)
            pos = r.decl.pos if r.decl is not None else 0
            chunk = r.decl.chunk if r.decl is not None else None
            if r.is_globals:
                if o.bind_globals is None:
                    self.ctx.error(codes.BIND_GLOBALS_MISSING, pos, chunk=chunk)
                    return
                self._place(r, o.bind_globals[1], o.bind_globals[0], "bind-globals")
            elif reg is None or not reg.letter:
                self.ctx.error(codes.BIND_REGISTER_ANNOTATION, pos, chunk=chunk)
                return
            elif r.is_counter:
                self.ctx.error(codes.BIND_REGISTER_COUNTER, pos, chunk=chunk)
            else:
                space = reg.space if reg.space is not None else self.default_space
                pair = table.get((f"{reg.letter}{reg.number}", space))
                if pair is None:
                    self.ctx.error(codes.BIND_REGISTER_MISSING, pos, chunk=chunk)
                    return
                self._place(r, pair[1], pair[0], "bind-register")
