"""Each pass of the pipeline on a module in text form: SPIR-V assembly before, checks of the assembly after.

A file ``<pass>.spvasm`` or ``<pass>.<topic>.spvasm`` has, in this order,

* a comment that explains the case, with ``; Version: 1.5`` or ``; Env: vulkan1.3`` if the defaults, 1.0 and
  vulkan1.0, do not fit; ``; Builder`` for a pass over the module builder;
* the module before the pass;
* after ``; ORIGINAL``, for the passes that compare with it, the module that spirv-opt was given;
* ``CHECK`` comments about the module after the pass, in the language of FileCheck.  Ids keep their names; new ids have
  those that spirv-dis gives them.
"""

from __future__ import annotations

import copy
import pathlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import pytest
from filecheck.matcher import Matcher
from filecheck.options import Options

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.passes.masking import mask, unmask
from hlsl_tool.codegen.passes.promote import promote
from hlsl_tool.compiler.pipeline.facts import Requirements
from hlsl_tool.compiler.pipeline.lowering import LOWERING, MARKS
from hlsl_tool.compiler.pipeline.spirv_opt import copy_module
from hlsl_tool.compiler.pipeline.steps import STAGES
from hlsl_tool.compiler.pipeline.subject import Step, Subject
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.features import Features
from hlsl_tool.spirv.friendly_names import Names
from hlsl_tool.spirv.ir import Instruction, Module
from hlsl_tool.spirv.text import Disassembler
from tests.passes.assembler import AssemblyError, assemble
from tests.passes.lift import lift

HERE = pathlib.Path(__file__).parent
OWN = frozenset(("promote", "mask", "unmask"))
"""Steps with functions in this file, which need no options of the compilation."""
_ENV = re.compile(r"^; Env: (\S+)", re.M)
_ORIGINAL = re.compile(r"^; ORIGINAL$", re.M)


@dataclass
class Case:
    """A test file: the module before the pass, and the expected text."""

    path: pathlib.Path

    @property
    def pass_name(self) -> str:
        """The name of the pass, as --print-pipeline lists it."""
        return self.path.name.partition(".")[0]

    @property
    def is_of_builder(self) -> bool:
        """Whether the pass runs on the builder."""
        return "; Builder\n" in self.path.read_text()


def cases() -> list[Case]:
    return [Case(path) for path in sorted(HERE.glob("*.spvasm"))]


def steps() -> Iterator[tuple[str, Callable[[Subject], object]]]:
    """Yield (name, function) for the passes over modules."""
    yield from ((step.name, step.run) for step in listed() if step.name not in OWN)
    yield "promote", _promote
    yield "mask", _mask
    yield "unmask", _unmask


def listed() -> list[Step]:
    """Return all passes of the pipeline, lowering included, that change a module without spirv-opt."""
    steps = [*LOWERING, *(step for stage in STAGES for step in stage.steps)]
    return [step for step in steps if not step.name.startswith("spirv-opt") and step.run is not copy_module]


def _promote(subject: Subject) -> None:
    promoted, reason = promote(subject.module)
    assert promoted is not None, reason
    subject.module = promoted


def _mask(subject: Subject) -> None:
    mask(subject.module, subject.index)


def _unmask(subject: Subject) -> None:
    masked = mask(subject.module, subject.index)
    subject.module = decode(encode(subject.module))  # as spirv-opt reads and writes it
    unmask(subject.module, masked)


def run_builder_pass(name: str, module: Module, names: dict[int, str]) -> Module:
    builder = lift(module, names)
    (run,) = (step.run for step in MARKS if step.name == name)
    run(builder)
    return builder.finalize()


def text_after(case: Case) -> str:
    """Run the pass of a case and return the resulting module as text, with the input's names."""
    text = case.path.read_text()
    source, *original = _ORIGINAL.split(text)
    assembly = assemble(source)
    names = {number: name for name, number in assembly.ids.items()}
    if case.is_of_builder:
        return disassembled(run_builder_pass(case.pass_name, assembly.module, names), {})
    env = _ENV.search(text)
    options = CompileOptions(flatten_resource_arrays=True)
    types = frozenset(inst.op for inst in assembly.module.globals if not inst.type_id)
    subject = Subject(
        assembly.module,
        options,
        Requirements(inline_types=types, flatten_structs=True),
        features=Features(env[1] if env else "vulkan1.0", sink=Sink()),
    )
    if original:
        subject.before = assemble(original[0]).module
    run = next(run for name, run in steps() if name == case.pass_name)
    before = tables(subject.index)
    if run(subject) is False:
        assert tables(ModuleIndex(subject.module)) == before == tables(subject.index)
    is_renumbered = case.pass_name == "promote"
    return disassembled(subject.module, {} if is_renumbered else names)


def tables(index: ModuleIndex) -> dict[str, object]:
    """Return all lookup tables of an index; they must still be right after a pass that reports no change."""
    names = [name for name, value in vars(ModuleIndex).items() if isinstance(value, cached_property)]
    assert {"by_opcode", "decorations", "definitions"} <= set(names)
    return {name: copy.deepcopy(getattr(index, name)) for name in names}


def disassembled(module: Module, names: dict[int, str]) -> str:
    """Return the instructions as text; ``names`` take precedence over the module's own."""
    decode(encode(module))  # the words can be read again
    own = [Instruction(op.OpName, 0, 0, [number, name]) for number, name in names.items()]
    labelled = replace(module, names=own + module.names)
    table = Names(labelled)
    table.by_id.update(names)  # imports and strings, too, which come before names
    return "".join(line.strip() + "\n" for line in Disassembler(module, table).lines())


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.path.stem)
def test_case(case: Case, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "CHECK" in case.path.read_text()
    output = tmp_path / "output.txt"
    output.write_text(text_after(case))
    options = Options(str(case.path), str(output), check_prefixes=["CHECK"])
    result = Matcher.from_opts(options).run()
    assert result == 0, "".join(capsys.readouterr()) + output.read_text()


def test_every_pass_has_a_case() -> None:
    passes = {(step.name, False) for step in listed()} | {(step.name, True) for step in MARKS}
    assert passes == {(case.pass_name, case.is_of_builder) for case in cases()}


def test_the_assembler_reports_lines() -> None:
    with pytest.raises(AssemblyError, match=r"line 2: .*OpNonsense"):
        assemble("%void = OpTypeVoid\n%x = OpNonsense %void")


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.path.stem)
def test_the_assembler_reads_what_the_disassembler_writes(case: Case) -> None:
    assembly = assemble(_ORIGINAL.split(case.path.read_text())[0])
    text = disassembled(assembly.module, {number: name for name, number in assembly.ids.items()})
    again = assemble(text)
    assert disassembled(again.module, {number: name for name, number in again.ids.items()}) == text
