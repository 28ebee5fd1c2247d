"""The event stream of a real watcher, on standard output and by WebSocket; and invalid options of the verb."""

from __future__ import annotations

import json
import pathlib
import socket
import subprocess
import sys
import time

import jsonschema
import pytest

from tests.build.conftest import ROOT, Project
from tests.build.watching import Watching
from tests.patience import PATIENCE
from tests.unit.watch.test_websocket import Client

SCHEMA = ROOT / "config/schema/event.json"


def test_every_event_follows_the_schema(project: Project) -> None:
    project.simple()
    watching = Watching(project, options=("--events",))
    try:
        project.write("shaders/a.hlsl", "FAIL\n")
        watching.event("failed")
        project.write("shaders/a.hlsl", "int b;\n")
        watching.event("built")
        project.write("shaders/a.hlsl", "int b; // a comment\n")
        watching.event("unchanged")
        project.write("config/shaders/a.yaml", "shaders: 3\n")
        watching.event("config")
        project.write("shaders/other.hlsl", "int c;\n")
        project.write("config/shaders/a.yaml", "shaders: [{ source: other.hlsl, profile: ps_6_0 }]\n")
        watching.event("removed", "a.main")
        watching.event("settled")
    finally:
        watching.close()
    schema = json.loads(SCHEMA.read_text())
    for event in watching.events:
        jsonschema.validate(event, schema)
    kinds = [event["event"] for event in watching.events]
    assert kinds[:2] == ["hello", "built"]
    assert set(kinds) == {option["properties"]["event"]["const"] for option in schema["oneOf"]}


def test_a_comment_in_a_header_reloads_nothing(project: Project) -> None:
    project.simple('#include "c.h"\nint a;\n')
    project.write("config/shaders/b.yaml", "shaders: [{ source: b.hlsl, profile: ps_6_0, outputs: [spv] }]\n")
    project.write("shaders/b.hlsl", '#include "c.h"\nint b;\n')
    project.write("shaders/c.h", "#define X 1\n")
    watching = Watching(project, options=("--events",))
    try:
        watching.event("settled")
        project.write("shaders/c.h", "#define X 1 // one\n")
        assert {watching.event("unchanged")["name"] for _ in range(2)} == {"a.main", "b.main"}
        watching.event("settled")
        project.write("shaders/c.h", "int x;\n")
        assert {watching.event("built")["name"] for _ in range(2)} == {"a.main", "b.main"}
        assert [event["event"] for event in watching.events].count("built") == 4
    finally:
        watching.close()


@pytest.mark.parametrize("polls", [False, True])
def test_a_file_that_is_half_written_is_no_failure(project: Project, polls: bool) -> None:
    project.simple('#include "c.h"\n#ifndef END\nFAIL\n#endif\n')
    project.write("shaders/c.h", "int x;\n#define END\n")
    watching = Watching(project, options=("--events", *(("--poll", "0.05") if polls else ())))
    try:
        watching.event("settled")
        with (project.root / "shaders/c.h").open("w") as stream:  # truncated
            time.sleep(0.15)
            stream.write("int y;\n")
            stream.flush()
            time.sleep(0.15)
            stream.write("#define END\n")
        watching.event("built")
        (project.root / "shaders/c.h").write_text("")  # closed, and written by the next command
        time.sleep(0.1)
        project.write("shaders/c.h", "int z;\n#define END\n")
        watching.event("built")
        assert "failed" not in [event["event"] for event in watching.events]
        project.write("shaders/c.h", "int z;\n")
        watching.event("failed")
    finally:
        watching.close()


