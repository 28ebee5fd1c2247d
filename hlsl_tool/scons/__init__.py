"""The SCons tool: builders, nodes, and the state of one SCons run.

`import hlsl_tool.scons` in a SConstruct makes `Environment(tools=["hlsl"])` find the tool.
"""

import os

from hlsl_tool.scons.compat import add_tool_folder

TOOL_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools")
"""For `toolpath`, where the SConstruct prefers to name the folder."""

add_tool_folder(TOOL_FOLDER)
