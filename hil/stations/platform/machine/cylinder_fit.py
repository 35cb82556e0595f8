"""Comparisons of cylinders with what is asked of them: which fit, which not and by what."""

from collections.abc import Mapping
from typing import Final, NamedTuple, Self

from hil.stations.platform.machine.cylinder_candidates import CylinderCandidate
from platform6dof.dynamics.stop_shortage import StopShortage
from platform6dof.sizing.demand import DemandFigures
from platform6dof.sizing.motor_demand import MotorDemand
from platform6dof.sizing.screw import (
    BUCKLING_SAFETY,
    SPEED_SAFETY,
    buckling_force_n,
    critical_speed_rpm,
    life_m,
)

MOST: Final = 1e9
"""Greatest margin and distance that is written."""


class Needed(NamedTuple):
    """What motions, their stops and a box together ask of each cylinder."""

    figures: DemandFigures
    """Greatest numbers of all of them."""
    stop_n: float
    """Greatest force that a stop begun at any moment asks for [N]; 0 without a motion."""
    margin_m: float
    """Margin at each end of the stroke [m]."""

    @property
    def stroke_m(self) -> float:
        """Stroke with a margin at both ends [m]."""
        return self.figures.longest_m - self.figures.shortest_m + 2.0 * self.margin_m

    @property
    def allowed_m(self) -> float:
        """Greatest closed length [m]."""
        return self.figures.shortest_m - self.margin_m


class StopReserve(NamedTuple):
    """What follows where stops ask for more force than a cylinder gives."""

    beyond_m: float
    """Greatest distance by which a leg goes beyond a controlled stop [m]."""
    window_m: float
    """Distance that is allowed, the gate's at rest [m]."""
    stroke_share: float
    """The same of quick stops, as a share of the stroke that is left; 1 is the end."""

    @classmethod
    def of(cls, shortage: StopShortage) -> Self:
        """What a judge of stops found."""
        window_m = float(shortage.controlled.limit[0])
        beyond_m, share = shortage.controlled.worst.max(), shortage.quick.worst.max()
        return cls(min(float(beyond_m), MOST), window_m, min(float(share), MOST))

    @property
    def margin(self) -> float:
        """Reserve of the distances, below 0 where one is too long."""
        return min(_margin(self.beyond_m, self.window_m), _margin(self.stroke_share, 1.0))


class PropertyReserve(NamedTuple):
    """One property of a cylinder beside what is needed."""

    needed: float
    """Needed value, in the unit of the property's name."""
    offered: float
    """Value that the cylinder has; for `closed_length_m` the least that it can be."""
    margin: float
    """Reserve as a share of what is needed, below 0 where it does not do."""


class CylinderFit(NamedTuple):
    """A cylinder beside what is needed of it."""

    candidate: CylinderCandidate
    """Cylinder with its stroke cut to what is needed."""
    comparisons: Mapping[str, PropertyReserve]
    """Comparisons by the name of the property with its unit."""
    motor: MotorDemand
    """Torque and power of its motor."""
    stop: StopReserve | None
    """Distances of stops that ask for more than it gives; None where nothing has moments, so that
    they have no bound."""

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
    candidate: CylinderCandidate,
    needed: Needed,
    motor: MotorDemand,
    stop: StopReserve | None,
    life_h: float,
) -> CylinderFit:
    """Compare a cylinder with what its own legs and drives need.

    Args:
        life_h: hours of the motions, without a pause, that nine of ten screws have to reach [h].
    """
    found = {
        **_lengths_and_speed(candidate, needed),
        **_forces(candidate, needed, stop),
        **_screw(candidate, needed, life_h),
        **_torques(candidate, motor),
    }
    return CylinderFit(candidate, found, motor, stop)


def _lengths_and_speed(candidate: CylinderCandidate, needed: Needed) -> dict[str, PropertyReserve]:
    one = candidate.listed.cylinder
    closed_m, allowed_m = one.dead_length_m + needed.stroke_m, needed.allowed_m
    return {
        "stroke_m": _at_least(needed.stroke_m, one.stroke_max_m),
        "closed_length_m": PropertyReserve(allowed_m, closed_m, allowed_m / closed_m - 1.0),
        "speed_m_s": _at_least(needed.figures.speed_m_s, one.speed_max_m_s),
    }


def _forces(
    candidate: CylinderCandidate, needed: Needed, stop: StopReserve | None
) -> dict[str, PropertyReserve]:
    """Compare forces; a stop may ask for more than there is where its legs go hardly further."""
    one = candidate.listed.cylinder
    reserve = MOST if stop is None else stop.margin
    return {
        "force_peak_n": _at_least(needed.figures.peak_n, one.force_peak_n),
        "force_stop_n": PropertyReserve(needed.stop_n, candidate.gives_n, reserve),
        "force_rms_n": _at_least(needed.figures.rms_n, one.force_continuous_n),
    }


def _screw(
    candidate: CylinderCandidate, needed: Needed, life_h: float
) -> dict[str, PropertyReserve]:
    one, figures = candidate.listed.cylinder, needed.figures
    turns_rpm = 60.0 * figures.speed_m_s / one.screw_lead_m
    whirl_rpm = SPEED_SAFETY * critical_speed_rpm(one.screw_root_m, needed.stroke_m)
    longest_m = figures.longest_m + needed.margin_m
    buckles_n = BUCKLING_SAFETY * buckling_force_n(one.rod_m, longest_m)
    lasts_m = life_m(one.dynamic_rating_n, figures.cubic_mean_n, one.screw_lead_m)
    return {
        "buckling_n": _at_least(figures.push_n, buckles_n),
        "screw_speed_rpm": _at_least(turns_rpm, whirl_rpm),
        "life_m": _at_least(3600.0 * life_h * figures.mean_speed_m_s, min(lasts_m, 1e15)),
    }


def _torques(candidate: CylinderCandidate, motor: MotorDemand) -> dict[str, PropertyReserve]:
    """Compare torques with the row's limits, where it gives them."""
    one, found = candidate.listed.cylinder, dict[str, PropertyReserve]()
    lasting_nm = max(motor.torque_rms_nm, motor.torque_hardest_nm)
    if one.torque_peak_nm is not None:
        found["torque_peak_nm"] = _at_least(motor.torque_peak_nm, one.torque_peak_nm)
    if one.torque_continuous_nm is not None:
        found["torque_rms_nm"] = _at_least(lasting_nm, one.torque_continuous_nm)
    return found


def _at_least(needed: float, offered: float) -> PropertyReserve:
    return PropertyReserve(needed, offered, _margin(needed, offered))


def _margin(needed: float, offered: float) -> float:
    return min(offered / needed - 1.0 if needed > 0.0 else MOST, MOST)
