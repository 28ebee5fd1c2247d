"""Addresses that may hold a password, which no text shows."""

from __future__ import annotations

import re

_CREDENTIALS = re.compile(
    r"(?P<scheme>(?:[A-Za-z][A-Za-z0-9+.-]+:?)?/{1,2}|[A-Za-z][A-Za-z0-9+.-]+:|)(?P<user>.*)@",
    re.S,
)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def masked(text: str) -> str:
    """A text as messages show it: of an address, also of a mistyped one, without user and password."""
    found = _CREDENTIALS.match(text)
    if found is None or _DRIVE.match(text) or not ("//" in found["scheme"] or ":" in found[0]):
        return text
    scheme = found["scheme"] if found["scheme"][-1:] in (":", "/") else ""
    return f"{scheme}***@{text[found.end() :]}"


class SecretAddress(str):
    """An address with user and password; as text, and so in messages and JSON, it has `***` in their place."""

    __slots__ = ("_address",)
    _address: str

    def __new__(cls, address: str) -> SecretAddress:
        self = super().__new__(cls, masked(address))
        self._address = address
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretAddress) and other._address == self._address

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._address)

    def __reduce__(self) -> tuple[type[SecretAddress], tuple[str]]:
        """Copied and sent to worker processes with what it hides."""
        return SecretAddress, (self._address,)


def concealed(text: str) -> str:
    """The text, as a `SecretAddress` if it has user or password."""
    return text if isinstance(text, SecretAddress) or masked(text) == text else SecretAddress(text)


def revealed(text: str) -> str:
    """The whole address, for those who connect to it."""
    return text._address if isinstance(text, SecretAddress) else text
