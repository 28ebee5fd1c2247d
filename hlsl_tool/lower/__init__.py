"""Lowering: the typed tree becomes SPIR-V as DXC's CodeGen maps it.

``context`` is what all areas share; each area registers handlers by node class (``@lowers``) or rows in tables, and no
area imports another.
"""
