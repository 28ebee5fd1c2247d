"""Semantic analysis: names resolved, overloads chosen, templates instantiated, implicit conversions made explicit."""
