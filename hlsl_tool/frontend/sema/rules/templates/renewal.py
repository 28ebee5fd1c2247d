"""Copy templates that were declared before a specialisation, and that use the specialised template.

Before: ``template<> struct Number<B>`` is declared after ``template<typename T> T get()``, whose scope contains the
template without the specialisation.  After: uses of ``get`` that follow the specialisation refer to a copy, whose scope
contains it.  An instance of the copy that uses no specialisation is replaced by the instance of the original template,
so that it is the same before and after the specialisation.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.frontend.sema.model.hir import Function, Variable
from hlsl_tool.frontend.sema.model.instances import Instance
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.sema.rules.declarations.function_bodies import analyze_body
from hlsl_tool.frontend.sema.scope.context import BodySource
from hlsl_tool.frontend.sema.scope.scopes import (
    AliasTemplate,
    Binding,
    FunctionTemplate,
    Namespace,
    Renewal,
    Scope,
    StructTemplate,
    VariableTemplate,
)
from hlsl_tool.frontend.syntax import ast

Template = FunctionTemplate | StructTemplate | AliasTemplate | VariableTemplate
_TEMPLATES = (FunctionTemplate, StructTemplate, AliasTemplate, VariableTemplate)

Renewals = dict[tuple[object, ...], Binding]
"""(Binding, the changed names that it uses with their bindings) → the copy, for all shaders of a process."""

Place = tuple[SourceChunk, int]
"""A declaration and a position in it."""


def is_changed(renewal: Renewal, instance: Instance) -> bool:
    """Return whether an instance of a copied template uses one of the specialisations, in declarations or in bodies."""
    used = list(instance.uses)
    for f in _functions(instance):
        analyze_body(f)
        if isinstance(f.source, BodySource):
            used += f.source.instances
            if any(_place(callee) in renewal.places for callee in f.source.calls):
                instance.is_changed = True
    seen: set[Instance] = {instance}
    while used and not instance.is_changed:
        other = used.pop()
        if other not in seen:
            seen.add(other)
            instance.is_changed = other.is_changed or _place(other.result) in renewal.places
            used += other.uses
    return instance.is_changed


def _functions(instance: Instance) -> list[Function]:
    declared = instance.result
    if isinstance(declared, Struct):
        return [f for overloads in declared.methods.values() for f in overloads if isinstance(f, Function)]
    return [declared] if isinstance(declared, Function) else []


def _place(declared: object) -> Place | None:
    """Return (top-level declaration, position in it) of a struct, function or variable; ``None`` if it has none."""
    if isinstance(declared, (Struct, Function, Variable)) and declared.chunk is not None:
        return declared.chunk, declared.pos
    return None


def specialised(old: dict[str, Binding], new: dict[str, Binding], space: str = "") -> Iterator[tuple[str, Binding]]:
    """Yield (qualified name, binding) of each template that has more specialisations in ``new`` than in ``old``."""
    for name, binding in new.items():
        before = old.get(name)
        if before is None or before is binding:
            continue
        if isinstance(binding, Namespace) and isinstance(before, Namespace):
            yield from specialised(before.members, binding.members, f"{binding.qualified}::")
        elif _is_template(before) and len(_specialisations(binding)) > len(_specialisations(before)):
            yield space + name, binding


def _is_template(binding: Binding) -> bool:
    if isinstance(binding, tuple):
        return any(isinstance(f, FunctionTemplate) for f in binding)
    return isinstance(binding, (StructTemplate, VariableTemplate))


def _specialisations(binding: Binding) -> list[Place | None]:
    if isinstance(binding, tuple):
        templates = [f for f in binding if isinstance(f, FunctionTemplate)]
        return [_place(f) for t in templates for _, f in t.specializations]
    if isinstance(binding, (StructTemplate, VariableTemplate)):
        return [(special.chunk, _position(special.decl)) for special in binding.specializations]
    return []


def _position(decl: ast.StructDecl | ast.VarDecl | ast.FunctionDecl) -> int:
    """Return the position of the declaration that results from a specialisation."""
    return decl.declarators[0].pos if isinstance(decl, ast.VarDecl) else decl.pos


def renew(names: dict[str, Binding], exports: dict[str, Binding], renewals: Renewals) -> list[Binding]:
    """Bind ``exports``, and copy the templates in ``names`` that use a template specialised by ``exports``.

    The copies replace their originals in ``names``. ``names`` contains the bindings before a declaration, ``exports``
    those that the declaration adds.  Return the templates that it specialises.
    """
    specials = dict(specialised(names, exports))
    old = dict(_flat(names))
    places = {
        place for name, b in specials.items() for place in _specialisations(b)[len(_specialisations(old[name])) :]
    }
    names.update(exports)
    _Renewer(dict(specials), frozenset(places), renewals).members(names, "")
    return list(specials.values())


def _flat(names: dict[str, Binding], space: str = "") -> Iterator[tuple[str, Binding]]:
    """Yield (qualified name, binding) of global names and of the members of namespaces."""
    for name, binding in names.items():
        yield space + name, binding
        if isinstance(binding, Namespace):
            yield from _flat(binding.members, f"{binding.qualified}::")


class _Renewer:
    """Replaces templates by copies whose scopes contain the changed bindings."""

    def __init__(self, changes: dict[str, Binding], places: frozenset[Place | None], renewals: Renewals) -> None:
        self.changes = changes
        self.places = places
        self.renewals = renewals

    def members(self, names: dict[str, Binding], space: str) -> None:
        """Replace the templates among ``names``, the members of the namespace ``space``, in place."""
        for name, binding in list(names.items()):
            if space + name in self.changes:
                continue
            if isinstance(binding, Namespace):
                members = dict(binding.members)
                self.members(members, f"{binding.qualified}::")
                if members != binding.members:
                    names[name] = self._namespace(binding, members)
                continue
            renewed = self._binding(name, binding)
            if renewed is not None:
                names[name] = self.changes[space + name] = renewed

    def _namespace(self, binding: Namespace, members: dict[str, Binding]) -> Namespace:
        changed = ((n, b) for n, b in members.items() if b is not binding.members[n])
        copy = self.renewals.setdefault(
            (binding, *(x for pair in changed for x in pair)), Namespace(binding.name, binding.qualified, members)
        )
        assert isinstance(copy, Namespace)
        return copy

    def _binding(self, name: str, binding: Binding) -> Binding | None:
        """Return a copy of a template or overload set that uses a changed binding; ``None`` if it uses none."""
        overloads = binding if isinstance(binding, tuple) else (binding,)
        used: dict[str, Binding] = {}
        for t in overloads:
            if isinstance(t, _TEMPLATES) and not t.chunk.identifiers.isdisjoint(
                n.rpartition("::")[2] for n in self.changes
            ):
                self._rebased(t.scope, used)
        if not used:
            return None
        key = (binding, *(x for pair in sorted(used.items(), key=lambda pair: pair[0]) for x in pair))
        if key not in self.renewals:
            self.renewals[key] = self._copy(name, binding)
        return self.renewals[key]

    def _copy(self, name: str, binding: Binding) -> Binding:
        scopes: list[Scope] = []
        overloads = binding if isinstance(binding, tuple) else (binding,)
        copies = tuple(self._template(t, scopes) if isinstance(t, _TEMPLATES) else t for t in overloads)
        copy = copies if isinstance(binding, tuple) else copies[0]
        for scope in scopes:  # inside, the name refers to the copy
            scope.names[name] = copy  # type: ignore[assignment]  # a binding of the same kind
        return copy  # type: ignore[return-value]

    def _template(self, t: Template, scopes: list[Scope]) -> Template:
        scope = Scope("template", self._rebased(t.scope, {}))
        if scope.parent is t.scope:
            return t
        scopes.append(scope)
        if isinstance(t, AliasTemplate):
            return replace(t, scope=scope)
        renewal = Renewal(t, self.places)
        if isinstance(t, FunctionTemplate):
            return replace(t, scope=scope, instances={}, renewal=renewal)
        specials = [replace(s, scope=self._rebased(s.scope, {})) for s in t.specializations]
        return replace(t, scope=scope, instances={}, specializations=specials, earlier=None, renewal=renewal)

    def _rebased(self, scope: Scope, used: dict[str, Binding]) -> Scope:
        """Return a copy of a scope with the changed bindings, or the scope itself if none changes.

        The changed bindings are added to ``used``.
        """
        parent = self._rebased(scope.parent, used) if scope.parent is not None else None
        space = f"{scope.namespace}::" if scope.kind == "namespace" else ""
        is_own = scope.kind in ("global", "namespace")
        names = self._replaced(scope.names, space, used) if is_own else scope.names
        usings = [self._opened(namespace, used) for namespace in scope.usings]
        if parent is scope.parent and names is scope.names and usings == scope.usings:
            return scope
        copy = Scope(scope.kind, parent, names, struct=scope.struct, namespace=scope.namespace)
        copy.usings = usings
        return copy

    def _replaced(self, names: dict[str, Binding], space: str, used: dict[str, Binding]) -> dict[str, Binding]:
        """Return the members of the namespace ``space`` with changed bindings replaced; add these to ``used``."""
        out: dict[str, Binding] = {}
        for name, binding in names.items():
            changed = self.changes.get(space + name)
            if changed is not None and changed is not binding:
                out[name] = used[space + name] = changed
            elif isinstance(binding, Namespace):
                opened = self._opened(binding, used)
                if opened is not binding:
                    out[name] = opened
        return {**names, **out} if out else names

    def _opened(self, namespace: Namespace, used: dict[str, Binding]) -> Namespace:
        prefix = f"{namespace.qualified}::"
        if not any(name.startswith(prefix) for name in self.changes):
            return namespace
        members = self._replaced(namespace.members, prefix, used)
        if members is namespace.members:
            return namespace
        return Namespace(namespace.name, namespace.qualified, members)
