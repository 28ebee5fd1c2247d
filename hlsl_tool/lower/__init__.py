"""Lower the typed tree to SPIR-V, with the mapping of DXC's CodeGen.

All areas share ``context``.  Each area registers handlers by node class (``@lowers``) or rows in tables.
"""
