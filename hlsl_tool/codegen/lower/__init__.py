"""Lower HIR to SPIR-V, with the mapping of DXC's CodeGen.

Every subpackage works on the context of ``core/context.py``. It registers a handler for each class of HIR node
(``@lowers``), or looks the opcode up in a table. "Manual" in docstrings is DXC's *SPIR-V Code Generation* (SPIR-V.rst).
"""
