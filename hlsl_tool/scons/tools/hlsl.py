"""`Tool('hlsl')`: env.HlslShaders(configs), env.HlslShader(source, profile=…), env.HlslWatch()."""

from hlsl_tool.scons.tool import exists, generate

__all__ = ["exists", "generate"]
