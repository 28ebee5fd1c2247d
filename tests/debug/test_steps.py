"""Steps, breakpoints, pauses and steps backwards."""

from __future__ import annotations

import time

import pytest

from tests.debug.client import RequestFailed
from tests.debug.conftest import Debug
from tests.debug.shaders import COMPUTE, ENDLESS, PIXEL, line_of


def test_steps_enter_and_leave_functions(debug: Debug) -> None:
    client = debug(stopOnEntry=True)
    assert client.stop() == ("entry", "main", "entry")
    assert client.go("next") == ("step", "main", "shared")
    assert client.go("stepIn") == ("step", "sum", "sum")
    assert [client.go("next")[2] for _ in range(3)] == ["loop", "body", "call"]
    assert client.go("stepIn") == ("step", "scaled", "scaled")
    assert [(frame["name"], client.mark(frame["line"])) for frame in client.frames()] == [
        ("scaled", "scaled"),
        ("sum", "call"),
        ("main", "shared"),
    ]
    assert client.go("stepOut") == ("step", "sum", "call")
    assert [client.go("next")[2] for _ in range(3)] == ["loop", "body", "call"]
    assert client.go("stepOut") == ("step", "main", "shared")
    assert client.go("next") == ("step", "main", "barrier")
    assert client.go("continue") == ("terminated", "", "")
    assert client.output().startswith("Out: float32 (16,)")


def test_breakpoints_stop_in_each_iteration(debug: Debug) -> None:
    client = debug(COMPUTE, ["body"])
    assert [client.stop()[2], client.values("Locals")["i"]] == ["body", "0"]
    for number in "12":
        assert client.go("continue") == ("breakpoint", "sum", "body")
        assert client.values("Locals")["i"] == number
    assert client.go("continue")[0] == "terminated"


def test_a_line_that_is_a_loop_starts_in_each_iteration(debug: Debug) -> None:
    client = debug(
        "RWStructuredBuffer<uint> o;\n[numthreads(1, 1, 1)] void main() {\n"
        "    uint n = 0;\n    while (n < 3) n += 1;  // loop\n    o[0] = n;\n}\n",
        ["loop"],
        profile="cs_6_0",
        groups=1,
    )
    assert client.stop()[2] == "loop"
    seen = [client.values("Locals")["n"]]
    while client.go("continue")[0] == "breakpoint":
        seen.append(client.values("Locals")["n"])
    assert seen == ["0", "1", "2", "3"]


def test_lines_of_branches(debug: Debug) -> None:
    client = debug(
        "RWStructuredBuffer<uint> o;\n[numthreads(1, 1, 1)] void main() {\n    uint n = 0;  // start\n"
        "    while (true) {  // loop\n        n += 1;  // body\n        if (n == 2)  // continue?\n"
        "            continue;  // continue\n        if (n > 2) {  // break?\n            n = 9;  // nine\n"
        "            break;  // break\n        }\n        else\n            n += 0;  // else\n    }\n"
        "    switch (n) {  // switch\n        case 9: n += 1;  // case\n            break;  // end of case\n"
        "        default: n = 0; break;\n    }\n    o[0] = n;  // end\n}\n",
        ["break", "end of case"],
        profile="cs_6_0", groups=1, stopOnEntry=True,
    )  # fmt: skip
    lines = [client.stop()[2], *(client.go("next")[2] for _ in range(13))]
    end = "14"  # of the loop's body
    first = ["start", "loop", "body", "continue?", "break?", "else", end, "loop", "body", "continue?", "continue", end]
    assert lines == [*first, "loop", "body"]
    assert [client.go("next")[2] for _ in range(3)] == ["continue?", "break?", "nine"]
    assert client.go("continue") == ("breakpoint", "main", "break")
    assert [client.go("next")[2] for _ in range(2)] == ["switch", "case"]
    assert client.go("continue") == ("breakpoint", "main", "end of case")
    assert client.go("next")[2] == "end"


def test_breakpoints_move_to_lines_with_code(debug: Debug) -> None:
    client = debug(COMPUTE, [7, 500])
    first, second = client.placed
    assert first["verified"] and client.mark(first["line"]) == "scaled"
    assert not second["verified"] and "does not execute code from this line on" in second["message"]


