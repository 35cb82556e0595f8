"""Runs kept in files and gone on with elsewhere, judged by the run that was never kept."""

import hashlib
import io
import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from edited_robots import longer, with_link
from edited_runs import EditedRun, Kept, Pushing, timed
from scene_robots import SCENARIOS, scenario, with_sensors
from test_scene_runs import two_robots

from hil.config.errors import ConfigError, RefusedError
from hil.stations.world.editing.snapshot_file import read_snapshot, write_snapshot
from hil.stations.world.editing.snapshots import RunSnapshot, SnapshotRecorder, restored
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.timing.clock import VirtualClock

NOISY = ('[[sensor]]\nkind = "joint_angle"\nname = "angle"\nnoise_rad = 0.001\ndelay_s = 0.013\n'
         'cutoff_hz = 30.0\nrate_hz = 90.0\ndropout = 0.05\n')  # fmt: skip
ELSEWHERE = """
import sys, hashlib
from pathlib import Path
sys.path[:0] = {paths!r}
from test_run_snapshots import gone_on
from hil.stations.world.editing.snapshot_file import read_snapshot
kept = gone_on(read_snapshot(Path({file!r})))
print(len(kept.rows), hashlib.sha256(b"".join(kept.rows)).hexdigest())
"""


def gone_on(snapshot):
    kept = Kept()
    run = restored(snapshot, VirtualClock(), kept)
    for tick in run.clock.ticks(run.period_s):
        if run.turn(tick):
            break
    run.close()
    return kept


def kept_at(plan, row):
    found = []
    one = EditedRun(plan, None, Pushing(row - 50), SnapshotRecorder([row], found.append)).play()
    return one, found[0]


