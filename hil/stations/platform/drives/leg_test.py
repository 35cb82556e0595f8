"""Slow test move: whether each drive moves its leg, in the right direction, by the right distance.

Each leg in turn goes out and back by a distance of its own while the others rest. The recording is
judged: the leg that was led must have moved by its setpoint, no other may have moved, its home
switch must have been left, and the pose of the measured lengths must be the wanted one. Two cables
swapped at the motor *and* at the encoder cannot be seen from the wire; only a person who watches
sees it, so the person's word is part of the record.

The proofs go into the rig's certificate (`hil.stations.platform.drives.certificate`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.machines.rig.machine import soft_range_m
from hil.machines.rig.settings import Rig
from hil.recording.reader import Recording

TEST_SPEED = 0.2
"""Speed of the test move as a share of the slow moves' bounds."""
SLOW_LEG_M_S = 0.05
"""Highest speed of legs at first, whatever the rig calls slow [m/s]."""
STEP_M = 0.001
"""Step of travel: leg k goes out by `FIRST_WAY_M` + (k - 1) steps, so that all differ."""
FIRST_WAY_M = 0.005
TOLERANCE_M = 0.0005
"""Largest error of a leg at the end of its travel, or movement of a resting leg [m]."""
POSE_TOLERANCE_M = 0.002
POSE_TOLERANCE_RAD = math.radians(0.3)
HOME_SWITCH = 1 << 2
"""Bit of the home switch in 60FDh (CiA 402)."""
_SWITCH_OF_METHOD = {1: 1, 17: 1, 2: 2, 18: 2} | dict.fromkeys(
    (*range(3, 15), *range(19, 31)), HOME_SWITCH
)
"""Bit of 60FDh of the switch that a homing method looks for (CiA 402-2)."""
_INNER_METHODS = (1, 5, 6, 17, 21, 22)
"""Methods whose switch is active towards the inner end: a leg that goes out leaves it."""


@dataclass(frozen=True, slots=True)
class LegTest:
    """Test move of one leg."""

    leg: int
    """Leg, 1 to 6."""
    asked_m: float
    """Travel of the setpoint [m]."""
    measured_m: float
    """Travel that the drive reported [m]."""
    others_m: float
    """Largest movement of another leg meanwhile [m]."""
    switch: str
    """Observation of the switch that its homing looks for."""
    faults: tuple[str, ...]
    """Faults in words; empty if there are none."""


def leg_test_motion(rig: Rig, legs: Sequence[int] = (1, 2, 3, 4, 5, 6)) -> dict[str, Any]:
    """Table ``[motion]`` of the test move for a rig."""
    to: list[dict[str, Any]] = []
    for leg in legs:
        offsets = [0.0] * 6
        offsets[leg - 1] = _travel_m(rig, leg)
        to += [{"offsets_m": offsets, "dwell_s": 0.5}, {"offsets_m": 0.0, "dwell_s": 0.3}]
    return {"kind": "legs", "speed": slow_share(rig, TEST_SPEED), "to": to}


def slow_share(rig: Rig, share: float) -> float:
    """Share of the rig's slow moves, less if that is faster than legs may be led at first."""
    return min(share, SLOW_LEG_M_S / rig.slow_moves.speed_m_s)


def _travel_m(rig: Rig, leg: int) -> float:
    """Travel of a leg in the test move: outwards, or inwards if there is no room outside."""
    low, high = soft_range_m(rig, leg - 1)
    reference = rig.cylinders.reference_length_m[leg - 1]
    travel = FIRST_WAY_M + (leg - 1) * STEP_M
    return travel if reference + travel < high else -min(travel, 0.5 * (reference - low))


@dataclass(frozen=True, slots=True)
class SwitchWatch:
    """Switch that the homing of a rig looks for."""

    bit: int
    """Bit of the switch in 60FDh; 0 if the rig has no homing that looks for one."""
    inner: bool
    """Whether a leg that goes out leaves it."""


def switch_of(rig: Rig) -> SwitchWatch:
    """Switch that the homing of a rig looks for."""
    method = rig.drives.homing_method
    if rig.drives.homing == "absolute":
        return SwitchWatch(0, inner=False)
    return SwitchWatch(_SWITCH_OF_METHOD.get(method, 0), inner=method in _INNER_METHODS)


def judge_test_move(
    recording: Recording, switch: SwitchWatch = SwitchWatch(HOME_SWITCH, inner=True)
) -> tuple[LegTest, ...]:
    """Judge each led leg of a recorded test move, in the order in which they were led.

    Args:
        recording: recording of the whole run, homing included.

    Returns:
        One entry per move out; empty if the recording holds none.
    """
    engaged = recording.column("mode") == recording.modes.index("ENGAGED")
    asked = recording.column("asked_length_m")[engaged]
    measured = recording.column("measured_length_m")[engaged]
    every_input = recording.column("measured_inputs_bits")
    inputs, closed = every_input[engaged], _ever_closed(every_input, switch.bit)
    pose_error = _pose_error(recording, engaged)
    found: list[LegTest] = []
    if len(asked):
        offset, moved = asked - asked[0], measured - measured[0]
        for leg, rows in _plateaus(offset):
            end = rows[-1]
            seen, fault = _judge_switch(
                switch, inputs[end, leg], closed=bool(closed[leg]), out=offset[end, leg] > 0.0
            )
            faults = (fault,) if fault else ()
            found.append(_judge_leg(leg, offset[end], moved[end], seen, faults, pose_error[end]))
    return tuple(found)


