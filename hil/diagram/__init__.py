"""Functional diagrams: control laws of blocks and wires, checked, and computed in every cycle."""
