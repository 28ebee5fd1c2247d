"""Disassemble modules to the same text as ``spirv-dis`` with friendly names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hlsl_tool.spirv.friendly_names import Names

from . import op
from .encode import function_instructions
from .grammar import core, extinst, tables
from .ir import Instruction, Module, Operand
from .numbers import format_number

INDENT = 15
"""Column of the opcode."""

GENERATORS = (
    "Khronos", "LunarG", "Valve", "Codeplay", "NVIDIA", "ARM", "Khronos LLVM/SPIR-V Translator",
    "Khronos SPIR-V Tools Assembler", "Khronos Glslang Reference Front End", "Qualcomm", "AMD", "Intel", "Imagination",
    "Google Shaderc over Glslang", "Google spiregg", "Google rspirv", "X-LEGEND Mesa-IR/SPIR-V Translator",
    "Khronos SPIR-V Tools Linker", "Wine VKD3D Shader Compiler", "Tellusim Clay Shader Compiler",
    "W3C WebGPU Group WHLSL Shader Translator", "Google Clspv", "LLVM MLIR SPIR-V Serializer",
    "Google Tint Compiler", "Google ANGLE Shader Compiler", "Netease Games Messiah Shader Compiler",
    "Xenia Xenia Emulator Microcode Translator", "Embark Studios Rust GPU Compiler Backend", "gfx-rs community Naga",
    "Mikkosoft Productions MSP Shader Compiler", "SpvGenTwo community SpvGenTwo SPIR-V IR Tools", "Google Skia SkSL",
    "TornadoVM Beehive SPIRV Toolkit", "DragonJoker ShaderWriter", "Rayan Hatout SPIRVSmith",
    "Saarland University Shady",
)  # fmt: skip
"""Tools by the number in the high half of the generator word, as registered with Khronos."""


_BY_NUMBER = frozenset(("NonSemantic.DebugPrintf",))
"""Sets whose instructions SPIRV-Tools prints by number."""


def generator_name(word: int) -> str:
    """Return the text for a generator word, such as ``Google spiregg; 0``."""
    tool = word >> 16
    name = GENERATORS[tool] if tool < len(GENERATORS) else f"Unknown({tool})"
    return f"{name}; {word & 0xFFFF}"


def quote(text: str) -> str:
    """Return a text as a quoted string literal of the assembler."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Disassembler:
    """Converts the instructions of one module to text; ``names`` may be shared with diagnostics."""

    def __init__(self, module: Module, names: Names | None = None) -> None:
        self.module = module
        self.names = names or Names(module)
        self.refs = {number: "%" + name for number, name in self.names.by_id.items()}
        self.types_of: dict[int, int] = {}
        """Result id → type id, for the instructions so far."""
        self.sets = {inst.result_id: inst.text(0) for inst in module.ext_inst_imports}

    def lines(self) -> Iterator[str]:
        """Yield the instructions, one for each line, without the header."""
        for inst in self.module.preamble():
            yield self.line(inst)
        for function in self.module.functions:
            for inst in function_instructions(function):
                yield self.line(inst)
        for inst in self.module.trailing:
            yield self.line(inst)

    def line(self, inst: Instruction) -> str:
        """Return one instruction as text, with its indentation."""
        row = tables.INSTRUCTIONS.get(inst.op)
        parts = [row[0] if row is not None else f"Op{inst.op}"]
        if inst.type_id:
            parts.append(self.refs.get(inst.type_id) or f"%{inst.type_id}")
            self.types_of[inst.result_id] = inst.type_id
        if len(inst.operands) <= tables.plain_ids(inst.op) and inst.op != op.OpExtInst:
            refs = self.refs
            parts += [(refs.get(x) if isinstance(x, int) else None) or f"%{x}" for x in inst.operands]
        else:
            parts += self.operands(inst)
        if not inst.result_id:
            return " " * INDENT + " ".join(parts)
        return f"{'%' + self.names[inst.result_id]:>{INDENT - 3}} = {' '.join(parts)}"

    def operands(self, inst: Instruction) -> list[str]:
        """Return the operands after the result id as texts."""
        number, operands = inst.op, inst.operands
        if number in (op.OpExtInst, op.OpExtInstWithForwardRefsKHR):
            return self._ext_inst(operands)
        if number in (op.OpConstant, op.OpSpecConstant):
            return [format_number(self.names.types.get(inst.type_id), operands)]
        if number not in tables.INSTRUCTIONS:
            return [quote(operand) if isinstance(operand, str) else f"%{self.names[operand]}" for operand in operands]
        width_type: Instruction | None = None
        words = 1
        if number == op.OpSwitch:
            width_type = self.names.types.get(self.types_of.get(inst.id(0), 0))
            words = 2 if width_type is not None and width_type.operands and width_type.id(0) > 32 else 1
        try:
            kinds: Sequence[str] = tables.parse_kinds(number, operands, words)
        except tables.OperandError:
            return [quote(o) if isinstance(o, str) else f"!{o:#x}" for o in operands]
        out: list[str] = []
        for index, kind in enumerate(kinds):
            if kind == "LiteralContextDependentNumber":
                out.append(format_number(width_type, operands[index : index + words]))
            elif kind:
                out.append(self.operand(kind, operands[index]))
        return out

    def operand(self, kind: str, operand: Operand) -> str:
        """Return an operand as text; ``kind`` is its kind in the core grammar."""
        if isinstance(operand, str):
            return quote(operand)
        if kind in tables.ID_KINDS:
            return "%" + self.names[operand]
        if kind == "LiteralSpecConstantOpInteger":
            return tables.INSTRUCTIONS[operand][0][2:]
        category = core.CATEGORIES.get(kind, "Literal")
        if category == "ValueEnum":
            return tables.enum_name(kind, operand) or str(operand)
        if category == "BitEnum":
            return _mask(operand, lambda bit: tables.enum_name(kind, bit))
        return str(operand)

    def _ext_inst(self, operands: Sequence[Operand]) -> list[str]:
        set_id, number = operands[0], operands[1]
        assert isinstance(set_id, int) and isinstance(number, int)
        set_name = self.sets.get(set_id, "")
        row = None if set_name in _BY_NUMBER else tables.ext_inst_row(set_name, number)
        out = ["%" + self.names[set_id], row[0] if row is not None else str(number)]
        rest = operands[2:]
        own = extinst.SET_ENUMERANTS.get(set_name, {})
        for kind, operand in zip(tables.ext_inst_kinds(set_name, number, len(rest)), rest, strict=True):
            if kind in own and isinstance(operand, int):
                is_mask, values = own[kind]
                out.append(_set_value(values, operand, is_mask))
            else:
                out.append(self.operand(kind, operand))
        return out


def _mask(value: int, name_of: Callable[[int], str | None]) -> str:
    if value == 0:
        return name_of(0) or "0"
    bits = [1 << bit for bit in range(32) if value >> bit & 1]
    return "|".join(name_of(bit) or f"{bit:#x}" for bit in bits)


def _set_value(values: dict[int, tuple[str, tuple[str, ...]]], value: int, is_mask: bool) -> str:
    def name_of(number: int) -> str | None:
        row = values.get(number)
        return None if row is None else row[0]

    return _mask(value, name_of) if is_mask else name_of(value) or str(value)


def header(module: Module) -> str:
    """Return the comment lines at the top of a module's text."""
    major, minor = module.version_tuple
    return (
        f"; SPIR-V\n; Version: {major}.{minor}\n; Generator: {generator_name(module.generator)}\n"
        f"; Bound: {module.bound}\n; Schema: {module.schema}\n"
    )


def disassemble(module: Module) -> str:
    """Return the module as text with a final newline."""
    return header(module) + "".join(line + "\n" for line in Disassembler(module).lines())
