"""The search that proves a box of poses by guaranteed bounds, in parts that a caller can end.

Source of the bounds: `platform6dof.kernels.pose_proof`, which derives each.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from platform6dof.envelope import PAIRS, Envelope
from platform6dof.inverse import leg_setpoints_batch
from platform6dof.kernels import dynamics
from platform6dof.kernels import pose_proof as kernel
from platform6dof.limits import EnvelopeViolation
from platform6dof.pose import PlatformSetpoint
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.leg_extremes import PoseBox

Array = NDArray[np.float64]

AT_ONCE = 200_000
"""Boxes examined between two looks at the budget."""
SMALLEST_M = 1e-6
"""Half width at which a box is given up [m]: closer to a limit nothing is decided."""
STILL = np.zeros(6)
"""Rates of a platform at rest."""

Verdict = Literal["holds", "violated", "undecided"]


@dataclass(frozen=True, slots=True)
class Budget:
    """Budget of a proof; what is not decided within it stays undecided."""

    boxes: int = 100_000_000
    """Most boxes that are examined, at least 1."""
    expired: Callable[[], bool] = lambda: False
    """Whether the time is up, asked now and then."""


@dataclass(frozen=True, slots=True, eq=False)
class ViolatingPose:
    """A pose that passes a limit."""

    coordinates: Array
    """x, y, z, alpha, beta, gamma [m, rad], shape (6,), read-only."""
    violation: EnvelopeViolation
    """Limit that it passes, with the value."""


@dataclass(frozen=True, slots=True, eq=False)
class BoxSearch:
    """Result of a search through a box."""

    verdict: Verdict
    """`holds` for all poses of the box, `violated` by one, or `undecided`."""
    violating: ViolatingPose | None
    """Pose that passes a limit; None if none was found."""
    proved_share: float
    """Share of the box in which all limits are proved [1]."""
    undecided_share: float
    """Share of the box that is neither proved nor seen to violate [1]."""
    boxes: int
    """Number of boxes examined."""


def search_box(
    envelope: Envelope,
    box: PoseBox,
    budget: Budget | None = None,
    rates: Array = STILL,
    holding: HoldingLimits | None = None,
) -> BoxSearch:
    """Decide whether every pose of a box keeps travel, cones, clearance, hold, speed and forces.

    Args:
        rates: greatest rates of the coordinates, in any combination [m/s, rad/s], shape (6,).
        holding: limits of the forces at rest; None: they are not judged.

    Raises:
        ValueError: a rate that is not finite or below 0, or no box in the budget.
    """
    budget = budget or Budget()
    rates = np.array(rates, np.float64)
    if rates.shape != (6,) or not (np.isfinite(rates) & (rates >= 0.0)).all():
        raise ValueError(f"rates: {rates.tolist()}: six finite rates, 0 or more, are needed")
    if budget.boxes < 1:
        raise ValueError(f"budget of {budget.boxes} boxes: at least 1 is needed")
    constants, apart = leg_constants(envelope, holding), joints_apart_m(envelope)
    common = np.array(
        [envelope.geometry.length_scale_m, envelope.limits.leg_clearance_m,
         envelope.limits.singular_value_min]
    )  # fmt: skip
    weight = weight_numbers(holding)
    boxes, masks = np.zeros((kernel.STACK, 13)), np.zeros(kernel.STACK, np.int64)
    boxes[0, :6], boxes[0, 6:12] = box.lower, box.upper
    masks[0] = limits_to_prove(envelope, rates, holding)
    state, shares = np.array([1, 0, -1]), np.zeros(8)
    arm = max(float(constants[:, kernel.ARM].max()), 1e-3)
    widths = np.array([1.0, 1.0, 1.0, arm, arm, arm])
    found: ViolatingPose | None = None
    while state[0] > 0 and state[1] < budget.boxes and not budget.expired():
        ended = kernel.search(
            constants, apart, common, rates, weight, widths, SMALLEST_M, boxes, masks, state,
            shares, min(AT_ONCE, budget.boxes - int(state[1])),
        )  # fmt: skip
        if ended == kernel.VIOLATED:
            found = violating_pose(envelope, shares[2:], rates, holding)
            if found is not None:
                break
            # Beyond a limit by less than the envelope's own rounding: neither one nor the other.
            state[0] -= 1
            shares[1] += 0.5 ** boxes[state[0], 12]
    proved, waiting = float(shares[0]), int(state[0])
    undecided = float(shares[1] + (0.5 ** boxes[:waiting, 12]).sum())
    decided = "violated" if found is not None else "holds" if undecided == 0.0 else "undecided"
    return BoxSearch(decided, found, proved, undecided, int(state[1]))


def violating_pose(
    envelope: Envelope,
    coordinates: Array,
    rates: Array = STILL,
    holding: HoldingLimits | None = None,
) -> ViolatingPose | None:
    """Return the limit that a pose passes farthest, as a share of it; None if it passes none."""
    found = all_violations(envelope, coordinates, rates, holding)
    return max(found, key=_depth, default=None)


def all_violations(
    envelope: Envelope,
    coordinates: Array,
    rates: Array = STILL,
    holding: HoldingLimits | None = None,
) -> list[ViolatingPose]:
    """Return every limit that a pose passes, legs' speeds at the worst combination of rates too."""
    pose = np.array(coordinates)
    pose.setflags(write=False)
    found = list(envelope.check(PlatformSetpoint.from_coordinates(pose, STILL, STILL)))
    if rates.any():
        speeds = worst_speeds_m_s(envelope, pose, rates)
        for leg, (speed, limit) in enumerate(
            zip(speeds.tolist(), envelope.limits.speed_max_m_s.tolist(), strict=True), 1
        ):
            if not speed <= limit:
                found.append(EnvelopeViolation("speed", leg, speed, limit, "m/s"))
    if holding is not None:
        found += holding.violations(pose)
    return [ViolatingPose(pose, one) for one in found]


