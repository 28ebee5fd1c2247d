"""Members of struct templates that are defined outside: ``template<typename T> T S<T>::get() { ... }``.

Such a definition creates a copy of the template object, as a specialisation does: shaders that share the header with
the struct need not share the definition.  Every instance of the copy gets the members' definitions when it is created.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.instances import Instance
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.declarations.functions import define_method, have_same_parameters, make_function
from hlsl_tool.frontend.sema.rules.declarations.namespaces import reopened
from hlsl_tool.frontend.sema.rules.expressions import initializers
from hlsl_tool.frontend.sema.rules.templates.arguments import bind, making
from hlsl_tool.frontend.sema.rules.templates.specializations import match_specialization
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.scopes import Namespace, Scope, Specialization, StructTemplate
from hlsl_tool.frontend.syntax import ast

Definition = ast.FunctionDecl | ast.VarDecl


def owner_of(ctx: Context, path: list[ast.NamePart], pos: int) -> StructTemplate | None:
    """Return the struct template to which a member with the qualified name ``path`` belongs, or ``None``."""
    binding = type_names.lookup_path(ctx, [*path[:-1], ast.NamePart(path[-1].name)], pos)
    return binding if isinstance(binding, StructTemplate) else None


def define(ctx: Context, owner: StructTemplate, d: Definition) -> None:
    """Bind the template's name to a copy of the template that includes this definition of a member."""
    name, path, pos = _named(d)
    declared = [m for m in owner.decl.members or () if name in _declared_names(m)]
    if not declared:
        ctx.fail(codes.NOT_DECLARED_IN, pos, name=name, scope=owner.name)
    if all(isinstance(m, ast.FunctionDecl) and m.template is not None for m in declared):
        ctx.fail(language.MEMBER_TEMPLATE, pos, name=name)
    scope = Scope("template", owner.scope)
    special = Specialization(d, ctx.scope, ctx.chunk, ctx.pack)
    new = StructTemplate(
        owner.name, owner.decl, scope, owner.chunk, owner.pack, {}, owner.specializations, [*owner.members, special]
    )
    scope.names[owner.name] = new  # inside, the name refers to the template with the definition
    if len(path) == 1:
        ctx.scope.names[owner.name] = new
        return
    namespace = type_names.lookup_path(ctx, path[:-1], pos)
    if not isinstance(namespace, Namespace):
        ctx.fail(language.MEMBER_TEMPLATE, pos, name=name)
    namespace = reopened(ctx, namespace, [part.name for part in path[:-1]])
    namespace.members[owner.name] = new


def _named(d: Definition) -> tuple[str, list[ast.NamePart], int]:
    """Return the name of the defined member, its scope path and its position."""
    if isinstance(d, ast.FunctionDecl):
        return d.name, d.scope, d.pos
    x = d.declarators[0]
    return x.name, x.scope, x.pos


def _declared_names(member: ast.Decl) -> list[str]:
    if isinstance(member, ast.FunctionDecl):
        return [member.name]
    return [x.name for x in member.declarators] if isinstance(member, ast.VarDecl) else []


def complete(ctx: Context, t: StructTemplate, s: Struct, made: Instance, pos: int) -> None:
    """Define the members of a new instance ``s`` whose definitions are outside of the struct.

    A definition for exactly its template arguments wins.
    """
    defined: set[tuple[str, tuple[object, ...]]] = set()
    for special in sorted(t.members, key=lambda m: bool(m.decl.template)):
        _, path, at = _named(_definition(special))
        params, key = special.decl.template, s.template_args
        matched = match_specialization(ctx, special, params, path[-1].args, at, key)
        if matched is None:
            continue
        names = bind(ctx, special.scope, special.decl.template or (), matched)
        inner = making(ctx, special, names, pos, made)
        with inner.inside("struct", struct=s, namespace=s.display_name):
            if isinstance(special.decl, ast.FunctionDecl):
                _function(inner, s, special.decl, defined)
            elif isinstance(special.decl, ast.VarDecl):
                _static(inner, s, special.decl.declarators[0])


def _definition(special: Specialization) -> Definition:
    assert not isinstance(special.decl, ast.StructDecl)
    return special.decl


def _function(ctx: Context, s: Struct, d: ast.FunctionDecl, defined: set[tuple[str, tuple[object, ...]]]) -> None:
    new = make_function(ctx, replace(d, scope=[], template=None), s)
    methods = s.methods.get(d.name, [])
    for i, old in enumerate(methods):
        if isinstance(old, hir.Function) and have_same_parameters(old, new):
            mark = (d.name, tuple(p.type for p in new.params))
            if mark not in defined:
                defined.add(mark)
                define_method(ctx, old, new)
                methods[i] = new  # the instance is new: no call refers to the declaration yet
            return
    ctx.fail(codes.NOT_DECLARED_IN, d.pos, name=d.name, scope=s.display_name)


def _static(ctx: Context, s: Struct, x: ast.Declarator) -> None:
    v: hir.Variable | None = s.statics.get(x.name)
    if v is None:
        ctx.fail(codes.NO_MEMBER, x.pos, name=x.name, type=s.display_name)
    v.is_defined = True
    if x.init is not None and v.init is None:
        v.init = initializers.initialize(ctx, x.init, v.type, codes.CANNOT_INITIALIZE)
