"""Addresses with a password, which no message shows."""

from __future__ import annotations

import re

_CREDENTIALS = re.compile(
    r"(?P<scheme>(?:[A-Za-z][A-Za-z0-9+.-]+:?)?/{1,2}|[A-Za-z][A-Za-z0-9+.-]+:|)(?P<user>.*)@",
    re.S,
)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def masked(text: str) -> str:
    """Replace user and password of an address by `***`; this also covers mistyped addresses."""
    address = _CREDENTIALS.match(text)
    if address is None or _DRIVE.match(text) or not ("//" in address["scheme"] or ":" in address[0]):
        return text
    scheme = address["scheme"] if address["scheme"][-1:] in (":", "/") else ""
    return f"{scheme}***@{text[address.end() :]}"


class SecretAddress(str):
    """An address with user and password; as text, also in diagnostics and JSON, it shows `***` instead of them."""

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
        """Copy and pickle the complete address, for worker processes."""
        return SecretAddress, (self._address,)


def concealed(text: str) -> str:
    """Return a `SecretAddress` if the address has a user or password, else the text itself."""
    return text if isinstance(text, SecretAddress) or masked(text) == text else SecretAddress(text)


def revealed(text: str) -> str:
    """Return the complete address, for opening a connection."""
    return text._address if isinstance(text, SecretAddress) else text
