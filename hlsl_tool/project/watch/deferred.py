"""A store that is written after the outputs, so that a user who saves a shader waits only for its outputs."""

from __future__ import annotations

import threading

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.store.results import Result, Store


class DeferredStore(Store):
    """A `Store` that finds new results at once, but writes them only in `flush`.

    If the process is killed before that, they are lost; nothing refers to them.
    """

    def __init__(self, store: Store) -> None:
        super().__init__([])
        self.store = store
        self.later: dict[str, tuple[Result, bool]] = {}
        """Key → result, and True if it must not be sent to servers."""
        self.writing = threading.Lock()

    def take_problems(self) -> list[tuple[str, str]]:
        return self.store.take_problems()

    def get(self, key: str) -> Result | None:
        pending = self.later.get(key)
        return pending[0] if pending is not None else self.store.get(key)

    def put(self, key: str, result: Result, *, only_here: bool = False) -> None:
        self.later[key] = result, only_here

    def drop(self, key: str) -> None:
        self.later.pop(key, None)
        self.store.drop(key)

    def flush(self) -> None:
        """Write the pending results."""
        with self.writing:
            for key, entry in list(self.later.items()):
                self.store.put(key, entry[0], only_here=entry[1])
                if self.later.get(key) is entry:
                    del self.later[key]

    def close(self) -> None:
        self.flush()
        self.store.close()


@dataclass(frozen=True, slots=True)
class DeferredOptions(StoreOptions):
    """Store options that open the same deferred store for all callers in a process."""

    opened: list[DeferredStore] = field(default_factory=list, compare=False)

    def plain(self) -> StoreOptions:
        """Return options of the same store for callers that write results immediately."""
        return StoreOptions(self.places, self.size, self.read_only, self.texts, self.is_shared)

    @classmethod
    def of(cls, options: StoreOptions) -> DeferredOptions:
        return cls(options.places, options.size, options.read_only, options.texts, options.is_shared)

    def open(self) -> Store | None:
        if not self.opened:
            store = self.plain().open()
            if store is None:
                return None
            self.opened.append(DeferredStore(store))
        return self.opened[0]

    def flush(self) -> None:
        for store in self.opened:
            store.flush()
