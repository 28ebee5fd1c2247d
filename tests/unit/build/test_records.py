"""The log of a build, which lists the inputs of every output: damaged lines are ignored."""

from __future__ import annotations

import json
import pathlib

import pytest

from hlsl_tool.project.build.currency.log import Record, Records


@pytest.mark.parametrize(
    "torn",
    [
        b"\xff\xfe\n",
        "\u00e9".encode()[:1] + b"\n",
        b'{"v": 1, "name": "\xc3\n',
        b"\n",
        b"null\n",
        b"[" * 100_000 + b"\n",
    ],
)
def test_a_torn_line_is_but_one_line(tmp_path: pathlib.Path, torn: bytes) -> None:
    """A full disk may truncate a line anywhere, even inside of a multi-byte character of a file name."""
    path = tmp_path / "log"
    first = Records(str(path))
    first.put("a", Record(key="1"))
    with path.open("ab") as stream:
        stream.write(torn)
    first.put("b\u2028c", Record(key="2"))
    again = Records(str(path))
    assert {name: record.key for name, record in again.by_name.items()} == {"a": "1", "b\u2028c": "2"}
    again.confirm(["a"])
    assert path.read_bytes().count(b"\n") == 2


GOOD = {"v": 1, "name": "a", "key": "k", "decided": "d", "files": {}, "missing": [], "outputs": {}, "settled": False}


@pytest.mark.parametrize("change", [
    {"files": {"a": 1}}, {"files": [["a", "b"]]}, {"missing": [1]}, {"missing": "abc"}, {"outputs": {"a": None}},
    {"lines": [[]]}, {"causes": {}}, {"times": []}, {"times": {"a": "b"}}, {"v": "1"},
])  # fmt: skip
def test_a_line_of_another_shape_is_none(tmp_path: pathlib.Path, change: dict[str, object]) -> None:
    path = tmp_path / "log"
    path.write_text(json.dumps(GOOD) + "\n")
    assert Records(str(path)).by_name["a"].key == "k"
    path.write_text(json.dumps({**GOOD, **change}) + "\n")
    assert Records(str(path)).by_name == {}
