"""The core of lowering, which all areas use: context, values, memory and constants."""
