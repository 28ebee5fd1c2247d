"""From the typed tree to SPIR-V: memory layouts, lowering, passes."""
