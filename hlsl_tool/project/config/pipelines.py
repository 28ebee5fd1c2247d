"""Parse and check `pipelines`: stages of several shaders that are used together."""

from __future__ import annotations

import re

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.checks import GRAPHICS
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.project.config.permutation import Pipeline, Project
from hlsl_tool.project.config.yaml.nodes import Mapping, Node, Scalar, Sequence, describe

_WANTED = "a list of {name: deferred, stages: [post/full.VSMain, post/blur.PSMain]}"
_NAME = re.compile(r"[A-Za-z0-9_.+/-]+")


def read_pipelines(node: Node, sink: Sink) -> list[Pipeline]:
    """Parse the pipelines of a file; ``check_pipelines`` checks the stages after all files are parsed."""
    if not isinstance(node, Sequence):
        sink.error(codes.WRONG_TYPE, node.at, key="pipelines", wanted=_WANTED, got=describe(node))
        return []
    pipelines = (_read_pipeline(item, sink) for item in node.items)
    return [pipeline for pipeline in pipelines if pipeline is not None]


def _read_pipeline(item: Node, sink: Sink) -> Pipeline | None:
    """Parse one pipeline; return ``None`` after an error, if it has no name or no stages."""
    if not isinstance(item, Mapping):
        sink.error(codes.WRONG_TYPE, item.at, key="pipelines", wanted="{name, stages}", got=describe(item))
        return None
    for key, _ in item.entries:
        if key.text not in ("name", "stages"):
            hint = did_you_mean(key.text, ("name", "stages"))
            sink.error(codes.UNKNOWN_KEY, key.at, hint=hint, key=key.text, where="a pipeline")
    name, stages = item.get("name"), item.get("stages")
    for key_name, value in (("name", name), ("stages", stages)):
        if value is None:
            sink.error(codes.MISSING_KEY, item.at, where="a pipeline", key=key_name)
    if name is None or stages is None:
        return None
    if not isinstance(name, Scalar) or not _NAME.fullmatch(name.text):
        sink.error(codes.WRONG_TYPE, name.at, key="name", wanted="a name", got=describe(name))
        return None
    if not isinstance(stages, Sequence) or len(stages.items) < 2:
        expected = "a list of two outputs or more"
        sink.error(codes.WRONG_TYPE, stages.at, key="stages", wanted=expected, got=describe(stages))
        return None
    names = []
    for stage in stages.items:
        if isinstance(stage, Scalar) and stage.text:
            names.append((stage.text.replace("\\", "/"), stage.at))
        else:
            sink.error(codes.WRONG_TYPE, stage.at, key="stages", wanted="an output", got=describe(stage))
    return Pipeline(name.text, names, item.at)


def check_pipelines(project: Project, sink: Sink) -> None:
    """Report duplicate names, and stages that are missing, not graphics stages, or duplicated in a pipeline."""
    profiles = {permutation.stem: permutation.options.profile for permutation in project.permutations}
    seen: dict[str, Pipeline] = {}
    for pipeline in project.pipelines:
        if pipeline.name in seen:
            note = sink.note(codes.SAME_OUTPUT_NOTE, seen[pipeline.name].at)
            sink.error(codes.SAME_PIPELINE, pipeline.at, notes=[note], name=pipeline.name)
        seen.setdefault(pipeline.name, pipeline)
        taken: dict[str, str] = {}
        for name, at in pipeline.stages:
            profile = profiles.get(name)
            stage = GRAPHICS.get((profile or "").partition("_")[0])
            if profile is None:
                sink.error(codes.NO_SUCH_STAGE, at, hint=did_you_mean(name, profiles), name=name)
            elif stage is None:
                sink.error(codes.NO_STAGE, at, name=name, profile=profile)
            elif stage in taken:
                sink.error(codes.SAME_STAGE, at, name=name, other=taken[stage], stage=stage)
            else:
                taken[stage] = name
