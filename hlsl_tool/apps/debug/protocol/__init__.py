"""Messages of the Debug Adapter Protocol, and the streams that carry them."""
