"""Surfaces of triangles from files: STL and OBJ, what they weigh, how they touch."""
