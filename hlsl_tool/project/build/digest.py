"""Hashes of file contents and of jobs, for the log, the state file and the store."""

from __future__ import annotations

import json

from hlsl_tool.base.system.hashing import digest as digest


def key_of(cache_key: str, files: dict[str, str], missing: list[str]) -> str:
    """Return the key of a job's outputs: a hash of its options and tools (``cache_key``) and of its dependency trace.

    ``files`` maps each file that was read to its digest; ``missing`` lists the paths that did not exist.
    """
    content = json.dumps([cache_key, sorted(files.items()), sorted(missing)], separators=(",", ":"), ensure_ascii=False)
    return digest(content.encode())
