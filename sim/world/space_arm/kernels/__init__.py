"""Compiled kernels of the space arm: plain functions over arrays, without allocation."""
