"""Random programs through this compiler at several levels, and through the real DXC, run and compared.

    python -m tests.programs.differential --first 0 --count 200
    python -m tests.programs.differential --first 0 --count 20 --forms 99
    python -m tests.programs.differential --first 17 --count 1 --reduce

``--forms`` is the number of levels and debug forms that a program is compiled with besides -O0 and -O3; the seed
chooses them.

If HLSL_TOOL_DXC names a dxc, it compiles the programs, too. ``--reduce`` shows the least text that still has the
finding.

Every word that a program writes must be the same: `shapes` explains why that can be required.
"""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace

from hlsl_tool.cli.dxc import run as run_ours
from tests.execute.vulkan import Resource, Vulkan, VulkanError, storage
from tests.patience import PATIENCE

from .program import Program, program

DXC = shlex.split(os.environ.get("HLSL_TOOL_DXC", ""))
SCRATCH = 4096
"""Bytes of a structured buffer."""
GOOD = ("same", "refused by both")
FORMS = (
    "-O1",
    "-Os",
    "-Od",
    "-Oconfig=--inline-entry-points-exhaustive",
    "-Zi",
    "-O0 -Zi",
    "-fspv-debug=file",
    "-fspv-debug=source",
    "-fspv-debug=line",
    "-fspv-debug=tool",
    "-fspv-debug=rich",
    "-fspv-debug=rich-with-source",
    "-fspv-debug=vulkan",
    "-fspv-debug=vulkan-with-source",
    "-O0 -fspv-debug=rich",
    "-O0 -fspv-debug=vulkan",
)
"""The options that are compared with -O0 and -O3."""
COPIED = "with copies"
"""Used instead of an option: the twin program, which copies arguments explicitly."""


@dataclass(frozen=True, slots=True)
class Outcome:
    kind: str
    """``same``; ``refused by both``; ``refused`` (by us only), ``crash``, ``-O0 is not -O3`` (or another form),
    ``not as DXC``, ``driver``; ``unknown`` where DXC or the driver on DXC's module had no answer."""
    detail: str = ""


def forms_of(made: Program, count: int) -> list[str]:
    """Return the names of the levels and debug options to compare; successive seeds take successive ones."""
    start = made.seed * count
    return [FORMS[(start + i) % len(FORMS)] for i in range(min(count, len(FORMS)))]


class Comparison:
    def __init__(self, vulkan: Vulkan, folder: pathlib.Path, dxc: list[str] | None = None, forms: int = 1) -> None:
        self.vulkan, self.folder, self.forms = vulkan, folder, forms
        self.dxc = DXC if dxc is None else dxc

    def ours(self, made: Program, form: str) -> bytes | str:
        """Return the module that this compiler makes, or its first error message."""
        (self.folder / "x.hlsl").write_text(made.text)
        flags = ["-T", "cs_6_2", "-E", "main", "-fspv-target-env=vulkan1.1", *form.split(), *made.flags]
        status, _, messages = run_ours([*flags, "x.hlsl", "-Fo", "x.spv"], str(self.folder))
        if status:
            return next((line for line in messages.split("\n") if "error" in line), messages)
        return (self.folder / "x.spv").read_bytes()

    def theirs(self, made: Program) -> bytes | str:
        (self.folder / "x.hlsl").write_text(made.text)
        target = self.folder / "dxc.spv"
        flags = ["-T", "cs_6_2", "-E", "main", "-spirv", "-fspv-target-env=vulkan1.1", *made.flags]
        command = [*self.dxc, *flags, "x.hlsl", "-Fo", str(target)]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=False, errors="replace"
        )
        if done.returncode:
            lines = [line for line in done.stderr.split("\n") if "error" in line]
            return lines[0] if lines else f"ended with status {done.returncode}"
        return target.read_bytes()

    def words(self, made: Program, spirv: bytes) -> tuple[int, ...]:
        resources: dict[tuple[int, int], Resource] = {(0, 0): storage(4 * made.words), (0, 1): storage(made.inputs)}
        for number in re.findall(r"^RWStructuredBuffer.*\bregister\(u(\d+)\)", made.text, re.M):
            resources[0, int(number)] = storage(SCRATCH)
        data = self.vulkan.run_compute(spirv, resources)[0, 0]
        return struct.unpack(f"<{made.words}I", data[: 4 * made.words])

    def judge(self, made: Program) -> Outcome:
        modules: dict[str, bytes] = {}
        ask = bool(self.dxc) and not made.beyond
        theirs = self.theirs(made) if ask else ""
        copied = [COPIED] if made.copied else []
        for form in ("-O0", "-O3", *forms_of(made, self.forms), *copied):
            try:
                module = self.ours(replace(made, text=made.copied), "-O0") if form == COPIED else self.ours(made, form)
            except Exception as error:  # noqa: BLE001  a bug is what is looked for
                frame = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{pathlib.Path(frame.filename).name}:{frame.name}"
                return Outcome("crash", f"{form}: {type(error).__name__} {error} in {place}")
            if isinstance(module, str):
                if ask and isinstance(theirs, str):
                    return Outcome("refused by both", f"{module} | {theirs}")
                return Outcome("refused", f"{form}: {module}")
            modules[form] = module
        results: dict[bytes, tuple[int, ...]] = {}
        for form, module in modules.items():
            try:
                result = results[module] = results[module] if module in results else self.words(made, module)
            except VulkanError as error:
                return Outcome("driver", f"{form}: {error}")
            if result != results[modules["-O0"]]:
                return Outcome(f"-O0 is not {form}", _difference(results[modules["-O0"]], result))
        if isinstance(theirs, str):
            return Outcome("unknown", theirs) if ask else Outcome("same")
        try:
            expected = self.words(made, theirs)
        except VulkanError as error:
            return Outcome("unknown", f"driver on DXC's module: {error}")
        optimised = results[modules["-O3"]]
        return Outcome("not as DXC", _difference(optimised, expected)) if optimised != expected else Outcome("same")


