"""Rigs of a design: sizes as files that the bench accepts, and the machine that it began from."""

import copy
import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.machines.rig.design_spec import DesignSpec
from hil.machines.rig.machine import check_rig, envelope_of, geometry_of
from hil.machines.rig.payload import FORCE_SHARE
from hil.machines.rig.settings import CirclesGeometry, Rig
from hil.stations.platform.machine.design_motions import DesignMotion, beyond, needs_of
from platform6dof.accuracy.poses import reachable_poses
from platform6dof.design.problem import LEVEL, DesignFigures, DesignProblem
from platform6dof.dynamics.machine import GRAVITY_M_S2
from platform6dof.geometry import GeometryError, HexapodGeometry
from platform6dof.kernels import design as kernel
from platform6dof.workspace import PoseBox, extremes

Array = NDArray[np.float64]

DIGITS: Final = 6
"""Digits of metres and degrees in a rig's file."""
FORCE_STEP_N: Final = 50.0
"""Step to which the cylinders' greatest force is rounded up [N]."""
LENGTH_STEP_M: Final = 1e-4
"""Difference of lengths that rounding makes [m]."""
TRIED: Final = 300
"""Random poses of the box that a rig is tried at, besides corners and faces."""


class DesignedRig(NamedTuple):
    """A machine of the front as a rig."""

    rig: Rig
    """The rig, accepted by the bench."""
    table: Mapping[str, Any]
    """Its table, as the file has it."""
    sizes: Array
    """Sizes of the machine [m, rad], shape (6,)."""
    objectives: Array
    """Values of the design's objectives, shape (k,)."""
    singular_value: float
    """Lower bound of the smallest singular value over the box."""


def rig_of(
    spec: DesignSpec, base: Mapping[str, Any], problem: DesignProblem, figures: DesignFigures,
    number: int, motions: list[DesignMotion],
) -> DesignedRig | str:  # fmt: skip
    """Make the rig of one machine, with the exact extremes of its legs over box and motions.

    Args:
        base: table of the rig that limits are taken from.
        figures: machines of the front; one of them is meant.
        number: number of that machine, from 0; its file's is one more.
        motions: motions that it must play within its limits.

    Returns:
        The rig, or a word on why the bench does not accept it.
    """
    sizes, raw = figures.sizes[number], figures.raw[number]
    table = copy.deepcopy(dict(base))
    table.pop("drives", None)
    table["name"] = f"{spec.name}_{number + 1:02d}"
    table["description"] = f"Machine {number + 1} of the design {spec.name}"
    table["geometry"] = _geometry(sizes)
    height = table["geometry"].pop("height_m")
    table["neutral"] = {"z_m": height}
    table["pose_box"] = _pose_box(problem, height)
    try:
        force_n = float(raw[kernel.FORCE])
        table["cylinders"] |= _cylinders(spec, base, table, force_n, height, motions)
        table["supervision"].pop("force_max_n", None)
        table["limits"] |= _limits(problem)
        rig = Rig.build(table, table["name"])
        check_rig(rig, table["name"])
    except (ConfigError, GeometryError, ValueError) as error:
        return str(error)
    envelope = envelope_of(rig, geometry_of(rig))
    within, tried = reachable_poses(envelope, rig.pose_box.box(), TRIED)
    if len(within) < tried:
        return f"{tried - len(within)} of {tried} poses are outside its limits"
    if passed := beyond(motions, envelope, height):
        return passed
    stroke, objectives = rig.cylinders.stroke_m[0], figures.objectives[number].copy()
    lacking_m = stroke + problem.limits.dead_length_m - rig.cylinders.closed_length_m[0]
    if lacking_m > LENGTH_STEP_M:
        return (
            f"its closed length is {1e3 * lacking_m:.1f} mm shorter than its stroke and "
            f"dead_length_m = {problem.limits.dead_length_m:g}, with the stops of its motions"
        )
    if motions and "stroke_m" in problem.objectives:
        objectives[problem.objectives.index("stroke_m")] = stroke  # with what its own stops need
    return DesignedRig(rig, table, sizes, objectives, float(raw[kernel.SINGULAR]))


