"""Signals of the task `valve` in each row: targets, true wrench on the valve, errors, grasps."""

from __future__ import annotations

from typing import Final

from hil.recording.signals import Signal

SIGNALS: Final = (
    Signal("target_force_n", "f8", unit="N"),
    Signal("target_moment_n_m", "f8", unit="N m"),
    Signal("axis_force_n", "f8", unit="N"),
    Signal("axis_moment_n_m", "f8", unit="N m"),
    Signal("force_error_n", "f8", unit="N"),
    Signal("moment_error_n_m", "f8", unit="N m"),
    Signal("turned_rad", "f8", unit="rad"),
    Signal("slip_rad", "f8", unit="rad"),
    Signal("grasp", "f8"),
)
"""What the diagram wants along and about the wheel's axis, what the hand truly applies there, the
errors with all side components, the wheel's turn so far, the greatest slip so far, and the grasp: 0
without one, 1 while it settles, 2 while errors count. All are those of the judge; without a wheel
they are nan."""
