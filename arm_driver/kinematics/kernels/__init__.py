"""Compiled inner loops: plain functions over arrays.

Machine code is cached on disk, and the cache watches only the file that a kernel is in. A
kernel therefore calls only kernels of its own file; results travel from file to file as arrays.

The floating-point error model is numpy's: a division by zero gives inf or nan, never an exception.
"""
