"""What force the payload of a rig can need of a leg, found before a run from the rig's numbers."""

import numpy as np

from hil.machines.rig import Rig
from platform6dof.geometry import HexapodGeometry
from platform6dof.jacobian import leg_jacobian
from platform6dof.pose import Pose

HEADROOM = 1.25
"""Over what the numbers say: the payload's centre is not in the platform's origin, screws rub."""
LEAN_MAX = 4.0
"""A leg that lies so flat that it would bear more than so many times its share is no measure."""


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
    ends = [_bearing(geometry, pose) for pose in _ends(rig)]
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


def _ends(rig: Rig) -> list[Pose]:
    """The neutral pose with one coordinate at an end of its range, 12."""
    box, poses = rig.pose_box.box(), list[Pose]()
    for axis, ends in enumerate(zip(box.lower, box.upper, strict=True)):
        for end in ends:
            coordinates = rig.neutral.coordinates()
            coordinates[axis] = end
            poses.append(Pose.from_coordinates(coordinates))
    return poses
