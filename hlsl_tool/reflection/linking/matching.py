"""Compare the inputs of a stage with the outputs of the stage before it.

Variables match by location and component (Vulkan specification, *Interface Matching*). A mismatch that Vulkan forbids
is an error unless a ``-W`` flag changes that; one that is allowed but surely unintended (different semantics at a
location) is a warning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hlsl_tool.base.diagnostics import Code, Diagnostic, Location, Sink
from hlsl_tool.base.diagnostics.catalogue import linking as codes
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.reflection.linking.binding_table import Binding, blocks_agree
from hlsl_tool.reflection.linking.collisions import fits_one_descriptor, words
from hlsl_tool.reflection.linking.stage_interfaces import Slot, StageInterface, unpack_place

_MUST_BE_WRITTEN = ("ClipDistance", "CullDistance")


@dataclass(slots=True)
class Problem:
    """A mismatch between two stages, which `report` converts to a diagnostic according to the warning options."""

    code: Code
    place: Location | None
    fields: Mapping[str, Any]
    """The arguments of the message."""
    notes: Sequence[tuple[Code, Location | None, Mapping[str, Any]]] = field(default_factory=list)
    """(code, place, arguments) of each note."""
    hint: str | None = None

    @property
    def grave(self) -> bool:
        """Whether the mismatch makes the pipeline invalid."""
        return self.code.default_error

    @property
    def resource(self) -> tuple[Any, ...]:
        """(set, binding, name) of the later stage's resource; empty for other problems."""
        return tuple(self.fields[key] for key in ("set", "binding", "name") if key in self.fields)

    def report(self, sink: Sink) -> Diagnostic | None:
        """Report the problem to the sink; return the diagnostic, or ``None`` if a warning option disables it."""
        notes = [sink.note(code, place, **fields) for code, place, fields in self.notes if place is not None]
        return sink.warning(self.code, self.place, notes=notes, hint=self.hint, **self.fields)


def match(producer: StageInterface, consumer: StageInterface, *, widths_may_differ: bool = False) -> list[Problem]:
    """Return all problems between two consecutive stages."""
    return [
        *_variables(producer, consumer, widths_may_differ),
        *_builtins(producer, consumer),
        *_tessellation(producer, consumer),
        *match_bindings(producer, consumer),
    ]


# --------------------------------------------------------------------------------------------------------- variables


def _variables(producer: StageInterface, consumer: StageInterface, widths_may_differ: bool) -> list[Problem]:
    problems: list[Problem] = []
    read: set[int] = set()
    for slot in consumer.inputs:
        given = _given(slot, producer.outputs)
        if given is None:
            problems.append(_missing(slot, producer, consumer))
            continue
        read.add(id(given))
        problems += _pair(given, slot, producer, consumer, widths_may_differ)
    for given in producer.outputs:
        if id(given) not in read:
            fields = {
                "stage": consumer.stage,
                "producer": producer.stage,
                "written": given.what,
                "location": given.location,
                "entry": consumer.entry,
            }
            problems.append(Problem(codes.OUTPUT_UNUSED, unpack_place(given.place), fields))
    return problems


def _given(slot: Slot, outputs: list[Slot]) -> Slot | None:
    """Return the output of the earlier stage that the input ``slot`` receives; `None` if there is none.

    It is the one at the same location and component, else one that overlaps the input.
    """
    at = (slot.location, slot.component)
    same = [o for o in outputs if (o.location, o.component) == at]
    for o in same:
        if o.patch == slot.patch:
            return o
    if same:
        return same[0]
    cells = slot.cells()
    return next((o for o in outputs if o.patch == slot.patch and not cells.isdisjoint(o.cells())), None)


def _missing(slot: Slot, producer: StageInterface, consumer: StageInterface) -> Problem:
    elsewhere = [o for o in producer.outputs if slot.semantic and o.semantic.upper() == slot.semantic.upper()]
    if elsewhere:
        hint = f"'{slot.semantic}' is written at location {elsewhere[0].location}"
    elif producer.outputs:
        listed = ", ".join(f"{o.location}: {o.semantic or o.name or o.type}" for o in producer.outputs)
        hint = f"it writes {listed}"
    else:
        hint = "it writes nothing that has a location"
    fields = _fields(slot, producer, consumer)
    notes = [
        (codes.WRITTEN_HERE, unpack_place(o.place), {"what": o.what, "producer": producer.stage}) for o in elsewhere[:1]
    ]
    return Problem(codes.INPUT_MISSING, unpack_place(slot.place), fields, notes, hint)


def _fields(slot: Slot, producer: StageInterface, consumer: StageInterface) -> Mapping[str, Any]:
    return {
        "stage": consumer.stage,
        "what": slot.what,
        "location": slot.location,
        "producer": producer.stage,
        "entry": producer.entry,
    }


