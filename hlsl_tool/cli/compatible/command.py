"""Convert a request (the parsed command line of glslc or glslang) to the compiler's `Command`."""

from __future__ import annotations

from hlsl_tool.base.options.command_line import Command
from hlsl_tool.base.options.compile_options import ALL_SPACES, CompileOptions
from hlsl_tool.cli.compatible.option_rows import PROFILES, Input, Request, UsageError

_ENVIRONMENTS = {
    ("vulkan1.0", "1.0"): "vulkan1.0",
    ("vulkan1.1", "1.3"): "vulkan1.1",
    ("vulkan1.1", "1.4"): "vulkan1.1spirv1.4",
    ("vulkan1.2", "1.5"): "vulkan1.2",
    ("vulkan1.3", "1.6"): "vulkan1.3",
    ("vulkan1.4", "1.6"): "vulkan1.4",
}
"""(Vulkan, SPIR-V) → the target environment; the first pair with a version of either is the default for the other."""

LEGALISED = ("--eliminate-dead-code-aggressive",)
"""The optimisation of glslc and glslang without options: what is unused leaves the interface."""

_LANGUAGE = 2018
"""The version of HLSL that glslang's front end is closest to: vectors in `?:`, and no templates."""

_FIELDS = {"ubo": "shift_b", "texture": "shift_t", "sampler": "shift_s", "image": "shift_u", "ssbo": "shift_buffer"}
_IOMAP_FIELDS = {"ubo": "shift_b", "texture": "shift_t", "sampler": "shift_s", "uav": "shift_u"}
"""Kind of resource → the field with its shifts; with the I/O mapping storage buffers are textures or UAVs."""


def command_for(request: Request, item: Input) -> Command:
    """Return the compiler's command for one source of a request."""
    fields = dict(request.fields)
    fields |= _bindings(request, item.stage)
    minor = 2 if fields.get("enable_16bit_types") else 0
    entry = request.source_entry or item.entry or "main"
    renamed = (item.entry or "main") if request.source_entry else entry
    options = CompileOptions(
        profile=f"{PROFILES[item.stage]}_6_{minor}",
        entry=entry,
        entry_point_name="" if renamed == entry else renamed,
        hlsl_version=_LANGUAGE,
        target_env=_environment(request),
        include_dirs=tuple(request.include_dirs),
        defines=tuple(request.defines),
        undefines=tuple(request.undefines),
        **fields,  # type: ignore[arg-type]  # the rows of the tables have the types
    )
    return Command(options=options, inputs=[item.path])


def _environment(request: Request) -> str:
    for (client, spirv), environment in _ENVIRONMENTS.items():
        if request.client in ("", client) and request.spirv in ("", spirv):
            return environment
    pairs = ", ".join(f"SPIR-V {spirv} for {client}" for client, spirv in _ENVIRONMENTS)
    raise UsageError(f"SPIR-V {request.spirv} for {request.client or 'Vulkan'} is not supported (only {pairs})")


def _bindings(request: Request, stage: str) -> dict[str, object]:
    """Return the options about bindings that apply to ``stage``; later options of the command line win."""
    fields: dict[str, object] = {"binding_scheme": "glslang-iomap" if request.is_iomap else "glslang"}
    names = _IOMAP_FIELDS if request.is_iomap else _FIELDS
    shifts: dict[str, dict[int, int]] = {}
    for kind, at, number, set_no in request.shifts:
        if at in ("", stage) and kind in names:
            shifts.setdefault(names[kind], {})[set_no] = number
    for name, by_set in shifts.items():
        fields[name] = tuple((number, set_no) for set_no, number in by_set.items())
    places = {register: place for at, register, *place in request.registers if at in ("", stage)}
    if places:
        fields["bind_registers"] = tuple((r, ALL_SPACES, binding, set_no) for r, (binding, set_no) in places.items())
    for at in ("", stage):
        if at in request.default_sets:
            fields["auto_binding_space"] = request.default_sets[at]
    return fields
