"""From a diagram as drawn to one that can run: flattened, typed and ordered."""
