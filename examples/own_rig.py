"""Kinematics of one's own hexapod: lengths, speeds, poses back, and where it is weak.

python examples/own_rig.py
"""

import math

import numpy as np

from hil_common.arrays.pose import Pose
from platform6dof.forward import forward, forward_batch
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_lengths, leg_setpoint
from platform6dof.jacobian import condition_number
from platform6dof.pose import PlatformSetpoint

RIG = HexapodGeometry.from_circles(
    base_radius_m=0.9,
    base_half_angle_rad=math.radians(8.0),
    platform_radius_m=0.6,
    platform_half_angle_rad=math.radians(52.0),
    closed_length_m=0.75,
    stroke_m=0.35,
)


def main() -> float:
    """Print what the rig does; the largest error of the poses found back [m]."""
    X_BP = RIG.neutral_pose @ Pose.from_coordinates([0.03, -0.02, 0.01, 0.05, -0.03, 0.1])
    lengths_m = leg_lengths(RIG, X_BP)
    print("lengths [m]     ", lengths_m.round(4))
    moving = PlatformSetpoint.from_coordinates(
        X_BP.coordinates(), [0.1, 0, 0, 0, 0, 0.2], np.zeros(6)
    )
    print("speeds [m/s]    ", leg_setpoint(RIG, moving).speed_m_s.round(4))

    back = forward(RIG, lengths_m, RIG.neutral_pose)
    print(f"found back in    {back.iterations} steps, residual {back.residual_m:.1e} m")
    print(f"condition number {condition_number(RIG, X_BP):.2f}")

    # A recorded course of the legs: poses of all rows in one call, each from the one before.
    t_s = np.linspace(0.0, 10.0, 5000)
    course = [
        RIG.neutral_pose
        @ Pose.from_coordinates([0.05 * math.sin(t), 0, 0, 0, 0.1 * math.sin(t), 0])
        for t in t_s
    ]
    rows = np.array([leg_lengths(RIG, pose) for pose in course])
    poses = forward_batch(RIG, rows, RIG.neutral_pose)
    error_m = float(np.abs(poses.position_m - [pose.position_m for pose in course]).max())
    print(f"{len(rows)} rows: {int(poses.converged.sum())} found, at most {error_m:.1e} m off")
    return error_m


if __name__ == "__main__":
    main()
