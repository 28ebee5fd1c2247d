"""The arguments of a request, which are checked as they are read."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """Raised for a request that cannot be answered; the message is for the user."""


class Arguments:
    """An object of JSON; a member of another type than the protocol's raises ``Refused``."""

    def __init__(self, members: Any, name: str = "arguments") -> None:
        if not isinstance(members, dict):
            raise Refused(f"`{name}` is no object")
        self.members: dict[str, Any] = members

    def has(self, name: str) -> bool:
        """Return whether a member is given."""
        return self.members.get(name) is not None

    def number(self, name: str, default: int | None = None) -> int:
        """Return a whole number; without a default it has to be given."""
        value = self.members.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, int) or isinstance(value, bool):
            raise Refused(f"`{name}` is no whole number" if value is not None else f"`{name}` is missing")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text; without a default it has to be given."""
        value = self.members.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise Refused(f"`{name}` is no text" if value is not None else f"`{name}` is missing")
        return value

    def object(self, name: str) -> Arguments:
        """Return an object, which has to be given."""
        return Arguments(self.members.get(name), name)

    def objects(self, name: str) -> list[Arguments]:
        """Return a list of objects; an empty one if it is not given."""
        return [Arguments(item, name) for item in self._list(name)]

    def texts(self, name: str) -> list[str]:
        """Return a list of texts; an empty one if it is not given."""
        return [str(item) for item in self._list(name)]

    def _list(self, name: str) -> list[Any]:
        value = self.members.get(name) or []
        if not isinstance(value, list):
            raise Refused(f"`{name}` is no list")
        return value
