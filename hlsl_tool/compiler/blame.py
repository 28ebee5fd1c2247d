"""Find the HLSL locations for errors of spirv-opt and spirv-val.

spirv-val reports the index of an instruction.  So the shader is compiled again with ``OpLine`` instructions, and the
last one before the reported instruction gives the location.  Instructions outside of functions have no line: interface
variables are searched in the source by their semantic, global variables by their name, and all other errors are
reported at the entry point.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.diagnostic import Diagnostic, Location
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.passes.legality import find_illegal
from hlsl_tool.compiler.validation import complain
from hlsl_tool.spirv import op
from hlsl_tool.spirv.tools.validator import Complaint

if TYPE_CHECKING:
    from hlsl_tool.compiler.result import CompileResult
    from hlsl_tool.frontend.preprocessor.stream import TokenStream

_BY_NAME = frozenset(
    (
        codes.RESOURCE_NESTED,
        codes.RESOURCE_MEMBER,
        codes.NOT_FLATTENED,
        codes.LEGALIZATION_FAILED,
        codes.OPTIMIZATION_FAILED,
    )
)
"""Errors about a variable whose name is in the message."""
_OF_MODULE = _BY_NAME | {
    codes.VALIDATION_FAILED,
    codes.RESOURCE_CHOSEN,
    codes.RESOURCE_LOCAL,
    codes.OFFSET_VARIABLE,
    codes.HIT_OBJECT_COPIED,
    codes.LAYOUT_VARIABLE,
    codes.HIT_OBJECT_HELD,
}
_OF_SHADER = frozenset(
    (
        codes.TOOL_TIMEOUT,
        codes.TOOL_MEMORY,
        codes.TOOL_CRASH,
        codes.EXTENSION_NOT_PERMITTED,
        codes.TARGET_ENV_REQUIRED,
    )
)
"""Errors without an instruction: about tools that were stopped, and about types and stages that need an extension."""
_HEADER_WORDS = 5
_LONG_TOKEN = 10_000
"""Characters of a token that can make an instruction too long, if only together with others."""
_NAMED = re.compile(r"%(\w+(?:[./]\w+)*)|\[%([^\]]+)\]")
_BUILTINS = {
    "gl_FragCoord": "SV_Position",
    "gl_GlobalInvocationID": "SV_DispatchThreadID",
    "gl_WorkGroupID": "SV_GroupID",
    "gl_LocalInvocationID": "SV_GroupThreadID",
    "gl_LocalInvocationIndex": "SV_GroupIndex",
    "gl_VertexIndex": "SV_VertexID",
    "gl_InstanceIndex": "SV_InstanceID",
    "gl_SampleID": "SV_SampleIndex",
    "gl_Layer": "SV_RenderTargetArrayIndex",
    "gl_FrontFacing": "SV_IsFrontFace",
    "gl_FragDepth": "SV_Depth",
    "gl_FragStencilRefARB": "SV_StencilRef",
    "gl_SampleMask": "SV_Coverage",
    "gl_InvocationID": "SV_GSInstanceID",
    "gl_TessCoord": "SV_DomainLocation",
    "gl_TessLevelOuter": "SV_TessFactor",
    "gl_TessLevelInner": "SV_InsideTessFactor",
}
"""Built-in variables whose semantic is not ``SV_`` with the rest of the name."""
_INLINE = re.compile(r"\bvk::(?:ext_(?!builtin)\w+|Spirv\w*Type)")
"""Parts of inline SPIR-V that bring a user's own instructions, types and decorations into a module."""
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def place_refusal(
    diagnostics: Sequence[Diagnostic],
    files: Sequence[SourceFile],
    options: CompileOptions,
    *,
    again: Callable[[CompileOptions], CompileResult],
) -> None:
    """Set the location of the first error about the module; ``again`` compiles the shader with other options."""
    refused = next((d for d in diagnostics if d.code in _OF_MODULE and d.location is None), None)
    if refused is None:
        return
    _place_refused(refused, files, options, again)
    if refused.code is codes.VALIDATION_FAILED and any(_INLINE.search(file.text) for file in files):
        _, _, complaint = refused.message.partition(": ")
        refused.code = inline_codes.INVALID_MODULE
        refused.message = inline_codes.INVALID_MODULE.template.format(message=complaint)
        refused.notes = []
    if refused.location is None:
        refused.location = _declared(options.entry, files) or Location(files[0].name)