def test_conditions_choose_lanes(debug: Debug) -> None:
    client = debug(COMPUTE, [{"line": "call", "condition": "i == 1 && SV_DispatchThreadID.x == 10"}])
    assert client.stop() == ("breakpoint", "sum", "call")
    assert client.request("threads")["threads"][0]["name"] == "lane 10, thread (10, 0, 0), and 15 others"
    assert client.values("Locals")["i"] == "1"
    assert client.go("continue")[0] == "terminated"


def test_a_condition_with_an_error_stops_and_reports(debug: Debug) -> None:
    client = debug(COMPUTE, [{"line": "sum", "condition": "nothing > 1"}])
    assert client.stop() == ("breakpoint", "sum", "sum")
    assert "use of undeclared identifier 'nothing'" in client.output()


def test_textures_are_no_conditions(debug: Debug) -> None:
    client = debug(PIXEL, [{"line": "call", "condition": "Albedo"}])
    assert client.stop() == ("breakpoint", "main", "call")
    assert client.output() == "`Albedo`: is no condition, but of the type image\n"


@pytest.mark.parametrize(
    ("condition", "iterations"), [("2", ["1", "2"]), ("== 2", ["1"]), ("> 2", ["2"]), ("% 2", ["1"]), ("< 2", ["0"])]
)
def test_hit_counts(debug: Debug, condition: str, iterations: list[str]) -> None:
    client = debug(COMPUTE, [{"line": "body", "hitCondition": condition}])
    seen = []
    stop = client.stop()
    while stop[0] == "breakpoint":
        seen.append(client.values("Locals")["i"])
        stop = client.go("continue")
    assert seen == iterations


def test_log_points_write_and_go_on(debug: Debug) -> None:
    message = "i = {i}, lane 0 has {item.kind + 1}, {nothing}"
    client = debug(COMPUTE, [{"line": "body", "logMessage": message}])
    assert client.stop()[0] == "terminated"
    lines = client.output().splitlines()[:3]
    assert [line[:5] for line in lines] == ["i = 0", "i = 1", "i = 2"]
    assert lines[0].endswith(", {use of undeclared identifier 'nothing'}")


def test_breakpoints_on_functions(debug: Debug) -> None:
    client = debug(COMPUTE, stopOnEntry=True)
    client.stop()
    wanted = [{"name": "scaled", "condition": "x > 0"}, {"name": "nothing"}]
    first, second = client.request("setFunctionBreakpoints", breakpoints=wanted)["breakpoints"]
    assert first["verified"] and not second["verified"]
    assert second["message"] == "the entry point does not execute the function `nothing`"
    assert client.go("continue") == ("breakpoint", "scaled", "scaled")


def test_breakpoints_change_while_the_run_is_stopped(debug: Debug) -> None:
    client = debug(COMPUTE, ["sum"])
    client.stop()
    client.break_at(client.source_path, [line_of(COMPUTE, "out")])
    assert client.go("continue") == ("breakpoint", "main", "out")


def test_endless_loops_can_be_paused_and_ended(debug: Debug) -> None:
    client = debug(ENDLESS, profile="cs_6_0", groups=1)
    time.sleep(0.2)
    assert client.go("pause")[:2] == ("pause", "main")
    assert int(client.values("Locals")["n"]) > 0
    client.request("continue", threadId=1)
    with pytest.raises(RequestFailed, match="the shader is running"):
        client.request("stackTrace", threadId=1)
    assert client.go("terminate")[0] == "terminated"


def test_endless_loops_of_other_threads_can_be_paused(debug: Debug) -> None:
    client = debug(ENDLESS, profile="cs_6_0", groups=3000, thread=[11999])  # in the second batch of lanes
    time.sleep(0.2)
    assert client.go("pause")[:2] == ("pause", "main")
    assert client.go("terminate")[0] == "terminated"


def test_steps_back_in_endless_loops_can_be_paused(debug: Debug) -> None:
    client = debug(ENDLESS, profile="cs_6_0", groups=1)
    time.sleep(1)
    assert client.go("pause")[0] == "pause"
    far = int(client.values("Locals")["n"])
    client.request("reverseContinue", threadId=1)
    assert client.go("pause")[0] == "pause"
    assert int(client.values("Locals").get("n", "0")) < far  # the replay may have reached no more than its first line
    assert client.go("next")[0] == "step"


def test_endless_loops_do_not_keep_the_process(debug_in_process: Debug) -> None:
    client = debug_in_process(ENDLESS, profile="cs_6_0", groups=1)
    client.close()
    assert client.process is not None and client.process.returncode == 0


