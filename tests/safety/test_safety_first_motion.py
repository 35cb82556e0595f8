"""The gate before the first motion of drives that make no homing motion is made."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import dear
from safety_samples import DT, START, Bench, changed, make_limits

from safety.first_motion import FirstStage
from safety.modes import Mode, Request, Severity
from safety.verdict import Action, Check, DriveRequest

STAGES = (FirstStage(0.0002, 0.0001), FirstStage(0.002, 0.001))
LIMIT_M = 5e-5 + 0.05 * 0.0001
"""Slack, and the way of the largest lag at the speed of the first stage."""


class Drives(Bench):
    """Drives that are expected to make a first motion."""

    def __init__(self, limits=None):
        super().__init__(limits)
        self.gate.expect_first_motion(STAGES)

    def go(self, way_m, speed_m_s, sense=1.0):
        """Go so far from the start at a speed, straight there, and stay for two cycles."""
        while True:
            now_m = self.gate.commanded.length_m
            left = [a + sense * way_m - b for a, b in zip(START, now_m, strict=True)]
            if max(map(abs, left)) < 1e-9:
                break
            most = speed_m_s * DT
            self.cycle(self.ask_speed(tuple(min(max(x, -most), most) / DT for x in left)))
            assert self.verdict.action is Action.PASSED, self.verdict
        for _ in range(2):
            self.cycle(self.ask_speed((0.0,) * 6))
        return self

    def made(self):
        return self.engaging().go(0.0002, 0.0001).go(0.0022, 0.001)


def blocked(bench):
    """What was said against the last setpoint."""
    assert bench.verdict.mode is Mode.CSTOP
    found = [v for v in bench.verdict.violations if v.check is Check.FIRST_SETPOINT]
    assert found, bench.verdict
    assert {v.severity for v in found} == {Severity.STOP}
    return str(found[0])


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_it_is_made_by_its_stages_either_way_and_then_anything_passes(sense):
    bench = Drives().engaging()
    bench.go(0.0002, 0.0001, sense).go(0.0022, 0.001, sense)
    bench.cycle(bench.ask_speed((0.004,) * 6))
    assert bench.verdict.action is Action.PASSED
    bench.go(0.0, 0.002)
    bench.cycle(bench.ask_speed((0.0,) * 6), Request.RISEN)
    assert bench.verdict.mode is Mode.ENGAGED


def test_nothing_is_asked_of_drives_that_home():
    bench = Bench().engaging()
    bench.cycle(bench.ask_speed((0.005,) * 6))
    assert bench.verdict.action is Action.PASSED


@pytest.mark.parametrize("leg", range(1, 7))
def test_a_setpoint_that_is_faster_than_the_stage_is_blocked(leg):
    bench = Drives().engaging()
    bench.cycle(bench.ask_speed(changed((0.0001,) * 6, leg, 0.00012)))
    assert (
        f"leg {leg}: before the first motion is made: asked to go at 0.00012 m/s, at most 0.0001"
        in blocked(bench)
    )


def test_a_way_beyond_the_stage_is_blocked_while_a_leg_has_not_made_it():
    bench = Drives().engaging()
    speeds = changed((0.0001,) * 6, 4, 0.0)  # leg 4 stays where it is
    for _ in range(1100):
        bench.cycle(bench.ask_speed(speeds))
        if bench.verdict.action is not Action.PASSED:
            break
    assert "leg 1: before the first motion is made: asked to go 0.21 mm, at most 0.2 mm" in blocked(
        bench
    )


@pytest.mark.parametrize("request_", [Request.RISEN, Request.PARK])
def test_neither_motion_nor_parking_before_it_is_made(request_):
    bench = Drives().engaging().go(0.0002, 0.0001)
    bench.cycle(bench.ask_speed((0.0,) * 6), request_)
    assert bench.verdict.mode is (Mode.ENGAGING if request_ is Request.RISEN else Mode.CSTOP)
    bench.run(20)
    bench.cycle(None, Request.PARK)
    if bench.verdict.mode is Mode.HOLD:
        notes = [v.note for v in bench.verdict.violations if v.check is Check.REQUEST]
        assert any("the first motion of the drives" in note for note in notes)
    assert Mode.PARKING not in {verdict.mode for verdict in bench.history}


def test_one_that_was_stopped_begins_anew():
    bench = Drives().engaging().go(0.0002, 0.0001)
    bench.cycle(None, Request.HOLD)
    bench.run(20)
    assert bench.verdict.mode is Mode.HOLD
    bench.cycle(None, Request.SHUT_DOWN)
    bench.run(5)
    bench.standby().cycle(None, Request.ENGAGE)
    bench.cycle(bench.ask_speed((0.0005,) * 6))
    assert "at most 0.0001 m/s" in blocked(bench)


def test_one_that_was_made_is_not_asked_for_again():
    bench = Drives().made()
    bench.cycle(None, Request.HOLD)
    bench.run(50)
    bench.cycle(None, Request.PARK)
    assert bench.verdict.mode is Mode.PARKING


ASTRAY = {
    "too fast": (3.0, "too fast; its unit of speed"),
    "the wrong way": (-1.0, "the wrong way; do motor and encoder belong together"),
    "not at all": (0.0, "it does not move, or another encoder is read"),
    "too slow": (0.4, "too slow; its unit of speed"),
}


@pytest.mark.parametrize("name", ASTRAY)
@pytest.mark.parametrize("leg", [1, 6])
def test_a_leg_that_strays_loses_its_power(name, leg):
    factor, words = ASTRAY[name]
    bench = Drives().engaging()
    cycles = []
    for _ in range(1000):
        sent = bench.gate.commanded.length_m[leg - 1] - START[leg - 1]
        measured = changed(bench.length_m, leg, START[leg - 1] + factor * sent)
        bench.cycle(bench.ask_speed((0.0001,) * 6), fb=bench.read(length_m=measured))
        cycles.append(abs((factor - 1.0) * sent))
        if bench.verdict.mode is not Mode.ENGAGING:
            break
    assert bench.verdict.mode is Mode.QSTOP
    assert bench.verdict.drives is DriveRequest.QUICK_STOP
    assert sum(way > LIMIT_M for way in cycles) == 3, "three cycles outside, as following errors"
    (found,) = (v for v in bench.verdict.faults if v.check is Check.FIRST_MOTION)
    assert found.leg == leg
    assert found.severity is Severity.QUICK_STOP
    assert re.search(words, str(found)), str(found)
    bench.cycle()
    assert bench.verdict.mode is Mode.FAULT
    assert bench.verdict.drives is DriveRequest.OFF, "no ramp: its brake stops it"


def test_a_length_that_is_none_is_no_arrival():
    bench = Drives().engaging()
    nan = changed(START, 2, float("nan"))
    for _ in range(5):
        bench.cycle(bench.ask_speed((0.0,) * 6), fb=bench.read(length_m=nan))
    assert bench.verdict.mode in (Mode.QSTOP, Mode.FAULT)


@dear
@given(
    st.lists(
        st.tuples(st.integers(1, 400), st.sampled_from([0.0, 1e-5, 1e-4, 5e-4, 1e-3, 2e-3])),
        max_size=12,
    ),
    st.lists(st.sampled_from([1.0, -1.0]), min_size=6, max_size=6),
)
def test_whatever_is_asked_no_leg_gets_further_or_faster_than_its_stage(asked, senses):
    """The judge has seen each allowed length, and knows neither stages nor state of the gate."""
    bench = Drives().engaging()
    allowed = [START]
    for cycles, speed in asked:
        for _ in range(cycles):
            if bench.verdict.mode is not Mode.ENGAGING:
                break
            bench.cycle(bench.ask_speed(tuple(sense * speed for sense in senses)))
            allowed.append(bench.verdict.allowed.length_m)
    least = 0.0  # way that all legs have made
    for before, now in itertools.pairwise(allowed):
        least = max(least, min(abs(b - a) for a, b in zip(START, before, strict=True)))
        for start, last, length in zip(START, before, now, strict=True):
            speed = abs(length - last) / DT
            if least < 0.00019:
                assert speed <= 0.000111
                assert abs(length - start) <= 0.000211
            elif least < 0.00219:
                assert speed <= 0.00111
                assert abs(length - start) <= 0.002211


@pytest.mark.parametrize("share", [0.5, 0.75, 0.94])
def test_a_stage_is_not_made_before_its_end(share):
    bench = Drives().engaging().go(share * 0.0002, 0.0001)
    bench.cycle(bench.ask_speed((0.0002,) * 6))
    assert "at most 0.0001 m/s" in blocked(bench)


@pytest.mark.parametrize("spoil", ["silent", "astray", "no feedback"])
def test_a_leg_that_is_not_seen_at_the_end_of_a_stage_has_not_made_it(spoil):
    bench = Drives(make_limits(missing_feedback_max=5, following_cycles=9)).engaging()
    bench.go(0.00018, 0.0001)
    for _ in range(60):  # up to the end, the last 10 um of it with one leg out of sight
        far = bench.length_m[0] - START[0] > 0.0001896
        seen = bench.read()
        if far and spoil == "silent":
            seen = bench.read(fresh=changed((True,) * 6, 5, False))
        elif far and spoil == "astray":
            seen = bench.read(length_m=changed(bench.length_m, 5, START[4] + 0.0003))
        elif far:
            seen = None
        if bench.length_m[0] - START[0] > 0.0001903:
            break
        bench.cycle(bench.ask_speed((0.0001,) * 6), fb=seen)
        assert bench.verdict.action is Action.PASSED, bench.verdict
    bench.cycle(bench.ask_speed((0.0002,) * 6), fb=seen)
    assert "at most 0.0001 m/s" in blocked(bench)
