"""The requests of the protocol, one module each; they are functions from an analysis to the protocol's types."""