def _ever_closed(inputs: NDArray[np.float64], bit: int) -> NDArray[np.bool_]:
    """Whether each leg has been seen on its switch, (6,)."""
    known = np.isfinite(inputs)
    bits = np.where(known, inputs, 0.0).astype(np.int64)
    return (known & (bits & bit != 0)).any(axis=0)


def _judge_switch(
    switch: SwitchWatch, inputs: float, *, closed: bool, out: bool
) -> tuple[str, str]:
    """Observation of a leg's switch, and its fault; empty if there is none."""
    if not switch.bit:
        return "none", ""
    if not math.isfinite(inputs):
        return "not read", ""
    if not closed:
        return "never closed", "its reference switch never closed: homing has not found it"
    if int(inputs) & switch.bit:
        wrong = switch.inner and out
        text = "is still on its home switch: it went the wrong way, or hardly moved"
        return "still on", text if wrong else ""
    return "left", ""


def _plateaus(offset: NDArray[np.float64]) -> Iterator[tuple[int, NDArray[np.int_]]]:
    """Plateaus of one leg: its index and the rows of its dwell, in order.

    A setpoint that was late holds for a cycle on the way: only the far end is a dwell.
    """
    travel = np.abs(offset)
    away = (travel.max(axis=1) > TOLERANCE_M).astype(np.int8)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], away, [0]))))
    for begin, end in edges.reshape(-1, 2):
        there = travel[begin:end]
        leg = int(there.max(axis=0).argmax())
        rows = begin + np.flatnonzero(there[:, leg] > there[:, leg].max() - 1e-9)
        if len(rows) > 1:
            yield leg, rows


def _pose_error(recording: Recording, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Distance [m] and angle [rad] from the wanted to the last known reached pose, (N, 2)."""
    wanted = recording.column("wanted_pose")[rows]
    reached = recording.column("reached_pose")[rows]
    known = np.isfinite(reached).all(axis=1)
    last = np.maximum.accumulate(np.where(known, np.arange(len(reached)), 0))
    reached = reached[last]
    errors = np.full((len(wanted), 2), math.nan)
    both = np.isfinite(wanted).all(axis=1) & np.isfinite(reached).all(axis=1)
    if both.any():
        turn_rad = _turn_rad(wanted[both], reached[both])
        travel = np.linalg.norm(wanted[both, :3] - reached[both, :3], axis=1)
        errors[both] = np.column_stack((travel, turn_rad))
    return errors


def _turn_rad(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angle between the orientations of poses, (N, 6) each [rad], (N,)."""
    # Slow to load, and every run asks this module for a certificate, but few make a test move.
    from scipy.spatial.transform import Rotation

    first, second = (Rotation.from_euler("ZYX", poses[:, 3:]) for poses in (before, after))
    return (first.inv() * second).magnitude()


def _judge_leg(
    index: int,
    offset: NDArray[np.float64],
    moved: NDArray[np.float64],
    switch: str,
    faults_before: tuple[str, ...],
    pose_error: NDArray[np.float64],
) -> LegTest:
    asked_m, measured_m = float(offset[index]), float(moved[index])
    others = np.delete(moved - offset, index)
    others_m = float(np.abs(others).max())
    faults: list[str] = []
    limit = f"{TOLERANCE_M * 1e3:.1f} mm"
    if not abs(measured_m - asked_m) <= TOLERANCE_M:
        faults.append(f"moved {_mm(measured_m)} mm instead of {_mm(asked_m)} mm (within {limit})")
    if not others_m <= TOLERANCE_M:
        other = int(np.abs(np.delete(moved - offset, index)).argmax())
        other += other >= index
        faults.append(f"leg {other + 1} stirred by {others_m * 1e3:.2f} mm (at most {limit})")
    faults += faults_before
    distance_m, turn_rad = pose_error
    if not (distance_m <= POSE_TOLERANCE_M and turn_rad <= POSE_TOLERANCE_RAD):
        faults.append(
            f"left the platform {distance_m * 1e3:.1f} mm and {math.degrees(turn_rad):.2f} deg "
            f"from where it should be (at most {POSE_TOLERANCE_M * 1e3:.0f} mm, 0.3 deg)"
        )
    return LegTest(index + 1, asked_m, measured_m, others_m, switch, tuple(faults))


def _mm(distance_m: float) -> str:
    return f"{round(distance_m * 1e3, 2) + 0.0:.2f}"  # no minus sign before a nought
