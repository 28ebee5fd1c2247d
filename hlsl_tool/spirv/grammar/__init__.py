"""Tables made from the machine-readable SPIR-V registry by ``generate.py``.

``core`` and ``extinst`` are generated and committed; ``tables`` (written by hand) has the derived look-ups.
"""
