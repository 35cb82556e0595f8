"""Fades that bring a motion from rest and back to rest, without touching its own time.

A law or a recording rarely begins at rest in its neutral pose. A lead-in before its own time and
a lead-out after it repair that: the motion is continued beyond its ends, and there its deviation
from neutral is multiplied by a window that rises from 0 to 1 with continuous second derivative,
w(u) = 10 u^3 - 15 u^4 + 6 u^5. In its own time the window is 1, so the motion is played exactly.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from hil.config.errors import require_number
from hil.stations.platform.motion.source import Floats, MotionSource
from platform6dof.kernels import rotation

REST_DEVIATION = 1e-9
"""Largest deviation from neutral of an end at rest [m, rad]."""
REST_RATE = 1e-6
"""Largest rate of an end at rest [m/s, rad/s]."""
REST_ACCELERATION = 1e-3
"""Largest acceleration of an end at rest [m/s2, rad/s2], a ten-thousandth of gravity."""


class Fade(NamedTuple):
    """Lengths of a motion's lead-in, own time and lead-out."""

    lead_in_s: float
    """Length of the lead-in before its own time [s]; 0 if it begins at rest."""
    own_s: float
    """Length of the motion's own time [s]."""
    lead_out_s: float
    """Length of the lead-out after its own time [s]; 0 if it ends at rest."""

    @property
    def total_s(self) -> float:
        """Duration from rest to rest [s]."""
        return self.lead_in_s + self.own_s + self.lead_out_s

    def lengths(self) -> Floats:
        """Return lead-in, own time and lead-out for the kernels [s], shape (3,), read-only."""
        array = np.array(self)
        array.setflags(write=False)
        return array


def fade_for(begin: Floats, end: Floats, own_s: float, fade_s: float) -> Fade:
    """Return the fade that a motion needs.

    Args:
        begin: Deviation from neutral, its rate and acceleration at the beginning, shape (3, 6).
        end: The same at the end, shape (3, 6).
        own_s: The motion's own time [s].
        fade_s: Length of a lead-in and of a lead-out, where one is needed [s].

    Raises:
        MotionError: If one is needed and `fade_s` is not positive.
    """
    if is_rest(begin) and is_rest(end):
        return Fade(0.0, own_s, 0.0)
    name = "the motion does not begin and end at rest at its neutral pose: fade_s"
    fade_s = require_number(name, fade_s, "s", above=0.0)
    lead_in_s = 0.0 if is_rest(begin) else fade_s
    lead_out_s = 0.0 if is_rest(end) else fade_s
    return Fade(lead_in_s, own_s, lead_out_s)


def is_rest(values: Floats) -> bool:
    """Say whether deviation, rate and acceleration, shape (3, 6), are those of rest at neutral."""
    largest = np.abs(values).max(axis=1)
    return bool(np.all(largest <= (REST_DEVIATION, REST_RATE, REST_ACCELERATION)))


def setpoints_at(motion: MotionSource, times_s: Floats) -> Floats:
    """Packed setpoints of a motion at some times, its end for later ones, shape (N, 24)."""
    if isinstance(motion, FadedMotion):
        rows = motion.rows(np.minimum(times_s, motion.duration_s))
        three = (np.ascontiguousarray(rows[:, part]) for part in range(3))
        return rotation.setpoints_of_coordinates(*three)
    return np.array([motion.sample(t_s).packed for t_s in times_s.tolist()])


class FadedMotion(ABC):
    """Motion with a fade; its deviation from neutral is linear in the fade.

    Args:
        neutral: Neutral coordinates [m, rad], shape (6,), read-only.
    """

    def __init__(self, fade: Fade, neutral: Floats) -> None:
        self._fade = fade
        self._neutral = neutral
        self._fade_s = fade.lengths()
        self.duration_s: float = fade.total_s
        """Duration from rest to rest, fades included [s]."""

    @property
    def neutral(self) -> Floats:
        """Neutral coordinates [m, rad], shape (6,), read-only."""
        return self._neutral

    @property
    def lead_in_s(self) -> float:
        """Time from rest to the beginning of the motion's own time [s]."""
        return self._fade.lead_in_s

    @property
    def lead_out_s(self) -> float:
        """Time from the end of the motion's own time to rest [s]."""
        return self._fade.lead_out_s

    @abstractmethod
    def rows(self, times_s: Floats) -> Floats:
        """Return coordinates, their first and second derivatives at many times, shape (N, 3, 6).

        Args:
            times_s: Since the lead-in began, within 0 to `duration_s` [s], shape (N,).
        """
