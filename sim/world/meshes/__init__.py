"""Surfaces of triangles from files: STL and OBJ, their masses and contacts."""
