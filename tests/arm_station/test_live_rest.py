"""Live sessions in which the handle is let go for seconds: the robot rests, the session goes on.

The operator is a gamepad made up; the robot is the emulated one, looked at where it really is.
"""

from __future__ import annotations

import hashlib
from types import SimpleNamespace

import numpy as np
import pytest
from campaign import SHARE, share_of
from live_bench import live_plan
from stop_bench import watch

from arm_driver.link_states import StreamResult
from hil.desk.velocity.gamepad import HandleState
from hil.stations.arm.cycle.dead_man import GAP_MAX_M, RELEASED_S, REST_AFTER_S, DeadMan
from hil.stations.arm.cycle.gripper_follower import GripperFollower
from hil.stations.arm.proof.prepare import space_limits
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.run.bench import prepare_plan, run_arm
from hil.stations.arm.signals import ArmFlag
from hil.stations.arm.sources import settings
from hil.stations.arm.sources.settings import make_source
from safety.arm_gate import ArmGate
from sim.world.space_arm.simulator import TICK_S

RELEASE_S = 5.0
STILL_AFTER_S = 3.05
"""After the handle is let go the robot stands still: 2 s, and three periods."""
STILL_M = 2e-5
"""What counts as still: two steps of the wire's resolution."""
PAD = {
    "kind": "gamepad", "device": "made up", "frame": "base", "limits": {"angular_rad_s": 0.05},
}  # fmt: skip


AMID = {
    "start": {"position_m": [0.6963, -0.15005, 0.6576], "oat_deg": [90.0, 0.0, 0.0]},
    "start_joints_deg": [0.0, 45.0, -180.0, 0.0, 45.0, 0.0],
}
"""A start with way to go on all sides."""


DIGEST_BEFORE = "0a61a1a7d10ac59964eee5f61b07479e2b892a71066a095f8732d988f4254ed1"
"""Of what the gate held both arms to before there was rest."""
LIMITS = (
    "position_min_rad", "position_max_rad", "rate_max_rad_s", "acceleration_max_rad_s2",
    "gripper_speed_max_m_s", "gripper_turn_max_rad_s", "margins",
)  # fmt: skip


def digest_of(both):
    """Of what a gate holds both arms to."""
    told = hashlib.sha256()
    for limits in both:
        told.update("".join(repr(getattr(limits, name)) for name in LIMITS).encode())
        if limits.clearances is not None and limits.corners is not None:
            told.update(f"{limits.clearances.least_m} {limits.corners.deviation_max_m}".encode())
    return told.hexdigest()


class Pushes:
    """Handles that are pushed some way, let go for 5 s, pushed back, let go for 5 s, and so on."""

    def __init__(self, now_s, seed, until_s):
        self._now_s, self._begun_s = now_s, None
        self.pushes = []
        draw, t_s = np.random.default_rng(seed), 1.0
        while t_s < until_s:
            axes = np.zeros(6)
            axes[draw.integers(0, 3)] = draw.uniform(0.5, 1.0)
            if draw.random() < 0.5:
                axes[3 + draw.integers(0, 3)] = draw.uniform(0.3, 1.0)
            for_s, sign = draw.uniform(1.0, 2.2), draw.choice([-1.0, 1.0])
            for way in (sign, -sign):
                self.pushes.append((t_s, t_s + for_s, tuple((way * axes).tolist())))
                t_s += for_s + RELEASE_S

    def read(self):
        now_s = self._now_s()
        self._begun_s = now_s if self._begun_s is None else self._begun_s
        for begin_s, end_s, axes in self.pushes:
            if begin_s <= now_s - self._begun_s < end_s:
                return HandleState(axes, held=True)
        return HandleState((0.0,) * 6, held=False)

    def close(self):
        pass


def session(monkeypatch, tmp_path, model, payload, longest_s, seed=20):
    """A live session; its result, its robot, what was pushed, its recording."""
    made, digests, judged = [], set(), ArmGate.judge

    def judging(self, index, samples):
        digests.add(digest_of(self.limits))
        return judged(self, index, samples)

    def opened(device, axes, hold_button, *, now_s):
        made.append(Pushes(now_s, seed, longest_s))
        return made[0]

    def source_of(plan, clock):
        return make_source(
            plan.scenario.source, now_s=clock.now_s, scenario=tmp_path / "scenario.toml"
        )

    monkeypatch.setattr(ArmGate, "judge", judging)
    monkeypatch.setattr(settings, "open_handles", opened)
    monkeypatch.setattr("hil.stations.arm.run.bench.source_of", source_of)
    watched = watch(monkeypatch)
    arm = {"model": model, "payload": payload}
    result = run_arm(
        prepare_plan(live_plan(PAD, longest_s=longest_s, space_arm=arm, mapping=AMID)), tmp_path
    )
    return SimpleNamespace(
        result=result,
        watched=watched,
        pushes=made[0].pushes,
        digests=digests,
        run=ArmRecording.open(result.recorder.path),
    )


def releases(session, until_s):
    """Begin and end of the times in which the robot has to stand still."""
    for (_, let_go_s, _), (next_s, _, _) in zip(
        session.pushes[:-1], session.pushes[1:], strict=True
    ):
        if next_s < until_s:
            yield let_go_s + STILL_AFTER_S, next_s


