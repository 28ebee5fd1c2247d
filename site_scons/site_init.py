"""SCons runs this first; it decides which `hlsl_tool` the build uses.

It is the package of this checkout, unless a wheel is installed: that has SPIRV-Tools, and a bare checkout has not.
"""

import importlib.util
import os
import sys
import sysconfig

_installed = importlib.util.find_spec("hlsl_tool")
if _installed and (_installed.origin or "").startswith(sysconfig.get_path("purelib") + os.sep):
    import hlsl_tool  # noqa: F401  # now: SCons looks in the folder of the SConstruct first while it reads that
else:  # what is put on sys.path here stays there, unlike what a SConstruct adds
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
