"""Templates: deduction of arguments and instantiation."""
