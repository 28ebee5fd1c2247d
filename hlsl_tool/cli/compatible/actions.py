"""The actions of the option tables: each applies an option of glslc or glslang to a `Request`."""

from __future__ import annotations

from hlsl_tool.base.options.compile_options import ALL_SPACES
from hlsl_tool.cli.compatible.option_rows import Option, Request, UsageError
from hlsl_tool.cli.compatible.reading import is_number

Values = tuple[str, ...]

_CLIENTS = {"vulkan": "vulkan1.0", "vulkan100": "vulkan1.0"}
_VULKAN = ("vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4")
_SPIRV = ("1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6")
_MAX = 0x7FFFFFFF
_FORMS = {"bin": "binary", "num": "num", "c": "c"}


def accept(request: Request, values: Values, option: Option) -> None:
    """Do nothing: the option has no effect on HLSL, or selects the default."""


def refuse(request: Request, values: Values, option: Option) -> None:
    """Raise `UsageError` for an option that HLSL or this compiler cannot support."""
    raise UsageError(f"'{option.names[0]}' is not supported: {option.doc}")


def set_field(request: Request, values: Values, option: Option) -> None:
    """Set the field of `CompileOptions` that the option's table row names to the value in the row."""
    request.fields[option.name] = option.value


def set_member(request: Request, values: Values, option: Option) -> None:
    """Set the attribute of the request that the option's table row names.

    Its value is the option's argument; without an argument, the value in the row.
    """
    if option.name == "output" and values == ("",):
        raise UsageError(f"'{option.names[0]}' names no file")
    setattr(request, option.name, values[0] if values else option.value)


def generate(request: Request, values: Values, option: Option) -> None:
    """Record that glslang must generate a module, instead of only checking the sources.

    If the option's table row names an attribute of the request, set it to the value in the row.
    """
    request.generates = True
    if option.name:
        setattr(request, option.name, option.value)


def define(request: Request, values: Values, option: Option) -> None:
    """Add the macro of `-D NAME[=TEXT]` to the request; raise `UsageError` without a name."""
    name, equals, text = values[0].partition("=")
    if not name:
        raise UsageError(f"'{option.names[0]}' needs the name of a macro")
    request.defines.append((name, text if equals else None))


def undefine(request: Request, values: Values, option: Option) -> None:
    """Remove a macro."""
    request.undefines.append(values[0])


def include(request: Request, values: Values, option: Option) -> None:
    """Add a folder to the include path."""
    request.include_dirs.append(values[0])


def language(request: Request, values: Values, option: Option) -> None:
    """Set the language of the following sources."""
    if values[0] not in ("hlsl", "glsl"):
        raise UsageError(f"language not recognized: '{values[0]}'")
    request.is_hlsl = values[0] == "hlsl"


def stage(request: Request, values: Values, option: Option) -> None:
    """Set the stage of the following sources."""
    request.stage = request.stage_named(values[0])


def target(request: Request, values: Values, option: Option) -> None:
    """Set the target version of Vulkan or SPIR-V."""
    name = _CLIENTS.get(values[0], values[0])
    if name.startswith("opengl"):
        raise UsageError(f"'{values[0]}' is not supported: this compiler makes SPIR-V for Vulkan only")
    version = name.removeprefix("spirv").removeprefix("spv")
    if name in _VULKAN:
        request.client = name
        request.generates = True
    elif version in _SPIRV and version != name:
        request.spirv = version
    else:
        raise UsageError(f"invalid value '{values[0]}' of '{option.names[0]}' (one of {', '.join(_VULKAN)})")


def form(request: Request, values: Values, option: Option) -> None:
    """Set the output format of modules."""
    if values[0] not in _FORMS:
        raise UsageError(f"invalid value '{values[0]}' of '{option.names[0]}' (one of {', '.join(_FORMS)})")
    request.form = _FORMS[values[0]]


def shift(request: Request, values: Values, option: Option) -> None:
    """Add a shift of the bindings of one kind of resource, for all descriptor sets or for single ones.

    The kind is the value in the option's table row; ``values`` are the stage, or an empty text, and the numbers.
    """
    at, numbers = _stage(request, values[0]), values[1:]
    if len(numbers) == 1:
        request.shifts.append((str(option.value), at, _number(numbers[0], option), ALL_SPACES))
        return
    for base, set_no in zip(numbers[::2], numbers[1::2], strict=True):
        request.shifts.append((str(option.value), at, _number(base, option), _number(set_no, option)))


def place_registers(request: Request, values: Values, option: Option) -> None:
    """Set the descriptor set of all resources, or the sets and bindings of single registers, in the request.

    ``values`` are the stage, or an empty text, and then one set or several triples (register, set, binding).
    """
    at, words = _stage(request, values[0]), values[1:]
    if len(words) == 1:
        request.default_sets[at] = _number(words[0], option)
        return
    for register, set_no, binding in zip(words[::3], words[1::3], words[2::3], strict=True):
        number = register[1:]
        if register[:1] not in tuple("btsu") or not is_number(number):
            raise UsageError(f"'{register}' of '{option.names[0]}' is no register such as t3")
        request.registers.append((at, register, _number(binding, option), _number(set_no, option)))


def _stage(request: Request, name: str) -> str:
    if request.stage_wins and request.stage:
        return ""
    return request.stage_named(name) if name else ""


def _number(text: str, option: Option) -> int:
    if not is_number(text) or int(text) > _MAX:
        raise UsageError(f"invalid number '{text}' for '{option.names[0]}'")
    return int(text)
