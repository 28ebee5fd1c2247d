"""Write a `meson.build` with a single target for all shaders: Meson's targets cannot write to other folders."""

from __future__ import annotations

from collections.abc import Sequence

TEXT = """\
# Written by `hlsl_tool generate meson`.  Call `subdir({folder})` in the project's meson.build; then
# `hlsl_shaders` is the target, `hlsl_shaders_dep` a dependency for code that includes generated headers, and
# `hlsl_shaders_dir` the folder of outputs.
hlsl_shaders_root = meson.current_source_dir() / {root}
hlsl_shaders_dir = hlsl_shaders_root / {output_dir}
hlsl_shaders = custom_target(
  'hlsl_shaders',
  output: 'hlsl_shaders.stamp.h',
  depfile: 'hlsl_shaders.d',
  command: [
    find_program('hlsl_tool'), 'build', '--quiet', '--jobs', 'auto', '--root', hlsl_shaders_root,
{words}
    '--stamp', '@OUTPUT@', '--depfile', '@DEPFILE@',
  ],
  build_by_default: true,
)
hlsl_shaders_dep = declare_dependency(sources: hlsl_shaders, compile_args: '-I' + hlsl_shaders_dir)
"""


def meson(*, folder: str, root: str, output_dir: str, words: Sequence[str]) -> str:
    """Return the text of the file.

    ``folder``: the name of its folder; ``root``: the project's root relative to that folder; ``words``: arguments of
    `hlsl_tool build` that select the configurations.
    """
    return TEXT.format(
        folder=_word(folder),
        root=_word(root),
        output_dir=_word(output_dir),
        words="\n".join(f"    {_word(word)}," for word in words),
    )


def _word(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{text}'"
