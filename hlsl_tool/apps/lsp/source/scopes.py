"""Walk the syntax tree of a top-level declaration and its scopes, to index declarations and references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hlsl_tool.apps.lsp.source.references import ChunkIndex, Declaration, Kind, Use
from hlsl_tool.base.system.dataclass import fields, is_dataclass
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.chunks import Chunk

Scope = dict[str, Declaration]


class ScopeWalk:
    """Walks over one top-level declaration and collects its declarations and references in a `ChunkIndex`."""

    def __init__(self, chunk: Chunk, index: ChunkIndex) -> None:
        self.chunk = chunk
        self.tokens = chunk.tokens
        self.index = index
        self.container: tuple[str, ...] = ()
        self.scopes: list[Scope] = []
        """The scopes inside a function or template, the innermost last."""
        self.owner: Declaration | None = None
        self.siblings = index.top

    def run(self) -> None:
        """Walk all declarations."""
        for node in self.chunk.decls:
            self.declare(node)

    # ---- names

    def add(self, kind: Kind, name: str, pos: int, node: object, **details: Any) -> Declaration:
        details.setdefault("first", self.start_of(pos))
        details.setdefault("last", self.end_of(pos))
        is_local = bool(self.scopes) and kind in ("local", "parameter", "template parameter")
        declaration = Declaration(
            kind, name, self.chunk, pos, () if is_local else self.container, node=node, owner=self.owner, **details
        )
        if pos < len(self.tokens) and self.tokens[pos] == name:
            self.index.declared[pos] = declaration
        if is_local:
            self.scopes[-1][name] = declaration
        self.siblings.append(declaration)
        return declaration

    def mention(self, parts: Sequence[ast.NamePart], pos: int, *, is_global: bool = False) -> None:
        """Record each part of a qualified name as a reference; ``pos`` is the position of the last part."""
        names = tuple(part.name for part in parts)
        at = pos
        for number in range(len(names) - 1, -1, -1):
            path = ("", *names[: number + 1]) if is_global else names[: number + 1]
            if 0 <= at < len(self.tokens) and self.tokens[at] == names[number]:
                self.index.uses.setdefault(at, Use(at, path, self.container, self._local(path)))
            at = self._before(at - 1, names[number - 1]) if number else at
        for part in parts:
            for argument in part.args or ():
                self.visit(argument)

    def _before(self, at: int, name: str) -> int:
        """Return the index of the last token ``name`` at or before the index ``at``; -1 if there is none.

        This skips template arguments and ``::`` between the parts of a qualified name.
        """
        while at >= 0 and self.tokens[at] != name:
            at -= 1
        return at

    def _local(self, path: tuple[str, ...]) -> Declaration | None:
        if len(path) != 1:
            return None
        for scope in reversed(self.scopes):
            if path[0] in scope:
                return scope[path[0]]
        return None

    def start_of(self, pos: int) -> int:
        """Return the position of the first token of the declaration or statement that contains a position."""
        while pos > 0 and self.tokens[pos - 1] not in ("{", "}", ";"):
            pos -= 1
        return pos

    def end_of(self, pos: int) -> int:
        """Return the position of a declaration's last token: its closing brace, or the token before ``;`` or ``,``."""
        depth, at = 0, pos
        while at < len(self.tokens):
            token = self.tokens[at]
            depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
            if depth < 0 or (depth == 0 and token in (",", ";")):
                return max(at - 1, pos)
            if depth == 0 and token == "}":
                return at
            at += 1
        return len(self.tokens) - 1

    # ---- declarations

    def declare(self, node: ast.Decl) -> None:
        handler = _DECLARATIONS.get(type(node))
        if handler is not None:
            handler(self, node)

    def variables(self, node: ast.VarDecl | ast.TypedefDecl) -> None:
        self.visit(node.type)
        self.visit(node.attributes)
        for declarator in node.declarators:
            kind = self._kind(node, declarator)
            self.visit((declarator.dims, declarator.bits, declarator.annotations))
            if declarator.scope:
                self.mention([*declarator.scope, ast.NamePart(declarator.name)], declarator.pos)
            else:
                self.add(kind, declarator.name, declarator.pos, declarator, type=node)
            self.visit(declarator.init)

    def _kind(self, node: ast.VarDecl | ast.TypedefDecl, declarator: ast.Declarator) -> Kind:
        if isinstance(node, ast.TypedefDecl):
            return "typedef"
        if self.scopes and self.owner is not None and self.owner.kind in ("function", "method"):
            return "local"
        if self.owner is not None and self.owner.kind in ("struct", "class", "interface"):
            return "field"
        return "variable"

    def function(self, node: ast.FunctionDecl) -> None:
        self.scopes.append({})
        siblings, self.siblings = self.siblings, []
        for template_parameter in node.template or ():
            self._template_parameter(template_parameter)
        self.visit((node.return_type, node.attributes, node.return_dims, node.annotations))
        self.siblings = siblings
        inner = self.scopes.pop()
        is_method = self.owner is not None and self.owner.kind in ("struct", "class", "interface")
        container = self.container
        if node.scope:
            self.mention([*node.scope, ast.NamePart(node.name)], node.pos)
            self.container = (*container, *(part.name for part in node.scope))
            self.index.uses.pop(node.pos, None)
            is_method = True
        function = self.add(
            "method" if is_method else "function", node.name, node.pos, node, type=node, has_body=node.body is not None
        )
        outer = self.owner, self.siblings, self.scopes
        self.owner, self.siblings, self.scopes = function, function.members, [*self.scopes, inner, {}]
        for parameter in node.params:
            self.visit((parameter.type, parameter.dims, parameter.attributes, parameter.annotations))
            self.add("parameter", parameter.name, parameter.pos, parameter, type=parameter)
            self.visit(parameter.default)
        if node.body is not None:
            function.last = max(function.last, node.body.end)
            self.siblings = []  # locals are no members
            self.visit(node.body)
        self.owner, self.siblings, self.scopes = outer
        self.container = container

    def _template_parameter(self, node: ast.TemplateParam) -> None:
        self.visit((node.type, node.default))
        self.add("template parameter", node.name, node.pos, node)

    def struct(self, node: ast.StructDecl) -> None:
        kind: Kind = "class" if node.keyword == "class" else "interface" if node.keyword == "interface" else "struct"
        is_template = node.template is not None
        if is_template:
            self.scopes.append({})
            siblings, self.siblings = self.siblings, []
            for parameter in node.template or ():
                self._template_parameter(parameter)
            self.siblings = siblings
        self.visit((node.bases, node.attributes))
        struct = self.add(kind, node.name, node.pos, node, has_body=node.members is not None)
        if node.members is not None:
            qualified = "::".join((*self.container, node.name))
            self.index.bases[qualified] = tuple("::".join(p.name for p in base.parts) for base in node.bases)
        self._members(struct, node.members or (), (*self.container, node.name))
        if is_template:
            self.scopes.pop()

    def _members(self, owner: Declaration, members: Sequence[ast.Decl], container: tuple[str, ...]) -> None:
        outer = self.owner, self.siblings, self.container
        self.owner, self.siblings, self.container = owner, owner.members, container
        for member in members:
            self.declare(member)
        self.owner, self.siblings, self.container = outer

    def block(self, node: ast.CBufferDecl) -> None:
        self.visit((node.annotations, node.attributes))
        self._members(self.add("cbuffer", node.name, node.pos, node), node.members, self.container)

    def namespace(self, node: ast.NamespaceDecl) -> None:
        self._members(self.add("namespace", node.name, node.pos, node), node.members, (*self.container, node.name))

    def enumeration(self, node: ast.EnumDecl) -> None:
        self.visit((node.underlying, node.attributes))
        enum = self.add("enum", node.name, node.pos, node)
        outer = self.owner, self.siblings, self.container
        self.owner, self.siblings = enum, enum.members
        if node.is_class:
            self.container = (*self.container, node.name)
        for item in node.enumerators:
            self.add("enumerator", item.name, item.pos, item)
            self.visit(item.value)
        self.owner, self.siblings, self.container = outer

    def using(self, node: ast.UsingDecl) -> None:
        self.visit((node.type, node.attributes))
        if node.is_namespace or node.type is None:
            self.mention([*node.scope, ast.NamePart(node.name)], node.pos)
        else:
            self.add("typedef", node.name, node.pos, node, type=node)

    # ---- statements and expressions

    def visit(self, node: Any) -> None:
        """Walk a node of the syntax tree, or a list of nodes; ignore anything else."""
        todo = [node]
        while todo:
            node = todo.pop()
            if isinstance(node, (list, tuple)):
                todo += reversed(node)
            elif isinstance(node, (ast.Name, ast.NamedType)):
                self.mention(node.parts, node.pos, is_global=node.is_global)
                if isinstance(node, ast.NamedType):
                    todo += [node.dims, node.tag]
            elif isinstance(node, (ast.Block, ast.For, ast.While, ast.Do, ast.If, ast.Switch)):
                self.scopes.append({})
                self._visit_parts(node)
                self.scopes.pop()
            elif type(node) in _DECLARATIONS:
                self.declare(node)
            elif isinstance(node, ast.Member):
                todo += [node.name.args, node.base]
            elif is_dataclass(node):
                todo += [getattr(node, part.name) for part in reversed(fields(node))]

    def _visit_parts(self, node: Any) -> None:
        for part in fields(node):
            self.visit(getattr(node, part.name))


_DECLARATIONS: dict[type, Callable[[ScopeWalk, Any], None]] = {
    ast.VarDecl: ScopeWalk.variables,
    ast.TypedefDecl: ScopeWalk.variables,
    ast.FunctionDecl: ScopeWalk.function,
    ast.StructDecl: ScopeWalk.struct,
    ast.CBufferDecl: ScopeWalk.block,
    ast.NamespaceDecl: ScopeWalk.namespace,
    ast.EnumDecl: ScopeWalk.enumeration,
    ast.UsingDecl: ScopeWalk.using,
}
