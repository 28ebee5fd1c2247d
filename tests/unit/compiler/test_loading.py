"""A compilation imports only the modules that it needs: imports take most of the time of a small one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import hlsl_tool
from hlsl_tool.base.system.handlers import HandlerTable
from hlsl_tool.codegen.lower import areas
from hlsl_tool.codegen.lower.core import registry
from hlsl_tool.compiler.loading import PACKAGES, load_all, modules
from hlsl_tool.frontend.sema.rules import modules as rules
from hlsl_tool.frontend.sema.scope import handlers

TRIVIAL = "float4 main() : SV_Target { return float4(1, 0.5, 0, 1); }"

UNUSED = (
    *("hlsl_tool.reflection.extract", "hlsl_tool.reflection.linking.binding_table", "hlsl_tool.wgsl"),
    *("hlsl_tool.compiler.blame", "hlsl_tool.compiler.layout_checks", "hlsl_tool.compiler.reuse"),
    *(
        "hlsl_tool.base.diagnostics.catalogue.registry",
        "hlsl_tool.base.diagnostics.render",
        "hlsl_tool.base.options.table",
    ),
    *("hlsl_tool.frontend.preprocessor.printer", "hlsl_tool.frontend.preprocessor.pragmas"),
    *(
        "hlsl_tool.frontend.syntax.errors.recovery",
        "hlsl_tool.frontend.syntax.errors.suggestions",
        "hlsl_tool.frontend.syntax.build_tables",
    ),
    *(
        "hlsl_tool.frontend.sema.rules.templates.functions",
        "hlsl_tool.frontend.sema.rules.intrinsics.matching",
        "hlsl_tool.frontend.sema.rules.suggestions",
    ),
    *("hlsl_tool.frontend.sema.rules.declarations.records", "hlsl_tool.frontend.sema.rules.expressions.operators"),
    *(
        "hlsl_tool.codegen.lower.debug_info.instruction_lines",
        "hlsl_tool.codegen.lower.debug_info.rich",
        "hlsl_tool.codegen.lower.intrinsics",
    ),
    *(
        "hlsl_tool.codegen.lower.entry.geometry",
        "hlsl_tool.codegen.lower.entry.mesh",
        "hlsl_tool.codegen.lower.entry.node",
    ),
    *("hlsl_tool.codegen.lower.entry.raytracing", "hlsl_tool.codegen.lower.entry.tessellation"),
    *("hlsl_tool.codegen.lower.global_variables.blocks", "hlsl_tool.codegen.lower.global_variables.resource_structs"),
    *("hlsl_tool.codegen.lower.resources.buffers", "hlsl_tool.codegen.lower.resources.textures"),
    *(
        "hlsl_tool.codegen.passes.descriptors.flatten",
        "hlsl_tool.codegen.passes.promote.inlining",
        "hlsl_tool.codegen.passes.volatile_inputs",
    ),
)
"""Packages and modules that a trivial shader does not need."""

UNUSED_LIBRARIES = (
    "base64",
    "dataclasses",
    "difflib",
    "hashlib",
    "inspect",
    "json",
    "lark",
    "pathlib",
    "subprocess",
    "yaml",
)


def run(program: str) -> str:
    """Run a Python program without `site`, but with the package on its path; return its output."""
    environment = {**os.environ, "PYTHONPATH": str(Path(hlsl_tool.__file__).parents[1])}
    command = [sys.executable, "-S", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_a_trivial_compilation_loads_no_module_that_it_does_not_need() -> None:
    program = (
        "import sys, hlsl_tool\n"
        f"result = hlsl_tool.compile_shader({TRIVIAL!r}, profile='ps_6_0')\n"
        "assert result.ok\n"
        "print(*sys.modules)\n"
    )
    loaded = set(run(program).split())
    assert "hlsl_tool.codegen.lower.entry.pixel" in loaded
    assert not loaded.intersection((*UNUSED, *UNUSED_LIBRARIES))


def test_all_named_modules_exist() -> None:
    existing = {name for package in PACKAGES for name in modules(f"hlsl_tool.{package}")}
    others = {"hlsl_tool.base.options.table", "hlsl_tool.wgsl", "hlsl_tool.frontend.syntax.build_tables"}
    assert set(UNUSED) - others <= existing


def _tables(module: object) -> dict[str, HandlerTable[object, object]]:  # type: ignore[type-var]
    return {name: table for name, table in vars(module).items() if isinstance(table, HandlerTable)}


@pytest.mark.parametrize(
    ("name", "table"),
    [*_tables(registry).items(), *_tables(handlers).items()],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_every_listed_module_has_handlers_and_every_handler_is_in_a_listed_module(
    name: str,
    table: HandlerTable[object, object],  # type: ignore[type-var]
) -> None:
    assert areas and rules  # they fill the lists
    load_all()
    table.load()
    listed = {*table.homes.values(), *table.searched}
    homes = {handler.__module__ for handler in table.values()}
    assert homes == listed or name == "CALLS"  # whose handlers are in the core
    assert all(table[key].__module__ == home for key, home in table.homes.items())


def test_a_client_of_the_server_imports_next_to_nothing() -> None:
    program = (
        "import sys; before = set(sys.modules); import hlsl_tool.apps.server.client\n"
        "print(*set(sys.modules) - before)\n"
    )
    others = {name for name in run(program).split() if not name.startswith("hlsl_tool")}
    assert not others & {"collections", "enum", "functools", "re", "socket", "typing", "zlib"}
