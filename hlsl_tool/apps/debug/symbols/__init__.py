"""What debug information knows of a module: lines, scopes, variables and types as in the HLSL."""
