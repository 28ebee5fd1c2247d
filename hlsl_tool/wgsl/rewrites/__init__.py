"""Passes before the conversion: replace SPIR-V that WGSL cannot express by equivalent SPIR-V that it can."""
