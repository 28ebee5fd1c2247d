"""Capabilities and extensions: declare those that a module uses, remove those that it does not use."""
