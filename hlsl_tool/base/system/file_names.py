"""Default names of the files and folders that a build writes."""

from __future__ import annotations

DEFAULT_OUTPUT_DIR = "build/shaders"
LOG_NAME = ".hlsl_tool.log"
MANIFEST_NAME = "manifest.json"
