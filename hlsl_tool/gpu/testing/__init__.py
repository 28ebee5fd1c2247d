"""Tests in comments of shaders: parse, run and compare.  Independent of pytest."""
