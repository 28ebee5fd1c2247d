"""Rules for what HLSL 202x and 202y add; they are loaded at their first use."""
