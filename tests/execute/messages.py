"""The protocol between tests and device processes: each message is its length and a pickle of plain values."""

from __future__ import annotations

import os
import pickle
import struct
import sys
from collections.abc import Callable
from typing import Any, BinaryIO


def send(stream: BinaryIO, value: object) -> None:
    data = pickle.dumps(value)
    stream.write(struct.pack("<I", len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Return the next message; ``None`` at the end of the stream."""
    head = stream.read(4)
    return pickle.loads(stream.read(struct.unpack("<I", head)[0])) if len(head) == 4 else None


def serve(make: Callable[[], Any], answer: Callable[[Any, Any], dict[str, Any]]) -> None:
    """Create a device, send its description, and answer requests until the input ends."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a driver prints must not mix with the answers
    try:
        device = make()
    except Exception as error:  # noqa: BLE001  the bindings have an exception class for each error code
        send(target, {"error": f"{type(error).__name__}: {error}"})
        return
    driver = getattr(device, "driver", "")  # WebGPU has no version of the driver
    send(target, {"name": device.name, "driver": driver, "features": sorted(device.features)})
    while (request := receive(sys.stdin.buffer)) is not None:
        try:
            found = answer(device, request)
        except Exception as error:  # noqa: BLE001
            found = {"error": f"{type(error).__name__}: {error}"}
        send(target, found)
