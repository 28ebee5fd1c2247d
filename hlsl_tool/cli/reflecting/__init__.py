"""`hlsl_tool reflect` and what belongs to it: bindings, memory layouts, checks between stages."""
