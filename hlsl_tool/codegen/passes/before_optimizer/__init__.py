"""Passes that rewrite constructs which spirv-opt rejects or miscompiles."""
