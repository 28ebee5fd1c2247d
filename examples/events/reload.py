"""Follow the events of `hlsl_tool watch --events ws://localhost:8765` and reload shaders: python reload.py [ws://localhost:8765].

It needs `pip install websockets`.  Connect before or after the watcher starts: the program tries until there is one.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidURI
from websockets.sync.client import connect


def on_event(event: dict[str, Any], root: Path) -> None:
    """Act on one event; a program of yours makes a new pipeline where this one prints a line."""
    if event["event"] == "built":
        if module := event["outputs"].get("spv"):  # the configuration chooses the kinds of outputs
            size = (root / module).stat().st_size
            print(f"reload {event['name']}: {size} bytes, {event['ms']} ms after the save", flush=True)
    elif event["event"] == "failed":
        for diagnostic in event["diagnostics"]:
            print(f"keep {event['name']}: {diagnostic['message']}", flush=True)
    elif event["event"] == "settled":
        print("settled", flush=True)


def follow(address: str) -> None:
    """Handle events until the watcher ends."""
    root = Path()
    with connect(address, open_timeout=2) as connection:
        for message in connection:
            event = json.loads(message)
            if event["event"] == "hello":
                root = Path(event["root"])  # outputs count from the project's root
                print(f"connected: {event['shaders']} shaders", flush=True)
            on_event(event, root)


def main() -> None:
    """Follow one watcher after the other."""
    address = sys.argv[1] if len(sys.argv) > 1 else "ws://localhost:8765"
    print(f"waiting for a watcher at {address}", flush=True)
    try:
        while True:
            try:
                follow(address)
            except InvalidURI as error:
                sys.exit(f"reload.py: {error}")
            except (OSError, ConnectionClosed):  # no watcher yet, or it was ended
                time.sleep(0.2)
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
