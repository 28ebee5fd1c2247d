"""hlsl_tool: an HLSL to SPIR-V compiler and shader build tool."""
