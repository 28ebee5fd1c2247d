"""Control flow of function bodies, and analyses over it."""
