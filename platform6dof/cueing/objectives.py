"""What a set of classical parameters is worth: on a recording, or by its frequency response.

An objective takes the four numbers that matter for surge and sway, and says the error and how far
the platform would go for it. `platform6dof.cueing.tuning` looks for the best ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.classical import Classical
from platform6dof.cueing.head_motion import felt
from platform6dof.cueing.omct import FREQUENCIES_RAD_S
from platform6dof.cueing.parameters import ClassicalParameters, Tilt
from platform6dof.cueing.response import Complex, displacement_of, tilt_of
from platform6dof.cueing.score import STILL
from platform6dof.cueing.vehicle import GRAVITY_M_S2
from platform6dof.cueing.vestibular import REID_NAHON, VestibularModel, sensed

Array = NDArray[np.float64]

DENSE_RAD_S: Final = np.logspace(-2.0, 2.0, 400)
"""Where travel and rate of tilt are looked for between the frequencies of the test."""


@dataclass(frozen=True, slots=True)
class Knobs:
    """The numbers that are tuned; surge and sway share them."""

    wn_rad_s: float
    """Corner of the translation's high-pass of second order."""
    damping: float
    """Its z."""
    wb_rad_s: float
    """Corner that brings the displacement back."""
    wl_rad_s: float
    """Corner of the tilt's low-pass."""

    def applied(self, start: ClassicalParameters) -> ClassicalParameters:
        """A set with these numbers; all else as in `start`."""
        x, _, z = start.translation
        moved = replace(x, wn_rad_s=self.wn_rad_s, damping=self.damping, wb_rad_s=self.wb_rad_s)
        tilt = replace(start.tilt, wl_rad_s=self.wl_rad_s)
        return replace(start, translation=(moved, moved, z), tilt=tilt)

    @classmethod
    def of(cls, parameters: ClassicalParameters) -> Knobs:
        """Those of a set, of its surge."""
        x = parameters.translation[0]
        return cls(x.wn_rad_s, x.damping, x.wb_rad_s, parameters.tilt.wl_rad_s)


RANGES: Final = ((0.3, 8.0), (0.3, 2.5), (0.005, 6.0), (0.3, 30.0))
"""Between what each of the `Knobs` is looked for."""


@dataclass(frozen=True, slots=True)
class TuneBounds:
    """What a set may need."""

    travel_m: float
    """Largest surge and sway from neutral; by the response, for a sinusoid of 1 m/s²."""
    tilt_rad_s: float
    """Largest rate of tilt: the limiter's; by the response, asked without one."""

    def __post_init__(self) -> None:
        """Refuse what is no bound.

        Raises:
            ValueError: with the name, the value and what would be right.
        """
        for name, value, unit in (
            ("travel_m", self.travel_m, "m"),
            ("tilt_rad_s", self.tilt_rad_s, "rad/s"),
        ):
            if not (math.isfinite(value) and value > 0.0):
                raise ValueError(f"{name} is {value} {unit}: it must be finite and above 0 {unit}")


@dataclass(frozen=True, slots=True)
class Trial:
    """One set, tried."""

    knobs: Knobs
    error: float
    """Mean NRMSE of surge and sway; or 1 less the smallest modulus of the test."""
    travel_m: float
    """Surge or sway, the larger."""
    tilt_rad_s: float
    """Rate of tilt."""
    parts: tuple[float, ...]
    """NRMSE of surge and of sway; or the modulus at the twelve frequencies."""

    def excess(self, bounds: TuneBounds) -> float:
        """By what share it breaks the bounds; 0 if it keeps them."""
        over = self.travel_m / bounds.travel_m - 1.0, self.tilt_rad_s / bounds.tilt_rad_s - 1.0
        return sum(max(0.0, one - SLACK) for one in over)


SLACK: Final = 1e-9
"""Rounding that breaks no bound."""


class Objective(Protocol):
    """What is made as small as can be."""

    @property
    def bounds(self) -> TuneBounds:
        """What a set may need."""
        ...

    def trial(self, knobs: Knobs) -> Trial:
        """What a set is worth."""
        ...

    def parameters(self, knobs: Knobs) -> ClassicalParameters:
        """The whole set."""
        ...


