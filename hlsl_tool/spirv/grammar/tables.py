"""Lookups derived from the generated grammar: results, ids among operands, operand kinds."""

from __future__ import annotations

from collections.abc import Sequence

from . import core, extinst

INSTRUCTIONS = core.INSTRUCTIONS
ENUMERANTS = core.ENUMERANTS

OPCODES: dict[str, int] = {row[0]: number for number, row in core.INSTRUCTIONS.items()} | core.INSTRUCTION_ALIASES
"""Every opcode by every spelling."""

HAS_TYPE: frozenset[int] = frozenset(n for n, row in core.INSTRUCTIONS.items() if "IdResultType" in row[1][:1])
"""Opcodes with a result type."""

HAS_RESULT: frozenset[int] = frozenset(n for n, row in core.INSTRUCTIONS.items() if "IdResult" in row[1][:2])
"""Opcodes with a result id."""

HAS_STRING: frozenset[int] = frozenset(
    number for number, row in core.INSTRUCTIONS.items() if any("LiteralString" in kind for kind in row[1])
) | {OPCODES[name] for name in ("OpDecorate", "OpMemberDecorate", "OpDecorateString", "OpMemberDecorateString")}
"""Opcodes whose operands may contain a string (decorations: LinkageAttributes, UserSemantic)."""

TERMINATORS: frozenset[int] = frozenset(
    OPCODES[name]
    for name in (
        "OpBranch",
        "OpBranchConditional",
        "OpSwitch",
        "OpReturn",
        "OpReturnValue",
        "OpKill",
        "OpUnreachable",
        "OpTerminateInvocation",
        "OpIgnoreIntersectionKHR",
        "OpTerminateRayKHR",
        "OpEmitMeshTasksEXT",
        "OpAbortKHR",
    )
)
"""Opcodes that end a block."""

ID_KINDS = frozenset(("IdResultType", "IdResult", "IdMemorySemantics", "IdScope", "IdRef"))

PARAMETRIC: frozenset[str] = frozenset(
    kind for kind, values in core.ENUMERANTS.items() if any(row[1] for row in values.values())
)
"""Operand kinds whose enumerants may have further operands."""


class OperandError(ValueError):
    """Raised for operands that do not follow the grammar; ``index`` is the operand's index."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.index = index


def operand_kinds(op: int) -> tuple[str, ...]:
    """Return the kinds of an opcode's operands after type and result, with quantifiers (``?``, ``*``)."""
    kinds = INSTRUCTIONS[op][1]
    return kinds[(op in HAS_TYPE) + (op in HAS_RESULT) :]


def enum_name(kind: str, value: int) -> str | None:
    """Return the registry's name of an enumerant; ``None`` if it has none."""
    row = ENUMERANTS[kind].get(value)
    return None if row is None else row[0]


# ------------------------------------------------------------------------------------------------- which are ids

Shape = tuple[tuple[bool, ...], bool | None]
"""Flags for the leading operands, then one for all others; ``None`` if it depends on the operands."""


def _shape(op: int) -> Shape:
    flags: list[bool] = []
    for spelled in operand_kinds(op):
        kind = spelled.rstrip("?*")
        category = core.CATEGORIES[kind]
        if kind == "ImageOperands":
            flags.append(False)
            return tuple(flags), True  # all operands of its bits are ids
        variable = kind in ("LiteralString", "LiteralContextDependentNumber", "LiteralSpecConstantOpInteger")
        if kind == "LiteralString":
            variable = False  # one operand in the IR
        if category == "Composite" or kind in PARAMETRIC or variable:
            return tuple(flags), None
        is_id = kind in ID_KINDS
        if spelled.endswith("*"):
            return tuple(flags), is_id
        flags.append(is_id)
    return tuple(flags), False


_SHAPES: dict[int, Shape] = {}


