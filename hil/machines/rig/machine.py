"""From a rig's tables to its parts: geometry, envelope, gate limits, simulated cylinders.

What no single key of a rig can say is checked here too: tables that contradict each other, a
geometry that cannot hold its platform.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hil.config.errors import ConfigError, Wrong, about
from hil.config.settings import read_toml
from hil.machines.rig.masses import mass_problems, with_shares
from hil.machines.rig.payload import expected_forces_n, force_limit_n, overloaded_legs
from hil.machines.rig.rig_geometry import geometry_of, hangs
from hil.machines.rig.settings import Rig
from hil_common.arrays.pose import Pose
from platform6dof.envelope import Envelope, EnvelopeLimits, home_pose
from platform6dof.forward import forward
from platform6dof.geometry import HexapodGeometry
from safety.bounds import BOUNDS
from safety.limits import GateLimits, LegLimits

if TYPE_CHECKING:
    from drives.sim.bank import CylinderModel


def load_rig(path: Path) -> Rig:
    """Read and check a rig.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    rig = build_rig(read_toml(path), str(path))
    check_rig(rig, str(path))
    return rig


def build_rig(table: Mapping[str, Any], source: str) -> Rig:
    """Make a rig of its table; shares of the legs that it leaves out follow from its bodies.

    Raises:
        ConfigError: with the key path, the value and what would have been right.
    """
    return Rig.build(with_shares(table, source), source)


def check_rig(rig: Rig, source: str) -> None:
    """Check what no single field can say: contradicting tables, an impossible geometry.

    The geometry is built once, so that a singular one is refused before it is ever used.

    Raises:
        ConfigError: naming the keys, the values and the remedy.
    """
    problems: list[str] = [
        *_wider_limits(rig), *_lengths_outside(rig),
        *_check_hanging_load(rig), *overloaded_legs(rig),
    ]  # fmt: skip
    if not problems:
        try:
            geometry = geometry_of(rig)
            parked = park_pose(rig, geometry)
            gate_limits(rig, GATE_CHECK_PERIOD_S)
            problems += mass_problems(rig, geometry, parked)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ConfigError(source, problems)


LAG_CYCLES, LAG_LEAST_S = 2.5, 0.010
"""Default limit of the feedback's lag [cycles, s]: a drive is at a set-point
one cycle after it was sent, an adapter of USB takes up to 3 ms, and two cycles more are found."""
LAG_GROWTH_CYCLES, LAG_GROWTH_LEAST_S = 1.5, 0.003
"""Largest permitted growth of that lag [cycles, s]: above a single late frame, below two cycles."""
GATE_CHECK_PERIOD_S = 0.001
"""The gate's limits do not depend on the cycle time; a rig is checked with this one."""
CYCLE_ROUNDING = 1e-6
"""Part of a cycle that a quotient such as 0.3 s / 0.1 s may lack by rounding."""


def _wider_limits(rig: Rig) -> Iterator[Wrong]:
    force_max_n = rig.supervision.force_max_n or rig.cylinders.force_max_n
    for leg, (limit, able) in enumerate(
        zip(force_max_n, rig.cylinders.force_max_n, strict=True), 1
    ):
        if limit > able:
            yield about(
                "supervision.force_max_n",
                f"supervision.force_max_n = {limit} N of leg {leg} is above the cylinder's own "
                f"(cylinders.force_max_n = {able}), which no measured force exceeds",
            )
    for key in ("speed_max_m_s", "acceleration_max_m_s2"):
        for leg in range(6):
            limit, able = getattr(rig.limits, key)[leg], getattr(rig.cylinders, key)[leg]
            if limit > able:
                yield about(
                    f"limits.{key}",
                    f"limits.{key} = {limit} of leg {leg + 1} is wider than the cylinder's own "
                    f"(cylinders.{key} = {able}); a limit may only tighten",
                )


def _check_hanging_load(rig: Rig) -> Iterator[Wrong]:
    """Check a pulling load: signed if the platform is above its base, unsigned if it hangs."""
    for leg, load in enumerate(rig.cylinders.static_load_n, 1):
        if load < 0.0 and hangs(rig):
            yield about(
                "cylinders.static_load_n",
                f"cylinders.static_load_n = {load} of leg {leg}: the platform hangs (neutral.z_m = "
                f"{rig.neutral.z_m}), so its weight is known to pull: write {-load}",
            )


def soft_range_m(rig: Rig, leg: int) -> tuple[float, float]:
    """Soft limits [m] of a leg (0 to 5): the stroke less the margin at both ends."""
    closed = rig.cylinders.closed_length_m[leg]
    margin = rig.limits.soft_margin_m
    return closed + margin, closed + rig.cylinders.stroke_m[leg] - margin


def _lengths_outside(rig: Rig) -> Iterator[Wrong]:
    for leg in range(6):
        low, high = soft_range_m(rig, leg)
        reference = rig.cylinders.reference_length_m[leg]
        if low >= high:
            yield about(
                "limits.soft_margin_m",
                f"limits.soft_margin_m = {rig.limits.soft_margin_m} leaves leg {leg + 1} no travel "
                f"in its stroke of {rig.cylinders.stroke_m[leg]} m",
            )
        elif not low < reference < high:
            yield about(
                "cylinders.reference_length_m",
                f"cylinders.reference_length_m = {reference} of leg {leg + 1} lies outside its "
                f"soft limits [{low:.4f}, {high:.4f}] m",
            )


def pushing_load_n(rig: Rig) -> tuple[float, ...]:
    """Force with which the weight pushes each rod inwards [N], 6; below 0 for a hanging platform.

    A rig's file has the share of the weight, whichever way it acts.
    """
    sense = -1.0 if hangs(rig) else 1.0
    return tuple(sense * load for load in rig.cylinders.static_load_n)