def _geometry(sizes: Array) -> dict[str, Any]:
    radius, half, top, of_top, turn, height = sizes.tolist()
    return {
        "kind": "circles",
        "base_radius_m": round(radius, DIGITS),
        "base_half_angle_deg": round(math.degrees(half), DIGITS),
        "platform_radius_m": round(top, DIGITS),
        "platform_half_angle_deg": round(math.degrees(of_top), DIGITS),
        "plate_rotation_deg": round(math.degrees(turn), DIGITS),
        "height_m": round(height, DIGITS),
    }


def _pose_box(problem: DesignProblem, height: float) -> dict[str, list[float]]:
    keys = ("x_m", "y_m", "z_m", "alpha_deg", "beta_deg", "gamma_deg")
    found: dict[str, list[float]] = {}
    ends = zip(keys, problem.box_lower.tolist(), problem.box_upper.tolist(), strict=True)
    for key, low, high in ends:
        pair = [low + height, high + height] if key == "z_m" else [low, high]
        pair = [math.degrees(end) for end in pair] if key.endswith("_deg") else pair
        found[key] = [round(end, DIGITS) for end in pair]
    return found


def _cylinders(
    spec: DesignSpec,
    base: Mapping[str, Any],
    table: Mapping[str, Any],
    peak_n: float,
    height: float,
    motions: list[DesignMotion],
) -> dict[str, Any]:
    """Lengths, force and load of the cylinders."""
    shape = CirclesGeometry.build(table["geometry"], "geometry")
    geometry = HexapodGeometry.from_circles(
        shape.base_radius_m, math.radians(shape.base_half_angle_deg), shape.platform_radius_m,
        math.radians(shape.platform_half_angle_deg), 0.5 * height, 2.0 * height + 4.0,
        math.radians(shape.plate_rotation_deg),
    )  # fmt: skip
    pairs = np.array([*table["pose_box"].values()])
    pairs[3:] = np.radians(pairs[3:])
    found = extremes(geometry, PoseBox(pairs[:, 0], pairs[:, 1]))
    stop_m_s2 = float(np.min(base["limits"]["stop_deceleration_m_s2"]))
    needs = needs_of(motions, geometry, spec.load.body(), height, stop_m_s2)
    force_n = max(peak_n, needs.force_n)
    margin = base["limits"]["soft_margin_m"]
    closed = math.floor((min(found.min_m, needs.shortest_m) - margin) * 1e5) / 1e5
    stroke = math.ceil((max(found.max_m, needs.longest_m) + margin - closed) * 1e5) / 1e5
    lean = np.linalg.norm(geometry.platform_joints_m - geometry.base_joints_m, axis=1)
    slope = math.hypot(float(lean.mean()), height) / height
    level = min(LEVEL * float(lean.max()), closed + 0.5 * stroke)
    own = base["cylinders"]
    switch = float(np.min(own["reference_length_m"]) - np.min(own["closed_length_m"]))
    return {
        "closed_length_m": closed,
        "stroke_m": round(stroke, 5),
        "reference_length_m": round(max(closed + min(switch, 0.25 * stroke), level), 5),
        "force_max_n": math.ceil(force_n / FORCE_SHARE / FORCE_STEP_N) * FORCE_STEP_N,
        "moving_mass_kg": round(spec.load.mass_kg / 6.0, 3),
        "static_load_n": round(spec.load.mass_kg * GRAVITY_M_S2 / 6.0 * slope, 1),
        "screw_lead_m": 0.0,
    }


def _limits(problem: DesignProblem) -> dict[str, float]:
    limits = problem.limits
    return {
        "singular_value_min": limits.singular_value_min,
        "joint_cone_base_deg": round(math.degrees(limits.base_cone_rad), DIGITS),
        "joint_cone_platform_deg": round(math.degrees(limits.platform_cone_rad), DIGITS),
        "leg_clearance_m": limits.clearance_m,
    }


def figures_of_rig(rig: Rig, problem: DesignProblem) -> DesignFigures | None:
    """Figures of a rig over the problem's poses at its neutral height; None if not on circles."""
    shape = rig.geometry
    if not isinstance(shape, CirclesGeometry):
        return None
    sizes = [
        shape.base_radius_m, math.radians(shape.base_half_angle_deg), shape.platform_radius_m,
        math.radians(shape.platform_half_angle_deg), math.radians(shape.plate_rotation_deg),
        rig.neutral.z_m,
    ]  # fmt: skip
    return problem.figures(sizes)
