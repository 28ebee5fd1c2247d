"""Values of a stopped run as trees, whose parts are read when a client expands them."""
