"""Signature help: the overloads of the function whose arguments are being written."""

from __future__ import annotations

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.source import builtins
from hlsl_tool.apps.lsp.source.analysis import Analyser
from hlsl_tool.apps.lsp.source.cursor import word_at
from hlsl_tool.apps.lsp.source.describe import function_signature, written
from hlsl_tool.apps.lsp.source.probe import Scene, probe
from hlsl_tool.apps.lsp.source.text import offset_of
from hlsl_tool.apps.lsp.workspace.targets import Target
from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty

FARTHEST = 2000
"""Characters in front of the cursor in which the call is looked for."""


def signature_help(
    analyser: Analyser, target: Target, file: SourceFile, position: lsp.Position
) -> lsp.SignatureHelp | None:
    """Return the signatures of the function call at a position, and the index of the argument.

    ``None`` outside of calls.
    """
    call = _call_at(file.text, offset_of(file, position))
    if call is None:
        return None
    opening, argument = call
    start, end = word_at(file.text, opening)
    name = file.text[start:end]
    if not name:
        return None
    scene = probe(analyser, target, file, start, end)
    shown = _signatures(scene, name, is_member=file.text[:start].rstrip().endswith(".")) if scene is not None else []
    if not shown:
        return None
    fitting = [at for at, text in enumerate(shown) if len(_parameters(text)) > argument]
    information = [
        lsp.SignatureInformation(text, parameters=[lsp.ParameterInformation(p) for p in _parameters(text)])
        for text in shown
    ]
    return lsp.SignatureHelp(information, active_signature=fitting[0] if fitting else 0, active_parameter=argument)


def _call_at(text: str, offset: int) -> tuple[int, int] | None:
    """Return (end of the called name, index of the argument) at an offset; ``None`` outside of calls."""
    depth = argument = 0
    for at in range(offset - 1, max(-1, offset - FARTHEST), -1):
        character = text[at]
        if character in ";{}":
            return None
        if character in ")]":
            depth += 1
        elif character in "([":
            depth -= 1
            if depth < 0:
                return (len(text[:at].rstrip()), argument) if character == "(" else None
        elif character == "," and depth == 0:
            argument += 1
    return None


def _signatures(scene: Scene, name: str, *, is_member: bool) -> list[str]:
    if is_member:
        if isinstance(scene.base, ty.ObjectType):
            return builtins.method_signatures(scene.base, name)
        overloads = scene.base.methods.get(name, []) if isinstance(scene.base, ty.Struct) else []
        return [function_signature(f) for f in overloads if isinstance(f, hir.Function)]
    declared = [d for d in scene.declarations.named(name) if d.kind == "function"]
    own = scene.struct.methods.get(name, []) if scene.struct is not None else []
    shown = [function_signature(f) for f in own if isinstance(f, hir.Function)]
    shown += [written(d) for d in declared]
    return list(dict.fromkeys(shown)) or builtins.signatures(name)


def _parameters(signature: str) -> list[str]:
    inner = signature[signature.find("(") + 1 : signature.rfind(")")]
    parameters, depth, start = [], 0, 0
    for at, character in enumerate(inner):
        depth += (character in "(<[") - (character in ")>]")
        if character == "," and depth == 0:
            parameters.append(inner[start:at].strip())
            start = at + 1
    return [*parameters, inner[start:].strip()] if inner.strip() else []
