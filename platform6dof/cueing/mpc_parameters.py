"""Numbers of the predictive algorithm, frozen and within stated bounds.

Axes are those of the vehicle: forward, right, down; roll, pitch, yaw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.parameters import CueingError, ParameterRange, Scale, Scales, check_scales

Vector3 = tuple[float, float, float]

BLOCKS_MAX: Final = 24
"""Most blocks of a plan; with all six coordinates a longer one takes tens of milliseconds."""
STEPS_MAX: Final = 200
PREVIEW: Final = ParameterRange(0.0, 30.0, "s")
FORECAST: Final = ParameterRange(0.01, 10.0, "s")
STEP: Final = ParameterRange(0.005, 0.2, "s")
PLAN_PERIOD: Final = ParameterRange(0.005, 0.5, "s")
TRAVEL: Final = ParameterRange(0.001, 2.0, "m")
TURN: Final = ParameterRange(math.radians(0.1), math.radians(30.0), "rad")
ACCELERATION: Final = ParameterRange(0.05, 20.0, "m/s2")
TURN_ACCELERATION: Final = ParameterRange(0.05, 20.0, "rad/s2")
BEYOND: Final = ParameterRange(math.radians(0.1), math.radians(60.0), "rad/s")
WEIGHT: Final = ParameterRange(0.0, 1e4, "")
EFFORT: Final = ParameterRange(1e-6, 1e4, "")
"""Range of the weights of accelerations; above 0, so that the program has one solution."""

_FORCE: Final = Scale(0.3, 10.0)
_RATE: Final = Scale(0.3, math.radians(40.0))


@dataclass(frozen=True, slots=True)
class MpcParameters:
    """Parameters of the predictor (after Khusro, Zheng, Grottoli, Shyrokau, Vehicles 2(4), 2020).

    Raises:
        CueingError: with the name, the value and its bounds.
    """

    force: Scales = (_FORCE, _FORCE, _FORCE)
    """Scales of f_x, f_y, f_z less what they are at rest [m/s²]."""
    rates: Scales = (_RATE, _RATE, _RATE)
    """Scales of p, q, r [rad/s]."""
    preview_s: float = 0.0
    """Time that the source is to be known ahead [s]; 0: a forecast takes its place."""
    forecast_s: float = 0.3
    """Time constant at which what the vehicle does now decays in the forecast."""
    period_s: float = 0.05
    """A plan is made so often; it is played from the next such moment on."""
    step_s: float = 0.05
    """Steps of the horizon; the period is a whole multiple of it."""
    blocks: tuple[int, ...] = (1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8)
    """Steps between the knots of what a plan changes, so that few unknowns reach far."""
    travel_m: Vector3 = (0.09, 0.09, 0.09)
    """Largest deviation of the head, forward, sideways, vertical."""
    turn_rad: Vector3 = (math.radians(8.0), math.radians(8.0), math.radians(10.0))
    """Largest roll, pitch, yaw."""
    acceleration_m_s2: float = 3.0
    """Largest of each coordinate of the head."""
    turn_acceleration_rad_s2: float = 1.0
    """Largest of each turn."""
    beyond_rad_s: float = math.radians(3.0)
    """A turn may be so much faster than wanted, or against it: the rate of tilt."""
    force_weight: Vector3 = (1.0, 1.0, 1.0)
    """Weights of what the otoliths feel and should not [1/(m/s²)²]."""
    rate_weight: Vector3 = (30.0, 30.0, 30.0)
    """Weights of what the canals feel and should not, roll, pitch, yaw [1/(rad/s)²]."""
    position_weight: Vector3 = (1.0, 1.0, 1.0)
    """Weights of the deviation [1/m²]."""
    angle_weight: Vector3 = (0.2, 0.2, 0.2)
    """Weights of roll, pitch, yaw [1/rad²]."""
    speed_weight: Vector3 = (0.02, 0.02, 0.02)
    """Weights of the deviation's speed [1/(m/s)²]."""
    turning_weight: Vector3 = (0.1, 0.1, 0.1)
    """Weights of the rates of roll, pitch, yaw [1/(rad/s)²]."""
    effort_weight: float = 0.001
    """Weight of accelerations [1/(m/s²)²]."""
    turn_effort_weight: float = 0.01
    """Weight of angular accelerations [1/(rad/s²)²]."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_scales(self.force, self.rates)
        bounds = {
            "preview_s": PREVIEW,
            "forecast_s": FORECAST,
            "period_s": PLAN_PERIOD,
            "step_s": STEP,
            "travel_m": TRAVEL,
            "turn_rad": TURN,
            "acceleration_m_s2": ACCELERATION,
            "turn_acceleration_rad_s2": TURN_ACCELERATION,
            "beyond_rad_s": BEYOND,
            "effort_weight": EFFORT,
            "turn_effort_weight": EFFORT,
        }
        for name in ("force", "rate", "position", "angle", "speed", "turning"):
            bounds[f"{name}_weight"] = WEIGHT
        for name, bound in bounds.items():
            value = getattr(self, name)
            for number in value if isinstance(value, tuple) else (value,):
                bound.check(name, number)
        _check_blocks(self.blocks)
        times = self.period_s / self.step_s
        if not (times > 0.999 and abs(times - round(times)) < 1e-6):
            text = f"step_s is {self.step_s:g} s: period_s of {self.period_s:g} s"
            raise CueingError(f"{text} must be a whole multiple of it", "step_s")

    @property
    def knots(self) -> tuple[int, ...]:
        """Steps of the horizon at which the knots are; the first is 0."""
        return tuple(accumulate(self.blocks, initial=0))

    @property
    def largest_deviation(self) -> NDArray[np.float64]:
        """Largest deviations of x, y, z, alpha, beta, gamma [m, rad], shape (6,)."""
        return np.array(self.travel_m + self.turn_rad[::-1])

    @property
    def horizon_s(self) -> float:
        """Length of a plan [s]."""
        return self.step_s * sum(self.blocks)


def _check_blocks(blocks: tuple[int, ...]) -> None:
    whole = all(isinstance(one, int) and one >= 1 for one in blocks)
    if not (whole and 3 <= len(blocks) <= BLOCKS_MAX and sum(blocks) <= STEPS_MAX):
        text = f"blocks are {list(blocks)}: 3 to {BLOCKS_MAX} whole numbers of 1 or more are "
        raise CueingError(f"{text}needed, together at most {STEPS_MAX}", "blocks")
