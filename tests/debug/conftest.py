"""Fixtures that start the debug adapter with a shader."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy", reason="needs the package numpy")

from hlsl_tool.apps.debug.serve import serve_connection
from tests.debug.client import TIMEOUT, Client
from tests.debug.shaders import COMPUTE, PIXEL, VERTEX, line_of

Debug = Callable[..., Client]
SIZES: dict[str, dict[str, Any]] = {
    COMPUTE: {"profile": "cs_6_0", "groups": 2, "bind": {"factor": 2, "shape": [[1, 2, 3], [4, 5, 6]]}},
    PIXEL: {"profile": "ps_6_0", "size": [16, 16]},
    VERTEX: {"profile": "vs_6_0", "vertices": 3},
}


@pytest.fixture
def client(caplog: pytest.LogCaptureFixture) -> Iterator[Client]:
    """Return a client with an adapter that has got nothing; at the end, check that it logged no traceback.

    The adapter runs on a thread of this process: to start a process takes longer than most tests.
    """
    near, far = socket.socketpair()
    adapter = threading.Thread(target=serve_connection, args=(far,), daemon=True)
    adapter.start()
    with near, near.makefile("rb") as source, near.makefile("wb") as sink:
        client = Client((source, sink))
        yield client
        client.close()
        near.shutdown(socket.SHUT_WR)
        adapter.join(TIMEOUT)
        client.thread.join(TIMEOUT)
    assert not adapter.is_alive()
    assert "Traceback" not in caplog.text


@pytest.fixture
def process() -> Iterator[Client]:
    """Return a client with an adapter process on its standard streams; at the end, check that it wrote no traceback."""
    client = Client()
    yield client
    assert "Traceback" not in client.close()


@pytest.fixture
def debug(client: Client, tmp_path: Path) -> Debug:
    """Return a function that launches a shader, with breakpoints at marked lines."""
    return launcher(client, tmp_path)


@pytest.fixture
def debug_in_process(process: Client, tmp_path: Path) -> Debug:
    """Return a function like `debug` for an adapter process."""
    return launcher(process, tmp_path)


def launcher(client: Client, folder: Path) -> Debug:
    def launch(source: str = COMPUTE, breakpoints: Any = (), **configuration: Any) -> Client:
        path = folder / "shader.hlsl"
        path.write_text(source)
        client.source_path, client.source_text = path, source
        lines = []
        for item in breakpoints:
            given = item if isinstance(item, dict) else {"line": item}
            line = given["line"]
            lines.append(given | {"line": line_of(source, line) if isinstance(line, str) else line})
        client.placed = client.launch(path, lines, **{"seed": 1, **SIZES.get(source, {}), **configuration})
        return client

    return launch
