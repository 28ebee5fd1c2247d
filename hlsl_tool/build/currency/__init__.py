"""Currency of outputs: log, state, digests and traces, and the reasons for rebuilds."""
