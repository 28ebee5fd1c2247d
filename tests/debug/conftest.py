"""Fixtures that start the debug adapter with a shader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy", reason="needs the package numpy")

from tests.debug.client import Client
from tests.debug.shaders import COMPUTE, PIXEL, VERTEX, line_of

Debug = Callable[..., Client]
SIZES: dict[str, dict[str, Any]] = {
    COMPUTE: {"profile": "cs_6_0", "groups": 2, "bind": {"factor": 2, "shape": [[1, 2, 3], [4, 5, 6]]}},
    PIXEL: {"profile": "ps_6_0", "size": [16, 16]},
    VERTEX: {"profile": "vs_6_0", "vertices": 3},
}


@pytest.fixture
def client() -> Iterator[Client]:
    """Return a client with an adapter that has got nothing; at the end, check that it wrote no traceback."""
    client = Client()
    yield client
    assert "Traceback" not in client.close()


@pytest.fixture
def debug(client: Client, tmp_path: Path) -> Debug:
    """Return a function that launches a shader, with breakpoints at marked lines."""

    def launch(source: str = COMPUTE, breakpoints: Any = (), **configuration: Any) -> Client:
        path = tmp_path / "shader.hlsl"
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
