"""Bodies that drives move: forces in, positions and speeds out, stepped by the physics engine."""
