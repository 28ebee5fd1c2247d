"""The process that keeps the Vulkan device: run as a program (``python -P server.py``) it answers requests.

A driver that crashes takes this process along and not the tests.  Each message is a pickle of plain values behind its
length; see `vulkan.py` for the other end.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from typing import Any, BinaryIO

import vulkan  # noqa: F401  the binding, before a module of this folder can take its name

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from device import Device, Dispatch, Drawing
from painting import Painting
from tracing import Tracing

KINDS: dict[str, type[Dispatch]] = {"picture": Painting, "stages": Drawing, "tables": Tracing}
"""Key of a request → what it asks for, if not a compute shader."""


def send(stream: BinaryIO, value: object) -> None:
    data = pickle.dumps(value)
    stream.write(struct.pack("<I", len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """The next message, or ``None`` at the end."""
    head = stream.read(4)
    return pickle.loads(stream.read(struct.unpack("<I", head)[0])) if len(head) == 4 else None


def serve(source: BinaryIO, target: BinaryIO) -> None:
    try:
        device = Device()
    except Exception as error:  # noqa: BLE001  the binding has an exception class for each error code
        send(target, {"error": f"{type(error).__name__}: {error}"})
        return
    send(target, {"name": device.name, "features": sorted(device.features)})
    while (request := receive(source)) is not None:
        try:
            kind = next((made for key, made in KINDS.items() if key in request), Dispatch)
            dispatch = kind(device, request)
            answer: dict[str, Any] = {"outputs": dispatch.run()}
            dispatch.destroy()
        except Exception as error:  # noqa: BLE001
            answer = {"error": f"{type(error).__name__}: {error}"}
        send(target, answer)


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a driver prints must not mix with the answers
    serve(sys.stdin.buffer, answers)
