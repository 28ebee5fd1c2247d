"""Passes that rewrite what spirv-opt would refuse or change wrongly."""
