"""The limit on the groupshared memory that an entry point uses, from HLSL 202x on."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.base.diagnostics.catalogue import modifiers as codes
from hlsl_tool.frontend.sema.checks.reachable.root import Root
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.constants import size_of
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.scope.context import BodySource

_LIMITS = {"compute": 32768, "amplification": 32768, "node": 32768, "mesh": 28672}
"""Stage → bytes of groupshared memory that every device has."""


def check(root: Root, functions: Iterable[Function]) -> None:
    """Report an entry point whose groupshared variables exceed the limit of its attribute, or that of its stage."""
    limit: object = _LIMITS.get(root.stage)
    attribute = find_attribute(root.function.attributes, "groupsharedlimit")
    if attribute is not None and attribute.args:
        limit = attribute.args[0]
    if not isinstance(limit, int):
        return
    sources = [f.source for f in functions if isinstance(f.source, BodySource)]
    shared = dict.fromkeys(v for source in sources for v in source.variables if v.storage == "groupshared")
    size = sum(size_of(v.type) for v in shared)
    if size <= limit:
        return
    root.chunk = root.function.chunk
    which = "maximum" if attribute is None else "explicit limit"
    root.error(codes.SHARED_EXCEEDED, root.function.pos, name=root.name, size=size, which=which, limit=limit)
