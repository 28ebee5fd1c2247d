"""The protocol of the adapter: errors of configurations, damaged messages, findings, the port."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.debug.client import Client, RequestFailed
from tests.debug.conftest import Debug
from tests.debug.shaders import COMPUTE, ENDLESS, FAULTY

CORRECT: dict[str, Any] = {"profile": "cs_6_0", "groups": 1}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"program": "missing.hlsl"}, "there is no file"),
    ({"program": ""}, "`program` is missing"),
    ({"groups": None}, "one of these is missing: `groups` or `threads`"),
    ({"groups": 0}, "`groups` has whole numbers from 1 on, not 0"),
    ({"groups": [1, 2, 3, 4]}, "`groups` has one to three numbers"),
    ({"size": [4, 4]}, "`groups` and `size` exclude each other"),
    ({"groups": None, "size": [4, 4]}, "this is a GLCompute shader, which needs `groups` or `threads`"),
    ({"pixel": [0, 0]}, "`pixel` is for `size`, and this configuration has `groups`"),
    ({"group": 3}, "`group` is no attribute of a launch configuration; did you mean `groups`?"),
    ({"profile": None}, "`profile` is missing"),
    ({"profile": "xs_6_0"}, "unable to parse shader model"),
    ({"entry": "absent"}, "does not compile"),
    ({"bind": {"Nothing": 1}}, "Nothing"),
    ({"bind": {"factor": 1, "In": "zeros:3"}}, "`shape` is missing"),
    ({"bind": {"In": "absent.npy"}}, "absent.npy"),
    ({"bind": {"Out": [1, [2, 3]]}}, "`Out` `[1, [2, 3]]` is no array of float32"),
    ({"elements": 1 << 50}, "`elements` has whole numbers up to 2147483647"),
    ({"bind": 3}, "`bind` is a mapping of names to values"),
    ({"inputs": "absent.yaml"}, "absent.yaml"),
    ({"arguments": ["-nonsense"]}, "`arguments`: "),
    ({"scene": {"spheres": []}}, "`scene` has `triangles` and `boxes`, and no `spheres`"),
    ({"scene": {"triangles": [[1, 2]]}}, "`triangles` has three corners of three numbers"),
    ({"wave": 5}, "`wave` is a power of two"),
    ({"check": 1}, '`check` is true, false, or a text such as "strict"'),
    ({"check": "nonsense"}, "`check`: there is no check `nonsense`"),
    ({"stopOnEntry": 3}, "`stopOnEntry` is true or false"),
    ({"groups": "9" * 5000}, "`groups` has whole numbers from 1 on, not '999"),
    ({"groups": 10**30}, "`groups` has whole numbers up to 2147483647"),
    ({"groups": [10**9, 10**9]}, "out of memory: run fewer threads"),
    ({"elements": [1, 2]}, "`elements` is one number, not [1, 2]"),
    ({"bind": {"In": "zeros:" + "9" * 30}}, "out of memory: run fewer threads"),
    ({"bind": {"In": "/dev/zero.npy"}}, "`In` cannot be read from `/dev/zero.npy`"),
    ({"inputs": "a\0b"}, "`inputs` has characters that are not allowed: 'a\\x00b'"),
    ({"bind": {"\ud800": 1}}, "`bind` has characters that are not allowed: '\\ud800'"),
]


def _ids(value: object) -> str:
    return "-".join(value) if isinstance(value, dict) else ""


@pytest.mark.parametrize(("change", "message"), WRONG, ids=_ids)
def test_wrong_configurations(client: Client, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "shader.hlsl"
    path.write_text(COMPUTE)
    client.request("initialize")
    given = {"program": str(path), "cwd": str(tmp_path), **CORRECT, **change}
    with pytest.raises(RequestFailed) as failure:
        client.request("launch", **{name: value for name, value in given.items() if value is not None})
    assert message in str(failure.value)
    assert client.event("terminated")
    assert message in client.output()


def test_errors_of_the_shader_are_shown(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "shader.hlsl"
    path.write_text("[numthreads(1, 1, 1)] void main() { undeclared = 1; }")
    client.request("initialize")
    with pytest.raises(RequestFailed, match=r"shader\.hlsl:1:37: error: use of undeclared identifier 'undeclared'"):
        client.request("launch", program=str(path), **CORRECT)


def test_requests_after_the_end_are_refused(debug: Debug) -> None:
    client = debug(COMPUTE)
    assert client.stop()[0] == "terminated"
    for command in ("stackTrace", "scopes", "next"):
        with pytest.raises(RequestFailed, match="no shader is running"):
            client.request(command, threadId=1, frameId=1)


def test_a_launch_can_follow_a_wrong_one(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "shader.hlsl"
    path.write_text(COMPUTE)
    client.request("initialize")
    with pytest.raises(RequestFailed):
        client.request("launch", program=str(path))
    client.request("launch", program=str(path), seed=1, **CORRECT)


def test_arguments_from_files(client: Client, tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include/common.hlsli").write_text("float scale(float x) {\n    return x * FACTOR;\n}\n")
    path = tmp_path / "shader.hlsl"
    path.write_text(
        '#include "common.hlsli"\nStructuredBuffer<float> In; RWStructuredBuffer<float> Out; float bias;\n'
        "[numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID) {\n    Out[i] = scale(In[i]) + bias;\n}\n"
    )
    np.save(tmp_path / "data.npy", np.arange(4, dtype=np.float32))
    (tmp_path / "inputs.yaml").write_text("bias: 0.5\nOut: zeros:4\n")
    client.request("initialize")
    options = ["-D", "FACTOR=3", "-I", str(tmp_path / "include")]
    given = {"arguments": options, "inputs": "inputs.yaml", "bind": {"In": "data.npy"}, "cwd": str(tmp_path)}
    client.request("launch", program="shader.hlsl", **given, **CORRECT)
    placed = client.break_at(tmp_path / "include/common.hlsli", [{"line": 2, "condition": "x == 2"}])
    assert placed[0]["verified"]
    client.request("configurationDone")
    client.event("stopped")
    inner, outer = client.frames()
    assert inner["source"]["path"] == str(tmp_path / "include/common.hlsli")
    assert outer["source"]["path"] == str(path)
    assert client.evaluate("scale(In[3]) + bias") == "9.5"
    client.request("continue", threadId=1)
    client.event("terminated")
    assert "[0.5 3.5 6.5 9.5]" in client.output()


def test_breakpoints_before_the_launch_are_placed_later(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "shader.hlsl"
    path.write_text(COMPUTE)
    client.request("initialize")
    assert not client.break_at(path, [7])[0]["verified"]
    client.request("launch", program=str(path), seed=1, **CORRECT)
    changed = client.event("breakpoint")["breakpoint"]
    assert (changed["verified"], changed["line"]) == (True, 10)


# ---- findings


def test_findings_stop_at_their_line(debug: Debug) -> None:
    client = debug(FAULTY, profile="cs_6_0", groups=1, bind={"In": [1, 2, 0, 4]}, check=True)
    assert client.stop() == ("exception", "main", "division")
    assert client.values("Arguments")["id"] == "2"
    info = client.request("exceptionInfo", threadId=1)
    assert (info["exceptionId"], info["description"]) == ("division-by-zero", "divides 12 by zero [division-by-zero]")
    assert client.go("continue") == ("exception", "main", "index")
    assert client.values("Arguments")["id"] == "3"
    assert client.request("exceptionInfo", threadId=1)["exceptionId"] == "index-outside"
    assert [client.go("stepBack")[2] for _ in range(2)] == ["index", "division"]
    assert [client.go("continue")[2] for _ in range(2)] == ["division", "index"]
    assert client.go("continue")[0] == "terminated"
    assert "shader.hlsl:8: divides 12 by zero" in client.output()


@pytest.mark.parametrize(
    ("check", "stops"), [("bounds", ["index"]), ("integers,bounds", ["division", "index"]), (False, [])]
)
def test_checks_are_chosen(debug: Debug, check: str | bool, stops: list[str]) -> None:
    client = debug(FAULTY, profile="cs_6_0", groups=1, bind={"In": [1, 2, 0, 4]}, check=check)
    assert [client.stop()[2] if not n else client.go("continue")[2] for n in range(len(stops))] == stops
    assert (client.go("continue") if stops else client.stop())[0] == "terminated"


def test_unknown_checks_are_errors_of_the_launch(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "shader.hlsl"
    path.write_text(FAULTY)
    client.request("initialize")
    with pytest.raises(RequestFailed, match="there is no check `bonds`"):
        client.request("launch", program=str(path), check="bonds", seed=1, **CORRECT)


def test_findings_can_be_ignored(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "shader.hlsl"
    path.write_text(FAULTY)
    client.request("initialize")
    client.request("setExceptionBreakpoints", filters=[])
    client.request("launch", program=str(path), check=True, seed=1, **CORRECT)
    client.request("configurationDone")
    assert client.stop()[0] == "terminated"


def test_clients_that_count_lines_from_0(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "shader.hlsl"
    path.write_text(COMPUTE)
    client.request("initialize", linesStartAt1=False, columnsStartAt1=False)
    client.request("launch", program=str(path), seed=1, **CORRECT)
    assert client.break_at(path, [9])[0]["line"] == 9
    client.request("configurationDone")
    client.event("stopped")
    frame = client.frames()[0]
    assert (frame["name"], frame["line"], frame["column"]) == ("scaled", 9, 19)


# ---- messages


GARBAGE = [
    b"nonsense\r\n\r\n",
    b"Content-Length: 5\r\n\r\nhello",
    b"Content-Length: 7\r\n\r\n[1,2,3]",
    b"Content-Length: 3\r\n\r\n\xff\xfe\x00",
    b'Content-Length: 10\r\n\r\n{"type": "request", "command": "threads"}',
    b"Content-Length: 99999999999\r\n\r\n",
    b"\0" * 10000 + b"\r\n",
    b"Content-Length: 20\r\n\r\n" + b"[" * 20,
    b'Content-Length: 18\r\n\r\n{"type": "request"}'[:40],
]


@pytest.mark.parametrize("content", GARBAGE, ids=range(len(GARBAGE)))
def test_damaged_messages_are_skipped(client: Client, content: bytes) -> None:
    client.send_bytes(content)
    assert client.request("initialize")["supportsStepBack"]
    assert client.output()


@pytest.mark.parametrize(
    "arguments",
    [None, 3, [], {"source": None}, {"frameId": "x"}, {"variablesReference": 77}, {"expression": 3, "threadId": {}}],
    ids=repr,
)
def test_malformed_arguments_get_an_answer(debug: Debug, arguments: Any) -> None:
    client = debug(COMPUTE, ["entry"])
    client.stop()
    commands = [
        "setBreakpoints", "scopes", "variables", "evaluate", "stackTrace", "setDataBreakpoints", "dataBreakpointInfo",
        "source", "breakpointLocations", "nonsense", "attach", "launch",
    ]  # fmt: skip
    for command in commands:
        client.number += 1
        client.send_raw({"seq": client.number, "type": "request", "command": command, "arguments": arguments})
        try:
            client.answer(client.number)
        except RequestFailed as problem:
            assert str(problem)
    assert client.evaluate("1 + 1") == "2"


@pytest.mark.parametrize("command", ["setBreakpoints", "launch"])
def test_deeply_nested_arguments_are_refused(client: Client, command: str) -> None:
    client.request("initialize", linesStartAt1=False)
    content = b'{"seq": 2, "type": "request", "command": "%s", "arguments": {"bind": %s}}'
    message = content % (command.encode(), b'{"a": ' * 700 + b"1" + b"}" * 700)
    client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(message), message))
    with pytest.raises(RequestFailed, match=r"nested too deeply|`program` is missing"):
        client.answer(2)
    assert client.request("threads")["threads"]


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "x" * 5000])
def test_breakpoints_in_files_that_cannot_exist(debug: Debug, path: str) -> None:
    client = debug(COMPUTE, ["entry"])
    client.stop()
    body = client.request("setBreakpoints", source={"path": path}, breakpoints=[{"line": 1}])
    assert not body["breakpoints"][0]["verified"]
    assert client.request("breakpointLocations", source={"path": path}, line=1) == {"breakpoints": []}


@pytest.mark.parametrize("hits", ["9" * 5000, "%", "> x"])
def test_wrong_counts_of_hits(debug: Debug, hits: str) -> None:
    client = debug(COMPUTE, [{"line": "entry", "hitCondition": hits}])
    assert client.stop()[0] == "terminated"
    assert "is no number of hits" in client.placed[0]["message"]


@pytest.mark.parametrize("text", ["lane " + "9" * 5000, f"item.weights[{'9' * 5000}]", "1)/*", "1\n#error x", "\ud800"])
def test_expressions_without_a_value(debug: Debug, text: str) -> None:
    client = debug(COMPUTE, ["entry"])
    client.stop()
    with pytest.raises(RequestFailed) as failure:
        client.evaluate(text)
    assert "bug" not in str(failure.value)


def test_data_that_was_not_offered_is_not_watched(debug: Debug) -> None:
    client = debug(COMPUTE, ["entry"])
    client.stop()
    wanted = [{"dataId": text} for text in ("cell 99999999 0 0  x", "cell 3 0 99999  x", "memory 1 4 x", "")]
    body = client.request("setDataBreakpoints", breakpoints=wanted)
    assert [item["verified"] for item in body["breakpoints"]] == [False] * 4
    assert client.go("next")[0] == "step"


def test_a_restart_with_an_error_keeps_the_run(debug: Debug) -> None:
    client = debug(COMPUTE, ["entry"])
    client.stop()
    client.source_path.write_text(COMPUTE.replace("Item item = In", "Absent item = In"))
    with pytest.raises(RequestFailed, match="unknown type name 'Absent'"):
        client.request("restart")
    assert client.go("next")[0] == "step"
    client.source_path.write_text(COMPUTE)
    assert client.go("restart") == ("breakpoint", "main", "entry")


def test_runs_without_memory_end_with_an_error(debug: Debug, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("hlsl_tool.apps.debug.execution.target.Target.run", fail)
    client = debug(COMPUTE)
    assert client.stop()[0] == "terminated"
    assert client.output() == "error: out of memory: run fewer lanes, or a smaller picture\n"


def test_the_end_is_reported_if_results_cannot_be_shown(debug: Debug, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("hlsl_tool.apps.debug.execution.target.Target.shown_results", fail)
    assert debug(COMPUTE).stop()[0] == "terminated"


def test_a_run_that_has_not_started_is_terminated(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "shader.hlsl"
    path.write_text(COMPUTE)
    client.request("initialize")
    client.request("launch", program=str(path), seed=1, **CORRECT)
    client.request("terminate")
    assert client.event("terminated")


def test_a_run_starts_once(debug: Debug) -> None:
    client = debug(COMPUTE, ["entry"])
    client.stop()
    with pytest.raises(RequestFailed, match="the shader is running"):
        client.request("configurationDone")
    assert client.evaluate("1 + 1") == "2"


def test_a_run_without_debugging_does_not_stop(debug: Debug) -> None:
    client = debug(COMPUTE, ["entry"], noDebug=True, stopOnEntry=True, check=True)
    assert client.stop()[0] == "terminated"
    assert client.output().startswith("Out: float32 (16,)")


def test_requests_without_a_run_are_refused(client: Client) -> None:
    client.request("initialize")
    for command in ("stackTrace", "next", "pause", "stepBack", "configurationDone", "restart", "evaluate"):
        with pytest.raises(RequestFailed):
            client.request(command, threadId=1, expression="1")
    assert client.request("threads")["threads"]


def test_the_end_of_the_input_ends_the_adapter(debug_in_process: Debug) -> None:
    client = debug_in_process(COMPUTE, ["entry"])
    client.stop()
    assert client.process is not None and client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(20) == 0


@contextlib.contextmanager
def listening() -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Start an adapter process that listens on a free port; yield both."""
    command = [sys.executable, "-m", "hlsl_tool", "debug", "--tcp", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            yield process, int(process.stderr.readline().decode().rpartition(" ")[2])
        finally:
            process.kill()


def test_clients_connect_to_a_port_one_after_another(tmp_path: Path) -> None:
    path = tmp_path / "shader.hlsl"
    path.write_text(COMPUTE)
    with listening() as (_, port):
        for _ in range(2):
            with (
                socket.create_connection(("127.0.0.1", port)) as connection,
                connection.makefile("rb") as source,
                connection.makefile("wb") as sink,
            ):
                client = Client((source, sink))
                client.source_text = COMPUTE
                client.launch(path, [10], seed=1, **CORRECT)
                assert client.stop() == ("breakpoint", "scaled", "scaled")
                client.close()


def test_a_broken_connection_ends_its_session_only(tmp_path: Path) -> None:
    path = tmp_path / "endless.hlsl"
    path.write_text(ENDLESS)
    with listening() as (process, port):
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                client = Client((connection.makefile("rb"), connection.makefile("wb")))
                client.launch(path, [], profile="cs_6_6", groups=1)
                connection.shutdown(socket.SHUT_RDWR)
        assert process.poll() is None


def test_a_taken_port_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        command = [sys.executable, "-m", "hlsl_tool", "debug", "--tcp", port]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"hlsl_tool: error: cannot listen on port {port}")


# ---- speed


def test_steps_are_fast(debug: Debug) -> None:
    client = debug(COMPUTE, stopOnEntry=True, groups=128)
    client.stop()
    times = []
    for command in ["stepIn"] * 20 + ["stepBack"] * 5:
        start = time.perf_counter()
        assert client.go(command)[0] == "step"
        client.values("Locals")
        times.append(time.perf_counter() - start)
    assert sorted(times)[len(times) // 2] < 0.05
