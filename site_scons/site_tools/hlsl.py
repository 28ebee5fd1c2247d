"""`Tool('hlsl')`: env.HlslShaders(configs), env.HlslShader(source, profile=…)."""

import os
import sys

try:
    from hlsl_tool.scons import tool as scons_tool
except ImportError:  # used by `toolpath` from a checkout that is not installed
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from hlsl_tool.scons import tool as scons_tool

generate = scons_tool.generate
exists = scons_tool.exists
