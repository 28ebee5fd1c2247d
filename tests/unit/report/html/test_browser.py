"""The page in Chromium: accessibility (axe), sorting, filters and deep links, and no network requests."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2", reason="the extra `html` is not installed")

from hlsl_tool.cli.__main__ import run
from tests.patience import PATIENCE

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--virtual-time-budget=60000",
    "--dump-dom",
)  # fmt: skip

pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="there is no Chromium (package chromium)")]


@pytest.fixture
def page(project: Path) -> str:
    """Return a page with all sections, a binding clash and two points of history."""
    config = Path("config/shaders/lit.yaml")
    config.write_text(config.read_text().replace("t: [8, 0]", "t: [0, 0]"))
    shader = Path("shaders/lit.hlsl")
    assert run(["build"]) == 0
    assert run(["report", "--html", "page.html", "--save", "old.json"]) == 0
    shader.write_text(shader.read_text().replace("0.5", "pow(v.normal.x, 0.25)"))
    assert run(["build"]) == 0
    assert run(["report", "--html", "page.html", "--against", "old.json"]) == 1
    return Path("page.html").read_text(encoding="utf-8")


def result_of(page: str, tmp_path: Path, *scripts: str, flags: tuple[str, ...] = (), hash: str = "") -> Any:
    """Load the page in a browser, run scripts in it, and return the value of the last one.

    Each script is the body of a function, which may await. The page's security policy is extended to allow them.
    """
    runner = (
        f"(async () => {{ {scripts[-1]} }})().catch((error) => `${{error}}`).then((value) => {{"
        'const out = document.createElement("pre"); out.id = "result"; out.textContent = JSON.stringify(value);'
        "document.body.append(out); });"
    )
    parts = [*scripts[:-1], runner]
    hashes = " ".join(f"'sha256-{b64encode(sha256(part.encode()).digest()).decode()}'" for part in parts)
    page = page.replace("script-src ", f"script-src {hashes} ", 1)
    page = page.replace("</body>", "".join(f"<script>{part}</script>" for part in parts) + "</body>")
    (tmp_path / "driven.html").write_text(page, encoding="utf-8")
    command = [str(BROWSER), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", *flags]
    address = (tmp_path / "driven.html").as_uri() + hash
    dom = subprocess.run([*command, address], capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE).stdout
    match = re.search(r'<pre id="result">(.*?)</pre>', dom, re.DOTALL)
    assert match, dom[-2000:]
    return json.loads(unescape(match[1]))


def axe() -> str:
    """Return the source of axe: the file HLSL_TOOL_AXE, or that in the package axe-core-python."""
    path = os.environ.get("HLSL_TOOL_AXE")
    if not path:
        spec = find_spec("axe_core_python")
        if spec is None or spec.origin is None:
            pytest.skip("there is no axe (package axe-core-python, or HLSL_TOOL_AXE=…/axe.min.js)")
        path = str(Path(spec.origin).with_name("axe.min.js"))
    return Path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_axe_finds_nothing(page: str, tmp_path: Path, scheme: str, width: int) -> None:
    flags = (f"--window-size={width},900", *(["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []))
    body = """
        for (const details of document.querySelectorAll("details")) details.open = true;
        const found = await axe.run(document);
        const dark = matchMedia("(prefers-color-scheme: dark)").matches;
        return { dark, passes: found.passes.length, violations: found.violations.map((one) =>
            [one.id, one.nodes.slice(0, 3).map((node) => node.html)]) };
    """
    result = result_of(page, tmp_path, axe(), body, flags=flags)
    assert result["violations"] == []
    assert result["passes"] > 20
    assert result["dark"] == (scheme == "dark")


@pytest.mark.parametrize("width", [1280, 900, 400])
@pytest.mark.parametrize("times", [True, False])
def test_all_rows_of_tiles_are_full(project: Path, tmp_path: Path, width: int, times: bool) -> None:
    assert run(["build"]) == 0
    assert run(["report", "--html", "page.html", *([] if times else ["--no-times"])]) == 0
    script = 'return [...document.querySelectorAll(".tiles div")].map((tile) => tile.getBoundingClientRect().top);'
    tops = result_of(
        Path("page.html").read_text(encoding="utf-8"), tmp_path, script, flags=(f"--window-size={width},800",)
    )
    rows = [tops.count(top) for top in dict.fromkeys(tops)]
    assert len(tops) == (10 if times else 8)
    assert len(set(rows)) == 1, rows


def test_the_page_requests_nothing_and_breaks_no_rule_of_its_own(page: str, tmp_path: Path) -> None:
    body = """
        const root = document.documentElement;
        return { requests: performance.getEntriesByType("resource").map((one) => one.name),
                 font: getComputedStyle(document.body).fontSize, overflow: root.scrollWidth - root.clientWidth };
    """
    result = result_of(page, tmp_path, body, flags=("--window-size=500,900",))
    assert result == {"requests": [], "font": "15px", "overflow": 0}


def test_tables_sort_and_filter(page: str, tmp_path: Path) -> None:
    body = """
        const table = document.querySelector("#shaders table.data");
        const names = () => [...table.tBodies[0].rows].filter((row) => !row.hidden)
            .map((row) => row.cells[0].textContent);
        const [name, , bytes] = table.tHead.rows[0].cells;
        name.firstChild.click();
        const byName = [names()[0], name.ariaSort];
        bytes.firstChild.click();
        const down = [...table.tBodies[0].rows].map((row) => row.cells[2].textContent);
        const input = document.querySelector("#shaders input");
        input.value = "lit vertex";
        input.dispatchEvent(new Event("input"));
        return { byName, cleared: name.ariaSort, sort: bytes.ariaSort, down, left: names(),
                 status: document.querySelector("#shaders output").textContent };
    """
    result = result_of(page, tmp_path, body)
    assert result["byName"] == ["lit.PSMain.SHADOWS=0.DEAD=_script_~e3d10d30", "ascending"]
    assert (result["cleared"], result["sort"]) == (None, "descending")
    sizes = [int(text.replace(",", "")) for text in result["down"]]
    assert sizes == sorted(sizes, reverse=True)
    assert (result["left"], result["status"]) == (["lit.VSMain"], "1 of 5")


def test_deep_links_open_what_hides_their_targets(page: str, tmp_path: Path) -> None:
    body = """
        const target = document.getElementById("permutations-lit.PSMain");
        const others = [...document.querySelectorAll("#permutations details, #blocks details")];
        return [target.open, others.filter((one) => one.open).length];
    """
    assert result_of(page, tmp_path, body, hash="#permutations-lit.PSMain") == [True, 1]
