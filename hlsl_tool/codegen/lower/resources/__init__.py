"""Methods of resources; counters of buffers; descriptor heaps."""
