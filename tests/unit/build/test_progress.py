"""The rewritten progress line, its estimate of the remaining time, and output between updates."""

from __future__ import annotations

import io

from hlsl_tool.project.build.ui.progress import Progress, _time


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_line_each_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    progress.expect(10)
    for name in ("a", "b"):
        progress.begin(name, f"{name}.hlsl")
        progress.end()
    progress.clear()
    assert stream.getvalue() == "[ 1/10] a  (a.hlsl)\n[ 2/10] b  (b.hlsl)\n"


def test_one_line_on_a_terminal() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, live=True, clock=clock)
    progress.expect(4)
    progress.begin("a-long-name", "a.hlsl")
    clock.now += 3
    progress.end()
    progress.begin("b", "b.hlsl")
    progress.write("b.hlsl:1:1: error\n")
    progress.end()
    progress.begin("c", "c.hlsl")
    first, second, third = "[1/4] a-long-name  (a.hlsl)", "[2/4] b  (b.hlsl)  9 s left", "[3/4] c  (c.hlsl)  3 s left"
    clear = "\r" + " " * 27 + "\r"
    assert len(first) == len(second) == len(third) - 0 == 27
    assert stream.getvalue() == f"\r{first}\r{second}{clear}b.hlsl:1:1: error\n\r{third}"
    progress.clear()
    assert stream.getvalue().endswith(clear)


def test_a_shorter_line_leaves_nothing_of_a_longer_one() -> None:
    stream = io.StringIO()
    progress = Progress(stream, live=True)
    progress.expect(2)
    progress.begin("a-long-name", "a.hlsl")
    progress.begin("b", "b.hlsl")
    assert stream.getvalue().endswith("\r[2/2] b  (b.hlsl)" + " " * 10)


def test_causes_stay_on_the_screen() -> None:
    stream = io.StringIO()
    progress = Progress(stream, live=True)
    progress.expect(1)
    progress.begin("a", "a.hlsl", ["a.hlsl: function `f` was changed"])
    assert stream.getvalue() == "[1/1] a  (a.hlsl)\n  because a.hlsl: function `f` was changed\n"


def test_time_left_follows_the_pace() -> None:
    clock = Clock()
    progress = Progress(io.StringIO(), clock=clock)
    progress.expect(100)
    assert progress.left() is None
    progress.end()
    assert progress.left() is None, "a first shader tells nothing yet"
    clock.now += 2
    assert progress.left() == 198
    for _ in range(99):
        progress.end()
    assert progress.left() == 0


def test_times() -> None:
    found = [_time(each) for each in (0.4, 59, 61, 3599, 3900)]
    assert found == ["0 s", "59 s", "1 min 01 s", "59 min 59 s", "1 h 05 min"]
