"""The debugger: the Debug Adapter Protocol, and runs of the interpreter that stop at lines of the HLSL."""
