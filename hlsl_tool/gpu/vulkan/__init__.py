"""The backend for Vulkan, based on PyPI's ``vulkan``."""
