"""The session of the current SCons run."""

from __future__ import annotations

import atexit

from hlsl_tool.scons.finish import finish
from hlsl_tool.scons.requested import requested_nodes
from hlsl_tool.scons.session import Session

_session: Session | None = None


def session() -> Session:
    """Return the session of this process; the first call creates it and registers its end with `atexit`."""
    global _session
    if _session is None:
        _session = Session(requested_nodes)
        atexit.register(finish, _session)
    return _session
