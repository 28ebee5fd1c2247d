"""The process that runs SPIRV-Cross as a library: `python -I -S child.py LIBRARY`.

It reads a line of JSON and a module from the standard input, and writes JSON to the standard output.  A crash of the
library ends only this process.  The file imports nothing of hlsl_tool, and so starts in 20 ms.

Request: `[{"backend": 3, "options": [[number, value], …], "combines": …, "inherits": …, "renames": …}, …]`.
Answer: for each, `{"text": …, "entry": …, "resources": [{"id": …, "name": …, "set": …, …}], "samplers": […]}` or
`{"error": …}`.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any

_MSL = 3
_HLSL = 2

_BINDING, _DESCRIPTOR_SET = 33, 34
"""SPIR-V's numbers of these decorations."""
_VERTEX, _FRAGMENT = 0, 4
"""Execution models."""
_INPUTS, _OUTPUTS = 3, 4
"""Kinds of resources of SPIRV-Cross."""
_NO_SLOT = 0xFFFFFFFF

_SLOTS = {
    1: ("buffer",),  # uniform buffers
    2: ("buffer",),  # storage buffers
    5: ("texture",),  # subpass inputs
    6: ("texture", "buffer"),  # storage images; the buffer is for atomics
    7: ("texture", "sampler"),  # combined image samplers
    9: ("buffer",),  # push constants
    10: ("texture",),
    11: ("sampler",),
    12: ("buffer",),  # acceleration structures
}
"""Type of a resource → what its first and second index in MSL count."""


