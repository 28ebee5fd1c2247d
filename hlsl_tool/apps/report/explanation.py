"""`layout explain`: derive the layout of one member of a block in words and numbers."""

from __future__ import annotations

from hlsl_tool.apps.report.ruler import heading
from hlsl_tool.codegen.layout.explain import majorness_origin, why_here
from hlsl_tool.codegen.layout.lookup import MemberPath
from hlsl_tool.codegen.layout.matrices import COMBINATIONS, Combination, storage
from hlsl_tool.codegen.layout.rules import alignment
from hlsl_tool.codegen.layout.tree import Node, matrix_offsets
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Matrix, innermost


def explanation(member: MemberPath) -> str:
    """Return text that derives the offset, size and alignment of a member from the rules of its layout."""
    block, node, t, e = member.block, member.node, member.type, member.extent
    inner = innermost(t)
    majorness = f"{_majorness(node)} " if isinstance(inner, Matrix) else ""
    lines = [f"{member.path}: {majorness}{ty.display(t)} in {heading(block)}", ""]
    lines += [f"layout      {block.rule.value}", f"offset      {node.offset + member.shift}"]
    if member.shift:
        lines[-1] += f" ({node.offset} and {member.shift} to this element)"
    lines += [f"size        {e.size}", f"alignment   {alignment(t, e, block.rule)}"]
    if isinstance(t, Array):
        lines.append(f"stride      {e.stride} from one element to the next")
    if block.element is not None:
        lines.append(f"elements    {block.stride()} bytes each; offsets are from the start of one")
    lines.append(f"because     {why_here(node, block.rule)}")
    if node.tail:
        lines.append(f"its end     {node.tail} bytes of padding behind its last member")
    if isinstance(inner, Matrix):
        lines += ["", *_matrix(member, inner)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _majorness(node: Node) -> str:
    return "row_major" if node.row_major else "column_major"


def _matrix(member: MemberPath, t: Matrix) -> list[str]:
    block, node = member.block, member.node
    origin = majorness_origin(member.quals, member.majorness, block.default_row_major)
    lines = [f"majorness   {_majorness(node)}, by {origin}", *_spirv(member, t)]
    held = storage(t, block.rule, node.row_major)
    pad = f", {held.stride - held.size} of them padding" if held.is_padded else ""
    if held.count > 1:
        lines.append(f"in memory   {held.count} {held.part}s of {held.size} bytes, {held.stride} apart{pad}")
    else:
        lines.append(f"in memory   one {held.part} of {held.size} bytes, like a vector")
    tight = held.count == 1 or (node.row_major and not held.is_padded)
    same = "the same" if tight else "not the same"
    lines.append(f"tight code  a row-major array without padding (numpy, C, CUDA) is {same} bytes")
    offsets = matrix_offsets(t, block.rule, node.row_major)
    lines += ["", "byte of each element", *_grid(offsets, node.offset + member.shift)]
    return [*lines, "", *_combinations(node.row_major)] if min(t.rows, t.cols) > 1 else lines


def _spirv(member: MemberPath, t: Matrix) -> list[str]:
    element = "uint32" if t.element.category == "bool" else f"{t.element.category}{t.element.bits}"
    held = storage(t, member.block.rule, member.node.row_major)
    if t.rows == 1 or t.cols == 1:
        if held.count > 1:  # one component each, as the DX rule has it
            return [f"SPIR-V      array of {t.rows * t.cols} {element}, ArrayStride {held.stride}"]
        return [f"SPIR-V      vector of {t.rows * t.cols} {element}"]
    if t.element.category != "float":
        return [f"SPIR-V      array of {t.rows} vectors of {t.cols} {element}, ArrayStride {held.stride}"]
    mark = "ColMajor" if member.node.row_major else "RowMajor"
    note = "the opposite of HLSL's word, as SPIR-V holds the matrix transposed"
    return [
        f"SPIR-V      matrix of {t.rows} columns, vectors of {t.cols} {element} (HLSL's rows)",
        f"decoration  {mark}, MatrixStride {held.stride} ({note})",
    ]


def _grid(offsets: list[list[int]], at: int) -> list[str]:
    width = max(5, len(str(at + offsets[-1][-1])) + 2)
    head = "".join(f"{f'[{c}]':>{width}}" for c in range(len(offsets[0])))
    return [f"  {'':6}{head}"] + [
        f"  {f'm[{r}]':6}" + "".join(f"{at + x:>{width}}" for x in row) for r, row in enumerate(offsets)
    ]


def _combinations(row_major: bool) -> list[str]:
    """Return the lines of a table that shows when host and shader compute the same transformation from a matrix.

    Each line is a combination of row-major or column-major memory, and row or column vectors, on the host and in the
    shader. Those with the matrix's declared majorness, ``row_major``, come first.
    """
    here = [c for c in COMBINATIONS if (c.shader_memory == "row") == row_major]
    others = [c for c in COMBINATIONS if (c.shader_memory == "row") != row_major]
    lines = ["host and shader: are the host's bytes, unchanged, the host's transformation?"]
    lines += [_combination_head(), *map(_combination, here)]
    return [*lines, "", f"and if it were {_other('row' if row_major else 'column')}_major:", *map(_combination, others)]


def _combination_head() -> str:
    return f"  {'host memory':13}{'host product':14}{'shader memory':15}{'shader':11}agrees"


def _combination(c: Combination) -> str:
    verdict = "yes"
    if not c.agrees:
        verdict = f"no: transpose on the host, declare it {_other(c.shader_memory)}_major, or {_mul(c)}"
    return f"  {c.host_memory + 's':13}{c.product:14}{c.shader_memory + '_major':15}{c.mul:11}{verdict}"


def _other(side: str) -> str:
    return "column" if side == "row" else "row"


def _mul(c: Combination) -> str:
    """Return the shader's `mul` expression with its two arguments swapped, as a remedy if host and shader disagree."""
    return "mul(m, v)" if c.shader_vectors == "row" else "mul(v, m)"
