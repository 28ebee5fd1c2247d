"""Write the blocks of a whole project as structs of Rust and C#."""

from .csharp import csharp_structs
from .rust import rust_structs

__all__ = ["csharp_structs", "rust_structs"]