def shape(op: int) -> Shape:
    """Return which operands of an opcode are ids, up to the first for which that depends on an operand's value."""
    flags = _SHAPES.get(op)
    if flags is None:
        flags = _SHAPES[op] = _shape(op)
    return flags


PLAIN_IDS: dict[int, int] = {}
"""Cache of `plain_ids` by opcode, for loops over all instructions."""


def plain_ids(op: int) -> int:
    """Return the number of leading operands of an opcode that are all ids."""
    count = PLAIN_IDS.get(op)
    if count is None:
        flags, tail = shape(op) if op in INSTRUCTIONS else ((), True)
        if all(flags):
            count = 0xFFFF if tail else len(flags)
        else:
            count = flags.index(False)
        PLAIN_IDS[op] = count
    return count


_FLAGS: dict[tuple[int, int], tuple[bool, ...]] = {}


def id_flags(op: int, operands: Sequence[int | str], literal_words: int = 1) -> Sequence[bool]:
    """Return for each operand whether it is an id; ``literal_words`` is the size in words of ``OpSwitch`` literals.

    Inline SPIR-V may use numbers that are not in the tables: the operands of an unknown opcode count as ids, those
    after an unknown enumerant as literals.
    """
    count = len(operands)
    cached = _FLAGS.get((op, count))
    if cached is not None:
        return cached
    if op not in INSTRUCTIONS:
        return (True,) * count
    flags, tail = shape(op)
    if count <= len(flags) or tail is not None:
        cached = _FLAGS[op, count] = flags[:count] + (bool(tail),) * (count - len(flags))
        return cached
    decider = _decider(op)
    if decider > 0:
        key = op, count, literal_words, operands[decider]
    elif decider == 0:
        key = op, count, literal_words, 0
    else:
        key = None
    if key is not None:
        cached = _FLAGS_BY_VALUE.get(key)
        if cached is not None:
            return cached
    kinds: list[str] = []
    try:
        _parse(operand_kinds(op), operands, kinds, literal_words)
    except OperandError:
        key = None
    cached = (*(kind in ID_KINDS for kind in kinds), *(False,) * (count - len(kinds)))
    if key is not None:
        _FLAGS_BY_VALUE[key] = cached
    return cached


_FLAGS_BY_VALUE: dict[tuple[int, int, int, int | str], tuple[bool, ...]] = {}
_DECIDERS: dict[int, int] = {}


def _decider(op: int) -> int:
    """Return the index of the only operand whose value decides the kinds of later ones.

    The result is 0 if there is none, -1 for several.
    """
    position = _DECIDERS.get(op)
    if position is None:
        kinds = [spelled.rstrip("?*") for spelled in operand_kinds(op)]
        enums = [n for n, kind in enumerate(kinds) if kind in PARAMETRIC or kind == "LiteralSpecConstantOpInteger"]
        before = kinds[: enums[0]] if enums else []
        plain = all(core.CATEGORIES[kind] != "Composite" for kind in before) and len(shape(op)[0]) >= len(before)
        position = 0 if not enums else enums[0] if len(enums) == 1 and enums[0] and plain else -1
        _DECIDERS[op] = position
    return position


# ---------------------------------------------------------------------------------------------- parsing operands


def parse_kinds(op: int, operands: Sequence[int | str], literal_words: int = 1) -> list[str]:
    """Return the kind of each operand; the second word of a 64-bit literal has the kind ``""``.

    ``literal_words`` is the number of words of a context-dependent number (in ``OpConstant``, ``OpSwitch``), which
    depends on types. Raises ``OperandError``.
    """
    out: list[str] = []
    _parse(operand_kinds(op), operands, out, literal_words)
    if len(out) < len(operands):
        raise OperandError(f"{INSTRUCTIONS[op][0]} has operands beyond its last one", len(out))
    return out


