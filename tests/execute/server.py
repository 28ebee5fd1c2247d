"""The process that owns the Vulkan device: run as a program (``python -P server.py``), it answers requests.

A driver that crashes ends this process, not the tests. See `vulkan.py` for the other end.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import vulkan  # noqa: F401  the binding, before a module of this folder can take its name

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from creation import Creation
from device import Device, Dispatch, Drawing
from heaps import Heaps
from messages import serve
from painting import Painting
from tracing import Tracing

KINDS: dict[str, type[Dispatch]] = {
    "create": Creation,
    "picture": Painting,
    "stages": Drawing,
    "tables": Tracing,
    "heaps": Heaps,
}
"""Key of a request → the class that performs it; without one it is a compute shader."""


def answer(device: Device, request: dict[str, Any]) -> dict[str, Any]:
    kind = next((made for key, made in KINDS.items() if key in request), Dispatch)
    dispatch = kind(device, request)
    found = dispatch.run()
    dispatch.destroy()
    return {"outputs": found}


if __name__ == "__main__":
    serve(Device, answer)
