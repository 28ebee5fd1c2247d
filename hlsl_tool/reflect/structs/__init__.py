"""Blocks as structs of Rust and C#, for a whole project."""

from .csharp import csharp_structs
from .rust import rust_structs

__all__ = ["csharp_structs", "rust_structs"]
