"""From HLSL to HIR, the AST with resolved names and types: preprocessor, syntax, semantic analysis, lints."""