class _Resource(ctypes.Structure):
    """`spvc_reflected_resource`."""

    _fields_ = (
        ("id", ctypes.c_uint32),
        ("base_type", ctypes.c_uint32),
        ("type", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
    )


class _EntryPoint(ctypes.Structure):
    """`spvc_entry_point`."""

    _fields_ = (("model", ctypes.c_int), ("name", ctypes.c_char_p))


class _Combined(ctypes.Structure):
    """`spvc_combined_image_sampler`."""

    _fields_ = (("combined", ctypes.c_uint32), ("image", ctypes.c_uint32), ("sampler", ctypes.c_uint32))


class Refused(Exception):
    """Raised for a module that the library cannot convert, with its message."""


class Library:
    """The C interface of SPIRV-Cross."""

    def __init__(self, path: str) -> None:
        self.api = ctypes.CDLL(path)
        self.api.spvc_context_get_last_error_string.restype = ctypes.c_char_p
        self.api.spvc_compiler_get_name.restype = ctypes.c_char_p
        self.api.spvc_compiler_get_cleansed_entry_point_name.restype = ctypes.c_char_p
        self.api.spvc_compiler_has_decoration.restype = ctypes.c_bool
        self.context = ctypes.c_void_p()
        self.api.spvc_context_create(ctypes.byref(self.context))

    def check(self, result: int) -> None:
        """Raise `Refused` for a result other than success."""
        if result:
            message = self.api.spvc_context_get_last_error_string(self.context) or b""
            raise Refused(message.decode("utf-8", "replace").strip() or f"error {result}")

    def convert(self, module: bytes, request: dict[str, Any]) -> dict[str, Any]:
        """Convert a module as a request asks for."""
        parsed, compiler = ctypes.c_void_p(), ctypes.c_void_p()
        words = ctypes.create_string_buffer(module, len(module))
        count = ctypes.c_size_t(len(module) // 4)
        self.check(self.api.spvc_context_parse_spirv(self.context, words, count, ctypes.byref(parsed)))
        backend = ctypes.c_int(request["backend"])
        takes_ownership, target = ctypes.c_int(1), ctypes.byref(compiler)
        self.check(self.api.spvc_context_create_compiler(self.context, backend, parsed, takes_ownership, target))
        return Compiler(self, compiler, request).answer()


class Compiler:
    """One conversion."""

    def __init__(self, library: Library, compiler: ctypes.c_void_p, request: dict[str, Any]) -> None:
        self.library, self.api, self.compiler, self.request = library, library.api, compiler, request
        self.backend: int = request["backend"]

    def answer(self) -> dict[str, Any]:
        """Return the text, the entry point, and the places of the resources."""
        model, name = self._entry_point()
        self._set_options()
        if self.backend == _HLSL:
            self.api.spvc_compiler_hlsl_remap_num_workgroups_builtin(self.compiler)
        if self.request["renames"]:
            self._rename_varyings(model.value)
        numbers = self._numbers()
        samplers = self._combine() if self.request["combines"] else []
        text = ctypes.c_char_p()
        self.library.check(self.api.spvc_compiler_compile(self.compiler, ctypes.byref(text)))
        entry = self.api.spvc_compiler_get_cleansed_entry_point_name(self.compiler, name, model) or name
        return {
            "text": (text.value or b"").decode("utf-8", "replace"),
            "entry": entry.decode("utf-8", "replace"),
            "resources": [self._resource(number, counted) for number, counted in numbers],
            "samplers": samplers,
        }

    def _entry_point(self) -> tuple[ctypes.c_int, bytes]:
        points, count = ctypes.POINTER(_EntryPoint)(), ctypes.c_size_t()
        self.library.check(
            self.api.spvc_compiler_get_entry_points(self.compiler, ctypes.byref(points), ctypes.byref(count))
        )
        if count.value != 1:
            raise Refused(f"the module has {count.value} entry points; a text has one")
        return ctypes.c_int(points[0].model), points[0].name

    def _set_options(self) -> None:
        options = ctypes.c_void_p()
        self.library.check(self.api.spvc_compiler_create_compiler_options(self.compiler, ctypes.byref(options)))
        for number, value in self.request["options"]:
            if isinstance(value, bool):
                result = self.api.spvc_compiler_options_set_bool(options, ctypes.c_int(number), ctypes.c_ubyte(value))
            else:
                result = self.api.spvc_compiler_options_set_uint(options, ctypes.c_int(number), ctypes.c_uint(value))
            self.library.check(result)
        self.library.check(self.api.spvc_compiler_install_compiler_options(self.compiler, options))

    def _combine(self) -> list[dict[str, Any]]:
        """Combine textures with samplers, for languages that have no separate ones; return the pairs."""
        dummy = ctypes.c_uint32()
        api, compiler = self.api, self.compiler
        self.library.check(api.spvc_compiler_build_dummy_sampler_for_combined_images(compiler, ctypes.byref(dummy)))
        self.library.check(api.spvc_compiler_build_combined_image_samplers(compiler))
        pairs, count = ctypes.POINTER(_Combined)(), ctypes.c_size_t()
        self.library.check(
            api.spvc_compiler_get_combined_image_samplers(compiler, ctypes.byref(pairs), ctypes.byref(count))
        )
        rows = []
        for pair in pairs[: count.value]:
            image, sampler = self._name(pair.image), self._name(pair.sampler)
            name = f"SPIRV_Cross_Combined{image}{sampler}"  # as the program of SPIRV-Cross calls it
            row: dict[str, Any] = {"name": name, "texture": image}
            if pair.sampler != dummy.value:
                row["sampler"] = sampler
            api.spvc_compiler_set_name(compiler, ctypes.c_uint32(pair.combined), name.encode())
            binding = self._decoration(pair.image, _BINDING)
            if self.request["inherits"] and binding is not None:
                row["binding"] = binding
                for decoration in (_DESCRIPTOR_SET, _BINDING):
                    value = ctypes.c_uint(self._decoration(pair.image, decoration) or 0)
                    combined = ctypes.c_uint32(pair.combined)
                    api.spvc_compiler_set_decoration(compiler, combined, ctypes.c_int(decoration), value)
            rows.append(row)
        return rows

    def _numbers(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return (id, what its indices in MSL count) of all resources, by their sets and bindings."""
        rows = [(number, counted) for kind, counted in _SLOTS.items() for number in self._of_kind(kind)]
        return sorted(rows, key=lambda row: (*self._place(row[0]), row[0]))

    def _place(self, number: int) -> tuple[int, int]:
        """Return set and binding of a variable; -1 where it has none."""
        places = (self._decoration(number, decoration) for decoration in (_DESCRIPTOR_SET, _BINDING))
        descriptor_set, binding = (-1 if place is None else place for place in places)
        return descriptor_set, binding

    def _of_kind(self, kind: int) -> list[int]:
        """Return the ids of the variables of a kind."""
        resources, items, count = ctypes.c_void_p(), ctypes.POINTER(_Resource)(), ctypes.c_size_t()
        self.library.check(self.api.spvc_compiler_create_shader_resources(self.compiler, ctypes.byref(resources)))
        result = self.api.spvc_resources_get_resource_list_for_type(
            resources, ctypes.c_int(kind), ctypes.byref(items), ctypes.byref(count)
        )
        return [] if result else [item.id for item in items[: count.value]]

    def _rename_varyings(self, model: int) -> None:
        """Give an output of a vertex shader and the input that reads it one name, by which old versions link them."""
        kind = {_VERTEX: _OUTPUTS, _FRAGMENT: _INPUTS}.get(model)
        for number in self._of_kind(kind) if kind is not None else ():
            name = self._name(number)
            for prefix in ("in.var.", "out.var."):
                if name.startswith(prefix):
                    renamed = name.replace(prefix, "var.", 1).encode()
                    self.api.spvc_compiler_set_name(self.compiler, ctypes.c_uint32(number), renamed)

    def _resource(self, number: int, counted: tuple[str, ...]) -> dict[str, Any]:
        row: dict[str, Any] = {"id": number, "name": self._name(number)}
        for name, decoration in (("set", _DESCRIPTOR_SET), ("binding", _BINDING)):
            value = self._decoration(number, decoration)
            if value is not None:
                row[name] = value
        if self.backend == _MSL:
            first = self.api.spvc_compiler_msl_get_automatic_resource_binding
            second = self.api.spvc_compiler_msl_get_automatic_resource_binding_secondary
            for get, name in zip((first, second), counted, strict=False):
                get.restype = ctypes.c_uint
                slot = get(self.compiler, ctypes.c_uint32(number))
                if slot != _NO_SLOT:
                    row[name] = slot
        return row

    def _name(self, number: int) -> str:
        name: bytes = self.api.spvc_compiler_get_name(self.compiler, ctypes.c_uint32(number)) or b""
        return name.decode("utf-8", "replace")

    def _decoration(self, number: int, decoration: int) -> int | None:
        where = self.compiler, ctypes.c_uint32(number), ctypes.c_int(decoration)
        if not self.api.spvc_compiler_has_decoration(*where):
            return None
        return int(ctypes.c_uint(self.api.spvc_compiler_get_decoration(*where)).value)


def main() -> None:
    """Answer the requests on the standard input."""
    requests = json.loads(sys.stdin.buffer.readline())
    module = sys.stdin.buffer.read()
    answers = []
    library = Library(sys.argv[1])
    for request in requests:
        try:
            answers.append(library.convert(module, request))
        except Refused as problem:
            answers.append({"error": str(problem)})
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    main()
