"""Analyses of a diagram: linear system, margins, cost, differences, order of computation."""
