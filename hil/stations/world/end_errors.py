"""How far an end effector is from where it should be, in its own axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sim.world.control.laws import JointMotion
    from sim.world.motion.chain import Chain

Array = NDArray[np.float64]

ERRORS: Final = (
    ("end_error_m", "m", 0), ("end_error_rad", "rad", 1),
    ("end_error_m_s", "m/s", 2), ("end_error_rad_s", "rad/s", 3),
    ("end_speed_m_s", "m/s", 4), ("end_speed_rad_s", "rad/s", 5),
)  # fmt: skip
"""Name, unit, and number in what `EndErrors.of` returns."""


class EndErrors:
    """Wanted less measured, of the end of a chain.

    Args:
        chain: its variables are the driven joints at `Chain.places`.
    """

    def __init__(self, chain: Chain) -> None:
        self._chain, self._own = chain, list(chain.places)

    def of(self, wanted: JointMotion, found: JointMotion) -> tuple[Array, ...]:
        """Of position, orientation (rotation vector), velocity and turn rate, shape (3,) each.

        Then measured velocity and turn rate. All in the axes of the end effector as measured.
        """
        chain, own = self._chain, self._own
        should, there = chain.frames(wanted.positions[own]), chain.frames(found.positions[own])
        back = there[-1][:3, :3].T
        way = back @ (should[-1][:3, 3] - there[-1][:3, 3])
        turn = rotation_vector(back @ should[-1][:3, :3])
        now = chain.jacobian(there) @ found.speeds[own]
        off = chain.jacobian(should) @ wanted.speeds[own] - now
        return way, turn, *(back @ one for one in (off[:3], off[3:], now[:3], now[3:]))


def rotation_vector(turn: Array) -> Array:
    """Axis times angle of a rotation matrix, shape (3,); near half a turn the axis is arbitrary."""
    aside = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    sine = float(np.sqrt(aside @ aside))
    angle = float(np.arctan2(sine, 0.5 * (np.trace(turn) - 1.0)))
    return aside * (angle / sine) if sine > 1e-12 else aside
