"""Least squares over strokes: delay, half a blend, and lag, friction and offset of each axis.

The unknowns in a row: path delay d and half blend h [s]; cosine and sine of a wave [s²]; lag of
each axis [s]; friction of each; offset of each [m or rad].

The wave: an interpolation has a clock of its own, and where in a step the motion ends changes what
is left over at its end, by up to a T² / 8 (a chord of a parabola). Over strokes whose ends fall
anywhere that averages out; what does not is fitted by its first harmonic, whose size is known
beforehand to be a T² / 16.

Places have a last decimal, and are as old as the controller's sampling is coarse: the first is
known, the second is taken from what is left over, and the fit repeated with it. Places given while
the speed changes, where friction and interpolation are least like their models, hardly count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, least_squares

from arm_driver.fit.servo_response import ramp_response
from arm_driver.fit.strokes import Stroke

Array = NDArray[np.float64]

POSITION_M: Final = 3e-6
"""Standard deviation of a place by its last decimal on the wire."""
TURN_RAD: Final = 1e-5
"""The same of a turn, of three angles."""
_SHARED: Final = 4  # delay, half blend, wave
_AGE_S: Final = 0.3e-3  # of places, at first
_UNEVEN_S: Final = 3e-3  # of places reported while the speed changes, at least
_TIME_S: Final = 0.1e-3  # of the median of times, at least
_ROUNDS: Final = 3
_TRIES: Final = 100


@dataclass(frozen=True, slots=True)
class StrokeFit:
    """Result of the fit."""

    theta: Array
    """The unknowns, see the module."""
    error: Array
    """Their standard errors."""
    fastest: tuple[float, ...]
    """Largest speed of each axis [m/s or rad/s]."""
    rms: tuple[float, ...]
    """Root mean square of each axis' distances from the expected places [m or rad]."""

    def lag_at(self, axis: int) -> int:
        """Index of an axis's lag."""
        return _SHARED + axis

    def friction_at(self, axis: int) -> int:
        """Index of its friction."""
        return _SHARED + len(self.rms) + axis


class _Rows(NamedTuple):
    """Places of all strokes, one a row."""

    axis: NDArray[np.intp]
    along: Array
    asked_s: Array  # since a period before the stroke's first request; NaN at rest
    at_s: Array  # of the first word at rest; 0 before
    rest: NDArray[np.bool_]
    speed: Array
    lasts_s: Array
    resolution: Array


def fit_strokes(
    strokes: Sequence[Sequence[Stroke]], period_s: float, step_s: float
) -> StrokeFit | None:
    """Fit the strokes of one axis after the other.

    Args:
        step_s: Between two poses of the interpolation [s].

    Returns:
        What fits best; None if nothing does, or only what no controller can be.
    """
    problem = _Problem(strokes, period_s, step_s)
    fit = problem.best(problem.first_guess())
    for _ in range(_ROUNDS - 1):
        if fit.success:
            fit = problem.best(fit.x)
    if not fit.success:
        return None
    if np.any(fit.active_mask):
        return None
    error = np.sqrt(np.diag(np.linalg.pinv(fit.jac.T @ fit.jac)))
    return StrokeFit(fit.x, error, problem.fastest(), problem.rms(fit.x))


