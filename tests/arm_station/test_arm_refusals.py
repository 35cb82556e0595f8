"""Every limit of both arms refuses a motion: planned, before the first byte; live, on its way.

Each limit is set to the very value that a sound motion reaches, a hair to the one side or the
other: so the same motion is refused and let through. What the emulated robot hears is kept.
"""

import itertools
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arm_driver.link_states import LinkState, StreamResult
from hil.config.errors import RefusedError
from hil.recording.events import EventKind
from hil.stations.arm.plan.scenario import arm_plan_from_table
from hil.stations.arm.proof import prepare as arm_prepare
from hil.stations.arm.proof.prepare import prepare
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.run.bench import prepare_plan, run_arm
from sim.devices.arm.controller import ArmController
from sim.world.space_arm.simulator import TICK_S

pytestmark = pytest.mark.xdist_group("both arms")

HAIR = 1e-5
WIRE_HAIR = 3e-3
"""For what the gate judges with the rounding of the wire: a thousandth of a period's way."""
PACE_HAIR = 0.02
"""For what is held to the robot's period as well, which is known to a fiftieth or so at first."""
TABLE = {
    "station": "arm",
    "name": "short",
    "space_arm": {"model": "b"},
    "mapping": {
        "start": {"position_m": [0.683, 0.075, 0.945], "oat_deg": [101.0, -29.0, 11.0]},
        "start_joints_deg": [20.0, 65.0, -175.0, 10.0, 50.0, 0.0],
    },
    "source": {
        "kind": "profile",
        "frame": "base",
        "segment": [
            {"duration_s": 2.8, "velocity_m_s": [0.0, 0.02, 0.03], "rate_rad_s": [0, 0, 0.03]},
            {"duration_s": 2.8, "velocity_m_s": [0.01, 0.02, -0.02]},
        ],
    },
}


def plan_of(*overrides, **robot):
    """The motion, with other limits of the robot; planned and live its waypoints are the same."""
    table = json.loads(json.dumps(TABLE))
    table.setdefault("mapping", {})["corrected"] = False
    plan = arm_plan_from_table(table, Path("short.toml"), overrides)
    return plan.model_copy(update={"robot": plan.robot.model_copy(update=robot)})


@pytest.fixture(scope="module")
def sound():
    return prepare_plan(plan_of())


@pytest.fixture
def heard(monkeypatch):
    """Bytes that reach the emulated robot."""
    lines = bytearray()
    receive = ArmController.receive

    def listen(self, data, now_s):
        lines.extend(data)
        return receive(self, data, now_s)

    monkeypatch.setattr(ArmController, "receive", listen)
    return lines


def waypoints(heard):
    return [line for line in bytes(heard).split(b"\r") if line and not line.startswith(b"-1,")]


def six(values, joint, value):
    return tuple(float(value) if k == joint else old for k, old in enumerate(values))


def joint_values(sound):
    """Angle, rate and acceleration of the robot's joints, each with its greatest."""
    q = np.degrees(sound.path.q_rad)
    rates = np.diff(q, axis=0) / TICK_S
    padded = np.vstack([np.zeros(6), rates, np.zeros(6)])
    return q, rates, np.diff(padded, axis=0) / TICK_S


def worst(sound, kind):
    (found,) = [one for one in sound.path.findings if one.kind == kind]
    return found.value


def corner_m(sound, limit):
    """The greatest distance from the lines at a corner of the motion."""
    places = [sound.mapping.X_RT0, *(step.X_RT for step in sound.steps)]
    ways = np.diff([pose.position_m for pose in places], axis=0) / TICK_S
    return max(limit.deviation_m(tuple(a), tuple(b)) for a, b in itertools.pairwise(ways))


def of_robot(sound, cause, side):
    """The robot's setting for a cause, a hair inside (side 1) or outside (-1) of the motion."""
    robot, (q, rates, accelerations) = sound.plan.robot, joint_values(sound)
    share = 1.0 + side * HAIR
    joint = int(np.argmax(q.max(axis=0) - q[0]))
    if cause == "position":
        value = float(q[:, joint].max()) + side * HAIR
        return {"position_max_deg": six(robot.position_max_deg, joint, value)}
    if cause in ("speed", "acceleration"):
        name = {"speed": "rate_max_deg_s", "acceleration": "acceleration_max_deg_s2"}[cause]
        most = np.abs(rates if cause == "speed" else accelerations)[:, joint].max() * share
        return {name: six(getattr(robot, name), joint, most)}
    if cause == "corner":
        most_m = corner_m(sound, robot.gate_limits().corners)
        return {"path_deviation_max_mm": 1e3 * most_m * share}
    name, kind, factor, side = {
        "wrist": ("least_wrist", "wrist singularity", 1.0, -side),
        "elbow": ("least_elbow_m", "elbow singularity", 1.0, -side),
        "shoulder": ("least_shoulder_m", "shoulder singularity", 1.0, -side),
        "bodies": ("clearance_min_m", "clearance", 1.0, -side),
        "gripper speed": ("gripper_speed_max_m_s", "gripper speed", 1.0, side),
        "gripper turn": ("gripper_turn_max_deg_s", "gripper turn rate", np.degrees(1.0), side),
    }[cause]
    hair = HAIR
    if cause.startswith("gripper"):
        hair = WIRE_HAIR if side < 0 else PACE_HAIR
    return {name: float(worst(sound, kind) * factor * (1.0 + side * hair))}


