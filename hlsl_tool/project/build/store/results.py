"""`Store`: results by key, in one or several back ends; a result is checked before it is used.

A result is a datum (plain JSON data) and some blobs.  The index entry of a key refers to the datum's blob; the datum's
text repeats the key and refers to the other blobs by their hashes.  In folders, index entries contain small blobs.  So
a damaged disk or a faulty server can only cause a cache miss: a result that is found is exactly the one that was
stored.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.store.backend import Backend, Kind, Named, Unavailable, content_key, index_entry, indexed

PATIENCE = 3
"""Sum of the weights of failures after which a place is not used for the rest of the run."""

_DATUM = "datum"


@dataclass(slots=True)
class Result:
    """The result that is stored under a key: plain JSON data and named blobs."""

    datum: Any
    blobs: dict[str, bytes] = field(default_factory=dict)


@dataclass(slots=True)
class _Place:
    backend: Backend
    failures: int = 0
    is_off: bool = False
    writes: bool = True
    damaged: int = 0
    incomplete: set[str] = field(default_factory=set)
    """Keys whose entries name missing blobs: they are written again as a whole."""


def key_of(*parts: str) -> str:
    """Return a store key: a hash of ``parts``, which together determine the result."""
    content = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        content.update(b"%d\0" % len(data))
        content.update(data)
    return content.hexdigest()


class Store:
    """Results in several back ends, queried in order; a hit in one is copied to those before it.  Safe for threads."""

    is_remote = False
    """Whether some results come from servers, so that look-ups had better run beside the build."""

    def __init__(self, backends: Sequence[Backend]) -> None:
        self.places = [_Place(backend, writes=not backend.read_only) for backend in backends]
        self.lock = threading.Lock()
        self.problems: list[tuple[str, str]] = []

    def take_problems(self) -> list[tuple[str, str]]:
        """Return the problems (back end, description) since the last call."""
        with self.lock:
            problems, self.problems = self.problems, []
        return problems

    def get(self, key: str) -> Result | None:
        """Return the result of a key; `None` if no back end has it."""
        for number, place in enumerate(self.places):
            result = self._get_from(place, key)
            if result is not None:
                for earlier in self.places[:number]:
                    self._put_into(earlier, key, result)
                return result
        return None

    def put(self, key: str, result: Result, *, only_here: bool = False) -> None:
        """Store a result in every back end; with ``only_here``, in folders but not on servers."""
        for place in self.places:
            if not (only_here and place.backend.is_remote):
                self._put_into(place, key, result)

    def drop(self, key: str) -> None:
        """Remove a key whose result turned out to be wrong."""
        for place in self.places:
            self._drop(place, "ac", key)

    def close(self) -> None:
        """Close all back ends."""
        for place in self.places:
            place.backend.close()

    # ---- one place

    def _get_from(self, place: _Place, key: str) -> Result | None:
        entry = self._read(place, "ac", key)
        if entry is None:
            return None
        try:
            named = indexed(entry)
            text = self._content(place, named[_DATUM].hash, named[_DATUM])
            if text is None:
                place.incomplete.add(key)
                return None
            content = json.loads(text)
            if content["key"] != key:
                raise ValueError("another key's")
            result = Result(content["datum"])
            for name, digest in content["blobs"].items():
                data = self._content(place, str(digest), named.get(name))
                if data is None:
                    place.incomplete.add(key)
                    return None
                result.blobs[str(name)] = data
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            place.incomplete.add(key)
            self._damaged(place, "ac", key)
            return None
        return result

    def _content(self, place: _Place, digest: str, named: Named | None) -> bytes | None:
        """Return the blob with the digest ``digest`` from the back end ``place``; `None` if it lacks it.

        ``named`` is the blob's description in the index entry; it may contain the bytes. Otherwise they are read from
        the back end, and a blob with another digest is reported as damaged.
        """
        if named is not None and named.contents is not None and content_key(named.contents) == digest:
            return named.contents
        data = self._read(place, "cas", digest)
        if data is not None and content_key(data) != digest:
            self._damaged(place, "cas", digest)
            return None
        return data

    def _put_into(self, place: _Place, key: str, result: Result) -> None:
        if place.is_off or not place.writes:
            return
        content = {
            "key": key,
            "blobs": {name: content_key(data) for name, data in result.blobs.items()},
            "datum": result.datum,
        }
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, sort_keys=True).encode(
            "utf-8", "surrogatepass"
        )
        blobs = {_DATUM: text, **result.blobs}
        size = place.backend.inline_size
        inline = {name for name, data in blobs.items() if size and len(data) <= size}
        entry = index_entry(blobs, inline=inline)
        try:
            if key not in place.incomplete and place.backend.has("ac", key, entry):
                return
            for name, data in blobs.items():
                if name not in inline:
                    place.backend.put("cas", content_key(data), data)
            # Last: a reader that gets the entry gets its blobs, too.
            place.backend.put("ac", key, entry)
            place.incomplete.discard(key)
        except Unavailable as problem:
            place.writes = place.writes and problem.weight > 0 and problem.weight < PATIENCE
            if not place.writes:
                self._report(place, f"nothing more is stored there: {problem}")
            else:
                self._failed(place, problem)

    def _read(self, place: _Place, kind: Kind, key: str) -> bytes | None:
        if place.is_off:
            return None
        try:
            return place.backend.get(kind, key)
        except Unavailable as problem:
            self._failed(place, problem)
            return None

    def _drop(self, place: _Place, kind: Kind, key: str) -> None:
        try:
            place.backend.drop(kind, key)
        except Unavailable as problem:
            self._failed(place, problem)

    def _damaged(self, place: _Place, kind: Kind, key: str) -> None:
        place.damaged += 1
        self._drop(place, kind, key)
        if place.damaged == PATIENCE:
            self._report(place, "damaged entries were not used")

    def _failed(self, place: _Place, problem: Unavailable) -> None:
        place.failures += problem.weight
        if place.failures >= PATIENCE and not place.is_off:
            place.is_off = True
            self._report(place, f"it is left alone for this run: {problem}")

    def _report(self, place: _Place, what: str) -> None:
        with self.lock:
            self.problems.append((place.backend.name, what))
