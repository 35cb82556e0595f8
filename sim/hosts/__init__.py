"""Emulated simulators: a vehicle's motion on the wires that flight and driving simulators speak."""
