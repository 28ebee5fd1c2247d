"""The command lines of glslc and glslang, for HLSL: each is a table of options that map to the compiler's options."""
