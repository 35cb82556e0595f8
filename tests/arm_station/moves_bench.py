"""A robot that moves alone, its emulated controller, and operators who hold by a clock."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from arm_driver.kinematics.workspace import check_path
from hil.config.file_search import configs_dir
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.moves.session import Choice, session
from safety.arm_gate import ArmGate
from sim.devices.arm.controller import ArmController

PERIOD_S = 0.35
RM01 = RobotSettings.load(configs_dir() / "robots" / "rm01.toml")
READY_DEG = np.array([0.0, 45.0, -180.0, 0.0, 45.0, 0.0])
AWAY_DEG = np.array([20.0, 65.0, -175.0, 10.0, 50.0, 0.0])


@dataclass
class Truth:
    """Where the emulated robot really was, and what it was answered."""

    robot: ArmController | None = None
    t_s: list[float] = field(default_factory=list)
    places_m: list[np.ndarray] = field(default_factory=list)
    answers: list[bytes] = field(default_factory=list)

    def judge_silence(self, silent_s, speed_m_s):
        """A robot that fell silent at a time rests at a waypoint it was sent, not far on.

        Its last request was for a period, and a waypoint is reached 0.8 s after it was asked for.
        """
        times, where = np.array(self.t_s), np.array(self.places_m)
        rests = where[-1]
        assert np.ptp(where[times > times[-1] - 1.0], axis=0).max() < 2e-5, "it rests"
        sent = [line.split(b",")[1:4] for line in self.answers if not line.startswith(b"-1,")]
        last_m = 1e-3 * np.array(sent[-1], dtype=float)
        assert np.linalg.norm(rests - last_m) < 1e-4, "at the last waypoint that it was sent"
        way_m = np.linalg.norm(rests - where[times <= silent_s][-1])
        assert 0.2 * speed_m_s < way_m < speed_m_s * (PERIOD_S + 0.8) + 5e-4

    def settle(self):
        """Three seconds of the robot alone, after everything."""
        begin_s = self.t_s[-1]
        for step in range(1, 301):
            self.robot.advance(begin_s + 0.01 * step)  # is noted as well
        return self.robot.gripper


def listen_to(monkeypatch):
    """Follow every emulated robot of this process."""
    truth, receive, advance = Truth(), ArmController.receive, ArmController.advance

    def heard(self, data, now_s):
        truth.answers.append(bytes(data))
        return receive(self, data, now_s)

    def followed(self, now_s):
        told = advance(self, now_s)
        truth.robot = self
        truth.t_s.append(now_s)
        truth.places_m.append(np.array(self.gripper[0]))
        return told

    monkeypatch.setattr(ArmController, "receive", heard)
    monkeypatch.setattr(ArmController, "advance", followed)
    return truth


@contextmanager
def standing(joints_deg=READY_DEG, **choice):
    """A session with an emulated robot that stands somewhere."""
    with session(Choice(RM01, joints_deg=np.array(joints_deg), **choice)) as found:
        yield found


class Schedule:
    """An operator who holds in given spans of a clock.

    Args:
        now_s: the clock.
        spans: begin and end of each [s], from the first look on.
        end_s: when the end key is pressed; None for never.
    """

    def __init__(self, now_s, spans, end_s=None):
        self._now_s, self._spans, self._end_s = now_s, spans, end_s
        self.begun_s = None

    def _since_s(self):
        self.begun_s = self._now_s() if self.begun_s is None else self.begun_s
        return self._now_s() - self.begun_s

    @property
    def held(self):
        since_s = self._since_s()
        return any(begin <= since_s < end for begin, end in self._spans)

    @property
    def end_reason(self):
        ended = self._end_s is not None and self._since_s() >= self._end_s
        return "ended with the key q" if ended else ""

    def listen(self):
        self._since_s()

    def close(self):
        pass


def kept(poses, start_deg, *, robot=RM01):
    """What `arm_driver.kinematics.workspace`, which shares no code with the gate, objects to."""
    report = check_path(
        robot.geometry(), poses, PERIOD_S, np.radians(start_deg), robot.path_limits()
    )
    return [finding for finding in report.findings if not finding.within]


def places(steps):
    return [step.X_RT for step in steps]


LIMITS = (
    "name", "position_min_rad", "position_max_rad", "rate_max_rad_s", "acceleration_max_rad_s2",
    "gripper_speed_max_m_s", "gripper_turn_max_rad_s", "margins", "corners",
)  # fmt: skip


def digest_of(limits):
    """Of what a gate holds its arms to."""
    told = hashlib.sha256()
    for arm in limits:
        told.update("".join(repr(getattr(arm, name)) for name in LIMITS).encode())
        told.update(f"{arm.clearances.least_m} {arm.clearances.pairs}".encode())
    return told.hexdigest()


def limits_judged_by(monkeypatch):
    """Digest of the limits at each waypoint that a gate judges from now on."""
    seen, judge = [], ArmGate.judge

    def followed(self, index, samples):
        seen.append(digest_of(self.limits))
        return judge(self, index, samples)

    monkeypatch.setattr(ArmGate, "judge", followed)
    return seen
