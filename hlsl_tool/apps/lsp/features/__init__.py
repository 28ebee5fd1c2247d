"""The requests of the protocol, one module each: functions that convert an analysis to the protocol's types."""
