"""HIR, the AST with resolved names and types, and the HLSL types, as data."""
