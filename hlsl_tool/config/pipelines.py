"""`pipelines`: stages of several shaders that are used together."""

from __future__ import annotations

import re

from hlsl_tool.config.model import Pipeline, Project
from hlsl_tool.config.nodes import Mapping, Node, Scalar, Sequence, describe
from hlsl_tool.config.values import did_you_mean
from hlsl_tool.diagnostics.catalogue import config as codes
from hlsl_tool.diagnostics.sink import Sink

GRAPHICS = {
    "vs": "vertex",
    "hs": "hull",
    "ds": "domain",
    "gs": "geometry",
    "as": "amplification",
    "ms": "mesh",
    "ps": "pixel",
}
"""Profiles of the stages that hand values to each other."""
_WANTED = "a list of {name: deferred, stages: [post/full.VSMain, post/blur.PSMain]}"
_NAME = re.compile(r"[A-Za-z0-9_.+/-]+")


def read_pipelines(node: Node, sink: Sink) -> list[Pipeline]:
    """What a file says; the names of stages are looked up when all files have been read."""
    if not isinstance(node, Sequence):
        sink.error(codes.WRONG_TYPE, node.at, key="pipelines", wanted=_WANTED, got=describe(node))
        return []
    found = []
    for item in node.items:
        if not isinstance(item, Mapping):
            sink.error(codes.WRONG_TYPE, item.at, key="pipelines", wanted="{name, stages}", got=describe(item))
            continue
        for key, _ in item.entries:
            if key.text not in ("name", "stages"):
                hint = did_you_mean(key.text, ("name", "stages"))
                sink.error(codes.UNKNOWN_KEY, key.at, hint=hint, key=key.text, where="a pipeline")
        name, stages = item.get("name"), item.get("stages")
        for key_name, value in (("name", name), ("stages", stages)):
            if value is None:
                sink.error(codes.MISSING_KEY, item.at, where="a pipeline", key=key_name)
        if name is None or stages is None:
            continue
        if not isinstance(name, Scalar) or not _NAME.fullmatch(name.text):
            sink.error(codes.WRONG_TYPE, name.at, key="name", wanted="a name", got=describe(name))
            continue
        if not isinstance(stages, Sequence) or len(stages.items) < 2:
            sink.error(
                codes.WRONG_TYPE, stages.at, key="stages", wanted="a list of two outputs or more", got=describe(stages)
            )
            continue
        names = []
        for each in stages.items:
            if isinstance(each, Scalar) and each.text:
                names.append((each.text.replace("\\", "/"), each.at))
            else:
                sink.error(codes.WRONG_TYPE, each.at, key="stages", wanted="an output", got=describe(each))
        found.append(Pipeline(name.text, names, item.at))
    return found


def check_pipelines(project: Project, sink: Sink) -> None:
    """Every stage must be there, be one of graphics, and the only one of its kind."""
    profiles = {variant.stem: variant.options.profile for variant in project.variants}
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
