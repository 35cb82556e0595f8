"""A motion that was planned: sampled at any moment, and at rest from its end on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing import plan_kernels as kernel
from platform6dof.cueing.cue import Rows

Array = NDArray[np.float64]

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A motion of the head whose accelerations are straight between knots.

    Coordinates and speeds have no step, nor have the accelerations; between knots these lie
    between those of the knots. Before its beginning it stands as it begins to be; after its end it
    rests where it ended.

    Raises:
        ValueError: if the knots do not rise, a shape differs, something is not finite, the rows do
            not follow from the accelerations, or it does not end at rest.
    """

    start_s: float
    """Time at which it begins [s], on the clock of its player."""
    knots_s: Array
    """Times of the knots since its beginning, from 0 on [s], shape (n,), read-only."""
    course: Array
    """Deviation of the head and two derivatives at the knots, shape (n, 3, 6), read-only."""
    serial: int = 0
    """Number given by its maker; 0 for one that rests."""

    def __post_init__(self) -> None:
        knots, course = _own(self.knots_s), _own(self.course)
        if knots.ndim != 1 or knots.size < 2 or course.shape != (knots.size, 3, 6):
            raise ValueError(f"plan: knots {knots.shape}, course {course.shape}: (n,), (n, 3, 6)")
        if not (np.isfinite(course).all() and np.isfinite(knots).all()):
            raise ValueError("plan: a number is not finite")
        if knots[0] != 0.0 or not (np.diff(knots) > 0.0).all():
            raise ValueError(f"plan: knots {knots.tolist()} s must rise from 0")
        if course[-1, 1:].any():
            raise ValueError("plan: it does not end at rest")
        if np.abs(integrated(knots, course[0], course[:, 2]) - course).max() > 1e-9:
            raise ValueError("plan: its course does not follow from its accelerations")
        knots.setflags(write=False)
        course.setflags(write=False)
        _set(self, "knots_s", knots)
        _set(self, "course", course)

    @classmethod
    def at_rest(cls, start_s: float = 0.0, coordinates: Array | None = None) -> Self:
        """A plan that rests: at neutral, or at a deviation, shape (6,)."""
        course = np.zeros((2, 3, 6))
        if coordinates is not None:
            course[:, 0] = coordinates
        return cls(start_s, np.array([0.0, 1e-3]), course)

    @classmethod
    def of_accelerations(
        cls, start_s: float, knots_s: Array, begin: Array, accelerations: Array, serial: int
    ) -> Self:
        """One that begins in a state and is accelerated so at its knots.

        Args:
            start_s: when [s].
            knots_s: since then, shape (n,).
            begin: deviation and two derivatives, shape (3, 6).
            accelerations: at the knots, shape (n, 6); the last is taken as 0, and what the end's
                speed misses of 0 (at most 1e-6, the solver's rounding) is taken from the last but
                one.
            serial: its number.
        """
        pushes = np.array(accelerations, dtype=np.float64)
        pushes[-1] = 0.0
        missed = integrated(knots_s, begin, pushes)[-1, 1]
        if not np.abs(missed).max() <= 1e-6:
            raise ValueError(f"plan: it ends with {np.abs(missed).max():.3g} m/s or rad/s, not 0")
        pushes[-2] -= 2.0 * missed / (knots_s[-1] - knots_s[-3])
        course = integrated(knots_s, begin, pushes)
        course[-1, 1:] = 0.0
        return cls(start_s, knots_s, course, serial)

    @property
    def end_s(self) -> float:
        """Time from which it rests [s]."""
        return self.start_s + float(self.knots_s[-1])

    def sample(self, t_s: float) -> Rows:
        """Deviation of the head and two derivatives at a moment [s], a new array (3, 6)."""
        out = np.empty((3, 6))
        kernel.play(self.knots_s, self.course, t_s - self.start_s, out)
        return out

    def samples(self, times_s: Array) -> Array:
        """`sample` at several moments [s], shape (N,); a new array (N, 3, 6)."""
        times = np.ascontiguousarray(times_s, dtype=np.float64) - self.start_s
        out = np.empty((times.size, 3, 6))
        kernel.play_many(self.knots_s, self.course, times, out)
        return out


def _own(value: Array) -> Array:
    return np.array(value, dtype=np.float64, order="C")


def integrated(knots_s: Array, begin: Array, accelerations: Array) -> Array:
    """Deviation and derivatives at knots, of accelerations that are straight between them.

    Args:
        knots_s: shape (n,).
        begin: deviation and two derivatives at the first, shape (3, 6); its acceleration is not
            looked at.
        accelerations: at the knots, shape (n, 6).

    Returns:
        A new array, shape (n, 3, 6).
    """
    course = np.empty((len(knots_s), 3, 6))
    kernel.integrate(_own(knots_s), _own(begin), _own(accelerations), course)
    return course
