"""Memory layout: where the members of a buffer lie, under each rule, for each majorness."""
