"""The container task by its diagram, with the plain drive in it, in empty hangars."""

import numpy as np
import pytest
from recounted_contacts import forbidden, states
from task_runs import told

from hil.recording.reader import Recording

PLACES = (
    "task.obstacles=[0,0]", "task.start_at_m=[0.0,-1.0]", "task.container_at_m=[1.8,0.5]",
    "task.bin_at_m=[-1.8,0.5]",
)  # fmt: skip
EMPTY = tuple(word for one in ("diagram.file=container", *PLACES) for word in ("--set", one))


def run(folder, seed, *words, status):
    """Result and recording of a run."""
    found = told("run", "container", "--seed", seed, *EMPTY, *words, "--out", folder, status=status)
    return found, Recording.open(folder / found["recording"])


def carried_creep(recording, every=25):
    """Speeds of the grip bar in the hand [m/s], and yaw rates [rad/s], from look to look."""
    looks = [
        (data.body("robot/l0").xmat.reshape(3, 3).copy(), data.body("grip").xpos
         - data.body("robot/l11").xpos, data.body("robot/l11").xmat.reshape(3, 3).copy())
        for _, data in states(recording, every)
    ]  # fmt: skip
    times = recording.column("t_s")[::every]
    chassis, apart, hand = map(np.array, zip(*looks, strict=True))
    yaw = np.unwrap(np.arctan2(chassis[:, 1, 0], chassis[:, 0, 0]))
    held = np.einsum("nji,nj->ni", hand, apart)
    moved = np.linalg.norm(np.diff(held, axis=0), axis=1)
    return times[:-1], moved / np.diff(times), np.abs(np.diff(yaw) / np.diff(times))


def require_little_creep(found, recording):
    """As docs/container.md says it, with a margin; where the arm stands and the robot drives."""
    times, creep, turning = carried_creep(recording)
    begin = sum(list(found["phases"].values())[: list(found["phases"]).index("carry")])
    carried = (times > begin + 1.0) & (times < begin + found["phases"]["carry"] - 0.1)
    straight = carried & (turning < 0.05)
    assert straight.sum() > 40
    assert np.median(creep[straight]) < 2e-5
    assert creep[carried].max() < 5e-4


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [3])
def test_container_is_put_into_the_bin_and_nothing_else_is_touched(tmp_path, seed):
    found, recording = run(tmp_path, seed, status=0)
    assert (found["succeeded"], found["reason"]) == (True, "")
    assert forbidden(recording) == []
    *_, (_, data) = states(recording)
    at, rim_m = data.body("container").xpos, data.geom("bin_side_1").xpos[2] + 0.15
    assert np.abs(at[:2] - data.body("bin").xpos[:2]).max() < 0.23
    assert at[2] < rim_m
    assert found["slip_mm"] < 3.0
    require_little_creep(found, recording)
    phases = list(found["phases"])
    assert phases[:4] == ["wait", "drive", "dock", "reach"]
    assert phases[-1] == "done"
    assert "open" not in phases and "search_1" not in phases  # noqa: PT018  # both, or none


@pytest.mark.timeout(900)
def test_slippery_container_fails_by_its_grip(tmp_path, monkeypatch):
    monkeypatch.setattr("hil.stations.task.container.draw.require_feasible", lambda *_: None)
    few = ("--set", "task.container_friction=[0.05,0.05]", "--set", "task.container_kg=[1.5,1.5]")
    found, _ = run(tmp_path, 3, *few, status=1)
    assert found["reason"] in ("slip", "grip_lost", "dropped")
    assert "lift" in found["phases"]
    assert "carry" not in found["phases"]
