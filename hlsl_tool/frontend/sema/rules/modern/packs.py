"""Parameter packs of function templates, from HLSL 202x on.

A template with a pack is expanded, for each number of arguments, to a template with as many parameters.
"""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.system.dataclass import fields, is_dataclass, replace
from hlsl_tool.frontend.sema.scope.scopes import FunctionTemplate
from hlsl_tool.frontend.syntax import ast


def expanded(t: FunctionTemplate, given: int, explicit: int) -> FunctionTemplate:
    """Return the template without a pack that takes ``given`` arguments; a template that has no pack itself.

    ``explicit`` is the number of explicit template arguments.
    """
    template = t.decl.template or []
    if not any(p.is_pack for p in template):
        return t
    has_params = any(p.is_pack for p in t.decl.params)
    own = sum(not p.is_pack for p in t.decl.params)
    count = max(given - own, 0) if has_params else max(explicit - sum(not p.is_pack for p in template), 0)
    cached = t.expansions.get(count)
    if cached is None:
        packs = {p.name for p in template if p.is_pack} | {p.name for p in t.decl.params if p.is_pack}
        decl = _Expander(packs, count).declaration(t.decl)
        cached = t.expansions[count] = FunctionTemplate(t.name, decl, t.scope, t.chunk, t.pack, t.owner)
    return cached


class _Expander:
    """Copies a syntax tree, with the names of packs replaced by those of their elements."""

    def __init__(self, packs: set[str], count: int) -> None:
        self.packs = packs
        self.count = count

    def declaration(self, d: ast.FunctionDecl) -> ast.FunctionDecl:
        template: list[ast.TemplateParam] = []
        for t in d.template or ():
            template += (
                [replace(t, name=f"{t.name} {n}", is_pack=False) for n in range(self.count)] if t.is_pack else [t]
            )
        params: list[ast.Param] = []
        for p in d.params:
            if not p.is_pack:
                params.append(self.copy(p, None))
                continue
            for n in range(self.count):
                params.append(replace(self.copy(p, n), name=f"{p.name} {n}", is_pack=False))
        return replace(
            d,
            template=template,
            params=params,
            body=self.copy(d.body, None),
            return_type=self.copy(d.return_type, None),
            is_variadic=True,
        )

    def copy(self, node: Any, element: int | None) -> Any:
        """Return a copy of a node, in which a pack denotes its element with this number."""
        if isinstance(node, list):
            return self._list(node, element)
        if isinstance(node, ast.SizeOfPack):
            return ast.Number(str(self.count), node.pos)
        if isinstance(node, ast.NamePart) and element is not None and node.name in self.packs:
            return ast.NamePart(f"{node.name} {element}", node.args)
        if not is_dataclass(node) or isinstance(node, type):
            return node
        return replace(node, **{f.name: self.copy(getattr(node, f.name), element) for f in fields(node)})

    def _list(self, items: list[Any], element: int | None) -> list[Any]:
        out: list[Any] = []
        for item in items:
            if isinstance(item, ast.Expansion):
                out += [self.copy(item.operand, n) for n in range(self.count)]
            else:
                out.append(self.copy(item, element))
        return out
