"""Registries of handlers whose modules are imported at the first look-up of a key.

The compilation of a small shader needs a third of the compiler's rules.  Importing the others would take longer than
compiling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, TypeVar

K = TypeVar("K")
H = TypeVar("H", bound=Callable[..., Any])
Handler = TypeVar("Handler", bound=Callable[..., Any])


class HandlerTable(dict[K, H]):
    """Maps keys to handlers.

    The look-up of a key without a handler imports the module in `homes`, else the modules in `searched` one after the
    other, until one of them registers a handler for the key.
    """

    def __init__(self) -> None:
        super().__init__()
        self.homes: dict[K, str] = {}
        """Key → name of the module that registers its handler."""
        self.searched: Sequence[str] = ()
        """Names of modules that register handlers of any key, those with the most common keys first."""

    def __missing__(self, key: K) -> H:
        home = self.homes.get(key)
        for module in (home,) if home else self.searched:
            import_module(module)
            if key in self:
                return self[key]
        raise KeyError(key)

    def find(self, key: K) -> H | None:
        """Return the handler of a key; `None` if no module registers one."""
        try:
            return self[key]
        except KeyError:
            return None

    def register(self, keys: Iterable[K]) -> Callable[[Handler], Handler]:
        """Return a decorator that registers a function for some keys, which must not have a handler yet."""

        def register(handler: Handler) -> Handler:
            for key in keys:
                assert key not in self, f"{key} has two handlers"
                self[key] = handler  # type: ignore[assignment]
            return handler

        return register

    def load(self) -> None:
        """Import all modules, so that all handlers are registered."""
        for module in (*self.homes.values(), *self.searched):
            import_module(module)
