"""Templates: argument deduction, specialisations and instantiation."""
