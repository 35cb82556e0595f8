"""Live motions for tests: operators who type, push and write at given times of a clock."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import select
from pathlib import Path

import numpy as np

from arm_driver.contour.location import Location
from arm_driver.contour.place import location_of, place_at
from arm_driver.kinematics.puma import forward
from arm_driver.link_states import LinkState, StreamResult
from hil.config.file_search import configs_dir
from hil.desk.velocity.source import Twist
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.plan.scenario import arm_plan_from_table
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.run.bench import declared_path
from hil.stations.arm.sources.settings import make_source

PERIOD_S = 0.35
TOKEN = "a token of the tests"
START = {
    "start": {"position_m": [0.45, 0.15, 0.75], "oat_deg": [90.0, 0.0, 0.0]},
    "start_joints_deg": [46.4, 78.1, -218.3, 53.8, 63.8, -31.1],
}

RM01 = RobotSettings.load(configs_dir() / "robots" / "rm01.toml")
NEAR_SINGULAR_DEG = (0.0, 45.0, -180.0, 10.0, 6.5, 20.0)


def near_singular(turned_deg):
    """The robot near its wrist's singularity: joint 6 makes good what joint 4 is turned by."""
    return np.array(NEAR_SINGULAR_DEG) + turned_deg * np.array([0.0, 0.0, 0.0, 1.0, 0.0, -1.0])


def place_of(joints_deg):
    return location_of(forward(RM01.geometry(), np.radians(joints_deg)), RM01.oat_convention())


def shown_start(prepared, moved_mm=0.0):
    """The planned start as the robot's controller would show it, or a place beside it."""
    robot = prepared.plan.robot
    x, *others = location_of(declared_path(prepared).start, robot.oat_convention()).counts
    return place_at(Location((x + round(100 * moved_mm), *others)), robot.oat_convention())


def prove(connection, token=TOKEN):
    """Answer the nonce of a remote source; nothing is said where none comes any more."""
    asked = b""
    while not asked.endswith(b"\n"):
        if not (data := connection.recv(1)):
            return
        asked += data
    nonce = json.loads(asked)["nonce"]
    proof = hmac.new(token.encode(), nonce.encode(), hashlib.sha256).hexdigest()
    connection.sendall(json.dumps({"proof": proof}).encode() + b"\n")


def live_table(source, longest_s=20.0, **keys):
    """A live scenario with the lightest model of the space arm."""
    return {
        "station": "arm",
        "name": "live",
        "longest_s": longest_s,
        "space_arm": {"model": "b"},
        "mapping": START,
        "source": source,
    } | keys


def live_plan(source, *overrides, **keys):
    return arm_plan_from_table(live_table(source, **keys), Path("live.toml"), overrides)


def live_toml(path: Path, source: str, longest_s=20.0, model="b") -> Path:
    """The same as a file."""
    mapping = "\n".join(
        [
            "start = { position_m = [0.45, 0.15, 0.75], oat_deg = [90.0, 0.0, 0.0] }",
            "start_joints_deg = [46.4, 78.1, -218.3, 53.8, 63.8, -31.1]",
        ]
    )
    path.write_text(
        f'station = "arm"\nname = "live"\nlongest_s = {longest_s}\n'
        f'[space_arm]\nmodel = "{model}"\n[mapping]\n{mapping}\n[source]\n{source}\n'
    )
    return path


class Acted:
    """A live source whose operator does things at times of the clock, in order.

    Args:
        inner: the source.
        now_s: the clock of the run.
        acts: pairs of a time [s] and something to call then.
    """

    duration_s = None

    def __init__(self, inner, now_s, acts):
        self._inner, self._now_s, self._acts = inner, now_s, list(acts)
        self._begun_s = None

    @property
    def end_reason(self):
        return self._inner.end_reason

    @property
    def held(self):
        return self._inner.held

    def listen(self):
        if self._begun_s is None:
            self._begun_s = self._now_s()
            self._inner.listen()
        while self._acts and self._now_s() - self._begun_s >= self._acts[0][0]:
            self._acts.pop(0)[1]()
        self._inner.listen()

    def sample(self, t_s):
        return self._inner.sample(t_s)

    def close(self):
        self._inner.close()


def source_maker(acts, **options):
    """In the place of the bench's `source_of`: `acts` makes the operator's deeds from a clock."""

    def made(plan, clock, diagram=None, press=None):
        more = {**options, "press": press}
        more |= {} if diagram is None else {"diagram": diagram.made}
        inner = make_source(
            plan.scenario.source, now_s=clock.now_s, scenario=Path("/scenario.toml"), **more
        )
        return Acted(inner, clock.now_s, acts(clock, inner))

    return made


WOUND_UP = (20.0, 65.0, -175.0, 10.0, 50.0, 265.75)
"""A start with joint 6 a quarter of a degree before the end of its range."""


class Winding:
    """A live source that turns the gripper about its own axis, which is that of joint 6."""

    duration_s, end_reason, held = None, "", True

    def __init__(self, *_):
        pass

    def listen(self):
        pass

    def sample(self, t_s):
        return Twist(np.zeros(3), np.array([0.0, 0.0, 0.02]), "gripper")

    def close(self):
        pass


def winding_plan(monkeypatch, *overrides, **keys):
    """A live motion that winds joint 6 up to its end: there is another angle, 360 deg back."""
    monkeypatch.setattr("hil.stations.arm.run.bench.source_of", Winding)
    place = place_of(WOUND_UP)
    start = {"position_m": list(place.position_m), "oat_deg": np.degrees(place.oat_rad).tolist()}
    mapping = {"start": start, "start_joints_deg": list(WOUND_UP)}
    return live_plan({"kind": "keyboard"}, *overrides, mapping=mapping, **keys)


def judge_flip(end):
    """Joint 6 is named, with its angle and range; something was sent, and it rests."""
    assert end.result is StreamResult.REFUSED
    assert end.report.state is LinkState.READY, "at rest, and ready for a new arm command"
    assert 0 < end.waypoints < 6
    assert "rm01, joint 6: position" in end.reason
    assert re.search(r"it would have to flip by 3(59|60) deg in one step", end.reason)


def typed(operator, terminal, text):
    """Type, and wait until the terminal has it: a pseudo-terminal hands over in its own time."""

    def act():
        os.write(operator, text)
        assert select.select([terminal], [], [], 5.0)[0]

    return act


def set_point(seq, written_s, velocity=(0.0, 0.0, 0.03)):
    said = {
        "seq": seq,
        "t_s": written_s,
        "linear_m_s": list(velocity),
        "angular_rad_s": [0, 0, 0],
        "frame": "base",
    }
    return json.dumps(said).encode() + b"\n"


def speeds_m_s(path):
    """Per waypoint: speed that the operator was granted, and that of the robot's gripper [m/s]."""
    recording = ArmRecording.open(path)
    wanted = np.linalg.norm(recording.column("wanted_twist")[:, :3], axis=1)
    places = recording.column("target_pose")[:, :3]
    return wanted, np.linalg.norm(np.diff(places, axis=0, prepend=places[:1]), axis=1) / PERIOD_S
