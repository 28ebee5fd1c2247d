"""The catalogue of messages: one data module per area, each a list of rows; ``registry`` collects them.

A module names its rows (``MISSING_INCLUDE = Code(...)``) so that callers refer to them as attributes; every module
level ``Code`` belongs to the catalogue.
"""
