"""`hil arm play`: recorded paths, driven again as they were, or slower if that is asked."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest
from moves_bench import PERIOD_S, READY_DEG, RM01, Schedule, kept, listen_to, places, standing
from typer.testing import CliRunner

from arm_driver.contour.place import location_of
from arm_driver.kinematics.puma import Joints, branch_of, forward
from arm_driver.link_states import StreamResult
from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.config.settings import ConfigError
from hil.stations.arm.moves.goto import GotoTarget, start_of
from hil.stations.arm.moves.play import PlayedPath, plan_play, read_recorded
from hil_common.arrays.pose import Pose

HEAD = "t_s,x_mm,y_mm,z_mm,o_deg,a_deg,t_deg"
GEOMETRY = RM01.geometry()


@pytest.fixture
def truth(monkeypatch):
    return listen_to(monkeypatch)


def at(joints_deg):
    q_rad = np.radians(joints_deg)
    return Joints.of(q_rad, branch_of(GEOMETRY, q_rad))


def arc(duration_s, way_mm=200.0, from_mm=(0.0, 0.0, 0.0)):
    """Rows of a smooth way there along y and z, from rest to rest, at 10 Hz."""
    begin = location_of(forward(GEOMETRY, np.radians(READY_DEG)), RM01.oat_convention())
    x, y, z = 1e3 * np.array(begin.position_m) + from_mm
    o, a, t = np.degrees(begin.oat_rad)
    rows = [HEAD]
    for t_s in np.arange(0.0, duration_s + 1e-9, 0.1):
        share = 0.5 - 0.5 * np.cos(np.pi * t_s / duration_s)
        up = 20.0 * np.sin(np.pi * share)
        rows.append(f"{t_s:.3f},{x},{y + way_mm * share},{z + up},{o},{a},{t}")
    return "\n".join(rows)


def written(tmp_path, text):
    path = tmp_path / "path.csv"
    path.write_text(text)
    return path


def test_a_csv_is_driven_in_its_own_time(truth, tmp_path):
    recorded = read_recorded(written(tmp_path, arc(7.0)), RM01)
    move = plan_play(RM01, at(READY_DEG), recorded, slower=False)
    assert move.duration_s == pytest.approx(7.0, abs=3 * PERIOD_S), "and the dead-man's ramp"
    assert not kept([move.path(0.0), *places(move.steps)], READY_DEG)
    with standing(READY_DEG) as session:
        start = start_of(session, recorded.target, None)
        hand = Schedule(session.clock.now_s, [(0.0, 4.0), (8.0, 100.0)])
        found = session.drive(
            move, start, hand, tmp_path / "runs", name="play", moves=f"along {recorded.name}"
        )
    assert found.end.result is StreamResult.COMPLETED, found.end.reason
    ways_mm = 1e3 * (np.array(truth.places_m) - truth.places_m[0])
    share = np.clip(ways_mm[:, 1] / 200.0, 0.0, 1.0)
    off = np.abs(ways_mm[:, 2] - 20.0 * np.sin(np.pi * share))
    assert off.max() < 0.6, "the robot itself was on the path all the time"
    end, _ = truth.settle()
    np.testing.assert_allclose(1e3 * (end - truth.places_m[0]), [0.0, 200.0, 0.0], atol=0.1)


def test_what_is_too_fast_is_refused_with_what_does_not_fit_and_slower_drives_it(tmp_path):
    recorded = read_recorded(written(tmp_path, arc(2.0)), RM01)
    with pytest.raises(RefusedError) as refusal:
        plan_play(RM01, at(READY_DEG), recorded, slower=False)
    for words in ("at waypoint", "gripper speed", "more than 0.100 m/s", "--slower"):
        assert words in str(refusal.value)
    move = plan_play(RM01, at(READY_DEG), recorded, slower=True)
    assert 3.0 < move.duration_s < 6.0
    assert not kept([move.path(0.0), *places(move.steps)], READY_DEG)


def test_what_a_robot_was_sent_is_sent_again(truth, tmp_path):
    """The waypoints of a run, from its recording; once more in a run of that run."""
    recorded = read_recorded(written(tmp_path, arc(7.0)), RM01)
    sent = []
    for turn in range(2):
        with standing(READY_DEG) as session:
            start = start_of(session, recorded.target, None)
            move = plan_play(RM01, start, recorded, slower=False)
            hand = Schedule(session.clock.now_s, [(0.0, 100.0)])
            found = session.drive(
                move, start, hand, tmp_path / f"run{turn}", name="play", moves=recorded.name
            )
        assert found.end.result is StreamResult.COMPLETED
        recorded = read_recorded(found.recorder.path.parent, RM01)
        sent.append(np.array([pose.position_m for pose in recorded.poses]))
    np.testing.assert_allclose(recorded.joints_deg, READY_DEG, atol=0.01)
    first, second = sent
    # The dead-man's ramp takes one period more each time; on the way the places are the same.
    assert np.abs(first[3:] - second[4 : 4 + len(first[3:])]).max() < 1e-9


def test_what_passes_only_while_nobody_lets_go_is_refused():
    """A burst of 45 mm in a period about a waypoint: half of it is seen before, half behind."""
    begin = forward(GEOMETRY, np.radians(READY_DEG))
    t_s = np.arange(0.0, 20 * PERIOD_S + 1e-9, PERIOD_S / 14)
    way_m = np.clip((t_s - 9.5 * PERIOD_S) / PERIOD_S, 0.0, 1.0) * 0.045
    poses = tuple(Pose(begin.position_m + way * np.eye(3)[1], begin.rotation) for way in way_m)
    burst = PlayedPath("burst", t_s, poses, READY_DEG)
    assert not kept(poses[::14], READY_DEG), "as it would be sent if it were held all the time"
    with pytest.raises(RefusedError, match="when it is let go or held again there") as refusal:
        plan_play(RM01, at(READY_DEG), burst, slower=False)
    assert "gripper speed" in str(refusal.value)
    slower = plan_play(RM01, at(READY_DEG), burst, slower=True)
    assert slower.duration_s > 20 * PERIOD_S


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: is empty: a header"),
        ("t_s,x_mm\n0,1", "line 1: there is no column 'y_mm'"),
        (f"{HEAD}\n0,1,2,3,4,5,6", "1 places; 2 to"),
        (f"{HEAD}\n0,1,2,3,4,5,6\n0.1,1,2,1e308,4,5,6", "line 3, column 'z_mm': holds '1e308'"),
        (f"{HEAD}\n0,1,2,3,4,5,6\n0.1,1,2,3,4,5,1e14", "line 3: "),
        (f"{HEAD}\n0,1,2,3,4,5,6\n0.1,1,2,3,4,5", "line 3"),
        (f"{HEAD}\n0,1,2,3,4,5,6\n0.1,1,2,3,4,5,x", "line 3"),
        (f"{HEAD}\n0,1,2,3,4,5,6\n0.1,1,2,3,4,5,nan", "line 3, column 't_deg': holds 'nan'"),
        (f"{HEAD}\n0,1,2,3,4,5,6\n0.1,1,2,3,4,5,1e308", "line 3, column 't_deg': holds '1e308'"),
        (f"{HEAD}\n0,1,2,3,4,5,6\n0.1,1e15,2,3,4,5,6", "line 3: "),
        (f"{HEAD}\n0,1,2,3,4,5,6\n0,1,2,3,4,5,6", "place 2: t_s = 0 s is not after"),
        (f"{HEAD}\n0,1,2,3,4,5,6\n0.6,1,2,3,4,5,6", "more than 0.5 s after"),
        (f"{HEAD}\n0,99999,2,3,4,5,6\n0.1,1,2,3,4,5,6", "line 2: "),
    ],
)
def test_a_file_that_is_no_path_is_refused_with_its_line(tmp_path, text, words):
    with pytest.raises(ConfigError) as error:
        read_recorded(written(tmp_path, text), RM01)
    assert words in str(error.value)


def test_a_path_too_long_for_the_arm_is_refused_with_its_place(tmp_path):
    recorded = read_recorded(written(tmp_path, arc(7.0, way_mm=1500.0)), RM01)
    with pytest.raises(RefusedError, match=r"place \d+: elbow singularity: distance"):
        plan_play(RM01, at(READY_DEG), recorded, slower=True)


def test_a_robot_elsewhere_is_told_how_to_get_there_and_that_leads_there(truth, tmp_path):
    path = written(tmp_path, arc(7.0, from_mm=(-30.0, 20.0, 0.0)))
    runs = ["--out", str(tmp_path / "runs")]
    refused = CliRunner().invoke(app, ["arm", "play", "rm01", str(path), "--json", *runs])
    told = json.loads(refused.stdout)
    assert (refused.exit_code, told["ok"]) == (1, False)
    assert (
        "away, at most 2 mm and 0.5 deg are allowed; to get there:  hil arm goto" in told["error"]
    )
    words = shlex.split(told["error"].partition("to get there:  ")[2])
    there = CliRunner().invoke(app, [*words[1:], "--json", *runs])
    assert json.loads(there.stdout)["result"] == "completed"
    truth.settle()
    joints = ",".join(f"{angle:.4f}" for angle in np.degrees(truth.robot.motion.q_rad))
    now = CliRunner().invoke(
        app, ["arm", "play", "rm01", str(path), "--at-joints", joints, "--json", *runs]
    )
    assert json.loads(now.stdout)["result"] == "completed", now.output


def test_the_start_of_a_file_asks_for_the_posture(tmp_path):
    recorded = read_recorded(written(tmp_path, arc(7.0)), RM01)
    assert isinstance(recorded.target, GotoTarget)
    assert recorded.target.branch(RM01) is None