def _pair(
    given: Slot, slot: Slot, producer: StageInterface, consumer: StageInterface, widths_may_differ: bool
) -> list[Problem]:
    problems: list[Problem] = []
    fields = {**_fields(slot, producer, consumer), "written": given.what}
    notes = [(codes.WRITTEN_HERE, unpack_place(given.place), {"what": given.what, "producer": producer.stage})]

    def problem(code: Code, **more: Any) -> None:
        problems.append(Problem(code, unpack_place(slot.place), {**fields, **more}, list(notes)))

    for one, other, word in (
        (slot.patch, given.patch, "of the whole patch"),
        (slot.per_primitive, given.per_primitive, "of the whole primitive"),
    ):
        if one != other:
            a, b = (consumer.stage, producer.stage) if one else (producer.stage, consumer.stage)
            problem(codes.DECORATION_DIFFERS, is_what=word, stage=a, producer=b)
    named = bool(slot.semantic and given.semantic)
    semantics_differ = named and _canonical(slot.semantic) != _canonical(given.semantic)
    earlier = len(problems)
    if (given.location, given.component) != (slot.location, slot.component):
        begins = f"{given.what} from location {given.location}, component {given.component} on"
        problem(codes.TYPE_DIFFERS, written=begins)
    elif (given.scalar, given.bits, given.dims) != (slot.scalar, slot.bits, slot.dims) or given.width < slot.width:
        problem(codes.TYPE_DIFFERS)
    elif given.width > slot.width and not widths_may_differ and not semantics_differ:
        problem(codes.WIDTH_DIFFERS)
    if semantics_differ:
        if len(problems) == earlier:  # a type that differs names both semantics
            problem(codes.SEMANTIC_DIFFERS, what=f"'{slot.semantic}'", written=f"'{given.semantic}'")
    elif consumer.stage == "pixel" and producer.stage in ("vertex", "mesh"):
        is_float = slot.scalar == "float" and slot.bits == 32 and given.scalar == "float"
        if is_float and sorted(slot.interpolation) != sorted(given.interpolation) and given.interpolation:
            problem(codes.INTERPOLATION_DIFFERS, interpolation=_interpolation(slot), other=_interpolation(given))
    return problems


def _canonical(semantic: str) -> str:
    """Return a semantic in upper case and with its index: `TEXCOORD0` for `texcoord`."""
    text = semantic.upper()
    return text if text[-1:].isdigit() else text + "0"


def _interpolation(slot: Slot) -> str:
    return " ".join(slot.interpolation) or "linear"


# ---------------------------------------------------------------------------------------------------------- the rest


def _builtins(producer: StageInterface, consumer: StageInterface) -> list[Problem]:
    if consumer.stage != "pixel":
        return []
    primitive = ("PrimitiveId",) if producer.stage in ("geometry", "mesh") else ()
    problems = []
    for name in (*_MUST_BE_WRITTEN, *primitive):
        count = consumer.builtins_read.get(name)
        if count is None:
            continue
        written = producer.builtins_written.get(name, 0)
        if count > written:
            what = f"{name}[{count}]" if count > 1 or written else name
            fields = {"stage": consumer.stage, "what": what, "producer": producer.stage, "entry": producer.entry}
            hint = f"it writes {written} of them" if written else None
            problems.append(Problem(codes.BUILTIN_MISSING, None, fields, hint=hint))
    return problems


def _tessellation(producer: StageInterface, consumer: StageInterface) -> list[Problem]:
    if (producer.stage, consumer.stage) != ("hull", "domain"):
        return []
    problems = []
    read = {slot.vertices: slot for slot in consumer.inputs if slot.vertices}
    pairs = [
        (f"{count} control points", f"{producer.vertices_out}", count != producer.vertices_out, slot)
        for count, slot in sorted(read.items())
    ]
    for what, written, differs, slot in pairs:
        if differs and producer.vertices_out:
            fields = {"stage": "domain", "what": what, "producer": "hull", "entry": producer.entry, "written": written}
            problems.append(Problem(codes.TESSELLATION_DIFFERS, unpack_place(slot.place), fields))
    if producer.domain and consumer.domain and producer.domain != consumer.domain:
        fields = {
            "stage": "domain",
            "what": consumer.domain,
            "producer": "hull",
            "entry": producer.entry,
            "written": producer.domain,
        }
        problems.append(Problem(codes.TESSELLATION_DIFFERS, None, fields))
    return problems


def match_bindings(producer: StageInterface, consumer: StageInterface) -> list[Problem]:
    """Return the mismatches between resources at the same binding; all stages of a pipeline share descriptors."""
    problems = []
    theirs: dict[tuple[int | None, int | None], list[Binding]] = {}
    for row in producer.bindings:
        theirs.setdefault((row.set, row.binding), []).append(row)
    for row in consumer.bindings:
        for other in theirs.get((row.set, row.binding), ()):
            same_name = row.resource == other.resource
            agree = blocks_agree(row.block, other.block)
            if same_name and row.descriptor == other.descriptor:
                if agree:
                    continue
                code = codes.STAGE_BLOCK
            elif fits_one_descriptor([row, other]) and (
                (row.block and agree) or {row.rule, other.rule} <= {"attribute", "bind-register", "heap"}
            ):
                continue  # the same structure under two names, or intended views of different types
            else:
                code = codes.STAGE_BINDING
            fields = {
                "binding": row.binding,
                "set": row.set,
                "name": row.resource,
                "kind": words(row),
                "stage": consumer.stage,
                "other": other.resource,
                "other_kind": words(other),
                "other_stage": producer.stage,
            }
            note = (codes.DECLARED_HERE, _place(producer, other), {"name": other.resource, "stage": producer.stage})
            problems.append(Problem(code, _place(consumer, row), fields, [note]))
    return problems


def _place(interface: StageInterface, row: Binding) -> Location | None:
    base = row.resource.split("[")[0].split(".")[0]
    return unpack_place(interface.binding_places.get(row.resource) or interface.binding_places.get(base))
