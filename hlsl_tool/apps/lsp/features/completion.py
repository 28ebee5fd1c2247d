"""Completion: members, swizzles, names in scope, intrinsics, types, keywords, semantics, attributes, includes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.source import builtins
from hlsl_tool.apps.lsp.source.analysis import Analyser
from hlsl_tool.apps.lsp.source.cursor import word_at
from hlsl_tool.apps.lsp.source.describe import declared, function_signature, written
from hlsl_tool.apps.lsp.source.probe import Scene, probe
from hlsl_tool.apps.lsp.source.references import Declaration, Kind
from hlsl_tool.apps.lsp.source.text import offset_of
from hlsl_tool.apps.lsp.workspace.targets import Target
from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.rules.intrinsics import methods

ItemKind = lsp.CompletionItemKind
KINDS: dict[Kind, ItemKind] = {
    "variable": ItemKind.Variable,
    "local": ItemKind.Variable,
    "parameter": ItemKind.Variable,
    "function": ItemKind.Function,
    "method": ItemKind.Method,
    "field": ItemKind.Field,
    "struct": ItemKind.Struct,
    "class": ItemKind.Class,
    "interface": ItemKind.Interface,
    "enum": ItemKind.Enum,
    "enumerator": ItemKind.EnumMember,
    "namespace": ItemKind.Module,
    "cbuffer": ItemKind.Module,
    "typedef": ItemKind.Struct,
    "template parameter": ItemKind.TypeParameter,
}
DIRECTIVES = ("define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning",
              "pragma", "line")  # fmt: skip
_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]*)$')
_DIRECTIVE = re.compile(r"^\s*#\s*\w*$")
_PATH = re.compile(r"((?:[A-Za-z_]\w*\s*::\s*)+)$")
_ANNOTATION = re.compile(r"[\w\])]\s*:\s*$")
_ATTRIBUTE = re.compile(r"(?:^|[;{})\]])\s*\[\s*$", re.DOTALL)
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)


def completion(
    analyser: Analyser, target: Target, file: SourceFile, position: lsp.Position
) -> list[lsp.CompletionItem] | None:
    """Return the completion items for a position; ``None`` in comments and strings."""
    offset = offset_of(file, position)
    start, end = word_at(file.text, offset)
    line = file.text[file.text.rfind("\n", 0, start) + 1 : start]
    include = _INCLUDE.match(line)
    if include is not None:
        return list(_files(analyser, target, file, include.group(1)))
    if _is_in_comment(file.text, offset):
        return None
    if _DIRECTIVE.match(line):
        return _words(DIRECTIVES, ItemKind.Keyword)
    before = file.text[:start]
    if _ATTRIBUTE.search(before):
        return _words(builtins.ATTRIBUTES, ItemKind.Property)
    scene = probe(analyser, target, file, start, end)
    if scene is None:
        return []
    if before.rstrip().endswith("."):
        return list(_members(scene.base)) if scene.base is not None else []
    path = _PATH.search(before)
    if path is not None:
        return _qualified(scene, re.sub(r"\s", "", path.group(1)).removesuffix("::"))
    if _ANNOTATION.search(line) and "?" not in line and not line.lstrip().startswith(("case", "default")):
        return _annotations()
    begun = file.text[start:offset]
    return _distinct(begun, [*_locals(scene), *_globals(scene), *_builtins(begun)])


def _is_in_comment(text: str, offset: int) -> bool:
    for match in _COMMENT.finditer(text):
        if match.start() >= offset:
            return False
        is_open = match.group().startswith("//") or not match.group().endswith(("*/", '"'))
        if offset < match.end() or (is_open and offset == match.end()):
            return True
    return False


def _words(words: Iterable[str], kind: ItemKind) -> list[lsp.CompletionItem]:
    return [lsp.CompletionItem(word, kind=kind) for word in words]


def _distinct(begun: str, items: Iterable[lsp.CompletionItem]) -> list[lsp.CompletionItem]:
    """Return the items whose labels match ``begun``, the letters typed so far; of equal labels, only the first item.

    ``items`` list inner names before the outer names that they hide.
    """
    distinct: dict[str, lsp.CompletionItem] = {}
    for item in items:
        if fits(begun, item.label):
            distinct.setdefault(item.label, item)
    return list(distinct.values())


def fits(begun: str, name: str) -> bool:
    """Return whether ``name`` contains the letters of ``begun`` in order, ignoring case, as editors filter items."""
    letters = iter(name.lower())
    return all(letter in letters for letter in begun.lower())


def _annotations() -> list[lsp.CompletionItem]:
    names = _words(builtins.semantics_by_name().values(), ItemKind.EnumMember)
    return [*names, *_words(("register", "packoffset"), ItemKind.Keyword)]


def _files(analyser: Analyser, target: Target, file: SourceFile, begun: str) -> Iterator[lsp.CompletionItem]:
    """Yield the files and folders that an ``#include`` could name."""
    folder = begun.rpartition("/")[0]
    for base in dict.fromkeys((os.path.dirname(file.path), *target.options.include_dirs)):
        path = analyser.documents.resolve(os.path.join(base, folder))
        for name in analyser.documents.listdir(path) or ():
            if os.path.isdir(os.path.join(path, name)):
                yield lsp.CompletionItem(name, kind=ItemKind.Folder)
            elif name.endswith((".hlsl", ".hlsli", ".h", ".fxh", ".inc")):
                yield lsp.CompletionItem(name, kind=ItemKind.File)


