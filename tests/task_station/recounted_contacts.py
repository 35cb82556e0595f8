"""Contacts of recorded container tasks, counted by the engine's own detection; no judge has a part.

``python tests/task_station/recounted_contacts.py DIR`` counts in every recording below a folder,
once in 10 ms.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from hil.recording.reader import Recording
from hil.stations.world.view.recorded_world import world_text

EVERY = 5
"""Rows from one look to the next in a campaign's recordings: 10 ms."""
CONTAINER = {"container", "grip", "grip_post_1", "grip_post_2"}
BIN = {"bin", *(f"bin_side_{number}" for number in range(1, 5))}


def states(recording: Recording, every: int = 1) -> Iterator[tuple]:
    """The engine's model and data at every row, or each so many rows."""
    import mujoco

    text, _ = world_text(recording.header.scenario)
    model = mujoco.MjModel.from_xml_string(text.text, dict(text.files))
    data = mujoco.MjData(model)
    for row in recording.column("world_coordinates")[::every]:
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        yield model, data


def touching(model, data) -> Iterator[frozenset[str]]:
    """Pairs of names of bodies in contact; links by their numbers, the floor as `world`."""
    for one in data.contact[: data.ncon]:
        if one.dist <= 0.0:
            names = (model.body(int(model.geom_bodyid[geom])).name for geom in one.geom)
            yield frozenset(name.rpartition("/")[2] for name in names)


def allowed(pair: frozenset[str]) -> bool:
    """Whether a pair may touch: wheels the floor, the container its stand, jaws and the bin."""
    links = {name for name in pair if name[0] == "l" and name[1:].isdecimal()}
    if not links and not pair & CONTAINER:
        return True
    if pair & CONTAINER:
        return pair <= CONTAINER | BIN | {"stand", "l11", "l12"}
    return pair <= {"world", "l1", "l2", "l3", "l4"} or pair <= links


def forbidden(recording: Recording, every: int = 1) -> list[list[str]]:
    """Pairs that touched and must not, in order of their names."""
    seen = {pair for model, data in states(recording, every) for pair in touching(model, data)}
    return sorted(sorted(pair) for pair in seen if not allowed(pair))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    files = sorted(folder.rglob("recording.mcap"), key=lambda file: [len(str(file)), str(file)])
    found = {str(file.parent.relative_to(folder)): forbidden(Recording.open(file.parent), EVERY)
             for file in files}  # fmt: skip
    for name, pairs in found.items():
        if pairs:
            print(name, pairs)
    print(f"{len(files)} recordings, {sum(map(bool, found.values()))} with contacts")
