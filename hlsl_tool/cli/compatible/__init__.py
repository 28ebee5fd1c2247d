"""The command lines of glslc and glslang, for HLSL; each is a table of options over one compilation."""
