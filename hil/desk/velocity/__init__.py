"""Velocities that an operator wants: from keys, a gamepad, or another process."""
