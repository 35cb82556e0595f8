"""What force the payload of a rig can need of a leg, found before a run from the rig's numbers."""

from collections.abc import Iterator

import numpy as np

from hil.config.errors import Wrong, about
from hil.machines.rig.settings import Rig
from hil_common.arrays.pose import Pose
from platform6dof.geometry import HexapodGeometry
from platform6dof.jacobian import leg_jacobian

HEADROOM = 1.25
"""Over what the numbers say: the payload's centre is not in the platform's origin, screws rub."""
LEAN_MAX = 4.0
"""A leg that lies so flat that it would bear more than so many times its share is no measure."""
FORCE_SHARE = 0.9
"""Part of the cylinder's greatest force that stops the platform, if the rig says nothing: a drive
at its limit does not follow any more, and tells no more than its limit."""


def force_limit_n(rig: Rig, leg: int) -> float:
    """Measured force at which a leg (0 to 5) stops the platform [N]."""
    most_n = rig.supervision.force_max_n
    return FORCE_SHARE * rig.cylinders.force_max_n[leg] if most_n is None else most_n[leg]


def overloaded_legs(rig: Rig) -> Iterator[Wrong]:
    """Legs whose drives cannot bear their share and stop it, by the rig's own numbers."""
    cylinders, limits = rig.cylinders, rig.limits
    for leg in range(6):
        bears_n = abs(cylinders.static_load_n[leg])
        stops_n = cylinders.moving_mass_kg[leg] * limits.stop_deceleration_m_s2[leg]
        if bears_n + stops_n > (most_n := force_limit_n(rig, leg)):
            yield about(
                "cylinders.static_load_n",
                f"cylinders.static_load_n = {cylinders.static_load_n[leg]:g} of leg {leg + 1}, and "
                f"{stops_n:.0f} N to stop moving_mass_kg = {cylinders.moving_mass_kg[leg]:g} with "
                f"limits.stop_deceleration_m_s2 = {limits.stop_deceleration_m_s2[leg]:g}: "
                f"{bears_n + stops_n:.0f} N, above the {most_n:.0f} N that the rig permits "
                f"(supervision.force_max_n; cylinders.force_max_n = "
                f"{cylinders.force_max_n[leg]:g}): a lighter load or stronger drives are needed",
            )


def expected_forces_n(rig: Rig, geometry: HexapodGeometry) -> tuple[float, ...]:
    """Greatest force that each leg can need to bear and to accelerate its share [N], 6.

    A leg bears its share of the weight (`static_load_n`, at the neutral pose) and accelerates its
    share of the mass with the greatest acceleration that it is permitted. Elsewhere legs stand
    otherwise and share otherwise: the forces that balance a weight in the platform's origin,
    J^T f = w (principle of virtual work; Merlet, Parallel Robots, 2nd ed., section 9.2), are taken
    at the ends of each coordinate of `pose_box`, and their ratio to those at neutral is the worst.
    """
    cylinders, limits = rig.cylinders, rig.limits
    at_neutral = _bearing(geometry, rig.neutral.pose())
    ends = [_bearing(geometry, pose) for pose in ends_of_box(rig)]
    forces: list[float] = []
    for leg in range(6):
        share = max(1e-9, abs(at_neutral[leg]))
        worst = max(abs(bearing[leg]) for bearing in ends) / share
        own = abs(cylinders.static_load_n[leg])
        own += cylinders.moving_mass_kg[leg] * limits.acceleration_max_m_s2[leg]
        # A plain number: a violation tells it, and a recording's JSON has no others.
        forces.append(float(HEADROOM * own * min(LEAN_MAX, max(1.0, worst))))
    return tuple(forces)


def _bearing(geometry: HexapodGeometry, X_BP: Pose) -> np.ndarray:
    """Forces along the legs that bear a weight of 1 N in the platform's origin [N], shape (6,)."""
    weight = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    # Far from singular poses an exact solution; near one the least of them is as good as any.
    return np.linalg.lstsq(leg_jacobian(geometry, X_BP).T, weight, rcond=1e-9)[0]


def ends_of_box(rig: Rig) -> list[Pose]:
    """The neutral pose with one coordinate at an end of its range, 12."""
    box, poses = rig.pose_box.box(), list[Pose]()
    for axis, ends in enumerate(zip(box.lower, box.upper, strict=True)):
        for end in ends:
            coordinates = rig.neutral.coordinates()
            coordinates[axis] = end
            poses.append(Pose.from_coordinates(coordinates))
    return poses
