"""HLSL087x: bindings that resources share.  HLSL088x: stages of one pipeline that do not fit together."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code


def _w(number: int, name: str, template: str, doc: str = "", *, on: bool = True, error: bool = False) -> Code:
    return Code(f"HLSL{number:04}", name, "warning", template, group="linking", default_on=on, default_error=error,
                doc=doc)


def _n(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "note", template, group="linking", doc=doc)


# ---- bindings
COLLISION = _w(
    870, "binding-collision",
    "'{name}' ({kind}) has binding {binding} of set {set}, which '{other}' has, too",
    "Both are used, so the engine would have to bind two things at one place.  In DX `b0`, `t0`, `s0` and `u0` are four"
    " registers; in Vulkan they are one binding unless `-fvk-b-shift` and its like, spaces or `vk::binding` tell them"
    " apart.  On in a configuration, off on the command line, since DXC has no such warning: `-Wbinding-collision`"
    " turns it on, `-Werror=binding-collision` makes it an error, `-Wno-binding-collision` is silent.",
    on=False,
)
ALIAS = _w(
    871, "binding-alias",
    "'{name}' ({kind}) has binding {binding} of set {set}, which '{other}' has, too",
    "As binding-collision, where one descriptor fits all of them and each asks for the binding by `vk::binding` or"
    " `-fvk-bind-register`: typed views of one buffer, bindless arrays, a texture and a sampler that are bound as one"
    " combined image sampler, for which registers of one number (`t1` and `s1`) do as well.  Only given with `-Wbinding-alias`.",
    on=False,
)
BOUND_HERE = _n(872, "bound-here", "'{name}' ({kind}, by {rule}) is declared here", doc="Give one of the two resources another register or `[[vk::binding]]`.")
STAGE_BINDING = _w(
    873, "stage-binding-collision",
    "binding {binding} of set {set} is '{name}' ({kind}) in the {stage} stage and '{other}' ({other_kind}) in the"
    " {other_stage} stage",
    "The stages of one pipeline share their descriptor sets: a binding must have the same resource in all of them."
    "  The warning also covers different resources of one kind: in DX every stage has registers of its own, in Vulkan"
    " both stages would get the same texture or buffer.",
)
STAGE_BLOCK = _w(
    874, "stage-block-differs",
    "'{name}' at binding {binding} of set {set} has other members in the {stage} stage than in the {other_stage} stage",
    "One buffer is bound for both stages, and they read it differently.",
)
COMBINED_ALONE = Code(
    "HLSL0876", "combined-alone", "fatal",
    "Texture or Sampler with [[vk::combinedImageSampler]] attribute is missing for descriptor set and binding:"
    " {set}, {binding}",
    doc="A texture and a sampler make a combined image sampler where both have the attribute and one binding.",
)
DECLARED_HERE = _n(875, "stage-declared-here", "'{name}' of the {stage} stage is declared here", doc="Make the declarations of both stages agree.")

# ---- variables between stages
INPUT_MISSING = _w(
    880, "stage-input-missing",
    "the {stage} stage reads {what} at location {location}, which the {producer} stage `{entry}` does not write",
    "The value is undefined, and Vulkan does not allow it.  Declare the output in the earlier stage, or give both the"
    " same `vk::location`: without it locations follow the order of declaration.",
    error=True,
)
TYPE_DIFFERS = _w(
    881, "stage-type",
    "the {stage} stage reads {what} at location {location}, where the {producer} stage writes {written}",
    "Component types, their bits, and the shape of arrays and matrices must be equal, and no more components may be"
    " read than are written.",
    error=True,
)
SEMANTIC_DIFFERS = _w(
    882, "stage-semantic",
    "location {location} is {what} in the {stage} stage, but {written} in the {producer} stage",
    "Vulkan links by location, DX by semantic.  Where the structures of two stages list their members in another order,"
    " values go astray in silence.",
)
INTERPOLATION_DIFFERS = _w(
    883, "stage-interpolation",
    "{what} is {interpolation} in the {stage} stage, but {other} in the {producer} stage",
    "Vulkan uses the interpolation of the pixel stage.",
)
OUTPUT_UNUSED = _w(
    884, "stage-output-unused",
    "the {producer} stage writes {written} at location {location}, which the {stage} stage `{entry}` does not read",
    "Harmless, but it costs bandwidth.  Only given with `-Wstage-output-unused`.",
    on=False,
)
BUILTIN_MISSING = _w(
    885, "stage-builtin-missing",
    "the {stage} stage reads {what}, which the {producer} stage `{entry}` does not write",
    "Clip and cull distances must be written by the stage before; the number of a primitive, too, behind a geometry or"
    " mesh stage.",
    error=True,
)
WIDTH_DIFFERS = _w(
    886, "stage-width",
    "the {stage} stage reads {what} at location {location}, fewer components than the {producer} stage writes"
    " ({written})",
    "Vulkan 1.3, or VK_KHR_maintenance4, allows it; earlier versions require equal numbers.  Not reported for `vulkan1.3`.",
)
DECORATION_DIFFERS = _w(
    887, "stage-decoration",
    "{what} at location {location} is {is_what} in the {stage} stage, but not in the {producer} stage",
    "Values of a whole patch or primitive are not those of its vertices, even at one location.",
    error=True,
)
TESSELLATION_DIFFERS = _w(
    888, "stage-tessellation",
    "the {stage} stage is for {what}, but the {producer} stage `{entry}` for {written}",
    "The number of control points and the domain must be the same in the hull and domain stages.",
    error=True,
)
WRITTEN_HERE = _n(889, "stage-written-here", "{what} of the {producer} stage is declared here", doc="Make the declarations of both stages agree.")
