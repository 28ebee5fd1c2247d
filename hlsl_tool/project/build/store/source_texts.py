"""The texts of sources in the store: later builds compare them to name the declarations that were edited."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from hlsl_tool.base.system.atomic_write import read_bytes
from hlsl_tool.project.build.currency.traces import leads_out
from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.build.store.results import Result, Store, key_of


class SourceTexts:
    """Stores each text once in a process."""

    def __init__(self, root: str, store: Store | None, policy: str) -> None:
        """``policy``: `all`, `local` (not on servers), or `none`."""
        self.root = root
        self.store = store
        self.policy = policy
        self._stored: set[str] = set()

    def put(self, files: Mapping[str, str], read: Callable[[str], bytes | None]) -> None:
        """Store the texts of files (name → digest) that ``read`` returns and that still have these digests.

        Texts from outside of the project are stored only in local folders: a project must not send them to a server
        that its configuration names.
        """
        if self.store is None or self.policy == "none":
            return
        for name, content in files.items():
            if content in self._stored:
                continue
            self._stored.add(content)
            data = read(name)
            if data is not None and digest(data) == content:
                only_here = self.policy == "local" or leads_out(self.root, name)
                self.store.put(key_of("text", content), Result(None, {"text": data}), only_here=only_here)

    def get(self, name: str, content: str) -> str | None:
        """Return the text of the file ``name`` with the digest ``content``, from disk or store.

        `None` if neither has it.
        """
        data = read_bytes(os.path.join(self.root, name))
        if data is None or digest(data) != content:
            stored = self.store.get(key_of("text", content)) if self.store is not None else None
            data = stored.blobs.get("text") if stored is not None else None
        return data.decode("utf-8", "replace") if data is not None else None
