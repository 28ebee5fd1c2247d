"""Which shaders a file matters to: exactly those whose last attempt saw it otherwise than it is now."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class Dependents:
    def __init__(self) -> None:
        self.used: dict[str, dict[str, str]] = {}
        """Job → file → its digest when the job was last tried; empty for one that was looked for in vain."""
        self.users: dict[str, set[str]] = {}
        """File → jobs."""

    def put(self, job: str, used: dict[str, str]) -> None:
        before = self.used.get(job, {})
        for name in before.keys() - used.keys():
            self.users[name].discard(job)
        for name in used.keys() - before.keys():
            self.users.setdefault(name, set()).add(job)
        self.used[job] = used

    def drop(self, job: str) -> None:
        self.put(job, {})
        del self.used[job]

    def names(self) -> set[str]:
        return {name for name, jobs in self.users.items() if jobs}

    def stale(self, names: Iterable[str], digest_of: Callable[[str], str]) -> set[str]:
        """The jobs that one of these files, as it is now, makes out of date."""
        return {job for name in names for job in self.users.get(name, ()) if self.used[job][name] != digest_of(name)}

    def is_stale(self, job: str, digest_of: Callable[[str], str]) -> bool:
        return any(digest_of(name) != known for name, known in self.used.get(job, {}).items())
