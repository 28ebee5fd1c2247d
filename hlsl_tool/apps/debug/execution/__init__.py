"""Runs that stop: the observer of the interpreter, breakpoints, steps forwards and backwards."""
