"""The emulated arm controller in virtual time: timing, retries, refusals, ends of streams."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arm_scripted_host import PERIOD_S, ScriptedHost, ahead, end_line, waypoint_line
from hypothesis import given
from hypothesis import strategies as st

from sim.devices.arm.controller import ArmController
from sim.devices.arm.limits import ReachSettings
from sim.devices.arm.program import ArmState
from sim.devices.arm.protocol import location_of
from sim.devices.arm.settings import ArmControllerSettings


def streaming(count: int = 1000, settings: ArmControllerSettings | None = None) -> ScriptedHost:
    host = ScriptedHost(settings)
    host.follow(ahead, count)
    return host


def test_bytes_take_ten_bits_each():
    robot = ArmController(ArmControllerSettings(), now_s=0.0)
    said = b""
    for k in range(1, 9):
        said += robot.advance(k * 10 / 9600 - 1e-6)
        assert len(said) == k - 1
    assert robot.advance(1.0).startswith(b"R"[len(said) :])


def test_answer_counts_once_its_last_byte_has_arrived():
    host = ScriptedHost()
    line = waypoint_line(0, host.location((0.0, 0.0, 0.0)))
    host.robot.receive(line, 0.02)
    last_s = 0.02 + len(line) * 10 / 9600
    host.robot.advance(last_s - 1e-4)
    assert host.robot.state is ArmState.WAITING
    host.robot.advance(last_s + 1e-4)
    assert host.robot.state is ArmState.RUNNING


def test_requests_come_every_period_with_the_next_number():
    host = streaming()
    host.run(20 * PERIOD_S)
    times = [t for t, _ in host.requests]
    assert host.noise == 1, "at rest it says first that it is an emulated one"
    assert [int(w[1]) for _, w in host.requests] == list(range(len(times)))
    np.testing.assert_allclose(np.diff(times)[1:], PERIOD_S, atol=0.0051)
    assert set(host.statuses) == {0}
    assert host.robot.counts.repeats == 0


def test_numbers_wrap_to_zero():
    host = ScriptedHost(ArmControllerSettings(first_seq=9998))
    host.answers = lambda seq: waypoint_line(seq, host.location((0.0, 0.0, 0.0)))
    host.run(4 * PERIOD_S)
    assert [int(w[1]) for _, w in host.requests][:4] == [9998, 9999, 0, 1]


def test_resting_robot_repeats_its_number_and_never_moves():
    host = ScriptedHost()
    host.run(10.0)
    assert {int(w[1]) for _, w in host.requests} == {0}
    assert len(host.requests) == 29
    assert np.ptp(np.array(host.track), axis=0).max() == 0.0


def test_feedback_says_where_the_gripper_is():
    host = streaming(8, ArmControllerSettings(feedback=True))
    host.run(8 * PERIOD_S + 3.0)
    words = host.requests[-1][1]
    assert len(words) == 10
    position_m, rotation = host.robot.gripper
    assert [float(w) for w in words[3:6]] == pytest.approx(position_m * 1e3, abs=0.0051)
    _, _, _, o, a, t = location_of(position_m, rotation)
    assert [float(w) for w in words[6:9]] == pytest.approx([o / 1e3, a / 1e3, t / 1e3], abs=1e-9)
    assert position_m[1] - host.start_m[1] == pytest.approx(ahead(7)[1], abs=1e-4)


def test_one_missing_answer_is_asked_for_again_and_changes_nothing():
    host, plain = streaming(12), streaming(12)
    lost = {5}

    def answer(seq: int) -> bytes | None:
        if seq in lost:
            lost.remove(seq)
            return None
        return waypoint_line(seq, host.location(ahead(seq))) if seq < 12 else None

    host.answers = answer
    host.run(14 * PERIOD_S)
    plain.run(14 * PERIOD_S)
    five = [t for t, w in host.requests if w[1] == "5"]
    assert len(five) == 2
    assert five[1] - five[0] == pytest.approx(0.25, abs=0.0051)
    np.testing.assert_array_equal(np.array(host.track), np.array(plain.track))


def test_running_dry_ends_at_rest_at_the_last_waypoint_and_says_so():
    host = streaming(6)
    host.run(6 * PERIOD_S + 2.0)
    assert [w[1:3] for _, w in host.requests][6:8] == [["6", "0"], ["6", "0"]]  # asked once more
    assert {tuple(w[1:3]) for _, w in host.requests[8:]} == {("7", "2")}
    assert host.robot.counts.dry == 1
    assert host.robot.gripper[0][1] - host.start_m[1] == pytest.approx(ahead(5)[1], abs=1e-4)
    assert max(abs(host.robot.motion.rate_rad_s)) == 0.0


def test_a_late_burst_is_never_executed():
    host = streaming(6)
    host.run(6 * PERIOD_S + 2.0)
    stood = host.robot.gripper[0]
    for seq in (6, 6, 8, 9):
        host.robot.receive(waypoint_line(seq, host.location(ahead(seq))), host.now_s)
    host.run(3.0)
    np.testing.assert_allclose(host.robot.gripper[0], stood, atol=1e-9)
    assert host.robot.state is ArmState.DRY
    assert host.robot.counts.stale == 4


def test_a_new_stream_can_begin_after_running_dry():
    host = streaming(3)
    host.run(3 * PERIOD_S + 2.0)
    first = host.robot.seq
    host.arm()
    host.answers = lambda seq: waypoint_line(seq, host.location(ahead(2 + seq - first)))
    host.run(1.0)
    assert host.robot.state is ArmState.RUNNING
    assert host.statuses[-1] == 0


def test_end_of_stream_comes_to_rest_and_waits():
    host = ScriptedHost()
    host.answers = lambda s: waypoint_line(s, host.location(ahead(s))) if s < 5 else None
    host.run(5 * PERIOD_S)
    host.answers = lambda s: end_line(0) if s == 5 else None
    host.run(0.9)
    assert host.robot.state is ArmState.WAITING
    host.run(2.0)
    assert {tuple(w[1:3]) for t, w in host.requests if t > 5 * PERIOD_S + 0.9} == {("6", "0")}
    assert host.robot.counts.dry == 0
    assert host.robot.gripper[0][1] - host.start_m[1] == pytest.approx(ahead(4)[1], abs=1e-4)


def test_wrong_checksum_is_asked_for_again_with_status_1():
    host = streaming(12)
    good, bad = host.answers, {4}

    def answer(seq: int) -> bytes | None:
        line = good(seq)
        if seq in bad and line is not None:
            bad.remove(seq)
            return line.replace(b".", b".1", 1)
        return line

    host.answers = answer
    host.run(10 * PERIOD_S)
    assert [w[2] for _, w in host.requests if w[1] == "4"] == ["0", "1"]
    assert host.robot.counts.garbled == 1
    assert host.robot.state is ArmState.RUNNING


def test_always_wrong_checksum_runs_dry():
    host = streaming(4)
    good = host.answers
    host.answers = lambda seq: b"what?\r" if seq > 2 else good(seq)
    host.run(12 * PERIOD_S)
    three = [w[2] for _, w in host.requests if w[1] == "3"]
    assert three[0] == "0"
    assert set(three[1:]) == {"1"}
    assert host.robot.state is ArmState.DRY


def test_at_rest_a_wrong_checksum_is_never_told_and_no_silence_follows():
    """What an arm at rest is sent on status 1 would start it again; it asks with its own status."""
    host = streaming(3)
    host.arm()
    good = host.answers
    host.answers = lambda seq: b"what?\r" if seq > 2 else good(seq)
    host.run(4 * PERIOD_S)
    stood = len(host.requests)
    host.run(12.0)
    dry = [(t, words) for t, words in host.requests[stood:] if t > 6 * PERIOD_S]
    assert {tuple(words[1:3]) for _, words in dry} == {("4", "2")}
    assert max(np.diff([t for t, _ in dry])) < 1.05 * PERIOD_S
    assert dry[-1][0] > 4 * PERIOD_S + 12.0 - 1.05 * PERIOD_S
    assert host.robot.counts.garbled > 30
    assert host.robot.state is ArmState.DRY


@pytest.mark.parametrize(
    ("offset_m", "text"),
    [
        ((0.0, 0.0365, 0.0), "speed"),
        ((0.0, 0.0, -0.5), "speed"),
    ],
)
def test_a_first_waypoint_too_far_away_is_refused_with_status_4(offset_m, text):
    host = ScriptedHost()
    host.answers = lambda seq: waypoint_line(seq, host.location(offset_m))
    host.run(3.0)
    assert host.robot.state is ArmState.REFUSED
    assert text in host.robot.reason
    assert set(host.statuses[1:]) == {4}
    assert np.ptp(np.array(host.track), axis=0).max() == 0.0
    host.answers = lambda seq: waypoint_line(seq, host.location((0.0, 0.0, 0.0)))
    host.arm()
    host.run(1.0)
    assert host.robot.state is ArmState.REFUSED  # until somebody starts it at the controller
    host.robot.start(host.now_s)
    host.run(1.0)
    assert host.robot.state is ArmState.RUNNING


def test_turning_too_fast_is_refused():
    host = ScriptedHost()
    x, y, z, o, a, t = host.location((0.0, 0.0, 0.0))
    host.answers = lambda seq: waypoint_line(seq, (x, y, z, o, a, t + 25_000))
    host.run(1.0)
    assert host.robot.state is ArmState.REFUSED
    assert "turning rate" in host.robot.reason


def test_a_step_too_large_in_a_stream_ends_at_rest_at_the_last_good_point():
    host = ScriptedHost()
    host.follow(lambda s: ahead(s) if s < 5 else (0.0, 0.3, 0.0), 100)
    host.run(4.0)
    assert host.robot.state is ArmState.REFUSED
    assert host.robot.gripper[0][1] - host.start_m[1] == pytest.approx(ahead(4)[1], abs=1e-4)
    reports = [t for t, w in host.requests if w[2] == "4"]
    asked = next(t for t, w in host.requests if w[1] == "5")
    assert reports[0] - asked < 0.12  # at once, not at rest
    assert {w[1] for _, w in host.requests if w[2] == "4"} == {"5"}


def test_out_of_reach_and_joint_limits_are_refused_before_they_are_met():
    host = ScriptedHost()
    host.follow(lambda s: (0.034 * s, 0.0, 0.0), 100)
    host.run(12.0)
    assert host.robot.state is ArmState.REFUSED
    assert "reach" in host.robot.reason or "rad/s" in host.robot.reason
    low = (-160.0, -45.0, -225.0, -110.0, -100.0, -3.0)
    host = ScriptedHost(ArmControllerSettings(reach=ReachSettings(low_deg=low)))
    x, y, z, o, a, t = host.location((0.0, 0.0, 0.0))
    host.answers = lambda seq: waypoint_line(seq, (x, y, z, o, a, t - 1000 * seq))
    host.run(6.0)
    assert host.robot.state is ArmState.REFUSED
    assert "joint 6: -3." in host.robot.reason or "joint 6: -4." in host.robot.reason
    assert math.degrees(host.robot.motion.q_rad[5]) >= -3.0 - 1e-3


def test_not_calibrated_says_5_until_calibrated_and_started():
    host = ScriptedHost(ArmControllerSettings(calibrated=False))
    host.follow(ahead, 100)
    host.run(1.0)
    assert set(host.statuses) == {5}
    host.robot.calibrate(host.now_s)
    host.run(1.0)
    assert host.statuses[-1] == 3
    host.robot.start(host.now_s)
    host.run(0.2)
    assert host.statuses[-1] == 0


def test_without_autostart_it_is_silent_until_started_and_after_stopping():
    host = ScriptedHost(ArmControllerSettings(autostart=False))
    host.run(2.0)
    assert host.requests == []
    host.robot.start(host.now_s)
    host.run(1.0)
    count = len(host.requests)
    assert count == 3
    host.robot.stop(host.now_s)
    host.run(2.0)
    assert len(host.requests) == count
    assert host.robot.state is ArmState.OFF


def test_three_minutes_pass_without_a_repeat():
    host = ScriptedHost()
    host.follow(lambda s: (0.0, 0.1 * math.sin(0.05 * s), 0.05 * (1 - math.cos(0.05 * s))), 10_000)
    host.run(180.0)
    counts = host.robot.counts
    assert counts.waypoints == 515
    assert (counts.repeats, counts.garbled, counts.stale, counts.unasked) == (0, 0, 0, 0)


def test_it_is_the_same_however_time_is_cut():
    def run(step_s: float) -> list[bytes]:
        robot = ArmController(ArmControllerSettings(feedback=True), now_s=0.0)
        host = ScriptedHost()
        for seq, at_s in enumerate((0.1, 0.45, 0.8, 1.15)):
            said = b""
            k = 0
            while k * step_s < at_s - 0.05:
                said += robot.advance(k * step_s)
                k += 1
            robot.receive(waypoint_line(seq, host.location(ahead(seq))), at_s)
        return [robot.advance(4.0), robot.gripper[0].tobytes(), robot.gripper[1].tobytes()]

    assert run(0.0011)[1:] == run(0.05)[1:]


@given(st.lists(st.binary(max_size=200), max_size=10))
def test_arbitrary_bytes_never_move_it(pieces: list[bytes]):
    robot = ArmController(ArmControllerSettings(), now_s=0.0)
    before = robot.gripper[0]
    for k, piece in enumerate(pieces):
        robot.receive(piece + b"\r", 0.3 * k)
        robot.advance(0.3 * k + 0.2)
    robot.advance(10.0)
    assert robot.state is ArmState.WAITING
    np.testing.assert_array_equal(robot.gripper[0], before)


def test_a_flood_is_bounded():
    robot = ArmController(ArmControllerSettings(), now_s=0.0)
    for _ in range(100):
        robot.receive(b"1" * 4096, 0.0)
    assert len(robot._line._in) == 1024
    assert robot._line.lost_bytes == 100 * 4096 - 1024
    robot.advance(20.0)
    assert len(robot._line._line) <= 121


@pytest.mark.parametrize(
    "wrong",
    [
        {"baud": 4800},
        {"period_s": 0.1},
        {"period_s": math.nan},
        {"retry_after_s": 0.4},
        {"first_seq": 10_000},
        {"start_deg": (0.0,) * 5},
        {"tool_m": -0.1},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ArmControllerSettings(**wrong)


def test_a_start_beyond_a_joint_limit_is_refused():
    with pytest.raises(ValueError, match=r"joint 2: -50.00 deg outside \[-45, 225\] deg"):
        ArmController(ArmControllerSettings(start_deg=(0, -50, -180, 0, 45, 0)), now_s=0.0)


def test_a_joint_that_would_turn_too_fast_is_refused():
    slow = ReachSettings(joint_rate_max_rad_s=(0.05, *(4.0,) * 5))
    host = ScriptedHost(ArmControllerSettings(reach=slow))
    host.follow(ahead, 100)
    host.run(2.0)
    assert host.robot.state is ArmState.REFUSED
    assert "joint 1: 0.1" in host.robot.reason
    assert "above 0.05 rad/s" in host.robot.reason
