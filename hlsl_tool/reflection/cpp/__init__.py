"""Write blocks as C++ structs with explicit padding, and a ``static_assert`` for each offset and size."""

from .header import cpp_header, cpp_project_header
from .project import Shader

__all__ = ["Shader", "cpp_header", "cpp_project_header"]
