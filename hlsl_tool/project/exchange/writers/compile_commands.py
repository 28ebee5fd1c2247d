"""Write a compilation database: the command line of each shader, in the format of clang's `compile_commands.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hlsl_tool.base.options.flags import flags_of

if TYPE_CHECKING:
    from hlsl_tool.project.build.job import Job

FLAGS = {"spv": "-Fo", "spvasm": "-Fc", "header": "-Fh"}
"""Kind of output → the option of DXC that names its file."""


def compile_commands(jobs: Iterable[Job], root: str) -> str:
    """Return the text of the database; ``root`` is the working folder of the commands."""
    rows = []
    for job in jobs:
        files = {kind: path for kind, path in job.targets.items() if kind in FLAGS}
        outputs = [word for kind, path in files.items() for word in (FLAGS[kind], path)]
        if "header" in files and job.array:
            outputs += ["-Vn", job.array]
        arguments = ["hlsl2spirv", *flags_of(job.options), *outputs, job.source]
        output = next(iter(files.values()), job.main_target)
        rows.append({"arguments": arguments, "directory": root, "file": job.source, "output": output})
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
