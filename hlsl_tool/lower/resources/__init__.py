"""The methods of resources, counters and descriptor heaps."""
