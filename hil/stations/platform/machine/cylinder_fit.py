"""PropertyReserve of cylinders with what motions ask of them: which fit, which not and by what."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hil.machines.rig.cylinders import CylinderSettings, ListedCylinder
from platform6dof.sizing.demand import Demand
from platform6dof.sizing.motor import (
    hardest_mean,
    motor_torque_nm,
    returned_power_w,
    root_mean_square,
)
from platform6dof.sizing.screw import (
    BUCKLING_SAFETY,
    SPEED_SAFETY,
    buckling_force_n,
    critical_speed_rpm,
    life_m,
)

Array = NDArray[np.float64]


class Needed(NamedTuple):
    """What several motions together ask of each cylinder."""

    shortest_m: float
    """Shortest length joint to joint [m]."""
    longest_m: float
    """Longest length joint to joint [m]."""
    stroke_m: float
    """Stroke with a margin at both ends [m]."""
    speed_m_s: float
    """Greatest speed [m/s]."""
    acceleration_m_s2: float
    """Greatest acceleration [m/s²]."""
    peak_n: float
    """Greatest force either way [N]."""
    push_n: float
    """Greatest pushing force [N]."""
    rms_n: float
    """Greatest root mean square of the force, of a motion and a rod [N]."""
    cubic_mean_n: float
    """Greatest cubic mean of the force over the path, of a motion and a rod [N]."""
    mean_speed_m_s: float
    """Greatest mean speed, standstill counted [m/s]."""
    margin_m: float
    """Margin at each end of the stroke [m]."""

    @classmethod
    def of(cls, demands: Sequence[Demand], margin_m: float) -> Self:
        """The greatest of each number over motions, at least one."""
        shortest = min(float(one.length_m.min()) for one in demands)
        longest = max(float(one.length_m.max()) for one in demands)
        return cls(
            shortest_m=shortest,
            longest_m=longest,
            stroke_m=longest - shortest + 2.0 * margin_m,
            speed_m_s=max(one.speed_max_m_s for one in demands),
            acceleration_m_s2=max(float(np.abs(one.acceleration_m_s2).max()) for one in demands),
            peak_n=max(one.peak_n for one in demands),
            push_n=max(one.push_n for one in demands),
            rms_n=max(one.rms_n for one in demands),
            cubic_mean_n=max(one.cubic_mean_n for one in demands),
            mean_speed_m_s=max(one.mean_speed_m_s for one in demands),
            margin_m=margin_m,
        )


class PropertyReserve(NamedTuple):
    """One property of a cylinder beside what is needed."""

    needed: float
    """Needed value, in the unit of the property's name."""
    offered: float
    """Value that the cylinder has; for `closed_length_m` the least that it can be."""
    margin: float
    """Reserve as a share of what is needed, below 0 where it does not do."""


class CylinderFit(NamedTuple):
    """A cylinder beside what is needed."""

    listed: ListedCylinder
    """Cylinder of the catalogue."""
    comparisons: Mapping[str, PropertyReserve]
    """Comparisons by the name of the property with its unit."""
    torque_peak_nm: float
    """Greatest torque of its motor, without the rotor's own [N m]."""
    torque_rms_nm: float
    """Greatest root mean square of the torque, of a motion and a rod [N m]."""
    returned_mean_w: float
    """Mean power that flows back from all six, of the worst motion [W]."""
    returned_hardest_w: float
    """The same over the hardest 10 s [W]."""

    @property
    def fits(self) -> bool:
        """Whether no property is too little."""
        return self.margin >= 0.0

    @property
    def margin(self) -> float:
        """Least reserve of all properties."""
        return min(one.margin for one in self.comparisons.values())

    @property
    def binding(self) -> str:
        """Name of the property with the least reserve."""
        return min(self.comparisons, key=lambda name: self.comparisons[name].margin)


def fit_of(
    listed: ListedCylinder, needed: Needed, demands: Sequence[Demand], life_h: float
) -> CylinderFit:
    """Compare a cylinder, with its stroke cut to what is needed, with what motions ask.

    Args:
        life_h: hours of the motions, without a pause, that nine of ten screws have to reach [h].
    """
    one = listed.cylinder
    torques = [
        motor_torque_nm(each.force_n, each.speed_m_s, one.screw_lead_m, one.efficiency)
        for each in demands
    ]
    returned = [
        returned_power_w(each.force_n, each.speed_m_s, one.efficiency).sum(axis=1)
        for each in demands
    ]
    windows = zip(returned, demands, strict=True)
    return CylinderFit(
        listed=listed,
        comparisons=_comparisons(one, needed, life_h),
        torque_peak_nm=max(float(np.abs(torque).max()) for torque in torques),
        torque_rms_nm=max(float(root_mean_square(torque).max()) for torque in torques),
        returned_mean_w=max(float(power.mean()) for power in returned),
        returned_hardest_w=max(hardest_mean(power, each.step_s) for power, each in windows),
    )


def _comparisons(
    one: CylinderSettings, needed: Needed, life_h: float
) -> dict[str, PropertyReserve]:
    closed_m = one.dead_length_m + needed.stroke_m
    allowed_m = needed.shortest_m - needed.margin_m
    turns_rpm = 60.0 * needed.speed_m_s / one.screw_lead_m
    whirl_rpm = SPEED_SAFETY * critical_speed_rpm(one.screw_root_m, needed.stroke_m)
    buckles_n = BUCKLING_SAFETY * buckling_force_n(one.rod_m, needed.longest_m + needed.margin_m)
    lasts_m = life_m(one.dynamic_rating_n, needed.cubic_mean_n, one.screw_lead_m)
    return {
        "stroke_m": _at_least(needed.stroke_m, one.stroke_max_m),
        "closed_length_m": PropertyReserve(allowed_m, closed_m, allowed_m / closed_m - 1.0),
        "speed_m_s": _at_least(needed.speed_m_s, one.speed_max_m_s),
        "force_peak_n": _at_least(needed.peak_n, one.force_peak_n),
        "force_rms_n": _at_least(needed.rms_n, one.force_continuous_n),
        "buckling_n": _at_least(needed.push_n, buckles_n),
        "screw_speed_rpm": _at_least(turns_rpm, whirl_rpm),
        "life_m": _at_least(3600.0 * life_h * needed.mean_speed_m_s, min(lasts_m, 1e15)),
    }


def _at_least(needed: float, offered: float) -> PropertyReserve:
    margin = offered / needed - 1.0 if needed > 0.0 else 1e9
    return PropertyReserve(needed, offered, min(margin, 1e9))
