"""The session in `docs/how-to/debug.md` goes as the page shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.debug.client import Client

PAGE = (Path(__file__).parents[2] / "docs/how-to/debug.md").read_text()
REQUESTS = {"step over": "next", "step into": "stepIn", "step back": "stepBack", "continue": "continue"}


def _block(start: str) -> str:
    return re.search(rf"```{start}\n(.*?)```", PAGE, re.DOTALL)[1]  # type: ignore[index]  # the page has the block


def test_the_session_of_the_page(client: Client, tmp_path: Path) -> None:
    (tmp_path / "lamp.hlsl").write_text(_block('hlsl title="lamp.hlsl"'))
    (configuration,) = json.loads(_block("json"))["configurations"]
    client.request("initialize")
    client.request("launch", **configuration, cwd=str(tmp_path))
    client.request("configurationDone")
    seen = []
    for line in _block('text title="session"').splitlines():
        action = line[:26].strip()
        if action.startswith("evaluate"):
            seen.append(f"{action:26}{client.evaluate(action.removeprefix('evaluate '))}")
            continue
        if action in REQUESTS:
            client.request(REQUESTS[action], threadId=1)
        reason, function, number = client.stop()
        seen.append(f"{action:26}" + ("end" if reason == "terminated" else f"line {number} in {function}"))
    assert seen == _block('text title="session"').splitlines()


def test_strict_checks_stop_where_the_nan_of_the_page_arises(client: Client, tmp_path: Path) -> None:
    (tmp_path / "lamp.hlsl").write_text(_block('hlsl title="lamp.hlsl"'))
    (configuration,) = json.loads(_block("json"))["configurations"]
    client.request("initialize")
    client.request("launch", **configuration | {"cwd": str(tmp_path), "stopOnEntry": False, "check": "strict"})
    client.request("configurationDone")
    assert client.stop() == ("exception", "brightness", "3")
    assert client.evaluate("from") == "(0.0, 0.0)"


def test_the_draw_of_the_page(client: Client, tmp_path: Path) -> None:
    (tmp_path / "wave.hlsl").write_text(_block('hlsl title="wave.hlsl"'))
    client.request("initialize")
    client.request("launch", **json.loads(_block('json title="launch.json"')), cwd=str(tmp_path))
    client.request("configurationDone")
    assert client.stop()[:2] == ("entry", "HSMain")
    assert client.evaluate("patch[id].place") == "(0.0, 0.0, 0.0)"
    assert client.go("continue")[0] == "terminated"
    assert "SV_InsideTessFactor: float32 (2, 1)\n[[2.]" in client.output()
