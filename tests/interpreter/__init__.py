"""Tests of the interpreter, which need no driver."""
