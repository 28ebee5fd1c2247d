"""Kernels on Vulkan, through PyPI's ``vulkan``."""
