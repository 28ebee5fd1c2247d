"""HLSL087x: shared bindings.  HLSL088x: stages of a pipeline that do not fit.  HLSL0877, HLSL089x: modules that cannot be linked."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code


def _w(number: int, name: str, template: str, doc: str = "", *, on: bool = True, error: bool = False) -> Code:
    return Code(f"HLSL{number:04}", name, "warning", template, group="linking", default_on=on, default_error=error,
                doc=doc)


def _e(number: int, name: str, template: str, doc: str) -> Code:
    return Code(f"HLSL{number:04}", name, "error", template, doc=doc)


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

# ---- modules that are linked
LINK_UNDEFINED = _e(
    890, "link-undefined", "'{name}' is called in {module}, and no module defines it",
    "A function without a body is an import of a library: another module has to export one of this name and type."
    "  Add the module to the link, write the body, or mark the function `export` in the module that has it.",
)
LINK_REPEATED = _e(
    891, "link-repeated", "'{name}' is defined in {first} and in {second}",
    "Functions that libraries export, and entry points, may be defined once among the linked modules.  A function in a"
    " header that several libraries include is one of each of them as long as it is not marked `export`.",
)
LINK_SIGNATURE = _e(
    892, "link-signature", "'{name}' is {expected} in {importer}, but {found} in {exporter}",
    "The declaration in the calling module has other parameters or another result than the definition, or the modules"
    " were compiled with different options, such as `-enable-16bit-types`.",
)
LINK_TYPE = _e(
    893, "link-type", "'{name}' takes or returns a struct that differs between {importer} and {exporter}",
    "Both modules declare a struct of this name, with other members or another layout.  Declare it in a header that"
    " both include, and compile both with the same macros and options.",
)
LINK_RESOURCE = _e(
    894, "link-resource", "'{name}' is {is_first} in {first}, but {is_second} in {second}",
    "Resources, buffers, groupshared variables and specialisation constants of one name are one in the linked module, so"
    " their types, layouts and bindings must be equal.  Without a register, a resource gets the first free binding of"
    " its own module: give it a register.",
)
LINK_BINDING = _w(
    895, "link-binding", "'{name}' of {second} has binding {binding} of set {set}, which '{other}' of {first} has, too",
    "Resources of different names in different modules share a binding, mostly because they have no register: each"
    " module numbers its own.  `-Wno-link-binding` permits it for resources that are meant to alias.",
    error=True,
)
LINK_ENTRY = _e(896, "link-entry", "no module has the entry point '{name}'", "Mark the function `[shader(\"…\")]` in one of the modules, or name another one.")
LINK_MODEL = _e(
    897, "link-model", "{first} and {second} have different memory models",
    "Compile both with the same `-fspv-target-env` and `-fspv-use-vulkan-memory-model`.",
)
LINK_INPUT = _e(898, "link-input", "'{name}' cannot be linked: {reason}", "Name SPIR-V modules, or HLSL files, which are compiled as libraries.")
LINK_STAGE = _e(
    877, "link-stage", "'{name}' of {module} needs {need}, which {stage} shaders such as '{entry}' do not have",
    "A library does not know which stages call its functions, so the link checks it.  Call the function from another"
    " stage, or give the library a variant of it for this stage.",
)
LINK_HERE = _n(899, "link-here", "'{name}' of {module} is declared here", doc="Make the declarations of both modules agree.")
