"""One's own arm of the PUMA 560's class: all postures for a pose, and the one nearest to now.

python examples/own_arm.py
"""

import numpy as np

from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.puma import forward, jacobian, limit_violations, nearest, solutions
from hil_common.arrays.pose import Pose

ARM = PumaGeometry(a2_m=0.65, d4_m=0.65, base_height_m=0.8, tool_m=0.12)


def main() -> float:
    """Print its postures; the largest error of a pose that a posture gives back [m]."""
    now_rad = np.radians([10.0, 45.0, -170.0, 20.0, 40.0, 0.0])
    here = forward(ARM, now_rad)
    there = Pose(here.position_m + np.array([0.0, 0.05, 0.02]), here.rotation)
    worst_m = 0.0
    for one in solutions(ARM, there, now_rad):
        beyond = limit_violations(ARM, one.q_rad)
        print(one.branch, np.degrees(one.q_rad).round(2), "beyond its range" if beyond else "")
        back = forward(ARM, one.q_rad)
        worst_m = max(worst_m, float(np.abs(back.position_m - there.position_m).max()))
    step_deg = np.degrees(nearest(ARM, there, now_rad).q_rad - now_rad)
    print("nearest posture, joints turn by [deg]", step_deg.round(2))
    print("gripper speed of joint 1 at 1 rad/s [m/s]", jacobian(ARM, now_rad)[:3, 0].round(3))
    return worst_m


if __name__ == "__main__":
    main()