def _difference(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    places = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    return f"{len(places)} words, the first {places[0]}: {a[places[0]]:#x} {b[places[0]]:#x}"


def reduce_text(text: str, fails: Callable[[str], bool]) -> str:
    """Return the text without the lines, blocks and operands that are not needed for ``fails`` to hold."""
    lines = text.split("\n")
    again = True
    while again:
        again = False
        i = 0
        while i < len(lines):
            for end in dict.fromkeys((_block(lines, i), min(i + 8, len(lines)), i + 1)):
                left = lines[:i] + lines[end:]
                if fails("\n".join(left)):
                    lines, again = left, True
                    break
            else:
                i += 1
    text = "\n".join(lines)
    for _ in range(3):
        before = text
        for start in range(len(text) - 1, -1, -1):
            if start < len(text) and text[start] == "(":
                text = _simpler(text, start, fails)
        if text == before:
            break
    return text


def _block(lines: list[str], start: int) -> int:
    """Return the index after the line with the brace that closes the block opened at ``start``."""
    level = 0
    for i in range(start, len(lines)):
        level += lines[i].count("{") - lines[i].count("}")
        if level <= 0:
            return i + 1
    return start + 1


def _simpler(text: str, start: int, fails: Callable[[str], bool]) -> str:
    """Return the text with a parenthesised expression replaced by one of its operands, if ``fails`` still holds."""
    level, end = 0, start
    for end in range(start, len(text)):
        level += (text[end] == "(") - (text[end] == ")")
        if level == 0:
            break
    inner = text[start + 1 : end]
    splits = [
        m.span()
        for m in re.finditer(r" (?:[-+*/%&|^?:]|<<|>>|[<>=!]=|[<>]|&&|\|\|) ", inner)
        if inner[: m.start()].count("(") == inner[: m.start()].count(")")
    ]
    for low, high in splits:
        for part in (inner[:low], inner[high:]):
            changed = f"{text[:start]}({part}){text[end + 1 :]}"
            if fails(changed):
                return changed
    return text


def reduce_program(made: Program, compare: Comparison, wanted: Outcome) -> Program:
    """Return a smaller program with the same finding.

    A program that differs from its copy with explicit copies of arguments (``Program.copied``) is returned unchanged.
    """
    if wanted.kind.endswith(COPIED):
        return made
    signature = re.sub(r"\d+", "N", wanted.detail)

    def fails(text: str) -> bool:
        got = compare.judge(replace(made, text=text, copied=""))
        return got.kind == wanted.kind and (
            wanted.kind not in ("refused", "crash") or re.sub(r"\d+", "N", got.detail) == signature
        )

    return replace(made, text=reduce_text(made.text, fails))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--forms", type=int, default=1, help="levels and debug forms besides -O0 and -O3")
    parser.add_argument("--reduce", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the programs with findings")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    vulkan = Vulkan()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        compare = Comparison(vulkan, pathlib.Path(folder), forms=options.forms)
        for seed in range(options.first, options.first + options.count):
            made = program(seed)
            outcome = compare.judge(made)
            counts[outcome.kind] += 1
            if outcome.kind != "same":
                print(f"{seed}: {outcome.kind}: {outcome.detail}", flush=True)
            if outcome.kind in GOOD:
                continue
            if options.reduce and outcome.kind != "unknown":
                made = reduce_program(made, compare, outcome)
                print(f"{shlex.join(made.flags)}\n{made.text}")
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{seed}.hlsl").write_text(f"// {shlex.join(made.flags)}\n{made.text}")
    vulkan.close()
    print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())), f"{time.monotonic() - began:.0f} s")
    return int(any(kind not in (*GOOD, "unknown") for kind in counts))


if __name__ == "__main__":
    sys.exit(main())
