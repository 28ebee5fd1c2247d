"""Semantic analysis: resolve names and overloads, instantiate templates, make implicit conversions explicit."""
