"""Damage many SPIR-V modules and convert them to WGSL: the result is one of our errors or valid WGSL, without a hang.

    python tests/properties/mutate_wgsl.py FOLDER --count 5000            .spv files of a folder and those below it
    python tests/properties/mutate_wgsl.py FOLDER --only 4711 --keep OUT  one mutation again; its module and its WGSL
    ... --validator 'node validate.mjs tint'   a program that reads lines of {"id", "wgsl"} and answers {"id", "error"}

Without FOLDER the modules are those of this repository's samples.  Half of the mutations change random words, and
spirv-val mostly rejects the result; the others preserve grammar and types, and reach later stages.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from types import FrameType

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT)]

from hlsl_tool.spirv import op  # noqa: E402
from hlsl_tool.spirv.decode import decode  # noqa: E402
from hlsl_tool.spirv.encode import encode  # noqa: E402
from hlsl_tool.spirv.grammar import tables  # noqa: E402
from hlsl_tool.spirv.ir import Instruction, Module  # noqa: E402
from hlsl_tool.wgsl import WgslError, convert  # noqa: E402

SECONDS = 20
LARGEST = 40_000
"""Bytes of a module that is taken."""
INTEGERS = (
    op.OpIAdd, op.OpISub, op.OpIMul, op.OpUDiv, op.OpSDiv, op.OpUMod, op.OpSRem, op.OpSMod, op.OpBitwiseAnd,
    op.OpBitwiseOr, op.OpBitwiseXor, op.OpShiftLeftLogical, op.OpShiftRightArithmetic, op.OpShiftRightLogical,
)  # fmt: skip
FLOATS = (op.OpFAdd, op.OpFSub, op.OpFMul, op.OpFDiv, op.OpFRem, op.OpFMod)
CONSTANTS = (0, 1, 2, 3, 5, 16, 31, 32, 33, 0x7F800000, 0x7FC00000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
DECORATIONS = (0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 30, 32, 35)


# ---------------------------------------------------------------------------------------------------- words at random


def damage_words(data: bytes, numbers: random.Random) -> bytes:
    words = bytearray(data)
    for _ in range(numbers.choice((1, 1, 1, 2, 3))):
        count = len(words) // 4
        at = 4 * numbers.randrange(5, count)
        old = int.from_bytes(words[at : at + 4], "little")
        kind = numbers.randrange(6)
        if kind == 5:
            del words[4 * numbers.randrange(5, count) :]
            words += bytes(max(0, 24 - len(words)))
            continue
        if kind == 4:
            del words[at : at + 4 * max(1, old >> 16 if old >> 16 < 12 else 1)]
            words += bytes(max(0, 24 - len(words)))
            continue
        other = 4 * numbers.randrange(5, count)
        new = (
            numbers.randrange(1 << 32),
            numbers.randrange(60),
            int.from_bytes(words[other : other + 4], "little"),
            old + numbers.choice((-2, -1, 1, 2)),
        )[kind]
        words[at : at + 4] = (new & 0xFFFFFFFF).to_bytes(4, "little")
    return bytes(words)


# ----------------------------------------------------------------------------------------------- by grammar and types


def damage_module(data: bytes, numbers: random.Random) -> bytes:
    module = decode(data)
    for _ in range(numbers.choice((1, 2, 3))):
        numbers.choice(MUTATIONS)(module, numbers)
    return encode(module)


def _body(module: Module) -> list[Instruction]:
    return [inst for function in module.functions for inst in function.instructions()]


def _constant(module: Module, numbers: random.Random) -> None:
    found = [inst for inst in module.globals if inst.op in (op.OpConstant, op.OpSpecConstant)]
    if found:
        numbers.choice(found).operands[0] = numbers.choice(CONSTANTS)


def _operands(module: Module, numbers: random.Random) -> None:
    """Replace operands of one random instruction by ids of other values of the same type."""
    body = _body(module)
    values: dict[int, list[int]] = {}
    for inst in (*module.globals, *body):
        if inst.type_id:
            values.setdefault(inst.type_id, []).append(inst.result_id)
    types = {value: type_id for type_id, known in values.items() for value in known}
    inst = numbers.choice(body)
    for index, is_id in enumerate(tables.id_flags(inst.op, inst.operands)):
        operand = inst.operands[index]
        if is_id and operand in types and numbers.random() < 0.5:
            inst.operands[index] = numbers.choice(values[types[operand]])  # type: ignore[index]  # ids are numbers


def _operator(module: Module, numbers: random.Random) -> None:
    found = [inst for inst in _body(module) if inst.op in INTEGERS or inst.op in FLOATS]
    if found:
        inst = numbers.choice(found)
        inst.op = numbers.choice(INTEGERS if inst.op in INTEGERS else FLOATS)


def _function(module: Module, numbers: random.Random) -> None:
    found = [inst for inst in _body(module) if inst.op == op.OpExtInst]
    if found:
        numbers.choice(found).operands[1] = numbers.randrange(1, 82)


def _decoration(module: Module, numbers: random.Random) -> None:
    if module.annotations:
        inst = numbers.choice(module.annotations)
        places = [index for index, operand in enumerate(inst.operands) if index and isinstance(operand, int)]
        if places:
            inst.operands[numbers.choice(places)] = numbers.choice(DECORATIONS)


def _branch(module: Module, numbers: random.Random) -> None:
    function = numbers.choice(module.functions)
    last = numbers.choice(function.blocks).instructions[-1]
    label = numbers.choice(function.blocks).label
    if last.op == op.OpBranch:
        last.operands[0] = label
    elif last.op == op.OpBranchConditional:
        last.operands[numbers.choice((1, 2))] = label
    elif last.op == op.OpSwitch:
        last.operands[numbers.randrange(1, len(last.operands), 2)] = label


def _merge(module: Module, numbers: random.Random) -> None:
    function = numbers.choice(module.functions)
    merges = [inst for inst in function.instructions() if inst.op in (op.OpSelectionMerge, op.OpLoopMerge)]
    if merges:
        numbers.choice(merges).operands[0] = numbers.choice(function.blocks).label


def _delete(module: Module, numbers: random.Random) -> None:
    block = numbers.choice(numbers.choice(module.functions).blocks)
    if len(block.instructions) > 1:
        del block.instructions[numbers.randrange(len(block.instructions) - 1)]


MUTATIONS: tuple[Callable[[Module, random.Random], None], ...] = (
    _constant,
    _operands,
    _operator,
    _function,
    _decoration,
    _branch,
    _merge,
    _delete,
)


# ---------------------------------------------------------------------------------------------------------- judgement


def mutation(modules: list[bytes], seed: int, number: int) -> bytes:
    numbers = random.Random(f"{seed}/{number}")
    data = numbers.choice(modules)
    return (damage_module if number % 2 else damage_words)(data, numbers)


def judge(data: bytes, *, validate: bool) -> tuple[str, str]:
    """Return (kind, WGSL or description); the kind is ``ok``, ``invalid``, ``refused``, ``crash`` or ``hang``."""
    try:
        return "ok", convert(data, {"validate": validate})
    except WgslError as error:
        invalid = error.reason.startswith(("the module is not valid", "this is no SPIR-V module"))
        return "invalid" if invalid else "refused", str(error)
    except TimeoutError:
        return "hang", _innermost(sys.exc_info()[1])
    except Exception as error:  # noqa: BLE001  this is what is looked for
        return "crash", f"{type(error).__name__}: {error} in {_innermost(error)}"


def _innermost(error: BaseException | None) -> str:
    frames = traceback.extract_tb(error.__traceback__ if error is not None else None)[-3:]
    return " < ".join(f"{pathlib.Path(frame.filename).name}:{frame.name}" for frame in reversed(frames))


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


def samples() -> Iterator[bytes]:
    """Yield the modules of this repository's samples."""
    from tests.samples.test_samples import MEMORY, compiled, project

    for permutation in project().permutations:
        yield compiled(permutation, MEMORY).spirv


