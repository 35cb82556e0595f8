"""What the arm station records in a row: one waypoint of both arms."""

from collections.abc import Sequence
from typing import Final

from hil.recording.arm_frame import WATCHED, WAY_PLACES
from hil.recording.signals import CODE, Signal, Signals

JOINTS: Final = tuple(f"joint{joint}" for joint in range(1, 7))
POSE: Final = ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")
TWIST: Final = ("vx_m_s", "vy_m_s", "vz_m_s", "wx_rad_s", "wy_rad_s", "wz_rad_s")
LOCATION: Final = ("x_0.01mm", "y_0.01mm", "z_0.01mm", "o_0.001deg", "a_0.001deg", "t_0.001deg")
MARGINS: Final = ("margin_wrist_1", "margin_elbow_m", "margin_shoulder_m")
SUPERVISED: Final = tuple(f"watched_{name}" for name in WATCHED)
WAY: Final = tuple(f"{place}_{axis}" for place in range(1, WAY_PLACES + 1) for axis in "xyz")


def arm_signals(states: Sequence[str], actions: Sequence[str]) -> Signals:
    """The table of a waypoint.

    Args:
        states: names of the codes of the host's end of the link, from 0.
        actions: names of the codes of what the gate did, from 0.
    """
    return Signals(
        "arm",
        (
            Signal("index", "u8"),  # number of the waypoint
            Signal("t_s", "f8", unit="s"),  # motion time, at which the waypoint is planned
            Signal("late_s", "f8", unit="s"),  # wake-up minus deadline
            Signal("state", "u1", unit=CODE, codes=tuple(states)),  # of the host's end of the link
            Signal("action", "u1", unit=CODE, codes=tuple(actions)),  # what the gate did
            Signal("flags", "u2", unit="bits"),  # ArmFlag
            Signal("wanted_twist", "f8", 6, "m/s,rad/s", parts=TWIST),  # of the gripper
            _joints("rate_command", "rad/s"),  # to the space arm's joints
            _joints("space_q", "rad"),  # the space arm: joint angles
            _joints("space_v", "rad/s"),  # joint rates
            _joints("space_motor", "rad"),  # motor positions, on the joints' side
            _joints("space_torque", "N m"),  # joint torques
            _pose("space_pose", "world"),  # X_WG
            # That gripper's places since the waypoint before.
            Signal("space_way", "f8", 3 * WAY_PLACES, "m", "world", WAY),
            _pose("target_pose", "robot base"),  # X_RT asked of the industrial arm
            _joints("robot_q", "rad"),  # its joint angles, by inverse kinematics
            _joints("robot_q_rate", "rad/s"),
            Signal("sent_location", "f8", 6, "0.01 mm,0.001 deg", "robot base", LOCATION),
            Signal("sent_seq", "f8"),  # waypoints the robot had been sent when this was offered
            _pose("measured_pose", "robot base"),  # X_RT told by the robot
            Signal("measured_at_s", "f8", unit="s"),  # time of the loop at its last request
            Signal("margins", "f8", 3, "1,m,m", parts=MARGINS),  # industrial arm from singular
            Signal("watched", "f8", 5, "1,s,s,s,1", parts=SUPERVISED),  # see `WATCHED`
            Signal("gripper_speed_m_s", "f8", unit="m/s"),  # asked of the industrial arm
            Signal("answer_latency_s", "f8", unit="s"),  # last request to its answer, at the port
            Signal("requests", "u8"),  # since the start
            Signal("repeats", "u8"),  # of these, for a number already answered
        ),
    )


def _joints(name: str, unit: str) -> Signal:
    return Signal(name, "f8", 6, unit, parts=JOINTS)


def _pose(name: str, frame: str) -> Signal:
    return Signal(name, "f8", 7, "m,1", frame, POSE)
