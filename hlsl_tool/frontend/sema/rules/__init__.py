"""The rules of HLSL's semantics, by kind of syntax, and the warnings about it."""
