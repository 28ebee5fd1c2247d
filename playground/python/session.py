"""The compiler for the playground: requests and replies are JSON texts; there is one session for each page."""

from __future__ import annotations

import gc
import json
from typing import Any

from hlsl_tool import CompileOptions, CompileResult, Memory, compile_shader
from hlsl_tool.apps.report.ruler import ruler
from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.diagnostics.catalogue.compiler import NOT_CHECKED
from hlsl_tool.base.diagnostics.render.as_json import as_json
from hlsl_tool.base.options.checks import OptionError, modern_profile
from hlsl_tool.base.options.command_line import parse
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.reflection.cpp import Shader, cpp_header
from hlsl_tool.reflection.emit_json import to_dict
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.linking.binding_table import binding_table
from hlsl_tool.reflection.linking.table import Table, table_content
from hlsl_tool.reflection.reflection import Reflection
from hlsl_tool.reflection.structs import csharp_structs, rust_structs
from hlsl_tool.spirv.text import disassemble
from hlsl_tool.wgsl import WgslError, bindings_json, convert_module

NAME = "shader.hlsl"
COLLECT_EVERY = 200
"""Compilations between two garbage collections: they leave few cycles, and in WebAssembly even `gc.freeze` is slow."""


class Session:
    """Compiles the text of the editor; caches compiler data and the last good results.

    ``headers`` maps the names of files that shaders can include to their texts.
    """

    def __init__(self, headers: dict[str, str]) -> None:
        self.files = MemoryFileSystem(headers)
        self.memory = Memory()
        self.results: dict[str, tuple[CompileResult, CompileOptions]] = {}
        """Stage (``main``, ``vertex``) → the result of the last request."""
        self.count = 0
        gc.disable()

    def compile(self, request: str) -> str:
        """Compile the stages in a request; return diagnostics, WGSL and reflection for each.

        The request has ``source`` and ``stages``: stage → command line.
        """
        asked = json.loads(request)
        self.results.clear()
        self.count += 1
        if self.count % COLLECT_EVERY == 0:
            gc.collect()
        return json.dumps(
            {stage: self._stage(stage, asked["source"], words) for stage, words in asked["stages"].items()}
        )

    def view(self, request: str) -> str:
        """Return a view of a stage as JSON text; views are the keys of ``_VIEWS``."""
        asked = json.loads(request)
        stored = self.results.get(asked["stage"])
        if stored is None or not stored[0].ok:
            return json.dumps(None)
        return json.dumps(_VIEWS[asked["view"]](*stored))

    def _stage(self, stage: str, source: str, words: list[str]) -> dict[str, Any]:
        try:
            options = replace(parse([*words, NAME]).options, validate="no")
            options = replace(options, profile=modern_profile(options.profile))
            result = self._compiled(source, options)
        except (OptionError, ValueError) as problem:
            return {"ok": False, "problem": str(problem), "diagnostics": []}
        except RecursionError:
            return {"ok": False, "problem": "the shader is nested too deeply for a browser", "diagnostics": []}
        self.results[stage] = result, options
        reply: dict[str, Any] = {
            "ok": result.ok,
            "diagnostics": _diagnostics(result.diagnostics),
            "ms": result.watch.ms,
        }
        if result.ok:
            reply["size"] = len(result.spirv)
            reply["reflection"] = to_dict(_reflected(result))
            reply.update(self._wgsl(source, result, options))
        return reply

    def _compiled(self, source: str, options: CompileOptions) -> CompileResult:
        file = SourceFile.from_bytes(NAME, NAME, source.encode("utf-8", "surrogatepass"))
        return compile_shader(
            file, entry=options.entry, profile=options.profile, options=options, fs=self.files, memory=self.memory
        )

    def _wgsl(self, source: str, result: CompileResult, options: CompileOptions) -> dict[str, Any]:
        try:
            module = convert_module(result.spirv, {"validate": False, "immediates": "uniform"})
        except WgslError as problem:
            if not problem.place and not options.debug:  # lines are in a module with debug information only
                again = self._compiled(source, replace(options, debug=("line",)))
                if again.ok:
                    return self._wgsl(source, again, replace(options, debug=("line",)))
            return {"wgsl": None, "wgsl_problem": str(problem), "wgsl_place": problem.place}
        return {"wgsl": module.text, "bind_groups": json.loads(bindings_json(module.bindings))["bindGroups"]}


def _diagnostics(diagnostics: list[Diagnostic]) -> list[dict[str, Any]]:
    """Return diagnostics as data, except the one about missing SPIRV-Tools: the page itself mentions that."""
    shown = [diagnostic for diagnostic in diagnostics if diagnostic.code is not NOT_CHECKED]
    return list(json.loads(as_json(shown))["diagnostics"])


def _reflected(result: CompileResult) -> Reflection:
    """Return the reflection like `CompileResult.reflect`, but without decoding the module again."""
    assert result.module is not None
    return reflect(result.module, result.interface)


def _spirv(result: CompileResult, options: CompileOptions) -> str:
    assert result.module is not None
    return disassemble(result.module)


def _layout(result: CompileResult, options: CompileOptions) -> str:
    return "\n".join(ruler(block, options.layout) for block in result.interface.blocks)


def _bindings(result: CompileResult, options: CompileOptions) -> Any:
    assert result.module is not None
    rows = binding_table(result.module, result.interface)
    return table_content(Table(NAME, NAME, options.entry, options.profile, rows))


def _structs(result: CompileResult, options: CompileOptions) -> str:
    return cpp_header(_reflected(result))


def _rust(result: CompileResult, options: CompileOptions) -> str:
    return rust_structs([Shader("shader", "shader", _reflected(result))])


def _csharp(result: CompileResult, options: CompileOptions) -> str:
    return csharp_structs([Shader("shader", "shader", _reflected(result))], namespace="Shaders")


_VIEWS = {
    "spirv": _spirv, "layout": _layout, "bindings": _bindings, "structs": _structs, "rust": _rust, "csharp": _csharp,
}  # fmt: skip
