"""The heaviest payload that the brakes of an arm's joints hold.

With gravity a closed brake has to bear its torque at rest. In orbit nothing pulls, and a brake has
to stop what moves: the energy of the turn about its joint, all the other joints at rest, may be at
most what brake and clutch take up over the rest of the joint's range.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.kernels.dynamics import gravity_torque, make_scratch, mass_matrix
from sim.world.space_arm.links import Body

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BrakeLoad:
    """What the hardest loaded brake has to bear."""

    joint: str
    """Name of its joint."""
    share: float
    """Share of what it can bear; above 1 it does not hold."""


def brake_load(arm: Arm, payload: Body | None, q_rad: Array, rate_rad_s: Array) -> BrakeLoad:
    """Find the brake that is loaded hardest.

    Args:
        arm: the arm, without payload.
        q_rad: joint angles [rad], one a joint.
        rate_rad_s: rates that have to be stopped [rad/s], one a joint.
    """
    held = arm if payload is None else arm.with_payload(payload)
    count, scratch = len(arm.links), make_scratch()
    q, mass, pull = np.array(q_rad), np.zeros((count, count)), np.zeros(count)
    mass_matrix(held.arrays(), q, scratch, mass)
    gravity_torque(held.arrays(), q, scratch, pull)
    shares = np.zeros(count)
    for j, (link, drive) in enumerate(zip(arm.links, arm.drives, strict=True)):
        bears_nm = min(drive.brake_nm, drive.clutch_nm)
        left_rad = min(q[j] - link.position_min_rad, link.position_max_rad - q[j])
        energy_j = 0.5 * mass[j, j] * rate_rad_s[j] ** 2
        spare_nm = bears_nm - abs(pull[j])
        shares[j] = abs(pull[j]) / bears_nm if bears_nm > 0.0 else np.inf
        if spare_nm > 0.0 and left_rad > 0.0:
            shares[j] = max(shares[j], energy_j / (spare_nm * left_rad))
    worst = int(np.argmax(shares))
    return BrakeLoad(arm.links[worst].name, float(shares[worst]))


def scaled(body: Body, mass_kg: float) -> Body:
    """Make a body of another mass and the same shape."""
    factor = mass_kg / body.mass_kg
    return replace(body, mass_kg=mass_kg, inertia_kg_m2=body.inertia_kg_m2 * factor)


def heaviest_kg(arm: Arm, shape: Body, q_rad: Array, rate_rad_s: Array, most_kg: float) -> float:
    """Find the largest mass of a shape that the brakes hold, to within 0.1 %, at most ``most_kg``.

    Returns:
        The mass [kg]; 0 if the brakes do not hold the empty arm.
    """
    low, high = 0.0, most_kg
    if brake_load(arm, scaled(shape, high), q_rad, rate_rad_s).share <= 1.0:
        return high
    while high - low > 1e-3 * high:
        middle = 0.5 * (low + high)
        if brake_load(arm, scaled(shape, middle), q_rad, rate_rad_s).share <= 1.0:
            low = middle
        else:
            high = middle
    return low
