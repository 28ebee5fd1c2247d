"""The catalogue of messages: one data module for each area, which contains `Code` objects; ``registry`` collects them.

A module assigns each of them to a name (``MISSING_INCLUDE = Code(...)``), so that callers refer to it as an attribute;
every ``Code`` at module level belongs to the catalogue.
"""
