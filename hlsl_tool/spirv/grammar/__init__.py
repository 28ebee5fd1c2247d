"""Tables that ``generate.py`` creates from the machine-readable SPIR-V registry.

``core`` and ``extinst`` are generated and committed; ``tables`` (handwritten) has lookups derived from them.
"""
