"""The passes of spirv-opt for promoted modules: those of -O that can change the module.

All values of a promoted module are SSA values, except for some variables, and calls are inlined.  -O runs most of its
passes two to seven times, between passes that inline, promote and unroll.  bench/module_sizes.py compares the sizes of
modules after -O and after these passes.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass

AGGRESSIVE_DCE = "--eliminate-dead-code-aggressive"
_FOLD_BRANCHES = ("--ccp", "--eliminate-dead-branches")

TO_SSA = (
    "--private-to-local",
    "--scalar-replacement=0",
    "--convert-local-access-chains",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--ssa-rewrite",
)
"""The passes of -O that replace variables by SSA values."""


@dataclass(frozen=True, slots=True)
class Form:
    """The constructs of a promoted module that passes of spirv-opt work on; by default all of them."""

    unrolls: bool = True
    """Whether a loop is to be unrolled."""
    has_variables: bool = True
    """Whether private or local variables are left."""
    has_several_blocks: bool = True
    has_phis: bool = True
    has_inserts: bool = True
    """Whether a component is inserted into a composite."""
    has_nested_chains: bool = True
    """Whether an access chain starts at another one."""
    loads_composites: bool = True
    """Whether structs or arrays are loaded."""


def passes_for(form: Form) -> list[str]:
    """Return the passes of -O that can change a module of a form, in -O's order."""
    flags = [TO_SSA[0]] if form.has_variables else []
    if form.unrolls:  # counts of iterations must be constants, and code that is dead need not be repeated
        flags += [*_FOLD_BRANCHES, AGGRESSIVE_DCE, "--loop-unroll"]
    if form.has_variables:
        flags += ["--simplify-instructions"] if form.unrolls else []  # unrolling makes indices constant
        flags += TO_SSA[1:]
    # Unrolling and the passes that replace variables make phis, insertions and access chains.
    rows = (
        (form.has_several_blocks, _FOLD_BRANCHES),  # in one block, simplification folds as much
        (form.has_nested_chains or form.has_variables, ("--combine-access-chains",)),
        (True, ("--simplify-instructions",)),
        (form.has_inserts or form.has_variables, ("--vector-dce",)),
        (form.has_phis or (form.has_variables and form.has_several_blocks), ("--if-conversion",)),
        (form.has_several_blocks, _FOLD_BRANCHES[1:]),
        (form.has_variables, ("--copy-propagate-arrays",)),
        (form.loads_composites, ("--reduce-load-size",)),
        (True, (AGGRESSIVE_DCE,)),
        (form.has_several_blocks, ("--merge-blocks",)),
        (True, ("--redundancy-elimination",)),
    )
    return [*flags, *(flag for runs, group in rows if runs for flag in group)]
