"""A project and an editor for the tests of the language server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.editor import Editor, write

COMMON = """\
#pragma once
struct Light
{
    float3 position;
    float range;
    float3 color;
};

float3 shade(Light light, float3 normal)
{
    return light.color * saturate(dot(normalize(light.position), normal));
}
"""

SHADER = """\
#include "include/common.hlsli"

cbuffer Frame : register(b0)
{
    float4x4 view;
    float3 eye;
    float2 jitter;
    Light sun;
};
Texture2D<float4> albedo : register(t1);
SamplerState linearWrap : register(s0);

#define TWICE(x) ((x) * 2)
static const int COUNT = 3;
enum Mode { PLAIN, FANCY };

float4 main(float2 uv : TEXCOORD0, float3 n : NORMAL) : SV_Target
{
    float4 texel = albedo.Sample(linearWrap, uv);
    float3 lit = shade(sun, n);
    for (int i = 0; i < COUNT; i++)
        lit += TWICE(texel.rgb);
#ifdef FOG
    lit *= fogged;
#endif
    return float4(lerp(lit, texel.rgb, 0.5), 1);
}
"""

CONFIGURATION = """\
shaders:
  - source: main.hlsl
    profile: ps_6_0
    defines: { QUALITY: [0, 1] }
"""

FILES = {
    "config/shaders/all.yaml": CONFIGURATION,
    "shaders/main.hlsl": SHADER,
    "shaders/include/common.hlsli": COMMON,
}

Opener = Callable[..., Editor]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """Return the editor that most tests share and move to their folder, because starting a server takes two seconds."""
    editor = Editor(tmp_path_factory.mktemp("empty"))
    yield editor
    editor.close()


@pytest.fixture
def edit(shared: Editor, tmp_path: Path) -> Iterator[Opener]:
    """Return a function that writes files and opens an editor in their folder; with options, it starts a new editor."""
    editors: list[Editor] = []

    def open_editor(files: dict[str, str] | None = None, **options: Any) -> Editor:
        write(tmp_path, FILES if files is None else files)
        if options:
            editors.append(Editor(tmp_path, **options))
            return editors[-1]
        shared.move(tmp_path)
        return shared

    yield open_editor
    for editor in editors:
        editor.close()


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """Return an editor with the project opened, for tests that change nothing."""
    folder = tmp_path_factory.mktemp("project")
    write(folder, FILES)
    editor = Editor(folder)
    for name in ("shaders/main.hlsl", "shaders/include/common.hlsli"):
        editor.open(name)
    yield editor
    editor.close()