def way_m(session, from_s, until_s):
    """How far apart places of the robot's gripper were between two times."""
    times = np.array(session.watched.t_s)
    places = np.array(session.watched.places_m)[(times >= from_s) & (times <= until_s)]
    assert len(places) > 50, "it was looked at"
    return float(np.ptp(places, axis=0).max())


def judge(session, longest_s):
    """The session lasted by the limits of before, and the robot stood still while let go."""
    end = session.result.end
    assert end.result is StreamResult.CANCELLED
    assert end.reason == f"the motion lasted longer than {longest_s:g} s"
    assert end.report.counts.empty_slot == 0
    assert session.digests == {DIGEST_BEFORE}, "every waypoint was judged by the limits of before"
    rests = list(releases(session, longest_s))
    assert rests
    assert max(way_m(session, *rest) for rest in rests) < STILL_M
    moved = [
        way_m(session, begin_s, end_s + 1.0)
        for begin_s, end_s, _ in session.pushes
        if end_s + 1.0 < longest_s
    ]
    assert min(moved) > 0.001, "it moved at every push"


SESSIONS = [("e", "light"), *((model, "") for model in "abcde")]
SESSIONS += [*((model, "light") for model in "abcd"), ("e", "heavy"), ("a", "heavy")]


@pytest.mark.campaign
@pytest.mark.parametrize(("model", "payload"), share_of(SESSIONS, least=6))
def test_a_session_with_releases_of_five_seconds_goes_on(monkeypatch, tmp_path, model, payload):
    """Ten minutes each; in a share some ten or thirty seconds, with the payload of a scenario."""
    longest_s = 600.0 if SHARE == 1.0 else 28.0 if payload else 12.0
    one = session(monkeypatch, tmp_path, model, payload, longest_s)
    judge(one, longest_s)


def test_positive_control_a_robot_that_does_not_rest_is_found(monkeypatch, tmp_path):
    never = property(lambda self: False, lambda self, value: None)
    monkeypatch.setattr(GripperFollower, "resting", never, raising=False)
    one = session(monkeypatch, tmp_path, "e", "light", 12.0)
    assert one.result.end.reason == "let go for 2 s, and the robot still moved"
    with pytest.raises(AssertionError):
        judge(one, 12.0)


def test_a_light_arm_that_swings_to_and_fro_within_a_period_ends_no_session(monkeypatch, tmp_path):
    """The empty elastic arm swings back within a period where it is let go after a short push."""
    until_s, seed = 18.0, 22
    judge(session(monkeypatch, tmp_path, "e", "", until_s, seed), until_s)
    monkeypatch.setattr(GripperFollower, "_part", lambda self, way_m: 1.0)
    control = session(monkeypatch, tmp_path, "e", "", until_s, seed).result.end
    assert control.result is StreamResult.REFUSED
    assert "path deviation at a corner" in control.reason, "as it was, it is refused"


def test_the_robot_rests_while_the_elastic_arm_swings_and_follows_it_again(monkeypatch, tmp_path):
    one = session(monkeypatch, tmp_path, "e", "light", 20.0)
    share = (one.run.column("flags") & ArmFlag.RESTING) != 0
    target, space = one.run.column("target_pose")[:, :3], one.run.column("space_pose")[:, :3]
    still = share[1:] & (np.linalg.norm(np.diff(target, axis=0), axis=1) == 0.0)
    swings = np.linalg.norm(np.diff(space, axis=0), axis=1)
    assert swings[still].max() > 0.002, "the arm swung while the robot stood"
    notes = [event.message for event in one.result.events]
    assert sum("the robot rests until it is held again" in note for note in notes) >= 2
    assert any(note.startswith("held again; the robot goes on, ") for note in notes)


@pytest.fixture
def station():
    """A station that is let go, whose robot does what it is told to."""
    return SimpleNamespace(
        held=False, resting=False, robot_alone=False, robot_moves=True, gap=(0.0, 0.0),
        rest=lambda: None, go_on=lambda: None,
    )  # fmt: skip


def dead_man(station, until_s):
    """Let go from the beginning; when and why the stream is to end, or None."""
    notes = SimpleNamespace(note=lambda tick, text: None)
    one = DeadMan(station, notes)
    for t_s in np.arange(0.0, until_s, 0.01):
        if why := one.look(SimpleNamespace(t_s=float(t_s))):
            return float(t_s), why
    return None


def test_a_robot_that_does_not_come_to_rest_is_not_waited_for(station):
    t_s, why = dead_man(station, 10.0)
    assert t_s == pytest.approx(RELEASED_S, abs=0.011)
    assert why == "let go for 2 s, and the robot still moved"
    assert RELEASED_S > REST_AFTER_S + 2 * TICK_S, "there is time for it"


def test_an_arm_that_leads_away_from_a_robot_at_rest_ends_the_stream(station):
    station.robot_moves = False
    station.gap = (0.9 * GAP_MAX_M, 0.0)
    assert dead_man(station, 20.0) is None
    station.gap = (1.1 * GAP_MAX_M, 0.0)
    _, why = dead_man(station, 20.0)
    assert "165.0 mm and 0.00 deg from the simulated gripper" in why
    assert "at most 150 mm and 10 deg are allowed" in why


def test_rest_does_not_loosen_the_gates_limits():
    """Nor do they depend on the model; in the sessions above the gate judged by the same."""
    for model in "abcde":
        plan = live_plan(PAD, space_arm={"model": model})
        assert digest_of((space_limits(plan), plan.robot.gate_limits())) == DIGEST_BEFORE