def test_in_another_process_5000_steps_are_the_same_after_edits_too(tmp_path):
    """Noise, delays, a push, and two edits before."""
    file = with_sensors(tmp_path, NOISY)
    plan = load_world_plan(SCENARIOS / "joint_move.toml", (
        f'robot="{file}"', "motion.duration_s=2.5", "settle_s=9.0"))  # fmt: skip
    more = with_link(longer(plan.robot, 4, 1.1), 2)
    plan = replace(plan, edits=timed((150, longer(plan.robot, 4, 0.9)), (400, more)))
    row = int(np.random.default_rng(11).integers(450, 750))
    found = []

    class PushingOnce:
        def act(self, run, tick):
            if tick.index == row - 20:
                run.bench.world.push(link, (0.0, 9.0, 0.0), 0.2)

        def close(self, run):
            pass

    one = EditedRun(plan, None, PushingOnce(), SnapshotRecorder([row], found.append))
    link = f"{one.run.bench.robot.placed.prefix}l3"
    one.play()
    assert one.run.figures.ok, one.run.figures
    assert one.editor.taken == 2
    assert np.isfinite(one.column("angle_angle_rad")).all()  # joints by their names
    assert found[0].head["pushes"]
    path = tmp_path / "run.npz"
    write_snapshot(path, found[0])
    tests = Path(__file__).parents[1]
    paths = [str(tests / one) for one in ("", "world", "world_station")]
    code = ELSEWHERE.format(paths=paths, file=str(path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rest = one.kept.rows[row + 1 :]
    assert len(rest) > 5000
    digest = hashlib.sha256(b"".join(rest)).hexdigest()
    assert done.stdout.split() == [str(len(rest)), digest]


@pytest.mark.parametrize(
    ("name", "changes"),
    [("straight_line", ("settle_s=0.2",)),
     ("joint_move", ('scene="two"', "motion.duration_s=2.5", "settle_s=0.0")),
     ("joint_move", ('control="voltage"', "motion.duration_s=2.5", "settle_s=0.2")),
     ("joint_move", ('robot="four_bar"', "motion.goal=[{joint=1, by_deg=20.0}]", "settle_s=0.2"))],
)  # fmt: skip
def test_a_fork_goes_on_as_the_run_did(name, changes, tmp_path):
    changes = [one.replace('"two"', f'"{two_robots(tmp_path)}"') for one in changes]
    plan = load_world_plan(SCENARIOS / f"{name}.toml", changes)
    one, snapshot = kept_at(plan, 333)
    assert gone_on(snapshot).rows == one.kept.rows[334:]
    assert gone_on(snapshot).rows == one.kept.rows[334:]  # it is not used up


def test_a_platform_in_a_scene_and_a_stop_on_its_way_are_kept(tmp_path):
    text = (
        'robot = "rig:paper"\nscene = "paper_cabin"\nsettle_s = 0.2\n[motion]\nkind = "joints"\n'
        "goal = [{ joint = 3, by_m = 0.02 }]\nduration_s = 1.0"
    )
    plan = load_world_plan(scenario(tmp_path, text))
    found = []
    one = EditedRun(plan, None, SnapshotRecorder([120, 203], found.append))
    one.run._stopped = lambda: "a person" if len(one.kept.rows) > 200 else ""
    one.play()
    assert one.run.figures.ended == "stopped"
    assert len(one.kept.rows) > 204
    assert gone_on(found[1]).rows == one.kept.rows[204:]  # braking
    assert gone_on(found[0]).rows[:80] == one.kept.rows[121:201]


def test_figures_go_on_and_forks_may_part(tmp_path):
    plan = load_world_plan(SCENARIOS / "joint_move.toml", ("motion.duration_s=2.5", "settle_s=0.1"))
    one, snapshot = kept_at(plan, 600)
    run = restored(snapshot, VirtualClock(), Kept())
    assert run.figures.steps == 601
    run.bench.world.push("l4", (30.0, 0.0, 0.0), 0.05)
    for tick in run.clock.ticks(run.period_s):
        if run.turn(tick):
            break
    assert run.figures.steps == one.run.figures.steps
    assert run.figures.error_max_rad > 5 * one.run.figures.error_max_rad


def damaged(head, **changes):
    return RunSnapshot({**head.head, **changes}, head.arrays)


def test_what_is_no_snapshot_of_this_bench_is_refused(tmp_path):
    plan = load_world_plan(SCENARIOS / "joint_move.toml", ("motion.duration_s=2.5", "settle_s=0.1"))
    _, snapshot = kept_at(plan, 5)
    with pytest.raises(RefusedError, match=r"release 3\.9 of the engine"):
        gone_on(damaged(snapshot, engine="3.9"))
    for wrong in ({"plan": {}}, {"robot": ["PASSED"]}, {"pushes": [[1]]},
                  {"sensors": [1, 2, ["x"]]}, {"standing": [["other", [], []]]}):  # fmt: skip
        with pytest.raises(RefusedError, match="snapshot: cannot be used"):
            gone_on(damaged(snapshot, **wrong))
    path = tmp_path / "run.npz"
    write_snapshot(path, snapshot)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(ConfigError, match="is no snapshot of a run"):
        read_snapshot(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_snapshot(tmp_path / "absent.npz")
    for told, words in (({"kind": "hil world snapshot", "version": 9, "run": {}}, "version 9"),
                        ({"kind": "photo", "version": 1, "run": {}}, "is 'photo'")):  # fmt: skip
        head = np.frombuffer(json.dumps(told).encode(), np.uint8)
        np.savez(path, head=head)
        with pytest.raises(ConfigError, match=words):
            read_snapshot(path)
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1  # flags of its last member
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=r"is no snapshot of a run: .* encrypted"):
        read_snapshot(path)
    code = io.BytesIO()
    np.savez(code, head=np.array([print], dtype=object))
    path.write_bytes(code.getvalue())
    with pytest.raises(ConfigError, match="is no snapshot"):
        read_snapshot(path)


def test_numbers_come_back_as_they_were(tmp_path):
    head = {"a": [0.1, 1e-320, -0.0, math.pi, 2**53 + 1], "b": math.inf}
    arrays = {"world": np.frombuffer(np.random.default_rng(0).bytes(800), np.uint8)}
    write_snapshot(tmp_path / "s.npz", RunSnapshot(head, arrays))
    found = read_snapshot(tmp_path / "s.npz")
    assert found.head == head
    assert math.copysign(1.0, found.head["a"][2]) == -1.0
    np.testing.assert_array_equal(found.arrays["world"], arrays["world"])