NUMBER = r"-?\d[\d.e+-]*"
TOLD = {
    "position": rf"rm01, joint position, joint \d, .*{NUMBER} rad, outside the limit {NUMBER} rad",
    "speed": rf"rm01, joint speed, joint \d, .*{NUMBER} rad/s, outside the limit {NUMBER} rad/s",
    "acceleration": rf"rm01, joint acceleration, joint \d, .*rad/s², outside .*{NUMBER} rad/s²",
    "wrist": rf"rm01, wrist singularity, joint 5, .*{NUMBER} 1, outside the limit {NUMBER} 1",
    "elbow": rf"rm01, elbow singularity, .*{NUMBER} m, outside the limit {NUMBER} m",
    "shoulder": rf"rm01, shoulder singularity, .*{NUMBER} m, outside the limit {NUMBER} m",
    "bodies": rf"rm01, clearance, [a-z ]+ and [a-z ]+, .*{NUMBER} m, outside the limit {NUMBER} m",
    "gripper speed": rf"rm01, gripper speed, .*{NUMBER} m/s, outside the limit {NUMBER} m/s",
    "gripper turn": rf"rm01, gripper turn rate, .*{NUMBER} rad/s, outside .*{NUMBER} rad/s",
    "corner": rf"rm01: path deviation at a corner {NUMBER} m, more than {NUMBER} m .* it fits at",
}
WHEN = r"(pose|waypoint) \d+ \(\d+\.\d\d s\)"


@pytest.mark.parametrize("cause", TOLD)
def test_a_planned_motion_is_refused_before_the_first_byte_and_passes_a_hair_inside(
    cause, sound, heard, tmp_path
):
    with pytest.raises(RefusedError) as refusal:
        run_arm(prepare_plan(plan_of(**of_robot(sound, cause, -1))), tmp_path)
    text = str(refusal.value)
    assert re.search(TOLD[cause], text), text
    assert re.search(WHEN, text), text
    assert "nothing has been sent" in text
    assert heard == b""
    assert run_arm(prepare_plan(plan_of(**of_robot(sound, cause, 1))), tmp_path).ok
    assert len(waypoints(heard)) == len(sound.steps)


def test_a_place_out_of_reach_is_refused_with_by_how_much(heard, tmp_path):
    far = [
        "mapping.start_joints_deg=[24,32,-140,16,48,-6]",
        "mapping.start.position_m=[0.85,0.2,0.8]",
        "source.segment.0.velocity_m_s=[0.05,0,0]",
        "source.segment.0.duration_s=6",
    ]
    with pytest.raises(RefusedError) as refusal:
        run_arm(prepare_plan(plan_of(*far)), tmp_path)
    told = rf"rm01, reach, wrist centre, pose \d+ \(.* s\): {NUMBER} m, outside the limit 0 m"
    assert re.search(told, str(refusal.value)), refusal.value
    assert heard == b""


