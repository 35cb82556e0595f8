"""Exercises: a working law with one fault in it, for a student to find by measuring."""
