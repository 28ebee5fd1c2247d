"""Reopen namespaces without changing those that other shaders share."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.scopes import Namespace, Scope


def reopened(ctx: Context, namespace: Namespace, path: Sequence[str]) -> Namespace:
    """Return a new copy of a namespace to which declarations can be added: other shaders may share the original."""
    scope: Scope | None = ctx.scope
    while scope is not None and not isinstance(scope.names.get(path[0]), Namespace):
        scope = scope.parent
    if scope is None:  # reached through `using namespace`
        return Namespace(namespace.name, namespace.qualified, dict(namespace.members))
    names = scope.names
    for name in path:
        old = names[name]
        assert isinstance(old, Namespace)
        namespace = names[name] = Namespace(name, old.qualified, dict(old.members))
        names = namespace.members
    return namespace
