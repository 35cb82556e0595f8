"""Upper bounds of the gate's limits, each with its reason.

A limit that is wide enough to catch nothing is no limit: 1 m of start tolerance lets a leg jump by
1 m, a standstill of 1e12 s never comes. What a rig may ask for ends here, whoever wrote the rig.
The numbers are ours: several times what the shipped machines need, and small enough that a wrong
unit (millimetres, milliseconds, cycles) is beyond them.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple


class Bound(NamedTuple):
    """The most that a limit may be."""

    most: float
    """Greatest permitted value, in `unit`."""
    unit: str
    """Its unit."""
    reason: str
    """Effect of a greater one; completes "more than … would mean that"."""
    of: Literal["value", "duration", "periods"] = "value"
    """What is compared: the value itself; a count of cycles, as the time they last; or a time, as
    a number of periods."""

    def within(self, value: float, period_s: float) -> bool:
        """Whether a limit keeps to it; a time that is no whole number of cycles may be rounded up.

        Args:
            value: the limit, a finite number.
        """
        if self.of == "duration":
            return value <= max(1, math.ceil(self.most / period_s - _ROUNDING))
        if self.of == "periods":
            return value <= self.most * period_s * (1.0 + _ROUNDING)
        return value <= self.most

    def __str__(self) -> str:
        """Text such as `at most 0.02 m: a first setpoint further off is a jump of the leg`."""
        what = {"value": "", "duration": " of cycles", "periods": ""}[self.of]
        unit = f" {self.unit}" if self.unit else ""
        return f"at most {self.most:g}{unit}{what}: {self.reason}"


_ROUNDING: Final = 1e-6
"""Part of a cycle that a quotient such as 0.3 s / 0.1 s may be off by rounding."""

BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType({
    "period_s": Bound(0.1, "s", "setpoints further apart are no cyclic control of a drive"),
    "following_base_m": Bound(
        0.05, "m", "a leg that stands further from its command is not led by it"
    ),
    "following_per_speed_s": Bound(
        0.2, "s", "a leg that lags by more does not brake where its command does"
    ),
    "following_cycles": Bound(100, "cycles", "a leg out of its window must trip while it moves"),
    "reaction_time_s": Bound(0.2, "s", "the gate answers in a few cycles; perhaps another unit"),
    "missing_setpoints_max": Bound(10, "cycles", "a longer gap is bridged blindly"),
    "missing_feedback_max": Bound(10, "cycles", "a longer gap is driven through blindly"),
    "late_cycles_max": Bound(10, "periods", "a later cycle acts on what is long past"),
    "setpoint_age_max_s": Bound(
        10, "periods", "an older setpoint belongs to a motion that is past", "periods"
    ),
    "start_tolerance_m": Bound(0.02, "m", "a first setpoint further off is a jump of the leg"),
    "standstill_speed_m_s": Bound(
        0.02, "m/s", "a faster leg is moving, and brakes would close on it"
    ),
    "standstill_cycles": Bound(
        2.0, "s", "power would stay on that long after a fault, or for ever", "duration"
    ),
    "stuck_cycles": Bound(
        1.0, "s", "a frozen measurement would be believed for longer than a stop takes", "duration"
    ),
    "stuck_movement_m": Bound(0.02, "m", "a frozen measurement would hide a longer way"),
    "jump_speed_factor": Bound(10, "", "no jump of a measured length would be seen"),
    "jump_base_m": Bound(0.05, "m", "no jump of a measured length would be seen"),
    "feedback_lag_max_s": Bound(0.1, "s", "in a longer one a leg goes the way of a whole stop"),
    "feedback_lag_growth_s": Bound(0.1, "s", "in a longer one a leg goes the way of a whole stop"),
    "force_cycles": Bound(1.0, "s", "for longer no force is a spike", "duration"),
    "estop_discrepancy_cycles": Bound(
        2.0, "s", "a welded contact of the emergency stop would not show in one press", "duration"
    ),
})  # fmt: skip
"""Bounds by the name of a number of `safety.limits.GateLimits`."""

LEG_BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType({
    "soft_min_m": Bound(20.0, "m", "no cylinder is longer; perhaps these are millimetres"),
    "soft_max_m": Bound(20.0, "m", "no cylinder is longer; perhaps these are millimetres"),
    "speed_max_m_s": Bound(5.0, "m/s", "no electro-cylinder is faster; perhaps another unit"),
    "acceleration_max_m_s2": Bound(50.0, "m/s²", "nobody rides at 5 g; perhaps another unit"),
    "stop_deceleration_m_s2": Bound(50.0, "m/s²", "nobody rides at 5 g; perhaps another unit"),
    "force_expected_n": Bound(1e6, "N", "no electro-cylinder is stronger; perhaps another unit"),
    "force_max_n": Bound(1e6, "N", "no electro-cylinder is stronger; perhaps another unit"),
})  # fmt: skip
"""Bounds by the name of a number of `safety.limits.LegLimits`."""
