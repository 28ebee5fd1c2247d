"""Select the source of file events for the operating system."""

from __future__ import annotations

import platform

from hlsl_tool.project.watch.events import Source


def system_events(avoid: str = "") -> Source:
    """Return the system's source of events.

    ``avoid``: a folder that is written to all the time, and that must not be watched as a part of a larger one.
    """
    if platform.system() == "Linux":
        from hlsl_tool.project.watch.inotify import Inotify

        return Inotify()
    from hlsl_tool.project.watch.observed import Observed

    return Observed(avoid)
