"""From HLSL to the typed tree: preprocessor, syntax, semantic analysis, lints."""