class RideObjective:
    """The score of a recording: mean NRMSE of surge and sway, at a gain.

    Args:
        force: specific force at the head in axes FRD [m/s²], a row a period, shape (N, 3).
        rates: of the vehicle [rad/s], shape (N, 3).
        period_s: between the rows [s].
        start: parameters that are kept beside the tuned ones, gains included.
        bounds: largest travel, and the rate that the tilt's limiter allows.
        model: of the inner ear.

    Raises:
        ValueError: if the recording asks for no surge or no sway: nothing can be tuned to it.
    """

    def __init__(
        self,
        force: Array,
        rates: Array,
        period_s: float,
        start: ClassicalParameters,
        bounds: TuneBounds,
        model: VestibularModel = REID_NAHON,
    ) -> None:
        self._force, self._rates, self._period_s = force, rates, period_s
        self._bounds, self._model = bounds, model
        tilt: Tilt = replace(start.tilt, rate_rad_s=bounds.tilt_rad_s)
        self._start = replace(start, tilt=tilt)
        self._wanted = tuple(
            self._sensed(axis, force[:, axis] * _gain(start, axis)) for axis in (0, 1)
        )
        for name, wanted in zip(("f_x", "f_y"), self._wanted, strict=True):
            if not float(np.abs(wanted).max()) > STILL:
                raise ValueError(f"{name} does not change in the recording: nothing to tune to")

    @property
    def bounds(self) -> TuneBounds:
        """What a set may need."""
        return self._bounds

    def parameters(self, knobs: Knobs) -> ClassicalParameters:
        """The whole set."""
        return knobs.applied(self._start)

    def trial(self, knobs: Knobs) -> Trial:
        """What a set is worth."""
        rows = Classical(self.parameters(knobs), self._period_s).ride(self._force, self._rates)
        force = felt(rows)
        parts = tuple(self._nrmse(axis, force[:, axis]) for axis in (0, 1))
        travel = float(np.abs(rows[:, 0, :2]).max())
        return Trial(knobs, sum(parts) / 2.0, travel, self._bounds.tilt_rad_s, parts)

    def _nrmse(self, axis: int, felt_m_s2: Array) -> float:
        """As `platform6dof.cueing.score` has it, without the axes that are not needed."""
        wanted = self._wanted[axis]
        error = wanted - self._sensed(axis, felt_m_s2)
        size = float(np.mean(wanted * wanted))
        return math.sqrt(float(np.mean(error * error)) / size) if size > STILL**2 else math.nan

    def _sensed(self, axis: int, signal: Array) -> Array:
        return sensed(self._model.organs[axis], signal - signal.mean(), self._period_s)


class ResponseObjective:
    """The smallest modulus of surge at the twelve frequencies of the cueing test, at gain 1.

    By the closed form, without limiter: so the rate of tilt is bounded by what 1 m/s² asks for,
    and what is found holds for amplitudes up to that.

    Args:
        start: parameters that are kept beside the tuned ones.
        bounds: displacement and rate of tilt for 1 m/s², at whatever frequency.
    """

    def __init__(self, start: ClassicalParameters, bounds: TuneBounds) -> None:
        self._bounds = bounds
        self._start = replace(start, tilt=replace(start.tilt, rate_rad_s=bounds.tilt_rad_s))
        self._test = np.array(FREQUENCIES_RAD_S)

    @property
    def bounds(self) -> TuneBounds:
        """What a set may need."""
        return self._bounds

    def parameters(self, knobs: Knobs) -> ClassicalParameters:
        """The whole set."""
        return knobs.applied(self._start)

    def trial(self, knobs: Knobs) -> Trial:
        """What a set is worth."""
        moved, tilted = self._parts(knobs, self._test)
        modulus = np.abs(moved * (1j * self._test) ** 2 + tilted)
        moved, tilted = self._parts(knobs, DENSE_RAD_S)
        rate = float((np.abs(tilted) * DENSE_RAD_S).max()) / GRAVITY_M_S2
        travel = float(np.abs(moved).max())
        return Trial(knobs, 1.0 - float(modulus.min()), travel, rate, tuple(modulus.tolist()))

    def _parts(self, knobs: Knobs, rad_s: Array) -> tuple[Complex, Complex]:
        """Displacement over force [m per m/s²] and share of the force by tilt, shape (N,) each."""
        whole, s = self.parameters(knobs), np.asarray(1j * rad_s, np.complex128)
        return displacement_of(whole.translation[0], s), tilt_of(whole.tilt, s)


def _gain(parameters: ClassicalParameters, axis: int) -> float:
    return parameters.force[axis].gain
