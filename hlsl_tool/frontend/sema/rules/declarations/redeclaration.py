"""Names declared twice in one scope.

As in C++, structs and enumerations may share a name with functions and variables; a namespace, a ``typedef``, an
enumerator, a function and a variable exclude each other.  The name of a ``cbuffer`` declares nothing and conflicts
with nothing.
"""

from __future__ import annotations

from typing import Literal

from hlsl_tool.base.diagnostics.catalogue import declarations as codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.frontend.sema.model import builtin_types
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Function, Variable
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.scopes import (
    Alias,
    AliasTemplate,
    Binding,
    Constant,
    FunctionTemplate,
    Namespace,
    StructTemplate,
    VariableTemplate,
)

Kind = Literal["variable", "function", "typedef", "enumerator", "namespace", "tag", "template"]


def check(ctx: Context, name: str, pos: int, kind: Kind) -> None:
    """Report a declaration of ``kind`` if its name is already bound to another kind of symbol in the current scope."""
    old = ctx.scope.names.get(name)
    if old is None or (ctx.function is not None and kind != "variable"):
        return
    old_kind = _kind(old)
    if old_kind is None or not _is_declared_here(ctx, old) or _may_stand_beside(kind, old_kind):
        return
    if kind == old_kind == "enumerator":
        ctx.fail(codes.REDEFINITION_ENUMERATOR, pos, name=name, notes=previous(ctx, old))
    if kind != old_kind:
        code: Code = sema_codes.REDEFINITION if kind == "enumerator" else codes.REDEFINITION_KIND
        ctx.fail(code, pos, name=name, notes=previous(ctx, old))


def check_typedef(ctx: Context, name: str, pos: int, new: ty.Type) -> None:
    """Report a ``typedef`` whose name is already bound to another type, or to something other than a type."""
    check(ctx, name, pos, "typedef")
    old = ctx.scope.names.get(name)
    if isinstance(old, Alias) and old.type is not new and _is_declared_here(ctx, old):
        ctx.fail(codes.REDEFINITION_TYPEDEF, pos, new=ty.display(new), old=ty.display(old.type))
    if ctx.scope.kind == "global" and _is_other_builtin(ctx, name, new):
        ctx.fail(codes.REDEFINITION_TYPEDEF, pos, new=ty.display(new), old=name)


def _is_other_builtin(ctx: Context, name: str, new: ty.Type) -> bool:
    """Return whether a built-in type other than ``new`` has this name; built-in templates are ignored."""
    if name == "size_t" or (name.startswith(tuple(builtin_types.ONLY_16BIT)) and not ctx.language.enable_16bit):
        return False  # free names
    if builtin_types.is_free_8bit(name, ctx.language.enable_8bit):
        return False
    plain = builtin_types.numeric(name, ctx.language.enable_16bit)
    if plain is not None:
        return plain is not new
    return builtin_types.OBJECTS.get(name) == () and not (isinstance(new, ty.ObjectType) and new.name == name)


def _kind(old: Binding) -> Kind | None:
    if isinstance(old, Variable):
        return "variable"
    if isinstance(old, tuple):
        return "function"
    if isinstance(old, Constant):
        return "enumerator"
    if isinstance(old, Namespace):
        return "namespace"
    if isinstance(old, Alias):
        return "tag" if _is_tag(old) else "typedef"
    return "template" if isinstance(old, (StructTemplate, AliasTemplate, VariableTemplate)) else None


def _is_tag(alias: Alias) -> bool:
    return isinstance(alias.type, (ty.Struct, ty.Enum)) and not alias.is_typedef


def _may_stand_beside(new: Kind, old: Kind) -> bool:
    """Return whether two kinds of declarations may share a name.

    Structs and enumerations (kind ``tag``) may share it with anything but a namespace or template.
    """
    kinds = {new, old}
    return "tag" in kinds and not kinds & {"namespace", "template"}


def _is_declared_here(ctx: Context, old: Binding) -> bool:
    """Return whether a binding was declared in the current scope, as opposed to imported by a ``using``."""
    here = ctx.scope.namespace
    if isinstance(old, Namespace):
        return old.qualified == (f"{here}::{old.name}" if here else old.name)
    if isinstance(old, tuple):
        return any(_scope_of(f) == here for f in old)
    if isinstance(old, (Variable, Constant, Alias)):
        return old.scope == here
    return isinstance(old, (StructTemplate, AliasTemplate, VariableTemplate)) and old.scope.namespace == here


def _scope_of(f: Function | FunctionTemplate) -> str:
    return f.scope if isinstance(f, Function) else f.scope.namespace


def previous(ctx: Context, old: Binding) -> list[Raw]:
    """Return a list with a note at the earlier declaration; [] for a binding that has no source location."""
    first = old[0] if isinstance(old, tuple) else old
    declared = first.type if isinstance(first, Alias) else first
    if isinstance(declared, (Variable, Function, ty.Struct)) and declared.chunk is not None:
        return [ctx.note(sema_codes.PREVIOUS_DEFINITION, declared.pos, declared.chunk)]
    return []