def of_space_arm(sound, cause, side):
    """A change of the gate's limits of the space arm, a hair to one side of the motion."""
    start = np.radians(sound.plan.space_arm.home_deg)
    q = np.vstack([start, [step.snapshot.q_rad for step in sound.steps]])
    rates = np.vstack([np.zeros(6), np.diff(q, axis=0) / TICK_S])
    share = 1.0 + side * HAIR
    joint = int(np.argmax(q.max(axis=0) - q[0]))
    if cause == "position":
        most = float(q[:, joint].max()) + side * HAIR
        return {"position_max_rad": lambda old: six(old, joint, most)}
    if cause == "rate":
        most = np.abs(rates[:, joint]).max() * share
        return {"rate_max_rad_s": lambda old: six(old, joint, most)}
    if cause == "acceleration":
        most = np.abs(np.diff(rates[:, joint]) / TICK_S).max() * share
        return {"acceleration_max_rad_s2": lambda old: six(old, joint, most)}
    if cause == "singularity":
        least = min(step.command.smallest_singular_value for step in sound.steps)
        low = least * (1.0 - side * HAIR)
        return {"margins": lambda old: (old[0]._replace(least=low),)}
    places = [sound.mapping.X_WG0.position_m, *(s.snapshot.position_BG_m for s in sound.steps)]
    fastest = np.linalg.norm(np.diff(places, axis=0), axis=1).max() / TICK_S
    return {"gripper_speed_max_m_s": lambda _: float(fastest * (1.0 + side * WIRE_HAIR))}


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        ("position", rf"bkm, [a-z_]+: position {NUMBER} rad outside \[{NUMBER}, {NUMBER}\] rad"),
        ("rate", rf"bkm, [a-z_]+: rate {NUMBER} rad/s outside \[{NUMBER}, {NUMBER}\] rad/s"),
        ("acceleration", rf"bkm, [a-z_]+: acceleration {NUMBER} rad/s\^2 outside \[{NUMBER}"),
        ("singularity", rf"bkm: distance to smallest singular value {NUMBER} 1, less than"),
        ("gripper speed", rf"bkm: gripper speed {NUMBER} m/s, more than {NUMBER} m/s"),
    ],
)
def test_the_space_arm_s_limits_refuse_as_well(cause, told, sound, heard, tmp_path, monkeypatch):
    """The programmed rates would slow down before most of them; the gate does not rely on that."""
    limits_of = arm_prepare.space_limits

    def narrow(side):
        changes = of_space_arm(sound, cause, side)

        def changed(plan):
            limits = limits_of(plan)
            return replace(limits, **{k: f(getattr(limits, k)) for k, f in changes.items()})

        monkeypatch.setattr(arm_prepare, "space_limits", changed)

    narrow(-1)
    with pytest.raises(RefusedError) as refusal:
        run_arm(prepare_plan(plan_of()), tmp_path)
    assert re.search(told, str(refusal.value)), refusal.value
    assert re.search(WHEN, str(refusal.value))
    assert heard == b""
    narrow(1)
    assert run_arm(prepare_plan(plan_of()), tmp_path).ok


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_the_space_arm_s_gripper_may_be_as_fast_as_the_robot_s_unscaled(scale):
    limits = arm_prepare.space_limits(plan_of(f"mapping.scale={scale}"))
    assert limits.gripper_speed_max_m_s == pytest.approx(0.1 / scale)


def live(plan):
    """The same motion as if nobody knew it before."""
    return prepare(plan, None)


NEAREST_AT_START = ("shoulder", "bodies")
"""Of this motion; a live one is then refused where it stands."""


@pytest.mark.parametrize("cause", NEAREST_AT_START)
def test_a_live_motion_does_not_start_where_it_may_not_stand(cause, sound, heard, tmp_path):
    with pytest.raises(RefusedError, match=rf"start is refused: rm01: .* {NUMBER} m"):
        run_arm(live(plan_of(**of_robot(sound, cause, -1))), tmp_path)
    assert heard == b""
    assert run_arm(live(plan_of(**of_robot(sound, cause, 1))), tmp_path).ok


@pytest.mark.parametrize("cause", [cause for cause in TOLD if cause not in NEAREST_AT_START])
def test_a_live_motion_ends_at_rest_at_the_last_waypoint_that_passed(cause, sound, heard, tmp_path):
    outside = live(plan_of(**of_robot(sound, cause, -1)))
    result = run_arm(outside, tmp_path)
    assert result.end.result is StreamResult.REFUSED
    sent = result.end.waypoints
    assert sent == len(waypoints(heard)) < len(sound.steps)
    told = [event for event in result.events if event.kind is EventKind.VIOLATION]
    assert {event.index for event in told} == {sent + 1}, "the first that is not sent"
    assert told[0].message == result.end.reason
    recorded = ArmRecording.open(result.recorder.path).recording.events
    (data,) = [one.data for one in recorded if one.data.get("arm") == "rm01"]
    assert set(data) == {"check", "arm", "joint", "value", "limit", "low", "unit", "note"}
    assert isinstance(data["value"], float)
    assert (data["joint"] != "") == (cause in ("position", "speed", "acceleration"))
    assert data["unit"]
    assert result.end.report.state is LinkState.READY, "at rest, and ready for a new arm command"
    at_rest = result.end.report.measured
    last = sound.steps[sent - 1].X_RT if sent else None
    assert last is None or math.dist(at_rest.X_RT.position_m, last.position_m) < 1e-4
    heard.clear()
    assert run_arm(live(plan_of(**of_robot(sound, cause, 1))), tmp_path).ok
    assert len(waypoints(heard)) == len(sound.steps)