def test_the_standard_output_has_nothing_else(project: Project) -> None:
    project.simple("FAIL\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "hlsl_tool", "watch", "--events"],
        cwd=project.root,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    lines = [process.stdout.readline() for _ in range(3)]
    assert [json.loads(line)["event"] for line in lines] == ["hello", "failed", "settled"]
    while "watching;" not in process.stderr.readline():
        continue
    process.terminate()
    process.communicate(timeout=PATIENCE)


def port_of(watching: Watching) -> int:
    line = next(line for line in watching.lines if line.startswith("events: ws://localhost:"))
    return int(line.rsplit(":", 1)[1])


class Port:
    def __init__(self, port: int) -> None:
        self.port = port


@pytest.mark.parametrize("options", [("--listen", "0"), ("--events", "ws://localhost:0")])
def test_a_late_client_receives_the_current_failures(project: Project, options: tuple[str, ...]) -> None:
    project.simple("FAIL\n")
    watching = Watching(project, options=options)
    try:
        client = Client(Port(port_of(watching)))  # type: ignore[arg-type]

        def event() -> dict:
            return json.loads(client.receive()[1])

        assert event()["manifest"] == "build/shaders/manifest.json"
        failed = event()
        assert (failed["event"], failed["diagnostics"][0]["location"]["line"]) == ("failed", 1)
        project.write("shaders/a.hlsl", "int good;\n")
        built = event()
        assert (built["event"], built["outputs"]) == ("built", {"spv": "build/shaders/a.main.spv"})
        assert (project.root / built["outputs"]["spv"]).exists()
        assert event()["event"] == "settled"
        client.close()
        late = Client(Port(port_of(watching)))  # type: ignore[arg-type]
        assert json.loads(late.receive()[1])["event"] == "hello"
        project.write("shaders/a.hlsl", "int better;\n")
        assert json.loads(late.receive()[1])["event"] == "built"
        late.close()
    finally:
        watching.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--events", "ws://example.com:80"), "not this machine"),
        (("--events", "ws://localhost"), "is not ws://localhost:PORT"),
        (("--events", "http://localhost:80"), "is not ws://localhost:PORT"),
        (("--events", "ws://localhost:x"), "is not ws://localhost:PORT"),
        (("--listen", "99999"), "0 to 65535"),
        (("--poll", "0"), "--poll"),
        (("-j0",), "--jobs"),
        (("--root", "nowhere"), "there is no folder"),
        (("--store", "ftp://x"), "store"),
    ],
)
def test_impossible_options_are_errors(project: Project, options: tuple[str, ...], words: str) -> None:
    project.simple()
    run = project.tool("watch", *options)
    assert run.status == 2
    assert words in run.err
    assert "Traceback" not in run.err


def test_a_port_that_is_taken(project: Project) -> None:
    project.simple()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        run = project.tool("watch", "--listen", str(taken.getsockname()[1]))
    assert run.status == 2
    assert "cannot listen" in run.err


def test_a_store_that_cannot_be_is_waited_for(project: Project) -> None:
    project.store = ""
    project.simple()
    watching = Watching(project, options=("--events",))
    try:
        good = (project.root / "config/shaders/a.yaml").read_text()
        project.write("config/shaders/a.yaml", "store: 'ftp://x'\n" + good)
        watching.until("store: ")
        project.write("config/shaders/a.yaml", good.replace("[spv]", "[spv, reflection]"))
        watching.event("built")
        while not (project.root / "build/shaders/a.main.json").exists():
            watching.event("built")
    finally:
        watching.close()


def test_the_table_on_a_terminal(project: Project, tmp_path: pathlib.Path) -> None:
    pty = pytest.importorskip("pty")
    import os

    project.simple("FAIL\n")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "hlsl_tool", "watch"],
        cwd=project.root,
        stdout=slave,
        stderr=slave,
        stdin=slave,
        env={**project.environment(), "TERM": "xterm", "PYTHONIOENCODING": "utf-8"},
    )
    os.close(slave)
    shown = ""
    try:
        while "1 of 1 shaders fail" not in shown:
            shown += os.read(master, 4096).decode("utf-8", "replace")
        assert "a failure was asked for" in shown
        project.write("shaders/a.hlsl", "int good;\n")
        while "a.main rebuilt in" not in shown:
            shown += os.read(master, 4096).decode("utf-8", "replace")
        assert "\x1b[" in shown
    finally:
        process.terminate()
        process.wait(PATIENCE)
        os.close(master)


@pytest.mark.parametrize("option", ["--listen=0", "--events=ws://localhost:0"])
def test_without_websockets_a_line_names_the_extra(project: Project, option: str) -> None:
    project.simple()
    blocked = (
        "import sys; sys.modules['websockets'] = None; from hlsl_tool.cli.__main__ import main; main(sys.argv[1:])"
    )
    run = subprocess.run(
        [sys.executable, "-c", blocked, "watch", option],
        cwd=project.root, env=project.environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert (
        run.stderr.splitlines(keepends=True)[-1]
        == 'hlsl_tool: error: --events needs websockets: pip install "hlsl_tool[listen]"\n'
    )
