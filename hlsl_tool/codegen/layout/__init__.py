"""Memory layout: offsets, sizes and strides of the members of a buffer, by layout rule and majorness."""
