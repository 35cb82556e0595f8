"""Row of the arm station's recording: one waypoint of both arms."""

import re
from enum import IntFlag
from functools import lru_cache
from math import nan
from typing import Final

from arm_driver.link_states import LinkState
from hil.recording.signals import CODE, QUATERNION, Signal, Signals
from safety.arm_limits import ArmAction

WAY_PLACES: Final = 10
"""Places of the simulated gripper in the world, even in time, the last at the waypoint's time."""
WATCHED: Final = ("following_1", "ahead_s", "behind_s", "silence_s", "blank_1")
"""Observations of the supervision so far: share of the following window at the last place received,
how far its requests are ahead of their period and how far behind, the longer of the silence now and
the one before its last request, and requests in a row without a place."""

NAN3: Final = (nan,) * 3
"""Values that are not there."""
NAN6: Final = (nan,) * 6
NAN7: Final = (nan,) * 7
NAN_WAY: Final = (nan,) * (3 * WAY_PLACES)

JOINTS: Final = tuple(f"joint{joint}" for joint in range(1, 7))
SIX_REVOLUTE: Final = (False,) * 6
"""Whether each joint slides: of the robot, and of most space arms, none does."""
TWIST: Final = ("vx_m_s", "vy_m_s", "vz_m_s", "wx_rad_s", "wy_rad_s", "wz_rad_s")
LOCATION: Final = ("x_0.01mm", "y_0.01mm", "z_0.01mm", "o_0.001deg", "a_0.001deg", "t_0.001deg")
MARGINS: Final = ("margin_wrist_1", "margin_elbow_m", "margin_shoulder_m")
SUPERVISED: Final = tuple(f"watched_{name}" for name in WATCHED)
WAY: Final = tuple(f"{place}_{axis}" for place in range(1, WAY_PLACES + 1) for axis in "xyz")

STATES: Final = tuple(state.value for state in LinkState)
ACTIONS: Final = tuple(action.value for action in ArmAction)
STATE_CODE: Final = {state: code for code, state in enumerate(LinkState)}
ACTION_CODE: Final = {action: code for code, action in enumerate(ArmAction)}


class ArmFlag(IntFlag):
    """Bits of `flags`: facts of one waypoint that are true or not; see `RowFlag`."""

    OVERRUN = 1  # at least one deadline was given up before this waypoint
    MISSED = 2  # the slot was empty when the robot asked
    OUT_OF_REACH = 4  # inverse kinematics had no answer
    FAULT_LATCHED = 8
    STOP_ASKED = 16  # a signal or the operator asked for the end of the run
    RESTING = 32  # let go: the robot rests, or goes to rest or from it, while the space arm swings
    BEHIND = 64  # the robot is not where the simulated gripper is on the bench
    USUAL = 128  # too much work for the fine simulation: in part by the usual accuracy


def _joints(name: str, unit: str) -> Signal:
    return Signal(name, "f8", 6, unit, parts=JOINTS)


def _space(name: str, unit: str, slide_unit: str, prismatic: tuple[bool, ...]) -> Signal:
    """Return a signal of the space arm's joints; with the unit of each if one slides."""
    count = len(prismatic)
    if not any(prismatic):
        return Signal(name, "f8", count, unit, parts=tuple(f"joint{j + 1}" for j in range(count)))
    units = [slide_unit if slides else unit for slides in prismatic]
    word = name.rpartition("_")[2]
    ends = (re.sub(r"[/ ]", "_", one).lower() for one in units)
    parts = tuple(f"{word}{j}_{end}" for j, end in enumerate(ends, 1))
    return Signal(name, "f8", count, ",".join(units), parts=parts)


def _pose(name: str, frame: str, child: str) -> Signal:
    return Signal(name, "f8", 7, "m,1", frame, child, QUATERNION)


@lru_cache
def arm_signals(prismatic: tuple[bool, ...] = SIX_REVOLUTE) -> Signals:
    """Return the signals of a run with a space arm of such joints."""
    return Signals("arm", _fields(prismatic), first_index=1)  # 0 is the start, which is not sent


def _fields(prismatic: tuple[bool, ...]) -> tuple[Signal, ...]:
    return (
        Signal("index", "u8"),  # number of the waypoint
        Signal("t_s", "f8", unit="s"),  # motion time, at which the waypoint is planned
        Signal("late_s", "f8", unit="s"),  # wake-up minus deadline
        Signal(
            "state", "u1", unit=CODE, codes=tuple(one.value for one in LinkState)
        ),  # of the host's end of the link
        Signal(
            "action", "u1", unit=CODE, codes=tuple(one.value for one in ArmAction)
        ),  # what the gate did
        Signal("flags", "u2", unit="bits"),  # ArmFlag
        Signal("wanted_twist", "f8", 6, "m/s,rad/s", parts=TWIST),  # of the gripper
        _space("rate_command", "rad/s", "m/s", prismatic),  # to the space arm's joints
        _space("space_q", "rad", "m", prismatic),  # the space arm: joint angles
        _space("space_v", "rad/s", "m/s", prismatic),  # joint rates
        _space("space_motor", "rad", "m", prismatic),  # motor positions, on the joints' side
        _space("space_torque", "N m", "N", prismatic),  # joint torques
        _pose("space_pose", "world", "space_gripper"),  # X_WG
        # That gripper's places since the waypoint before.
        Signal("space_way", "f8", 3 * WAY_PLACES, "m", "world", parts=WAY),
        _pose("target_pose", "robot_base", "gripper_asked"),  # X_RT asked of the industrial arm
        _joints("robot_q", "rad"),  # its joint angles, by inverse kinematics
        _joints("robot_q_rate", "rad/s"),
        Signal("sent_location", "f8", 6, "0.01 mm,0.001 deg", "robot_base", parts=LOCATION),
        Signal("sent_seq", "f8"),  # waypoints the robot had been sent when this was offered
        _pose("measured_pose", "robot_base", "gripper_measured"),  # X_RT sent by the robot
        Signal("measured_at_s", "f8", unit="s"),  # time of the loop at its last request
        Signal("margins", "f8", 3, "1,m,m", parts=MARGINS),  # industrial arm from singular
        Signal("watched", "f8", 5, "1,s,s,s,1", parts=SUPERVISED),  # see `WATCHED`
        Signal("gripper_speed_m_s", "f8", unit="m/s"),  # asked of the industrial arm
        Signal("answer_latency_s", "f8", unit="s"),  # last request to its answer, at the port
        Signal("requests", "u8"),  # since the start
        Signal("repeats", "u8"),  # of these, for a number already answered
    )


SIGNALS: Final = arm_signals()
"""Signals of a run with a space arm of six revolute joints, or of a robot alone."""
