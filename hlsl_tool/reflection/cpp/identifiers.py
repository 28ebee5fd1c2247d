"""C++ identifiers for HLSL names; an identifier depends only on the name."""

from __future__ import annotations

from collections.abc import Iterable

_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete
do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
requires return short signed sizeof static static_assert static_cast struct switch template this thread_local throw
true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
std Binding Padded Strided StridedTight bindings constants entry_points near far small interface
"""
KEYWORDS = frozenset(_WORDS.split())
"""C++'s keywords, the names that the header itself declares, and those that Windows' headers define away."""


def identifier(name: str) -> str:
    """Convert a name to an identifier (``type.$Globals`` → ``type_Globals``) that is neither a keyword nor reserved."""
    letters = [c if c.isascii() and c.isalnum() else "_" for c in name]
    clean = "".join(letters)
    while "__" in clean:  # reserved anywhere in a name
        clean = clean.replace("__", "_")
    clean = clean.lstrip("_") or "unnamed"
    if clean[0].isdigit():
        clean = f"n{clean}"
    return f"{clean}_" if clean in KEYWORDS else clean


def in_comment(text: str) -> str:
    """Escape untrusted text so that it neither ends nor continues a ``//`` comment."""
    return "".join(c if c.isprintable() else " " for c in text.replace("\\", "/")).replace("??/", "?/")


def in_string(text: str) -> str:
    """Escape untrusted text for a string literal; bytes outside of printable ASCII become octal escapes."""
    data = text.encode("utf-8", "surrogateescape")
    plain = {*range(32, 127)} - {ord('"'), ord("\\"), ord("?")}
    return "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in data)


class Scope:
    """A set of unique names: duplicates get a number, names in ``reserved`` an underscore."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self.taken: set[str] = set()
        self.reserved = frozenset(reserved)

    def add(self, name: str) -> str:
        """Return an identifier for ``name`` that is not used yet, and mark it as used."""
        base = identifier(name)
        if base in self.reserved:
            base += "_"
        unique, count = base, 1
        while unique in self.taken:
            count += 1
            unique = f"{base.rstrip('_')}_{count}"
        self.taken.add(unique)
        return unique