class _Problem:
    """Residuals of the places and of the time until rest."""

    def __init__(self, strokes: Sequence[Sequence[Stroke]], period_s: float, step_s: float) -> None:
        self._period_s, self._step_s, self._axes = period_s, step_s, len(strokes)
        self._rows = _rows(strokes, period_s)
        rests = np.array([stroke.rest_s for some in strokes for stroke in some])
        self._rest_s = float(np.median(rests))
        spread_s = 1.4826 * float(np.median(np.abs(rests - self._rest_s)))
        self._rest_error_s = max(_TIME_S, 1.2533 * spread_s / np.sqrt(len(rests)))
        self._sigma = np.ones(len(self._rows.along))
        self.scale = self._spread(0.1, 0.05, 1e-5, 0.01, 1e-4, 1e-4)
        least = self._spread(0.0, 0.002, -1e-3, 1e-3, -0.01, -0.1)
        most = self._spread(4.0 * period_s, period_s, 1e-3, 0.3, 0.01, 0.1)
        self.bounds = least, most

    def first_guess(self) -> Array:
        """A blend of half a period, and usual servos."""
        half_s = 0.25 * self._period_s
        delay_s = min(max(self._rest_s - half_s, 0.01), 3.9 * self._period_s)
        return self._spread(delay_s, half_s, 0.0, 0.02, 0.0, 0.0)

    def best(self, theta: Array) -> OptimizeResult:
        """The best unknowns, places weighed by what others leave over."""
        self.weigh(theta)
        return least_squares(
            self.residuals, theta, x_scale=self.scale, bounds=self.bounds, max_nfev=_TRIES
        )

    def residuals(self, theta: Array) -> Array:
        """Each by its standard deviation."""
        rest = (self._rest_s - theta[0] - theta[1]) / self._rest_error_s
        wave = theta[2:_SHARED] / (self._step_s**2 / 16.0)
        return np.concatenate([[rest], wave, self._off(theta) / self._sigma])

    def weigh(self, theta: Array) -> None:
        """Take what is left over as the age of the places: in even motion, uneven, at rest."""
        rows = self._rows
        off = self._off(theta)
        spent_s = rows.asked_s - theta[0]  # since the middle of the first blend
        width_s = theta[1] + self._step_s
        even = (spent_s > width_s) & (spent_s < rows.lasts_s - width_s)
        uneven = ~even & ~rows.rest
        first = np.all(self._sigma == 1.0)
        for which in (rows.rest, even, uneven):
            if not np.any(which):
                continue
            over = np.mean(np.maximum(off[which] ** 2 - rows.resolution[which] ** 2, 0.0))
            age_s = _AGE_S if first else float(np.sqrt(over / np.mean(rows.speed[which] ** 2)))
            age_s = max(age_s, _UNEVEN_S) if which is uneven else age_s
            self._sigma[which] = np.hypot(rows.resolution[which], age_s * rows.speed[which])

    def fastest(self) -> tuple[float, ...]:
        """Largest speed of each axis."""
        rows = self._rows
        return tuple(
            float(np.abs(rows.speed[rows.axis == axis]).max()) for axis in range(self._axes)
        )

    def rms(self, theta: Array) -> tuple[float, ...]:
        """Root mean square of each axis' distances from the expected places."""
        off, rows = self._off(theta), self._rows
        return tuple(
            float(np.sqrt(np.mean(off[rows.axis == axis] ** 2))) for axis in range(self._axes)
        )

    def _off(self, theta: Array) -> Array:
        """Reported places less expected places [m or rad]."""
        rows, (delay_s, half_s, cosine, sine) = self._rows, theta[:_SHARED]
        lag_s, friction, offset = (one[rows.axis] for one in theta[_SHARED:].reshape(3, self._axes))
        # The first blend's middle is a period before the first waypoint is due; the first word at
        # rest comes half a blend after the middle of the last one.
        since_s = np.where(rows.rest, rows.lasts_s + half_s, rows.asked_s - delay_s)
        blend = 2.0 * half_s, self._step_s, lag_s
        gone_s = ramp_response(since_s, *blend)
        left_s = ramp_response(since_s - rows.lasts_s, *blend)
        # Friction holds back what moves: its share grows from none to all over the blend.
        held = friction * np.clip(gone_s / half_s, 0.0, 1.0) * np.sign(rows.speed)
        turns = 2.0 * np.pi / self._step_s * rows.at_s
        wave_s2 = rows.rest * (cosine * np.cos(turns) + sine * np.sin(turns))
        traveled = rows.speed * (gone_s - left_s + wave_s2 / (2.0 * half_s))
        return rows.along - (traveled - held + offset)

    def _spread(self, delay_s: float, half_s: float, wave_s2: float, *per_axis: float) -> Array:
        """One value of each kind, for all unknowns."""
        return np.array([delay_s, half_s, wave_s2, wave_s2, *np.repeat(per_axis, self._axes)])


def _rows(strokes: Sequence[Sequence[Stroke]], period_s: float) -> _Rows:
    rows: list[tuple[float, ...]] = []
    for axis, some in enumerate(strokes):
        for one in some:
            lasts_s = one.steps * period_s
            common = one.travel / lasts_s, lasts_s, TURN_RAD if one.axis == "turn" else POSITION_M
            rows += [
                (axis, along, (number + 1) * period_s, 0.0, 0.0, *common)
                for number, along in one.places
            ]
            rows.append((axis, one.rest, np.nan, one.at_s, 1.0, *common))
    axis, along, asked_s, at_s, rest, speed, lasts_s, resolution = np.array(rows).T
    return _Rows(axis.astype(np.intp), along, asked_s, at_s, rest > 0.0, speed, lasts_s, resolution)