def envelope_of(rig: Rig, geometry: HexapodGeometry) -> Envelope:
    """Make the geometric and kinematic limits of the rig, for checks before a motion."""
    limits = rig.limits
    return Envelope(
        geometry,
        EnvelopeLimits(
            joint_cone_base_rad=math.radians(limits.joint_cone_base_deg),
            joint_cone_platform_rad=math.radians(limits.joint_cone_platform_deg),
            leg_clearance_m=limits.leg_clearance_m,
            singular_value_min=limits.singular_value_min,
            speed_max_m_s=np.array(limits.speed_max_m_s),
            acceleration_max_m_s2=np.array(limits.acceleration_max_m_s2),
            soft_margin_m=limits.soft_margin_m,
        ),
    )


def park_pose(rig: Rig, geometry: HexapodGeometry) -> Pose:
    """Find the pose with every rod at its reference length: the end of homing and of parking.

    Raises:
        ValueError: if no pose has these lengths.
    """
    lengths = np.array(rig.cylinders.reference_length_m)
    found = forward(geometry, lengths, home_pose(geometry, float(lengths.mean())))
    if not found.converged:
        raise ValueError(f"cylinders.reference_length_m: no pose has these lengths: {found.reason}")
    return found.X_BP


def gate_limits(rig: Rig, period_s: float, *, wired: bool = True) -> GateLimits:
    """Make the gate's limits.

    Args:
        wired: whether there are drives on a wire, whose inputs can read an emergency stop;
            simulated cylinders (``sim:``) have none.
    """
    watch = rig.supervision
    expected_n = expected_forces_n(rig, geometry_of(rig))
    one, two, three, four, five, six = (_leg_limits(rig, leg, expected_n[leg]) for leg in range(6))
    return GateLimits(
        period_s=period_s,
        legs=(one, two, three, four, five, six),
        following_base_m=watch.following_base_m,
        following_per_speed_s=watch.following_per_speed_s,
        following_cycles=watch.following_cycles,
        reaction_time_s=watch.reaction_time_s,
        missing_setpoints_max=watch.missing_setpoints_max,
        missing_feedback_max=watch.missing_feedback_max,
        late_cycles_max=watch.late_cycles_max,
        setpoint_age_max_s=watch.late_cycles_max * period_s,
        start_tolerance_m=watch.start_tolerance_m,
        standstill_speed_m_s=watch.standstill_speed_m_s,
        standstill_cycles=max(1, math.ceil(watch.standstill_time_s / period_s)),
        # At most as long as written: these two are detection times.
        stuck_cycles=max(1, math.floor(watch.stuck_time_s / period_s + CYCLE_ROUNDING)),
        stuck_movement_m=watch.stuck_movement_m,
        jump_speed_factor=watch.jump_speed_factor,
        jump_base_m=watch.jump_base_m,
        force_cycles=max(1, math.floor(watch.force_time_s / period_s + CYCLE_ROUNDING)),
        feedback_lag_max_s=lag_max_s(rig, period_s),
        feedback_lag_growth_s=watch.feedback_lag_growth_s
        or min(
            max(LAG_GROWTH_CYCLES * period_s, LAG_GROWTH_LEAST_S),
            BOUNDS["feedback_lag_growth_s"].most,
        ),
        estop_fitted=watch.estop_fitted and wired,
        estop_discrepancy_cycles=max(
            1, math.floor(watch.estop_discrepancy_s / period_s + CYCLE_ROUNDING)
        ),
    )


def lag_max_s(rig: Rig, period_s: float) -> float:
    """Largest lag of the feedback that the gate permits, at a cycle time [s]."""
    most_s = BOUNDS["feedback_lag_max_s"].most
    return rig.supervision.feedback_lag_max_s or min(
        max(LAG_CYCLES * period_s, LAG_LEAST_S), most_s
    )


def _leg_limits(rig: Rig, leg: int, expected_n: float) -> LegLimits:
    low, high = soft_range_m(rig, leg)
    return LegLimits(
        soft_min_m=low,
        soft_max_m=high,
        speed_max_m_s=rig.limits.speed_max_m_s[leg],
        acceleration_max_m_s2=rig.limits.acceleration_max_m_s2[leg],
        stop_deceleration_m_s2=rig.limits.stop_deceleration_m_s2[leg],
        force_expected_n=expected_n,
        force_max_n=force_limit_n(rig, leg),
    )


def cylinder_model(rig: Rig, period_s: float) -> "CylinderModel":
    """Make the simulated cylinders of the rig, for a cycle time [s]."""
    from drives.sim.bank import CylinderModel

    cylinders = rig.cylinders
    closed = np.array(cylinders.closed_length_m)
    return CylinderModel(
        natural_frequency_hz=cylinders.natural_frequency_hz,
        damping=cylinders.damping,
        speed_max_m_s=np.array(cylinders.speed_max_m_s),
        acceleration_max_m_s2=np.array(cylinders.acceleration_max_m_s2),
        force_max_n=np.array(cylinders.force_max_n),
        moving_mass_kg=np.array(cylinders.moving_mass_kg),
        static_load_n=np.array(pushing_load_n(rig)),
        closed_length_m=closed,
        open_length_m=closed + np.array(cylinders.stroke_m),
        reference_length_m=np.array(cylinders.reference_length_m),
        homing_speed_m_s=cylinders.homing_speed_m_s,
        enable_cycles=math.ceil(cylinders.enable_time_s / period_s),
    )