def rejected(texts: dict[int, str], command: str) -> dict[int, str]:
    """Return number → message of texts that a validator rejects; a text without an answer counts as rejected."""
    lines = "".join(json.dumps({"id": str(number), "wgsl": text}) + "\n" for number, text in texts.items())
    done = subprocess.run(shlex.split(command), input=lines, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"id"')]
    said = {int(answer["id"]): answer["error"] for answer in answers}
    return {number: said.get(number, "no answer") for number in texts if said.get(number, "no answer")}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the modules of findings")
    parser.add_argument("--validator", help="a program that judges the WGSL")
    parser.add_argument("--no-validate", action="store_true", help="without spirv-val")
    options = parser.parse_args()
    files = [path for folder in options.folders for path in sorted(folder.rglob("*.spv"))]
    every = [path.read_bytes() for path in files if path.is_file()] if files else list(samples())
    modules = [data for data in every if len(data) < LARGEST]
    signal.signal(signal.SIGALRM, _too_long)
    counts: collections.Counter[str] = collections.Counter()
    texts: dict[int, str] = {}
    start = time.perf_counter()
    for number in [options.only] if options.only is not None else range(options.first, options.first + options.count):
        data = mutation(modules, options.seed, number)
        signal.alarm(SECONDS)
        kind, text = judge(data, validate=not options.no_validate)
        signal.alarm(0)
        counts[kind] += 1
        if kind == "ok":
            texts[number] = text
        if kind in ("crash", "hang") or options.only is not None:
            print(f"{number}: {kind}: {text}", flush=True)
            _keep(options.keep, number, data)
    bad = rejected(texts, options.validator) if options.validator else {}
    for number, text in bad.items():
        print(f"{number}: WGSL that is not valid: {text}")
        _keep(options.keep, number, mutation(modules, options.seed, number))
    seconds = time.perf_counter() - start
    print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())), f"in {seconds:.0f} s")
    if options.validator:
        print(f"{len(texts) - len(bad)} of {len(texts)} texts are valid")
    return int(bool(bad or counts["crash"] or counts["hang"]))


def _keep(folder: pathlib.Path | None, number: int, data: bytes) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.spv").write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
