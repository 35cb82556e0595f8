"""The adaptive washout: gains go down the slope of a cost of false force, false rate and travel.

Parrish, Dieudonne, Bowles, Martin, "Coordinated adaptive washout for motion simulators", J. of
Aircraft 12 (1975), and NASA TN D-7928: x" = p1 f − d x' − e x, θ' = p2 f + p3 q, here with a third
pole that brings x back to 0 and with a washout of θ, so that both stay bounded whatever comes;
p' = −step · dJ/dp + back (p0 − p) with
J = ½ (f − f_s)² + ½ w_r (q − θ')² + ½ w_v x'² + ½ w_x x², f_s = x" + g θ. The gains are cut off at
stated bounds in each cycle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing import adaptive_kernels as kernels
from platform6dof.cueing.blocks import rotation_block, translation_block
from platform6dof.cueing.classical import not_finite, scales_table
from platform6dof.cueing.cue import Rows
from platform6dof.cueing.parameters import (
    ANGLE_SUM_MAX_RAD,
    CORNER,
    DAMPING,
    PERIOD,
    SLOW_CORNER,
    TILT_RATE,
    CueingError,
    ParameterRange,
    Rotation,
    Scale,
    Scales,
    Translation,
    check_scales,
)
from platform6dof.cueing.vehicle import GRAVITY_M_S2, VehicleState

Array = NDArray[np.float64]
WEIGHT = ParameterRange(0.0, 1e4, "")
SPEED = ParameterRange(0.0, 100.0, "1/s")


@dataclass(frozen=True, slots=True)
class Adaptation:
    """Adaptation of one gain."""

    start: float
    """p0, where it begins and goes back to."""
    least: float
    """Never below."""
    most: float
    """Never above."""
    step: float
    """Speed down the slope of the cost."""
    back_per_s: float
    """Speed back to the start [1/s]."""

    def check(self, name: str, most: float) -> None:
        """Refuse bounds that are none, or that do not hold the start.

        Raises:
            CueingError: with the name, the value and its bounds.
        """
        ParameterRange(0.0, most, "").check(f"{name}.most", self.most)
        ParameterRange(0.0, self.most, "").check(f"{name}.least", self.least)
        ParameterRange(self.least, self.most, "").check(f"{name}.start", self.start)
        WEIGHT.check(f"{name}.step", self.step)
        SPEED.check(f"{name}.back_per_s", self.back_per_s)


_FORCE = (Scale(0.5, 5.0),) * 3
_RATES = (Scale(0.5, math.radians(30.0)),) * 3


@dataclass(frozen=True, slots=True)
class AdaptiveParameters:
    """Parameters of the adaptive washout.

    Raises:
        CueingError: with the name, the value and its bounds.
    """

    force: Scales = (_FORCE[0], _FORCE[1], _FORCE[2])
    """Scales of f_x, f_y, f_z less what they are at rest [m/s²]."""
    rates: Scales = (_RATES[0], _RATES[1], _RATES[2])
    """Scales of p, q, r [rad/s]."""
    translation: tuple[Translation, Translation, Translation] = (
        Translation(2.5),
        Translation(2.5),
        Translation(4.0),
    )
    """Forward, right, down."""
    turn_corner_rad_s: float = 0.6
    """Corner of the washout of roll, pitch and yaw [rad/s]."""
    tilt_rate_rad_s: float = math.radians(3.0)
    """p2 f asks for no more [rad/s]."""
    force_gain: Adaptation = Adaptation(1.0, 0.1, 1.0, 0.3, 0.2)
    """p1, displacement by force."""
    tilt_gain: Adaptation = Adaptation(0.06, 0.01, 0.07, 2e-3, 0.2)
    """p2, turn by force [rad/s per m/s²]."""
    rate_gain: Adaptation = Adaptation(0.8, 0.2, 1.0, 0.2, 0.2)
    """p3, turn by rate."""
    rate_weight: float = 10.0
    """w_r of the cost [(m/s²)² / (rad/s)²]."""
    speed_weight: float = 0.5
    """w_v of the cost [1/s²]."""
    travel_weight: float = 20.0
    """w_x of the cost [1/s⁴]."""

    def __post_init__(self) -> None:
        check_scales(self.force, self.rates)
        for axis, one in zip("xyz", self.translation, strict=True):
            CORNER.check(f"translation.{axis}.wn_rad_s", one.wn_rad_s)
            DAMPING.check(f"translation.{axis}.damping", one.damping)
            SLOW_CORNER.check(f"translation.{axis}.wb_rad_s", one.wb_rad_s)
        CORNER.check("adaptive.turn_corner_rad_s", self.turn_corner_rad_s)
        TILT_RATE.check("adaptive.tilt_rate_rad_s", self.tilt_rate_rad_s)
        self.force_gain.check("adaptive.force_gain", 2.0)
        self.tilt_gain.check("adaptive.tilt_gain", 1.0)
        self.rate_gain.check("adaptive.rate_gain", 2.0)
        for name in ("rate_weight", "speed_weight", "travel_weight"):
            WEIGHT.check(f"adaptive.{name}", getattr(self, name))
        most = max(one.most for one in self.rates)
        reach = (self.rate_gain.most * most + self.tilt_rate_rad_s) / self.turn_corner_rad_s
        if reach > ANGLE_SUM_MAX_RAD:
            text = f"adaptive.turn_corner_rad_s is {self.turn_corner_rad_s:g} rad/s: with rates of "
            text += f"{math.degrees(most):g} deg/s it can turn the platform by "
            text += f"{math.degrees(reach):.3g} deg, {math.degrees(ANGLE_SUM_MAX_RAD):g} at most"
            raise CueingError(text, "adaptive.turn_corner_rad_s")


class Adaptive:
    """The adaptive filter at the rate of a loop.

    Args:
        parameters: its numbers.
        period_s: of the loop [s].

    Raises:
        CueingError: if the period is out of its bounds.
    """

    def __init__(self, parameters: AdaptiveParameters, period_s: float) -> None:
        PERIOD.check("period_s", period_s)
        self.parameters: AdaptiveParameters = parameters
        """What it was made of."""
        self._scales: Array = scales_table(parameters.force, parameters.rates)
        self._scales.setflags(write=False)
        self._table: Array = _table(parameters, period_s)
        self._memory: Array = np.zeros((kernels.PLANES, kernels.MEMORY_COLUMNS))
        self._work: Array = np.zeros((5, 3))
        self._out: Array = np.zeros((2, 3))
        self.reset()

    @property
    def gains(self) -> Array:
        """p1, p2, p3 of surge with pitch, sway with roll, heave, yaw, a copy, shape (4, 3)."""
        return self._memory[:, kernels.GAIN : kernels.GAIN + 3].copy()

    def reset(self) -> None:
        """Return to neutral, as if the vehicle had always been level."""
        self._memory[:] = 0.0
        at = slice(kernels.GAIN, kernels.GAIN + 3)
        self._memory[:, at] = self._table[:, kernels.START : kernels.START + 3]

    def step(self, state: VehicleState, weight: float = 1.0) -> Rows:
        """Compute the platform's rows of this cycle; see `cue.CueingFilter`.

        Raises:
            CueingError: if the force, the rates or the weight are not finite; nothing moved.
        """
        rows = np.zeros((3, 6))
        x, y, z = state.f_m_s2
        p, q, r = state.omega_rad_s
        if not kernels.adaptive(  # one type of numbers, so that nothing compiles in a cycle
            float(x), float(y), float(z), float(p), float(q), float(r), float(weight),
            self._scales, self._table, self._memory, self._work, self._out, rows,
        ):  # fmt: skip
            raise not_finite(state, weight)
        return rows


def _table(parameters: AdaptiveParameters, period_s: float) -> Array:
    """Numbers of the planes for the kernel, read-only, shape (PLANES, TABLE_COLUMNS)."""
    table = np.zeros((kernels.PLANES, kernels.TABLE_COLUMNS))
    turn = rotation_block(Rotation(parameters.turn_corner_rad_s), period_s)
    used = (  # gains that a plane has
        (True, True, True), (True, True, True), (True, False, False), (False, False, True),
    )  # fmt: skip
    adaptations = (parameters.force_gain, parameters.tilt_gain, parameters.rate_gain)
    for plane, row in enumerate(table):
        if plane < 3:
            row[:24] = translation_block(parameters.translation[plane], period_s)
        row[24:48] = turn
        for k, one in enumerate(adaptations):
            if used[plane][k]:
                row[kernels.LEAST + k], row[kernels.MOST + k] = one.least, one.most
                row[kernels.START + k] = one.start
                row[kernels.STEP + k], row[kernels.BACK + k] = one.step, one.back_per_s
        row[kernels.RATE_WEIGHT] = parameters.rate_weight
        row[kernels.SPEED_WEIGHT] = parameters.speed_weight
        row[kernels.TRAVEL_WEIGHT] = parameters.travel_weight
        row[kernels.TILT_RATE] = parameters.tilt_rate_rad_s
        row[kernels.GRAVITY], row[kernels.PERIOD] = GRAVITY_M_S2, period_s
    table.setflags(write=False)
    return table