# ---- members


def _members(t: ty.Type) -> Iterator[lsp.CompletionItem]:
    """Yield the names that can follow a dot after a value of type ``t``."""
    if isinstance(t, ty.Struct):
        yield from struct_members(t)
    elif isinstance(t, ty.ObjectType):
        for name, overloads in methods.methods(t).items():
            if name.isidentifier():
                shown = [builtins.method_signature(method) for method in overloads]
                yield _function(name, shown, ItemKind.Method)
        for name in ("mips", "sample"):
            if methods.two_level_subscript(t, name) is not None:
                yield lsp.CompletionItem(name, kind=ItemKind.Property)
    elif isinstance(t, ty.Matrix):
        for row in range(t.rows):
            for column in range(t.cols):
                yield lsp.CompletionItem(f"_m{row}{column}", kind=ItemKind.Field, detail=t.element.name)
    elif ty.is_numeric(t):
        yield from _swizzles(t)
    elif isinstance(t, ty.Array):
        yield lsp.CompletionItem("Length", kind=ItemKind.Property, detail="uint")


def struct_members(struct: ty.Struct) -> Iterator[lsp.CompletionItem]:
    """Yield fields, methods and static members of a struct, including inherited ones."""
    for f in struct.all_fields():
        yield lsp.CompletionItem(f.name, kind=ItemKind.Field, detail=declared(f.type, f.name))
    for owner in (struct, *struct.bases):
        for name, overloads in owner.methods.items():
            shown = [function_signature(f) for f in overloads if isinstance(f, hir.Function)]
            if name.isidentifier():
                yield _function(name, shown, ItemKind.Method)
        for name, variable in owner.statics.items():
            yield lsp.CompletionItem(name, kind=ItemKind.Constant, detail=declared(variable.type, name))


def _swizzles(t: ty.Type) -> Iterator[lsp.CompletionItem]:
    """Yield single components, and swizzles of consecutive components such as ``xy`` and ``yzw``."""
    size = t.size if isinstance(t, ty.Vector) else 1
    element = ty.element_of(t)
    assert element is not None
    for letters in ("xyzw", "rgba"):
        for length in range(1, size + 1):
            for name in [letters[at : at + length] for at in range(size - length + 1)]:
                shown = ty.display(element if length == 1 else ty.vector(element, length))
                yield lsp.CompletionItem(
                    name, kind=ItemKind.Field, detail=shown, sort_text=f"{letters[0]}{length}{name}"
                )


def _function(name: str, signatures: list[str], kind: ItemKind = ItemKind.Function) -> lsp.CompletionItem:
    detail = signatures[0] if signatures else None
    if len(signatures) > 1:
        detail = f"{detail} (+{len(signatures) - 1})"
    text = "\n".join(["```hlsl", *signatures, "```"])
    documentation = lsp.MarkupContent(lsp.MarkupKind.Markdown, text) if len(signatures) > 1 else None
    return lsp.CompletionItem(name, kind=kind, detail=detail, documentation=documentation)


# ---- names


def _locals(scene: Scene) -> Iterator[lsp.CompletionItem]:
    for name, binding in scene.locals.items():
        if isinstance(binding, hir.Variable):
            yield lsp.CompletionItem(
                name, kind=ItemKind.Variable, detail=declared(binding.type, name), sort_text=f"0{name}"
            )
        else:
            yield lsp.CompletionItem(name, kind=ItemKind.Struct, sort_text=f"0{name}")
    for declaration in reversed(scene.untyped):
        yield _item([declaration])
    if scene.struct is not None:
        yield from struct_members(scene.struct)
        yield lsp.CompletionItem("this", kind=ItemKind.Keyword)


def _globals(scene: Scene) -> Iterator[lsp.CompletionItem]:
    for depth in range(len(scene.container), 0, -1):
        for same in scene.declarations.members("::".join(scene.container[:depth])):
            yield _item(same)
    for same in scene.declarations.globals():
        yield _item(same)
    yield from _words((name for name in scene.macros if not name.startswith("__")), ItemKind.Constant)


def _item(same: list[Declaration]) -> lsp.CompletionItem:
    """Return the item for declarations of the same name, with the signatures of all overloads."""
    first = same[0]
    if first.kind in ("function", "method"):
        return _function(first.name, list(dict.fromkeys(map(written, same))), KINDS[first.kind])
    is_short = first.kind in ("variable", "field", "typedef", "local", "parameter")
    return lsp.CompletionItem(
        first.name, kind=KINDS[first.kind], detail=written(first) if is_short else f"{first.kind} {first.qualified}"
    )


def _qualified(scene: Scene, path: str) -> list[lsp.CompletionItem]:
    for depth in range(len(scene.container), -1, -1):
        scope = "::".join((*scene.container[:depth], path))
        members = list(scene.declarations.members(scope))
        if members:
            return [_item(same) for same in members]
    return []


def _builtins(begun: str) -> Iterator[lsp.CompletionItem]:
    for name in builtins.functions():
        if "::" not in name and fits(begun, name):
            yield _function(name, builtins.signatures(name))
    yield from _words(builtins.types(), ItemKind.Class)
    yield from _words(builtins.keywords(), ItemKind.Keyword)
    yield from _words(builtins.constants(), ItemKind.Constant)
