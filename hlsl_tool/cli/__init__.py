"""The command lines of hlsl_tool.  Only this package prints, and exits the process."""
