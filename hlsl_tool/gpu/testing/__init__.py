"""Tests in comments of shaders: parsed, run and compared.  Knows nothing of pytest."""
