"""The page of a small project."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason="the extra `html` is not installed")

from hlsl_tool.apps.report.html.render import Letters, anchor
from hlsl_tool.cli.__main__ import run


class Page(HTMLParser):
    """The ids, links and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            self.attributes.append((tag, name, value or ""))
            if name == "id":
                self.ids.append(value or "")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def plain(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


def page(*arguments: str) -> Page:
    """Return the page that `hlsl_tool report --html` writes."""
    assert run(["report", "--html", "page.html", *arguments]) == 0
    return Page(Path("page.html").read_text(encoding="utf-8"))


def build() -> None:
    assert run(["build"]) == 0


def test_the_page_has_all_sections(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build()
    capsys.readouterr()
    made = page()
    assert re.fullmatch(r"page\.html: 5 shaders, \d+ kB\n", capsys.readouterr().out)
    for text in (
        "Shaders up to date 5 ",
        "DEAD of lit: 2 permutations in vain",
        "lit.PSMain 4 permutations → 2 modules, without effect here: DEAD",
        "cbuffer Frame 112 bytes, 12 of padding",
        "world float4x4 0 (64)",
        "shaders/common&lt;b.hlsli 1 ",
    ):
        assert text in made.plain, text
    assert "shader-lit.PSMain.SHADOWS=1.DEAD=1" in made.ids
    assert len(made.ids) == len(set(made.ids))
    links = [value[1:] for tag, name, value in made.attributes if (tag, name) == ("a", "href")]
    assert links
    assert set(links) <= set(made.ids)


def test_names_are_escaped(project: Path) -> None:
    build()
    made = page()
    assert "<script>" not in made.text.partition("<body>")[2].rpartition("<script>")[0]
    assert made.text.count("<script>") == 1
    assert "DEAD : 1, <script>" in made.plain
    assert "common&lt;b.hlsli" in made.plain
    assert "header-shaders/common~26~lt~3b~b.hlsli" in made.ids


def test_nothing_is_loaded(project: Path) -> None:
    build()
    made = page()
    policies = [value for tag, name, value in made.attributes if tag == "meta" and value.startswith("default-src")]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policies[0]
    assert not [one for one in made.attributes if one[1] in ("src", "style") or one[1].startswith("on")]
    assert all(value.startswith("#") for _, name, value in made.attributes if name == "href")


def test_equal_builds_give_equal_pages(project: Path) -> None:
    build()
    assert page().text == page().text
    plain = page("--no-times")
    assert "Compile time" not in plain.text
    assert "History" not in plain.text
    for output in Path("build").rglob("*"):
        if output.is_file():
            output.unlink()
    build()
    assert page("--no-times").text == plain.text


def test_stale_shaders_have_no_numbers(project: Path) -> None:
    build()
    shader = Path("shaders/lit.hlsl")
    shader.write_text(shader.read_text().replace("0.5", "0.25"))
    run(["build", "lit.VSMain"])
    assert run(["report", "--html", "page.html"]) == 0
    made = Page(Path("page.html").read_text(encoding="utf-8"))
    assert "4 shaders of 5 are not up to date." in made.plain
    assert "lit.PSMain.SHADOWS=0.DEAD=1: out of date" in made.plain
    assert "shader-lit.VSMain" in made.ids
    assert "shader-lit.PSMain.SHADOWS=0.DEAD=1" not in made.ids
    assert "the stages were not compared" in made.plain


def test_clashes_are_shown(project: Path) -> None:
    config = Path("config/shaders/lit.yaml")
    config.write_text(config.read_text().replace("t: [8, 0]", "t: [0, 0]"))
    build()
    made = page()
    assert "Clash:" in made.plain
    assert ("details", "open", "") in made.attributes
    assert ("tr", "class", "clash") in made.attributes


def test_the_history_grows_with_changes(project: Path) -> None:
    build()
    assert "The history begins with this report." in page().plain
    shader = Path("shaders/lit.hlsl")
    shader.write_text(shader.read_text().replace("0.5", "pow(v.normal.x, 0.25)"))
    build()
    made = page()
    assert "Over time: bytes and instructions at the points of the history" in made.plain
    change = r"lit\.PSMain\.SHADOWS=1\.DEAD=1: bytes [\d,]+ → [\d,]+ \([+-][\d.]+ %\), instructions \d+ → \d+ \("
    assert re.search(change, made.plain)
    assert ("svg", "class", "line") in made.attributes
    assert ("svg", "class", "spark") in made.attributes
    assert Path("build/shaders/.hlsl_tool.history").is_file()


def test_the_history_may_be_elsewhere(project: Path) -> None:
    build()
    page("--history", "cache/history")
    assert Path("cache/history").is_file()
    assert not Path("build/shaders/.hlsl_tool.history").exists()


def test_a_history_that_cannot_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build()
    Path("history").mkdir()
    page("--history", "history")
    assert "hlsl_tool: warning: cannot write `history`: " in capsys.readouterr().err


def test_a_comparison_is_on_the_page(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build()
    assert run(["report", "--save", "old.json"]) == 0
    shader = Path("shaders/lit.hlsl")
    shader.write_text(shader.read_text().replace("0.5", "pow(v.normal.x, 0.25)"))
    build()
    capsys.readouterr()
    assert run(["report", "--html", "site/", "--against", "old.json"]) == 1
    assert "REGRESSION: bytes, instructions" in capsys.readouterr().out
    made = Page(Path("site/index.html").read_text(encoding="utf-8"))
    assert "Compared with old.json : regression: 2 of 5 shaders changed, 2 grew." in made.plain


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--history", "h"], "--history and --no-times are about a page: give --html"),
        (["--html", ""], "--html: name a file or a folder"),
        (["--html", "p", "--build", "b"], "--html is about the project's build"),
        (["--html", "p", "--history", "h", "--no-times"], "--no-times leaves the history out"),
        (["--html", "p"], "nothing to report: all 5 shaders are not built; run `hlsl_tool build`"),
    ],
)
def test_wrong_options(project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert run(["report", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_large_projects_have_the_first_entries(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlsl_tool.apps.report.html.gather.MAX_ENTRIES", 1)
    build()
    made = page()
    assert "1 entry more is left out" in made.plain
    assert "bindings-lit.VSMain" in made.ids
    assert "bindings-lit.PSMain" not in made.ids
    assert "shader-lit.PSMain.SHADOWS=1.DEAD=1" in made.ids


def test_jinja2_is_an_extra(project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert run(["report", "--html", "page.html"]) == 2
    assert 'the HTML report needs Jinja2: pip install "hlsl_tool[html]"' in capsys.readouterr().err
    assert run(["build"]) == 0
    assert run(["report"]) == 0


def test_json_on_the_standard_output_is_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build()
    assert run(["report", "--save", "old.json"]) == 0
    capsys.readouterr()
    assert run(["report", "--html", "page.html", "--against", "old.json", "--format", "json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["ok"]
    assert captured.err.startswith("page.html: 5 shaders, ")


def test_workers_give_the_same_page(project: Path) -> None:
    build()
    assert page("-j", "2").text == page().text


def test_shaders_without_modules(project: Path) -> None:
    config = Path("config/shaders/lit.yaml")
    config.write_text(config.read_text() + "    outputs: [reflection]\n")
    build()
    made = page()
    assert "cbuffer Frame" in made.plain
    assert "shaders" not in made.ids


def test_a_module_that_is_gone_is_out_of_date(project: Path) -> None:
    build()
    Path("build/shaders/lit.VSMain.spv").unlink()
    made = page()
    assert "lit.VSMain: out of date" in made.plain
    assert "shader-lit.VSMain" not in made.ids


def test_different_names_have_different_anchors() -> None:
    names = ["a b", "a_b", "a~20~b", "a/b", "ä", "<a>", ""]
    assert len({anchor(name, "shader") for name in names}) == len(names)
    assert anchor("a b/c.X=1", "shader") == "shader-a~20~b/c.X=1"


def test_modules_have_letters() -> None:
    letters = Letters()
    names = [letters.of(str(number)) for number in range(30)]
    assert (names[0], names[25], names[26], names[27]) == ("A", "Z", "AA", "AB")
    assert letters.of("0") == "A"