def test_step_back_returns_to_lines_and_values(debug: Debug) -> None:
    client = debug(COMPUTE, ["end of sum"])
    client.stop()
    total = client.values("Locals")["total"]
    assert client.go("stepBack") == ("step", "sum", "loop")
    assert client.go("stepBack") == ("step", "sum", "call")
    assert client.values("Locals")["total"] != total
    assert client.values("Locals")["i"] == "2"
    assert [client.go("stepBack")[2] for _ in range(9)] == [*["body", "loop", "call"] * 2, "body", "loop", "sum"]
    assert client.go("stepBack") == ("step", "main", "shared")
    assert client.go("stepBack") == ("step", "main", "entry")
    assert client.go("stepBack") == ("step", "main", "entry")
    assert client.go("continue") == ("breakpoint", "sum", "end of sum")
    assert client.values("Locals")["total"] == total


def test_step_back_after_another_lane_was_chosen(debug: Debug) -> None:
    client = debug(COMPUTE, ["call"])
    client.stop()
    client.evaluate("lane 3")
    client.stop()
    assert client.go("stepBack") == ("step", "sum", "body")
    assert client.request("threads")["threads"][0]["name"].startswith("lane 3,")


def test_reverse_continue_finds_the_last_breakpoint(debug: Debug) -> None:
    client = debug(COMPUTE, ["body", "out"])
    stops = [client.stop()[2], *(client.go("continue")[2] for _ in range(3))]
    assert stops == ["body", "body", "body", "out"]
    assert client.go("reverseContinue") == ("breakpoint", "sum", "body")
    assert client.values("Locals")["i"] == "2"
    assert [client.go("reverseContinue")[0] for _ in range(3)] == ["breakpoint", "breakpoint", "entry"]


def test_reverse_continue_shows_the_lane_of_the_condition(debug: Debug) -> None:
    client = debug(COMPUTE, [{"line": "body", "condition": "i == 1 && SV_DispatchThreadID.x == 11"}, "out"])
    client.stop()
    assert client.go("continue")[2] == "out"
    client.evaluate("lane 2")
    client.event("stopped")
    assert client.go("reverseContinue") == ("breakpoint", "sum", "body")
    assert client.request("threads")["threads"][0]["name"].startswith("lane 11,")


def test_memory_is_as_it_was_after_steps_back(debug: Debug) -> None:
    client = debug(COMPUTE, ["out"], thread=[9])
    client.stop()
    client.go("next")
    written = client.evaluate("Out[9]")
    client.go("stepBack")
    assert client.evaluate("Out[9]") == "0.0" != written


def test_only_the_chosen_thread_stops(debug: Debug) -> None:
    client = debug(COMPUTE, ["entry"], thread=[9, 0, 0])
    client.stop()
    assert client.values("Arguments")["id"] == "(9, 0, 0)"
    assert client.go("continue")[0] == "terminated"


@pytest.mark.parametrize("alone", [False, True])
def test_a_thread_that_does_not_run_is_reported(debug: Debug, alone: bool) -> None:
    client = debug(COMPUTE, ["entry"], thread=[99], alone=alone)
    assert client.stop()[0] == "terminated"
    assert "no lane is thread 99" in client.output()


def test_lanes_that_diverge_are_threads(debug: Debug) -> None:
    client = debug(PIXEL, ["else"])
    assert client.stop() == ("breakpoint", "main", "else")
    first, second = client.request("threads")["threads"]
    assert first["name"] == "lane 0, pixel (0, 0), and 127 others"
    assert second["name"].startswith("lanes 16–31, 48–63")
    assert second["name"].endswith(f"wait at line {line_of(PIXEL, 'then')}")
    frame = client.frames(second["id"])[0]
    assert client.mark(frame["line"]) == "then"
    assert client.values("Arguments", frame["id"])["uv"] == "(0.53125, 0.03125)"
    assert client.go("next", second["id"]) == ("step", "main", "then")
    assert client.values("Arguments")["uv"] == "(0.53125, 0.03125)"


def test_restart_compiles_again(debug: Debug) -> None:
    client = debug(COMPUTE, ["out"])
    client.stop()
    client.source_path.write_text(COMPUTE.replace("counter = 3", "counter = 30"))
    client.request("restart")
    assert client.stop() == ("breakpoint", "main", "out")
    assert client.values("Statics")["counter"] == "31"
