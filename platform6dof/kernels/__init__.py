"""Compiled inner loops: plain functions over arrays.

A compiled kernel is cached on disk, and the cache watches only the file in which that kernel
stands. A kernel therefore calls only kernels of its own file: an edit can never leave a stale
machine-code copy of a callee behind. Results travel from file to file as arrays.

All kernels use the floating-point error model of numpy: a division by zero gives inf or nan,
never an exception, and non-finite input gives non-finite output.
"""