def _place_refused(
    refused: Diagnostic,
    files: Sequence[SourceFile],
    options: CompileOptions,
    again: Callable[[CompileOptions], CompileResult],
) -> None:
    if refused.code in _BY_NAME:
        named = next(iter(_NAMED.findall(refused.message.replace("'", "%"))), None)
        refused.location = _declared((named[0] or named[1]).split("[")[0].split(".")[0], files) if named else None
        return
    lined = again(replace(options, debug=("line",), validate="no"))
    if not lined.ok or lined.module is None:
        return
    if refused.code is codes.VALIDATION_FAILED:
        complaint = complain(lined.spirv, options)
        if complaint is not None:
            refused.location = place(lined.spirv, complaint, files, options.entry)
        return
    illegal = find_illegal(lined.module)
    if illegal is not None and illegal.line is not None:
        name, row, col = illegal.line
        file = next((f for f in files if f.name == name), None)
        refused.location = _location(file, row, col) if file is not None else None


def name_shader(diagnostics: Sequence[Diagnostic], files: Sequence[SourceFile], entry: str) -> None:
    """Set the location of errors about the whole shader: its entry point, or the first ``[shader]`` of a library."""
    for diagnostic in diagnostics:
        if diagnostic.code in _OF_SHADER and diagnostic.location is None:
            names = (name for name in (entry, "shader") if name)
            places = (_declared(name, files[:1]) for name in names)
            diagnostic.location = next(filter(None, places), None) or Location(files[0].name)


def place_of_excess(stream: TokenStream, entry: str) -> Location:
    """Return the location of a name or string that is too long for an instruction, else that of the entry point."""
    longest = max(range(len(stream)), key=lambda index: len(stream.tokens[index]), default=0)
    if len(stream) and len(stream.tokens[longest]) > _LONG_TOKEN:
        return stream.locate(longest)
    files = stream.trace.files
    return _declared(entry, files) or Location(files[0].name)


def _declared(name: str, files: Sequence[SourceFile]) -> Location | None:
    """Return the first location of a name outside of comments; ``None`` if it does not occur."""
    for file in files:
        offset = _first_word(file.text, name)
        if offset is not None:
            return _location(file, file.text.count("\n", 0, offset) + 1, offset - file.text.rfind("\n", 0, offset))
    return None


def place(data: bytes, complaint: Complaint, files: Sequence[SourceFile], entry: str) -> Location | None:
    """Return the location of an error of spirv-val, or ``None``; ``data`` is the module, compiled with ``OpLine``."""
    line = _line_before(data, complaint.instruction) if complaint.instruction else None
    if line is not None:
        name, row, col = line
        file = next((f for f in files if f.name == name), None)
        return _location(file, row, col) if file is not None else None
    names = [first or second for first, second in _NAMED.findall(complaint.text)]
    words = [_in_hlsl(name) for name in names if not name.isdigit()]
    for word in (*words, entry):
        location = _declared(word, files)
        if location is not None:
            return location
    return None


def _in_hlsl(name: str) -> str:
    """Return the probable HLSL name of a variable in the module."""
    if name.startswith("gl_"):
        return _BUILTINS.get(name, "SV_" + name[3:])
    return re.sub(r"^(?:in|out)[._]var[._]|^type[._]", "", name)


def _first_word(text: str, word: str) -> int | None:
    plain = _COMMENTS.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    first = re.search(rf"\b{re.escape(word)}\b", plain, re.I if word.startswith("SV_") else 0)
    return first.start() if first is not None else None


def _location(file: SourceFile, row: int, col: int) -> Location:
    lines = file.text.split("\n")
    return Location(file.name, row, col, col + 1, lines[row - 1] if row <= len(lines) else "")


def _line_before(data: bytes, instruction: int) -> tuple[str, int, int] | None:
    """Return (file, line, column) that apply to an instruction, whose index is 1-based; ``None`` if it has no line."""
    words = memoryview(data).cast("I")
    strings: dict[int, str] = {}
    line: tuple[str, int, int] | None = None
    position, count = _HEADER_WORDS, 0
    while position < len(words):
        size, opcode = words[position] >> 16, words[position] & 0xFFFF
        if opcode == op.OpString:
            raw = words[position + 2 : position + size].tobytes()
            raw = raw if sys.byteorder == "little" else raw[::-1]
            strings[words[position + 1]] = raw.rstrip(b"\0").decode("utf-8", "replace")
        elif opcode == op.OpLine:
            line = (strings.get(words[position + 1], ""), words[position + 2], words[position + 3])
        elif opcode in (op.OpNoLine, op.OpFunctionEnd):
            line = None
        count += 1
        if count == instruction and opcode != op.OpPhi:
            return line
        if count > instruction and line is not None:  # a phi has the line of the next instruction
            return line
        position += max(size, 1)
    return None
