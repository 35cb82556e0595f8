"""The container task by its diagram, with the plain drive in it, in empty hangars.

Contacts are counted by the engine's own detection in the recorded states; the judge has no part.
"""

import numpy as np
import pytest
from task_runs import told

from hil.recording.reader import Recording
from hil.stations.world.view.recorded_world import world_text

PLACES = (
    "task.obstacles=[0,0]", "task.start_at_m=[0.0,-1.0]", "task.container_at_m=[1.8,0.5]",
    "task.bin_at_m=[-1.8,0.5]",
)  # fmt: skip
EMPTY = tuple(word for one in ("diagram.file=container", *PLACES) for word in ("--set", one))
CONTAINER = {"container", "grip", "grip_post_1", "grip_post_2"}
BIN = {"bin", *(f"bin_side_{number}" for number in range(1, 5))}
EVERY = 5
"""Rows from one look at the contacts to the next: 10 ms."""


def run(folder, seed, *words, status):
    """Result and recording of a run."""
    found = told("run", "container", "--seed", seed, *EMPTY, *words, "--out", folder, status=status)
    return found, Recording.open(folder / found["recording"])


def states(recording):
    """The engine's data at recorded rows."""
    import mujoco

    text, _ = world_text(recording.header.scenario)
    model = mujoco.MjModel.from_xml_string(text.text, dict(text.files))
    data = mujoco.MjData(model)
    for row in recording.column("world_coordinates")[::EVERY]:
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        yield model, data


def touching(model, data):
    """Pairs of names of bodies in contact; links by their numbers, the floor as `world`."""
    for one in data.contact[: data.ncon]:
        if one.dist <= 0.0:
            names = (model.body(int(model.geom_bodyid[geom])).name for geom in one.geom)
            yield frozenset(name.rpartition("/")[2] for name in names)


def allowed(pair):
    """Whether a pair may touch: wheels the floor, the container its stand, jaws and the bin."""
    links = {name for name in pair if name[0] == "l" and name[1:].isdecimal()}
    if not links and not pair & CONTAINER:
        return True
    if pair & CONTAINER:
        return pair <= CONTAINER | BIN | {"stand", "l11", "l12"}
    return pair <= {"world", "l1", "l2", "l3", "l4"} or pair <= links


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [3])
def test_container_is_put_into_the_bin_and_nothing_else_is_touched(tmp_path, seed):
    found, recording = run(tmp_path, seed, status=0)
    assert (found["succeeded"], found["reason"]) == (True, None)
    seen = set[frozenset[str]]()
    for model, data in states(recording):
        seen |= set(touching(model, data))
    assert [sorted(pair) for pair in seen if not allowed(pair)] == []
    at, rim_m = data.body("container").xpos, data.geom("bin_side_1").xpos[2] + 0.15
    assert np.abs(at[:2] - data.body("bin").xpos[:2]).max() < 0.23
    assert at[2] < rim_m
    assert found["slip_mm"] < 3.0
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
