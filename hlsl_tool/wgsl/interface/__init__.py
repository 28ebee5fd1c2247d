"""Resources, stage inputs and outputs, and memory layouts."""
