"""Immutable lists shared by nodes."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from hlsl_tool.base.diagnostics.errors import InternalError
from hlsl_tool.frontend.syntax.ast import NamePart

T = TypeVar("T")


class Frozen(list[T]):
    """A list that raises an exception on modification, because several nodes share it."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise InternalError("a syntax tree is shared between shaders and must not be changed")

    append = extend = insert = pop = remove = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __reduce__(self) -> tuple[type[list[T]], tuple[list[T]]]:
        return list, (list(self),)


EMPTY: Frozen[Any] = Frozen()


class Parts(dict[str, Frozen[NamePart]]):
    """A cache of single-identifier names: spelling → the list of its one `NamePart`, shared by equal names."""

    def __missing__(self, name: str) -> Frozen[NamePart]:
        parts = self[name] = Frozen([NamePart(name)])
        return parts


PARTS = Parts()
