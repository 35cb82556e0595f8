"""Check of a diagram: flattened, typed and ordered."""
