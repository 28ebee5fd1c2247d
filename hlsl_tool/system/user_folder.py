"""The user's cache folder. Clients of the server import this module: it imports next to nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping


def user_folder(env: Mapping[str, str] | None = None) -> str:
    """Return the folder of hlsl_tool where the system keeps caches of the user; relative if there is no home."""
    env = os.environ if env is None else env
    if sys.platform == "win32":
        base = env.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = env.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "hlsl_tool")
