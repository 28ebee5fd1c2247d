"""Find the shaders that a change of a file makes out of date: those whose last attempt read another content."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class Dependents:
    """The files that the last attempt at each job read or looked up, indexed by job and by file."""

    def __init__(self) -> None:
        self.used: dict[str, dict[str, str]] = {}
        """Job → file → its digest at the last attempt; empty for a path that did not exist."""
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
        """Forget the files of a job."""
        self.put(job, {})
        del self.used[job]

    def names(self) -> set[str]:
        """Return the files that any job read or looked up."""
        return {name for name, jobs in self.users.items() if jobs}

    def stale(self, names: Iterable[str], digest_of: Callable[[str], str]) -> set[str]:
        """Return the jobs for which one of these files has changed since their last attempt."""
        return {job for name in names for job in self.users.get(name, ()) if self.used[job][name] != digest_of(name)}

    def is_stale(self, job: str, digest_of: Callable[[str], str]) -> bool:
        """Return whether a file that a job read or looked up has another digest now."""
        return any(digest_of(name) != digest for name, digest in self.used.get(job, {}).items())
