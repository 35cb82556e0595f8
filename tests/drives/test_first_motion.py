"""The first motion: a wrong unit is stopped within a short way and named; a right one goes on."""

import dataclasses

import pytest
from canopen_bench import SETTINGS, bench
from hypothesis import given
from hypothesis import strategies as st
from modbus_bench import BenchBank, RackThread

from drives.axes.first_motion import STAGES, Progress, StageCourse, StageWatch
from drives.bank import DriveGoal

ALWAYS = dataclasses.replace(
    SETTINGS, first_motion="always", homing_speed_m_s=0.02, homing_zero_speed_m_s=0.005
)


def wrong_unit(drive, *, speed=1.0, acceleration=1.0):
    """Let a drive take what it is told of speed and acceleration for so many times as much."""

    def wrong(right, factor):
        """A huge limit tells the plain conversion; the real one is applied after the factor."""

        def convert(value, limit):
            si = factor * right(value, 1e12)
            return si if 0.0 < si < limit else limit

        return convert

    drive.rate = wrong(drive.rate, speed)
    drive.ramp = wrong(drive.ramp, acceleration)


def homed(leg=3, limit=8000, settings=ALWAYS, **wrong):
    """Home a bench one of whose drives has other units.

    Returns the bench, the last feedback, the way of the wrong drive, and the fastest of all rods.
    """
    rig = bench(settings, start_spread_m=0.02)
    if wrong:
        wrong_unit(rig.rack.nodes[leg - 1].drive, **wrong)
    rig.bank.configure()
    begin_m = rig.rack.rods[leg - 1].x_m
    rig.bank.request(DriveGoal.HOMED)
    way_m, speeds = 0.0, []
    for _ in range(limit):
        feedback = rig.bank.exchange(None)
        rod = rig.rack.rods[leg - 1]
        way_m = max(way_m, abs(rod.x_m - begin_m))
        speeds.append(max(abs(rod.v_m_s) for rod in rig.rack.rods))
        if all(feedback.homed) or any(feedback.fault_code):
            break
    for _ in range(100):  # what a rod still goes after that
        feedback = rig.bank.exchange(None)
        way_m = max(way_m, abs(rig.rack.rods[leg - 1].x_m - begin_m))
    return rig, feedback, way_m, speeds


def test_homing_begins_slowly_and_ends_at_its_own_speed():
    rig, feedback, _, speeds = homed()
    assert all(feedback.homed), rig.bank.waiting
    assert feedback.fault_code == (0,) * 6
    begin = next(cycle for cycle, speed in enumerate(speeds) if speed > 2e-5)
    assert max(speeds[: begin + 400]) < 1.5e-4, "0.1 mm/s for the first 2 s"
    faster = next(cycle for cycle, speed in enumerate(speeds) if speed > 2e-4)
    assert max(speeds[: faster + 400]) < 1.5e-3, "then 1 mm/s"
    assert max(speeds) == pytest.approx(0.02, rel=0.1)
    for node in rig.rack.nodes:
        assert node.store.values[0x6099, 1] == 20_000


def test_emulated_drives_are_homed_at_once_unless_told_otherwise():
    _, feedback, _, speeds = homed(settings=dataclasses.replace(ALWAYS, first_motion="real"))
    assert all(feedback.homed)
    begin = next(cycle for cycle, speed in enumerate(speeds) if speed > 2e-5)
    assert max(speeds[begin : begin + 100]) > 0.015


@pytest.mark.parametrize(
    ("wrong", "way_max_m", "words"),
    [
        ({"speed": 10.0}, 2e-3, "unit of speed"),
        ({"speed": 60.0}, 2e-3, "rpm, factor about 60"),
        ({"speed": 1000.0}, 1e-2, "unit of speed"),
        ({"speed": 60.0, "acceleration": 60.0}, 2e-3, "rpm, factor about 60"),
        ({"speed": 1000.0, "acceleration": 1000.0}, 1e-2, "unit of speed"),
        ({"speed": 0.1}, 2e-3, "unit of speed"),
        ({"speed": 1 / 60}, 2e-3, "it does not move, or its unit of speed"),
        ({"acceleration": 0.1}, 2.1e-3, "unit of acceleration"),
        ({"acceleration": 1 / 60}, 2.1e-3, "unit of acceleration"),
        ({"acceleration": 10.0}, 2e-3, "unit of acceleration"),
        ({"acceleration": 60.0}, 2e-3, "unit of acceleration"),
    ],
)
def test_a_wrong_unit_is_stopped_within_a_short_way_and_named(wrong, way_max_m, words):
    rig, feedback, way_m, _ = homed(**wrong)
    assert way_m <= way_max_m
    assert not any(feedback.homed)
    assert feedback.fault_code == (0, 0, 0x8400, 0, 0, 0)
    assert words in rig.bank.waiting
    assert "leg 3 moved" in rig.bank.waiting
    assert any(words in note for note in rig.bank.link_tally()["notes"])


