"""Limits of the gate: given in full, judged once, then never changed.

No limit has a default. A limit left out is an error at construction, because a missing limit must
never mean "unlimited", and neither must one that is too wide: see `safety.bounds`. Lengths are
actuator lengths [m].
"""

import hashlib
import math
from dataclasses import dataclass, fields

from hil_common.legs import LEG_COUNT
from safety.bounds import BOUNDS, LEG_BOUNDS


class LimitsError(ValueError):
    """A limit that cannot be worked with; the text names leg, value, unit and what would do."""


@dataclass(frozen=True, slots=True)
class LegLimits:
    """Limits of one leg; they are judged when they become part of `GateLimits`."""

    soft_min_m: float
    """Shortest permitted length [m]."""
    soft_max_m: float
    """Longest permitted length [m]."""
    speed_max_m_s: float
    """Greatest permitted speed [m/s]."""
    acceleration_max_m_s2: float
    """Greatest permitted acceleration of the setpoints [m/s^2]."""
    stop_deceleration_m_s2: float
    """Deceleration of the controlled stop [m/s^2]."""
    force_expected_n: float
    """Greatest force that the payload can need [N]."""
    force_max_n: float
    """Greatest force of the machine [N]."""


@dataclass(frozen=True, slots=True)
class GateLimits:
    """All limits of the gate.

    Raises:
        LimitsError: a value is not a finite number, has the wrong sign, is beyond its bound, or
            does not fit the rest.
    """

    period_s: float
    """Nominal cycle time T [s]."""
    legs: tuple[LegLimits, LegLimits, LegLimits, LegLimits, LegLimits, LegLimits]
    """Limits of six legs."""
    following_base_m: float
    """Following error permitted at standstill [m]."""
    following_per_speed_s: float
    """Its growth with commanded speed [m per m/s]: base + k*|v|."""
    following_cycles: int
    """Consecutive cycles outside the window that trip."""
    reaction_time_s: float
    """Time from cause to the first corrective setpoint [s]; |v| times this is kept free before the
    soft limits."""
    missing_setpoints_max: int
    """Consecutive missing setpoints that are bridged."""
    missing_feedback_max: int
    """Consecutive missing feedback frames of a leg that are tolerated."""
    late_cycles_max: float
    """Longest cycle and greatest lateness, in periods."""
    setpoint_age_max_s: float
    """Age above which a setpoint counts as missing [s]."""
    start_tolerance_m: float
    """Greatest offset of a first asked setpoint from the held lengths [m]."""
    standstill_speed_m_s: float
    """Measured speed up to which a leg counts as at rest [m/s]."""
    standstill_cycles: int
    """Consecutive cycles of it that make a standstill."""
    stuck_cycles: int
    """Consecutive fresh frames with one and the same length that make it stuck, if the command
    moved meanwhile."""
    stuck_movement_m: float
    """Movement of the command above which they do [m]."""
    jump_speed_factor: float
    """A measured length may change by speed_max * time * this, ..."""
    jump_base_m: float
    """... and by this on top [m]."""
    feedback_lag_max_s: float
    """Greatest lag of the measured behind the commanded path [s]."""
    feedback_lag_growth_s: float
    """Amount by which the lag may exceed that of the first movement [s]."""
    force_cycles: int
    """Consecutive cycles with a force above a limit that are no spike."""
    estop_fitted: bool
    """The two channels of the emergency stop are read."""
    estop_discrepancy_cycles: int
    """Consecutive cycles for which the two may differ."""

    def __post_init__(self) -> None:
        for name, unit in _POSITIVE.items():
            _require_positive("limits", name, getattr(self, name), unit)
        for name, least in _COUNTS.items():
            _require_count(name, getattr(self, name), least)
        _require_number("limits", "following_per_speed_s", self.following_per_speed_s, "s")
        if self.following_per_speed_s < 0.0:
            raise LimitsError(
                f"limits: following_per_speed_s = {self.following_per_speed_s} s is negative; "
                "need 0 or more"
            )
        if self.late_cycles_max < 1.0:
            raise LimitsError(
                f"limits: late_cycles_max = {self.late_cycles_max} periods is below 1: "
                "every punctual cycle would trip; need 1 or more"
            )
        if self.jump_speed_factor < 1.0:
            raise LimitsError(
                f"limits: jump_speed_factor = {self.jump_speed_factor} is below 1: a leg at its "
                "permitted speed would trip; need 1 or more"
            )
        for name, bound in BOUNDS.items():
            if not bound.within(getattr(self, name), self.period_s):
                raise LimitsError(f"limits: {name} = {getattr(self, name)}; need {bound}")
        if type(self.estop_fitted) is not bool:
            raise LimitsError(f"limits: estop_fitted = {self.estop_fitted!r}; need True or False")
        if len(self.legs) != LEG_COUNT:
            raise LimitsError(f"limits: {len(self.legs)} legs; need {LEG_COUNT}")
        for number, leg in enumerate(self.legs, 1):
            self._check_leg(f"leg {number}", leg)

    def _check_leg(self, place: str, leg: LegLimits) -> None:
        for name, unit in _LEG_POSITIVE.items():
            _require_positive(place, name, getattr(leg, name), unit)
        for name, bound in LEG_BOUNDS.items():
            if not bound.within(getattr(leg, name), self.period_s):
                raise LimitsError(f"{place}: {name} = {getattr(leg, name)}; need {bound}")
        stroke = leg.soft_max_m - leg.soft_min_m
        if stroke <= 0.0:
            raise LimitsError(
                f"{place}: soft_min_m = {leg.soft_min_m} m is not below "
                f"soft_max_m = {leg.soft_max_m} m"
            )
        if leg.stop_deceleration_m_s2 > leg.acceleration_max_m_s2:
            raise LimitsError(
                f"{place}: stop_deceleration_m_s2 = {leg.stop_deceleration_m_s2} m/s^2 is above "
                f"acceleration_max_m_s2 = {leg.acceleration_max_m_s2} m/s^2; need it at or below"
            )
        braking = leg.speed_max_m_s**2 / (2.0 * leg.stop_deceleration_m_s2)
        if not braking < stroke / 2.0:
            raise LimitsError(
                f"{place}: braking from speed_max_m_s = {leg.speed_max_m_s} m/s at "
                f"{leg.stop_deceleration_m_s2} m/s^2 takes {braking:.6g} m; need less than half "
                f"of the soft stroke, {stroke / 2.0:.6g} m"
            )
        margin = self.margin_m(leg.speed_max_m_s)
        if not 2.0 * margin < stroke:
            raise LimitsError(
                f"{place}: the following window and reaction way at full speed, {margin:.6g} m at "
                f"each end, leave nothing of the soft stroke of {stroke:.6g} m; need less than "
                f"{stroke / 2.0:.6g} m"
            )

    def margin_m(self, speed_m_s: float) -> float:
        """Way kept free before a soft limit at this speed [m]: following window + reaction way."""
        per_speed = self.following_per_speed_s + self.reaction_time_s
        return self.following_base_m + per_speed * abs(speed_m_s)

    def digest(self) -> str:
        """SHA-256 of all values in canonical form (hexadecimal), for the record of a run."""
        parts: list[str] = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "legs":
                parts.append(f"{field.name}={float(value).hex()}")
        for number, leg in enumerate(self.legs, 1):
            for field in fields(leg):
                parts.append(f"leg{number}.{field.name}={float(getattr(leg, field.name)).hex()}")
        return hashlib.sha256("\n".join(parts).encode("ascii")).hexdigest()


