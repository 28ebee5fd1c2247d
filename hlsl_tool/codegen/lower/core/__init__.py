"""The core of lowering, used by all other subpackages: context, values, loads and stores, constants."""