def test_the_acceleration_of_homing_is_not_reached_before_it_is_proved():
    """A drive that brakes 60 times too softly would run 50 mm past its switch at homing speed."""
    _, _, _, speeds = homed(acceleration=1 / 60)
    assert max(speeds) < 2e-3


COURSES = [StageCourse(stage, 1e6, 0.004) for stage in STAGES]


def course_of(course, speed, acceleration, begins=0, jump=(-1, 0)):
    """What a watch says of an ideal drive with wrong units: progress and way [m]."""
    stage = course.stage
    told_m_s2 = stage.acceleration_m_s2(0.2)
    v = x = 0.0
    watch = StageWatch(course, 0)
    offset = 0
    for cycle in range(20_000):
        if cycle >= begins:
            v = min(v + told_m_s2 * acceleration * course.period_s, stage.speed_m_s * speed)
            x += v * course.period_s
        if cycle == jump[0]:
            offset = jump[1]
        progress = watch.observe(round(x * 1e6) + offset)
        if progress is not Progress.GOING:
            return progress, x
    raise AssertionError("never decided")


@given(
    st.sampled_from(COURSES),
    st.floats(0.75, 2.0),
    st.floats(0.5, 2.0),
    st.integers(0, 60),
    st.tuples(st.integers(-1, 600), st.integers(-(10**7), 10**7)),
)
def test_a_drive_that_is_nearly_right_always_passes(course, speed, acceleration, begins, jump):
    progress, _ = course_of(course, speed, acceleration, begins, jump)
    assert progress is Progress.PASSED


@given(st.floats(8.0, 2000.0), st.floats(0.5, 2000.0), st.integers(0, 60))
def test_a_speed_that_is_many_times_too_fast_never_passes(speed, acceleration, begins):
    progress, way_m = course_of(COURSES[0], speed, acceleration, begins)
    assert progress is Progress.TOO_FAST
    assert way_m < (2e-3 if speed < 100.0 else 1e-2)


@given(st.floats(0.0, 0.2), st.floats(0.5, 100.0))
def test_a_speed_that_is_many_times_too_slow_never_passes(speed, acceleration):
    for course in COURSES:
        assert course_of(course, speed, acceleration)[0] is Progress.TOO_SLOW


@given(st.one_of(st.floats(1e-4, 0.1), st.floats(10.0, 1000.0)), st.integers(0, 60))
def test_a_wrong_unit_of_acceleration_never_passes_the_second_stage(acceleration, begins):
    progress, way_m = course_of(COURSES[1], 1.0, acceleration, begins)
    assert progress in (Progress.TOO_FAST, Progress.TOO_SLOW)
    assert way_m < 2.1e-3


def modbus_homed(leg=3, **wrong):
    rack = RackThread("tcp")
    if wrong:
        wrong_unit(rack.core.drives[leg - 1], **wrong)
    bank = BenchBank(rack, 0.01, homing_speed_m_s=0.02, first_motion="always")
    try:
        bank.configure()
        begin_m = rack.core.rods[leg - 1].x_m
        bank.request(DriveGoal.HOMED)
        way_m, speeds = 0.0, []
        for _ in range(3000):
            feedback = bank.exchange(None)
            way_m = max(way_m, abs(rack.core.rods[leg - 1].x_m - begin_m))
            speeds.append(max(abs(rod.v_m_s) for rod in rack.core.rods))
            if all(feedback.homed) or any(feedback.fault_code):
                break
        return feedback, way_m, speeds, bank.waiting, bank.link_tally()
    finally:
        bank.close()


@pytest.mark.real_time
def test_modbus_drives_begin_as_slowly():
    feedback, _, speeds, _, tally = modbus_homed()
    assert all(feedback.homed)
    assert not any(tally["missing"]), "telling the drives disturbs no cycle"
    begin = next(cycle for cycle, speed in enumerate(speeds) if speed > 2e-5)
    assert max(speeds[: begin + 150]) < 1.5e-4
    faster = next(cycle for cycle, speed in enumerate(speeds) if speed > 2e-4)
    assert max(speeds[: faster + 150]) < 1.5e-3


@pytest.mark.real_time
def test_a_wrong_unit_of_a_modbus_drive_is_stopped_and_named():
    feedback, way_m, _, waiting, _ = modbus_homed(speed=60.0)
    assert way_m <= 2e-3
    assert feedback.fault_code[2] == 0x8400
    assert "leg 3 moved" in waiting
    assert "rpm, factor about 60" in waiting