_POSITIVE = {
    "period_s": "s",
    "following_base_m": "m",
    "reaction_time_s": "s",
    "late_cycles_max": "periods",
    "setpoint_age_max_s": "s",
    "start_tolerance_m": "m",
    "standstill_speed_m_s": "m/s",
    "stuck_movement_m": "m",
    "jump_speed_factor": "",
    "jump_base_m": "m",
    "feedback_lag_max_s": "s",
    "feedback_lag_growth_s": "s",
}
_COUNTS = {
    "following_cycles": 1,
    "missing_setpoints_max": 0,
    "missing_feedback_max": 0,
    "standstill_cycles": 1,
    "stuck_cycles": 1,
    "force_cycles": 1,
    "estop_discrepancy_cycles": 1,
}
_LEG_POSITIVE = {
    "soft_min_m": "m",
    "soft_max_m": "m",
    "speed_max_m_s": "m/s",
    "acceleration_max_m_s2": "m/s^2",
    "stop_deceleration_m_s2": "m/s^2",
    "force_expected_n": "N",
    "force_max_n": "N",
}


def _require_number(place: str, name: str, value: object, unit: str) -> float:
    # bool is an int in Python, and True would be a limit of 1.
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise LimitsError(f"{place}: {name} = {value!r} is not a number; need a number in {unit}")
    if not math.isfinite(value):
        raise LimitsError(f"{place}: {name} = {value} {unit} is not finite; need a finite number")
    return value


def _require_positive(place: str, name: str, value: object, unit: str) -> None:
    if _require_number(place, name, value, unit) <= 0.0:
        raise LimitsError(f"{place}: {name} = {value} {unit} is not positive; need more than 0")


def _require_count(name: str, value: object, least: int) -> None:
    if type(value) is not int:
        raise LimitsError(f"limits: {name} = {value!r} is not a whole number of cycles")
    if value < least:
        raise LimitsError(f"limits: {name} = {value} cycles; need {least} or more")