def worst_speeds_m_s(envelope: Envelope, coordinates: Array, rates: Array) -> Array:
    """Greatest speed of each leg over all combinations of the rates [m/s], shape (6,)."""
    rows = np.repeat(coordinates[None, :], 6, axis=0)
    _, speeds = leg_setpoints_batch(envelope.geometry, rows, np.diag(rates))
    return np.asarray(np.abs(speeds).sum(axis=0))


def _depth(one: ViolatingPose) -> float:
    """How far a violation is beyond its limit, as a share of the limit."""
    value, limit = one.violation.value, one.violation.limit
    return abs(value - limit) / max(abs(limit), 1e-9)


def limits_to_prove(envelope: Envelope, rates: Array, holding: HoldingLimits | None = None) -> int:
    """Bits of the limits that an envelope has, and those of the forces if they have any."""
    low, high = envelope.bounds
    mask = 0b111111 << kernel.TRAVEL | 1 << kernel.SINGULAR_VALUE
    for i in range(12):
        if high[18 + i] < math.pi:
            mask |= 1 << (kernel.BASE_CONE + i)
    for pair in range(15):
        if low[30 + pair] > 0.0:
            mask |= 1 << (kernel.CLEARANCE + pair)
    if rates.any():
        mask |= 0b111111 << kernel.SPEED
    if holding is not None:
        mask |= 0b111111 << kernel.FORCE
    return mask


def leg_constants(envelope: Envelope, holding: HoldingLimits | None = None) -> Array:
    """Constants of the legs in the kernel's order, shape (6, 29)."""
    g, limits = envelope.geometry, envelope.limits
    low, high = envelope.bounds
    return np.column_stack(
        [
            g.base_joints_m, g.platform_joints_m, g.neutral_axes[0], g.neutral_axes[1],
            g.table[:, 6:14], np.linalg.norm(g.platform_joints_m, axis=1), low[:6], high[:6],
            limits.speed_max_m_s, np.full(6, math.cos(limits.joint_cone_base_rad)),
            np.full(6, math.cos(limits.joint_cone_platform_rad)), *_force_columns(holding),
        ]
    )  # fmt: skip


def _force_columns(holding: HoldingLimits | None) -> tuple[Array, Array, Array]:
    """Rods [kg], first moments of tubes less those of rods [kg m], limits [N]; (6,) each."""
    if holding is None:
        return np.zeros(6), np.zeros(6), np.full(6, np.inf)
    own = holding.machine.leg_bodies
    rods = own[:, dynamics.ROD_KG]
    moments = own[:, dynamics.TUBE_KG] * own[:, dynamics.TUBE_M] - rods * own[:, dynamics.ROD_M]
    return rods, moments, holding.limit_n


def weight_numbers(holding: HoldingLimits | None) -> Array:
    """Mass and first moment of bodies and rods, the latter at their joints; free fall, (7,)."""
    if holding is None:
        return np.zeros(7)
    machine = holding.machine
    rods = machine.leg_bodies[:, dynamics.ROD_KG]
    moment = machine.load[1:4] + rods @ machine.geometry.platform_joints_m
    return np.array([machine.load_kg + rods.sum(), *moment, *machine.gravity_m_s2])


def joints_apart_m(envelope: Envelope) -> Array:
    """Distance of the platform joints of each pair of legs [m], shape (15,)."""
    joints = envelope.geometry.platform_joints_m
    apart = [float(np.linalg.norm(joints[i - 1] - joints[j - 1])) for i, j in PAIRS]
    return np.array(apart)
