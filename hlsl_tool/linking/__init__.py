"""What shaders agree on with the engine and with each other: bindings and the variables between stages.

Works on finished modules, anybody's; the compiler's interface record adds places, registers and semantics.
"""
