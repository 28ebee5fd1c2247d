"""The instructions: tables of numpy functions, and short functions for the others."""
