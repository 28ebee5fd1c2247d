"""Hover: the declaration and the type of a name, offsets, bindings, intrinsics, macros."""

from __future__ import annotations

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.features import memory_layout
from hlsl_tool.apps.lsp.source import builtins
from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.comments import comments
from hlsl_tool.apps.lsp.source.cursor import Cursor, cursor_at
from hlsl_tool.apps.lsp.source.describe import declared, function_signature, struct_of, type_of, written
from hlsl_tool.apps.lsp.source.intrinsic_pages import page_of, with_names
from hlsl_tool.apps.lsp.source.references import Declaration
from hlsl_tool.apps.lsp.source.text import offset_of, range_of
from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate

MOST = 8
"""Number of overloads or instances that are shown."""


def hover(analysis: Analysis, file: SourceFile, position: lsp.Position) -> lsp.Hover | None:
    """Return the description of the name at a position; ``None`` if there is nothing to describe."""
    cursor = cursor_at(analysis, file, offset_of(file, position))
    code, notes = describe(cursor)
    if not code and not notes:
        return None
    parts = ["\n".join(["```hlsl", *code, "```"])] if code else []
    markup = lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join([*parts, *notes]))
    return lsp.Hover(markup, range_of(file, cursor.start, cursor.end) if cursor.word else None)


def describe(cursor: Cursor) -> tuple[list[str], list[str]]:
    """Return (lines of HLSL, sentences) that describe what is under the cursor."""
    if cursor.include is not None:
        return [], [cursor.include.path or f"`{cursor.include.name}` was not found"]
    if cursor.macro is not None:
        return [f"#define {cursor.macro.text}"], []
    code, notes = _declarations(cursor)
    if not code:
        code, notes = _expressions(cursor)
    if not code and cursor.word:
        code, notes = builtins.describe(cursor.word)
    if cursor.is_inactive and cursor.declarations:
        notes.append("This permutation leaves out the text here; the declaration is found by its name.")
    return code, notes


def _declarations(cursor: Cursor) -> tuple[list[str], list[str]]:
    analysis = cursor.analysis
    code: list[str] = []
    notes: list[str] = []
    for declaration in cursor.declarations[:MOST]:
        lines, sentences = _declaration(analysis, declaration, cursor)
        code += [line for line in lines if line not in code]
        notes += [note for note in sentences if note not in notes]
    return code, notes


def _declaration(analysis: Analysis, declaration: Declaration, cursor: Cursor) -> tuple[list[str], list[str]]:
    if declaration.kind in ("function", "method"):
        instances = [e.function for e in cursor.expressions if isinstance(e, hir.Call) and e.function.template_args]
        return [written(declaration), *map(function_signature, instances[:MOST])], comments(analysis, declaration)
    if declaration.kind in ("struct", "class"):
        struct = struct_of(analysis, declaration)
        notes = memory_layout.of_struct(analysis, declaration, struct)
        return [written(declaration)], [*comments(analysis, declaration), *notes]
    if declaration.kind in ("enumerator",):
        return [_enumerator(declaration)], _value(cursor)
    t = type_of(analysis, declaration)
    code = [written(declaration)]
    if t is not None and ty.display(t) not in code[0]:
        code.append(declared(t, declaration.name))
    return code, [*memory_layout.of_declaration(analysis, declaration), *_value_of(analysis, declaration)]


def _enumerator(declaration: Declaration) -> str:
    owner = f"{declaration.owner.name}::" if declaration.owner is not None else ""
    return owner + written(declaration)


def _value(cursor: Cursor) -> list[str]:
    values = [e.value for e in cursor.expressions if isinstance(e, hir.Literal_)]
    return [f"value {values[0]}"] if values else []


def _value_of(analysis: Analysis, declaration: Declaration) -> list[str]:
    variable = analysis.typed.variable(declaration.chunk, declaration.pos)
    if variable is None or not variable.is_const or variable.init is None:
        return []
    value = evaluate(variable.init)
    return [f"value {value}"] if isinstance(value, (bool, int, float)) else []


def _expressions(cursor: Cursor) -> tuple[list[str], list[str]]:
    code: list[str] = []
    notes: list[str] = []
    for e in cursor.expressions[:MOST]:
        code += [line for line in _expression(e) if line not in code]
        if isinstance(e, (hir.IntrinsicCall, hir.MethodCall)):
            name = e.name if isinstance(e, hir.IntrinsicCall) else f".{e.name}"
            notes += [note for note in builtins.notes(name) if note not in notes]
    return code, notes


def _expression(e: hir.Expr) -> list[str]:
    if isinstance(e, hir.IntrinsicCall):
        return [_called(e.type, e.name, e.name, e.args), *builtins.signatures(e.name)[:MOST]]
    if isinstance(e, hir.MethodCall):
        return [_called(e.type, f"{ty.display(e.object.type)}::{e.name}", f".{e.name}", e.args)]
    if isinstance(e, (hir.Swizzle, hir.MatrixSwizzle)):
        return [f"{ty.display(e.type)}  // of {ty.display(e.base.type)}"]
    return [ty.display(e.type)]


def _called(result: ty.Type, shown: str, name: str, arguments: list[hir.Expr]) -> str:
    """Return a call as HLSL text: the types of its arguments, with the names of the parameters of ``name``."""
    text = f"{ty.display(result)} {shown}({', '.join(ty.display(a.type) for a in arguments)})"
    page = page_of(name)
    return with_names(text, page.parameters) if page is not None else text
