"""Machines and scenes as bodies of the physics engine."""
