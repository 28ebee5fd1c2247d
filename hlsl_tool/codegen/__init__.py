"""From HIR, the AST with types, to SPIR-V: memory layouts, lowering, passes."""
