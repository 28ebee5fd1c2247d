"""The text of `hlsl2spirv --print-pipeline`."""

from __future__ import annotations

from hlsl_tool.compiler.pipeline.lowering import LOWERING, MARKS
from hlsl_tool.compiler.pipeline.steps import STAGES
from hlsl_tool.compiler.pipeline.subject import BuilderPass, Step


def as_text() -> str:
    """Return all steps as a table: one line for each, with its condition and its reason."""
    lines: list[str] = []
    lowering: tuple[BuilderPass | Step, ...] = (*MARKS, *LOWERING)
    for name, condition, steps in [("lowering", "", lowering), *((s.name, s.condition, s.steps) for s in STAGES)]:
        lines.append(f"{name}:" + _condition(condition, indent=1))
        for step in steps:
            lines.append(f"  {step.name:<32} {step.reason}")
            if step.condition:
                lines.append(_condition(step.condition, indent=35))
    lines.append("validation: unless -Vd, with -fcgl only if a member has an offset that its layout does not allow")
    lines.append(f"  {'legality':<32} resources that no step could make legal get an error at their place")
    lines.append(f"  {'spirv-val':<32} on the final words")
    return "\n".join([*lines, ""])


def _condition(condition: str, *, indent: int) -> str:
    word = "" if not condition or condition.startswith(("unless", "neither")) else "if "
    return f"{' ' * indent}{word}{condition}" if condition else ""