def _parse(kinds: Sequence[str], operands: Sequence[int | str], out: list[str], literal_words: int) -> None:
    count = len(operands)
    for spelled in kinds:
        kind = spelled.rstrip("?*")
        if spelled.endswith("*"):
            while len(out) < count:
                _parse_one(kind, operands, out, literal_words)
        elif spelled.endswith("?"):
            if len(out) < count:
                _parse_one(kind, operands, out, literal_words)
        else:
            _parse_one(kind, operands, out, literal_words)


def composite_kinds(kind: str) -> tuple[str, ...]:
    """Return the kinds of a composite operand's elements; literals of OpSwitch have the selector's width."""
    if kind == "PairLiteralIntegerIdRef":
        return "LiteralContextDependentNumber", "IdRef"
    return core.COMPOSITES[kind]


def _parse_one(kind: str, operands: Sequence[int | str], out: list[str], literal_words: int) -> None:
    index = len(out)
    if index >= len(operands):
        raise OperandError(f"the operand {kind} is missing", index)
    operand = operands[index]
    category = core.CATEGORIES[kind]
    if category == "Composite":
        for base in composite_kinds(kind):
            _parse_one(base, operands, out, literal_words)
        return
    if isinstance(operand, str) != (kind == "LiteralString"):
        raise OperandError(f"the operand {kind} is {'a' if isinstance(operand, str) else 'no'} string", index)
    out.append(kind)
    if kind == "LiteralContextDependentNumber":
        if index + literal_words > len(operands):
            raise OperandError("a literal number is cut short", len(operands))
        out += [""] * (literal_words - 1)
    elif kind == "LiteralSpecConstantOpInteger":
        assert isinstance(operand, int)
        if operand not in INSTRUCTIONS or operand not in HAS_TYPE:
            raise OperandError(f"OpSpecConstantOp cannot have the opcode {operand}", index)
        _parse(operand_kinds(operand), operands, out, literal_words)
    elif category == "ValueEnum":
        assert isinstance(operand, int)
        row = ENUMERANTS[kind].get(operand)
        if row is None:
            raise OperandError(f"{operand} is no {kind}", index)
        _parse(row[1], operands, out, literal_words)
    elif category == "BitEnum":
        assert isinstance(operand, int)
        _parse_mask(kind, operand, operands, out, literal_words)


def _parse_mask(kind: str, mask: int, operands: Sequence[int | str], out: list[str], literal_words: int) -> None:
    values = ENUMERANTS[kind]
    index = len(out) - 1
    bit = 1
    while bit <= mask:
        if mask & bit:
            row = values.get(bit)
            if row is None:
                raise OperandError(f"{mask:#x} has a bit that {kind} has not", index)
            _parse(row[1], operands, out, literal_words)
        bit <<= 1


# ------------------------------------------------------------------------------------------------- extended sets


def ext_inst_row(set_name: str, number: int) -> tuple[str, tuple[str, ...]] | None:
    """Return (name, operand kinds) of an extended instruction; ``None`` for an unknown set or number."""
    return extinst.SETS.get(set_name, {}).get(number)


def ext_inst_kinds(set_name: str, number: int, count: int) -> list[str]:
    """Return the kinds of ``count`` operands after the instruction number; those of an unknown one are ids."""
    row = ext_inst_row(set_name, number)
    kinds: list[str] = []
    for spelled in row[1] if row is not None else ():
        kind = spelled.rstrip("?*")
        kinds += [kind] * (max(count - len(kinds), 0) if spelled.endswith("*") else 1)
    return (kinds + ["IdRef"] * (count - len(kinds)))[:count]


def ext_inst_flags(set_name: str, operands: Sequence[int | str]) -> Sequence[bool]:
    """Return the ``id_flags`` of an OpExtInst; in OpenCL.DebugInfo.100, some operands are literals."""
    if set_name != "OpenCL.DebugInfo.100":
        return (True, False) + (True,) * (len(operands) - 2)
    number = operands[1]
    assert isinstance(number, int)
    kinds = ext_inst_kinds(set_name, number, len(operands) - 2)
    return [True, False, *(kind in ID_KINDS for kind in kinds)]
