"""The system's source of file events."""

from __future__ import annotations

import platform

from hlsl_tool.watch.events import Source


def system_events(avoid: str = "") -> Source:
    """Return the system's source of events.  ``avoid``: a folder that is written to all the time."""
    if platform.system() == "Linux":
        from hlsl_tool.watch.inotify import Inotify

        return Inotify()
    from hlsl_tool.watch.observed import Observed

    return Observed(avoid)
