"""Rods, homing and modes of the emulated drives, in virtual time."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.devices.drive.cia402 import State
from sim.devices.drive.group import DriveGroup
from sim.devices.drive.homing import METHODS
from sim.devices.drive.node import FOLLOWING_ERROR, EmulatedDrive
from sim.devices.drive.parameters import NodeSettings, RackSettings
from sim.devices.drive.reference import Motion, Reference
from sim.devices.drive.rods import PlantError, Rod, RodSettings, Switch, substeps

STEP_S = 1e-3


def make(
    mode: int, *, start_m: float = 0.3, sign: int = 1, counts_per_m: float = 1e6, seed: int = 1
):
    rod_settings = RodSettings(brake_release_s=0.0, start_m=start_m)
    rod = Rod(rod_settings)
    node = NodeSettings(1, 1, counts_per_m=counts_per_m, sign=sign, rod=rod_settings)
    drive = EmulatedDrive(node, rod, rod, random.Random(1))
    drive.write_mode(mode)
    for word in (0x06, 0x07, 0x0F):
        drive.write_controlword(word)
    return drive, rod


def run(drive: EmulatedDrive, seconds: float) -> None:
    for _ in range(round(seconds / STEP_S)):
        drive.control(STEP_S)
        drive.motor.advance(STEP_S)
        drive.sense()


# -- plant --------------------


@pytest.mark.parametrize("name", ["stroke_m", "moving_mass_kg", "damping", "force_max_n"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_rod_of_senseless_numbers_is_refused(name: str, value: float):
    with pytest.raises(PlantError, match=name):
        RodSettings(**{name: value})


def test_a_load_that_the_motor_cannot_hold_is_refused():
    with pytest.raises(PlantError, match="4000"):
        RodSettings(static_load_n=4000.0)


def test_a_rack_needs_six_different_nodes():
    nodes = RackSettings().nodes
    with pytest.raises(PlantError, match="6 different"):
        RackSettings(nodes=(*nodes[:5], nodes[0]))


@given(st.floats(0.0, 10.0))
def test_substeps_fill_the_time_and_are_short(dt_s: float):
    count, step_s = substeps(dt_s)
    assert step_s <= 1e-3 * (1.0 + 1e-6)
    assert count * step_s == pytest.approx(dt_s, rel=1e-12)


def test_a_rod_without_power_is_held_by_its_brake():
    rod = Rod(RodSettings(start_m=0.3))
    rod.acceleration_m_s2 = 5.0
    for _ in range(1000):
        rod.advance(STEP_S)
    assert (rod.x_m, rod.v_m_s) == (0.3, 0.0)


def test_the_brake_stops_a_moving_rod_on_v2_over_2a():
    rod = Rod(RodSettings(start_m=0.3, brake_deceleration_m_s2=15.0))
    rod.v_m_s = 0.6
    for _ in range(100):
        rod.advance(STEP_S)
    assert rod.v_m_s == 0.0
    assert rod.x_m - 0.3 == pytest.approx(0.6**2 / 30.0, abs=0.6 * STEP_S)


def test_force_is_limited_and_carries_the_load():
    rod = Rod(RodSettings(start_m=0.3))
    rod.powered = True
    rod.advance(STEP_S)
    assert rod.force_n == 650.0  # standing still costs the load
    rod.acceleration_m_s2 = 1000.0
    rod.advance(STEP_S)
    assert rod.force_n == 4000.0
    assert rod.v_m_s == pytest.approx((4000.0 - 650.0) / 60.0 * STEP_S)


def test_the_end_stops_are_hard():
    rod = Rod(RodSettings(start_m=0.01))
    rod.powered = True
    rod.acceleration_m_s2 = -20.0
    for _ in range(1000):
        rod.advance(STEP_S)
    assert (rod.x_m, rod.v_m_s) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("x_m", "active"),
    [
        (0.0, {Switch.NEGATIVE_LIMIT, Switch.HOME}),
        (0.005, {Switch.NEGATIVE_LIMIT, Switch.HOME}),
        (0.0051, {Switch.HOME}),
        (0.03, {Switch.HOME}),
        (0.0301, set()),
        (0.7349, set()),
        (0.7351, {Switch.POSITIVE_LIMIT}),
    ],
)
def test_switches_and_their_bits_in_60fd(x_m: float, active: set[Switch]):
    drive, rod = make(8)
    rod.x_m = x_m
    assert {switch for switch in Switch if rod.switch_active(switch)} == active
    assert drive.digital_inputs == 8 | sum(1 << switch.value for switch in active)


# -- homing --------------------


def home(drive: EmulatedDrive, method: int, seconds: float = 60.0) -> int:
    drive.parameters.homing_method = method
    drive.parameters.homing_speed_switch = 100_000
    drive.write_controlword(0x1F)
    elapsed = 0.0
    while elapsed < seconds:
        run(drive, 0.05)
        elapsed += 0.05
        if drive.statusword & 0x3400 in (0x1400, 0x2400):
            break
    return drive.statusword & 0x3400


def known_position(drive: EmulatedDrive, rod: Rod, edge_m: float) -> float:
    return abs(
        drive.position_counts / drive.settings.counts_per_m * drive.settings.sign
        - (rod.x_m - edge_m)
    )


@pytest.mark.parametrize(
    ("method", "edge_m", "side"),
    [(17, 0.005, 1), (18, 0.735, -1), (21, 0.03, 1), (22, 0.03, -1)],
)
@pytest.mark.parametrize("start_m", [0.0, 0.003, 0.02, 0.0301, 0.3, 0.74])
def test_switch_homing_finds_its_edge_from_anywhere(
    method: int, edge_m: float, side: int, start_m: float
):
    drive, rod = make(6, start_m=start_m)
    assert home(drive, method) == 0x1400
    assert drive.homed
    assert known_position(drive, rod, edge_m) < 1.5e-6
    assert (rod.x_m - edge_m) * side >= -1e-6  # the last move crossed the edge in this direction
    assert abs(rod.x_m - edge_m) < 1e-3


@pytest.mark.parametrize("method", [19, 20])
@pytest.mark.parametrize("start_m", [0.01, 0.3])
def test_homing_by_a_switch_of_the_other_kind_ends_with_an_error(method: int, start_m: float):
    """Methods 19 and 20 expect a switch that is active towards the positive end."""
    drive, _ = make(6, start_m=start_m)
    assert home(drive, method) == 0x2400
    assert not drive.homed
    assert drive.state is State.OPERATION_ENABLED


@pytest.mark.parametrize("method", [35, 37])
def test_homing_here_moves_nothing(method: int):
    drive, rod = make(6, start_m=0.2)
    assert home(drive, method) == 0x1400
    assert drive.position_counts == 0
    assert rod.x_m == pytest.approx(0.2, abs=1e-9)


def test_the_home_offset_is_subtracted():
    """Zero position = home position + 607Ch, so home reads minus the offset."""
    drive, _ = make(6, start_m=0.2)
    drive.parameters.home_offset = 12_345
    home(drive, 37)
    assert drive.position_counts == -12_345


def test_homing_bits_tell_progress_interruption_and_success():
    drive, rod = make(6, start_m=0.3)
    drive.parameters.homing_method = 21
    drive.write_controlword(0x1F)
    run(drive, 0.3)
    assert drive.statusword & 0x3400 == 0x0000  # in progress
    drive.write_controlword(0x0F)
    run(drive, 0.5)
    assert drive.statusword & 0x3400 == 0x0400  # interrupted, standing
    assert not drive.homed
    assert rod.v_m_s == pytest.approx(0.0, abs=1e-5)


def test_homing_needs_a_rising_edge_after_enabling():
    drive, rod = make(6, start_m=0.3)
    drive.write_controlword(0x00)
    for word in (0x16, 0x17, 0x1F):
        drive.write_controlword(word)
    run(drive, 0.3)
    assert rod.v_m_s == pytest.approx(0.0, abs=1e-5)


def test_every_method_is_known():
    assert sorted(METHODS) == [17, 18, 19, 20, 21, 22, 35, 37]


def test_a_homed_drive_forgets_its_home_with_its_power():
    drive, _ = make(6, start_m=0.2)
    home(drive, 37)
    drive.power_up()
    assert not drive.homed
    assert drive.position_counts != 0


# -- cyclic modes --------------------


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("counts_per_m", [1e6, 123_456.7])
@pytest.mark.parametrize("mode", [7, 8])
def test_a_sine_is_followed_through_scale_and_polarity(sign: int, counts_per_m: float, mode: int):
    drive, rod = make(mode, sign=sign, counts_per_m=counts_per_m)
    drive.write_controlword(0x1F)
    start, x0 = drive.position_counts, rod.x_m
    worst = 0.0
    for k in range(1, 500):
        t = 0.004 * k
        offset_m = 0.05 * (1.0 - math.cos(2.0 * t))
        drive.write_target(round(start + sign * counts_per_m * offset_m))
        run(drive, 0.004)
        worst = max(worst, abs(rod.x_m - x0 - offset_m))
    assert worst < 0.6e-3
    assert drive.statusword & 0x1000
    assert drive.velocity_counts_s == pytest.approx(sign * counts_per_m * rod.v_m_s, abs=1.0)


def test_a_speed_offset_makes_the_servo_follow_more_smoothly():
    def worst_acceleration(with_offset: bool) -> float:
        drive, rod = make(8)
        start, worst, v_before = drive.position_counts, 0.0, 0.0
        for k in range(1, 300):
            t = 0.004 * k
            if with_offset:
                drive.write_velocity_offset(round(1e6 * 0.1 * math.sin(2.0 * t)))
            drive.write_target(start + round(5e4 * (1.0 - math.cos(2.0 * t))))
            for _ in range(4):
                run(drive, STEP_S)
                worst = max(worst, abs((rod.v_m_s - v_before) / STEP_S))
                v_before = rod.v_m_s
        return worst

    assert worst_acceleration(True) < 0.35  # the motion itself has 0.2 m/s^2
    assert worst_acceleration(True) < worst_acceleration(False)


def test_interpolated_mode_moves_only_while_bit_4_is_set():
    drive, rod = make(7)
    drive.write_target(drive.position_counts + 10_000)
    run(drive, 0.1)
    assert rod.x_m == pytest.approx(0.3, abs=1e-9)
    assert not drive.statusword & 0x1000
    drive.write_controlword(0x1F)
    drive.write_target(drive.position_counts + 10_000)
    run(drive, 0.3)
    assert rod.x_m == pytest.approx(0.31, abs=1e-5)


def test_after_the_last_setpoint_the_rod_stands():
    drive, rod = make(8)
    start = drive.position_counts
    for k in range(1, 50):
        drive.write_target(start + 800 * k)  # 0.2 m/s
        run(drive, 0.004)
    run(drive, 0.5)
    assert rod.x_m - 0.3 == pytest.approx(49 * 800e-6, abs=1e-5)
    assert rod.v_m_s == pytest.approx(0.0, abs=1e-5)


def test_a_late_setpoint_does_not_stop_the_rod():
    drive, rod = make(8)
    start, slowest = drive.position_counts, 1.0
    for k in range(1, 100):
        drive.write_target(start + 800 * k)
        run(drive, 0.005 if k % 2 else 0.003)  # 1 ms of jitter
        if k > 50:
            slowest = min(slowest, rod.v_m_s)
    assert slowest > 0.17


def test_a_setpoint_step_trips_on_following_error_after_its_time():
    drive, rod = make(8)
    drive.parameters.following_error_window = 5_000
    drive.parameters.following_error_timeout_ms = 10
    drive.write_target(drive.position_counts + 100_000)
    run(drive, 0.008)
    assert drive.state is State.OPERATION_ENABLED
    run(drive, 0.02)
    assert drive.error_code == FOLLOWING_ERROR
    run(drive, 1.0)
    assert drive.state is State.FAULT
    assert drive.statusword & 0x2000
    assert abs(rod.v_m_s) < 1e-9
    (emergency,) = drive.take_emergencies()
    assert (emergency.code, emergency.register) == (0x8611, 0x21)


def test_following_error_ffffffff_is_not_supervised():
    drive, _ = make(8)
    drive.parameters.following_error_window = 0xFFFF_FFFF
    drive.write_target(drive.position_counts + 100_000)
    run(drive, 1.0)
    assert drive.state is State.OPERATION_ENABLED


def test_software_limits_clip_targets_of_a_homed_drive():
    drive, rod = make(6, start_m=0.2)
    home(drive, 37)
    drive.write_controlword(0x0F)
    drive.parameters.software_limit_min = -10_000
    drive.parameters.software_limit_max = 10_000
    drive.parameters.following_error_window = 0xFFFF_FFFF
    drive.write_mode(8)
    drive.write_target(50_000)
    run(drive, 1.0)
    assert rod.x_m == pytest.approx(0.21, abs=1e-5)
    assert drive.statusword & 0x800
    drive.write_target(5_000)
    run(drive, 1.0)
    assert rod.x_m == pytest.approx(0.205, abs=1e-5)
    assert not drive.statusword & 0x800


def test_a_limit_switch_stops_the_rod_in_its_direction_only():
    drive, rod = make(3, start_m=0.7)
    drive.write_target_velocity(200_000)
    run(drive, 1.0)
    assert 0.735 <= rod.x_m < 0.74
    assert drive.statusword & 0x800
    assert rod.v_m_s == pytest.approx(0.0, abs=1e-4)
    drive.write_controlword(0x10F)
    run(drive, 0.5)
    drive.write_target_velocity(-200_000)
    drive.write_controlword(0x0F)
    run(drive, 0.5)
    assert rod.x_m < 0.7


def test_profile_position_goes_to_its_target_with_its_profile():
    drive, rod = make(1)
    drive.parameters.profile_velocity = 100_000
    drive.write_target(drive.position_counts + 100_000)
    run(drive, 0.2)
    assert rod.x_m == pytest.approx(0.3, abs=1e-9)  # waits for bit 4
    drive.write_controlword(0x1F)
    assert drive.statusword & 0x1000  # set-point acknowledged
    run(drive, 0.5)
    assert rod.v_m_s == pytest.approx(0.1, rel=0.01)
    assert not drive.statusword & 0x400
    run(drive, 1.0)
    assert rod.x_m == pytest.approx(0.4, abs=1e-5)
    assert drive.statusword & 0x400


def test_an_unknown_mode_changes_nothing():
    drive, _ = make(8)
    for mode in (2, 4, 9, 10, -1, 127):
        drive.write_mode(mode)
        assert drive.mode_display == 8
    assert drive.supported_modes == 0b1110_0101


def test_lag_makes_a_following_error():
    drive, _ = make(8)
    drive.lag_s = 0.2
    start = drive.position_counts
    for k in range(1, 200):
        drive.write_target(start + 800 * k)
        run(drive, 0.004)
    assert drive.error_code == FOLLOWING_ERROR


# -- wiring --------------------


def test_swapped_motors_move_each_other_s_rods():
    nodes = list(RackSettings().nodes)
    nodes[0] = NodeSettings(1, 1001, motor=1, encoder=1)
    nodes[1] = NodeSettings(2, 1002, motor=0, encoder=0)
    group = DriveGroup(RackSettings(nodes=tuple(nodes)), seed=1)
    drive = group.drives[0]
    drive.write_mode(3)
    for word in (0x06, 0x07, 0x0F):
        drive.write_controlword(word)
    group.advance(0.3)
    before = [rod.x_m for rod in group.rods]
    drive.write_target_velocity(50_000)
    group.advance(0.3)
    moved = [rod.x_m - x for rod, x in zip(group.rods, before, strict=True)]
    assert moved[1] > 0.005
    assert all(abs(dx) < 1e-9 for k, dx in enumerate(moved) if k != 1)


def test_a_swapped_encoder_runs_away_and_trips():
    nodes = list(RackSettings().nodes)
    nodes[0] = NodeSettings(1, 1001, motor=0, encoder=1)
    group = DriveGroup(RackSettings(nodes=tuple(nodes)), seed=1)
    drive = group.drives[0]
    drive.write_mode(8)
    for word in (0x06, 0x07, 0x0F):
        drive.write_controlword(word)
    group.advance(0.3)
    start = drive.position_counts
    for k in range(1, 100):
        drive.write_target(start + 800 * k)
        group.advance(0.004)
    assert drive.error_code == FOLLOWING_ERROR


def test_the_same_seed_gives_the_same_rack_and_another_one_another():
    def first(seed: int) -> list[tuple[float, int]]:
        group = DriveGroup(RackSettings(), seed=seed)
        return [(d.motor.x_m, d.position_counts) for d in group.drives]

    assert first(4) == first(4)
    assert first(4) != first(5)


# -- reference --------------------


@given(st.floats(-0.3, 0.3), st.floats(0.01, 0.6), st.floats(0.1, 8.0))
def test_a_profile_ends_at_its_target_and_keeps_its_limits(target: float, speed: float, a: float):
    reference = Reference()
    reference.profile(target, speed, a, a)
    v_before = 0.0
    for _ in range(40_000):
        reference.advance(STEP_S)
        assert abs(reference.v_m_s) <= speed + 1e-12
        if reference.motion is Motion.HOLD:
            break
        assert abs(reference.v_m_s - v_before) <= a * STEP_S * 1.0001
        v_before = reference.v_m_s
    assert reference.x_m == target
    assert reference.at_rest


@given(st.floats(-0.6, 0.6), st.floats(0.5, 8.0))
def test_a_ramp_stops_in_v2_over_2a(speed: float, a: float):
    reference = Reference()
    reference.v_m_s = speed
    reference.speed(0.0, a)
    for _ in range(2000):
        reference.advance(STEP_S)
    assert reference.at_rest
    assert reference.x_m == pytest.approx(math.copysign(speed**2 / (2 * a), speed), abs=1e-3)


@given(st.floats(-0.01, 0.01), st.floats(-0.5, 0.5) | st.none(), st.floats(-0.5, 0.5))
def test_a_segment_ends_at_its_setpoint_with_its_speed(
    distance: float, end_speed: float | None, start_speed: float
):
    reference = Reference()
    reference.hold(0.3)
    reference.v_m_s = start_speed
    reference.segment(0.3 + distance, 0.004, end_speed)
    xs = [0.3]
    for _ in range(4):
        reference.advance(STEP_S)
        xs.append(reference.x_m)
    assert reference.x_m == pytest.approx(0.3 + distance, abs=1e-12)
    wanted = distance / 0.004 if end_speed is None else end_speed
    assert reference.v_m_s == pytest.approx(wanted, abs=1e-9)
    if end_speed is None:  # a straight line
        assert xs[2] - 0.3 == pytest.approx(distance / 2, abs=1e-12)
    reference.advance(3e-3)
    assert (reference.x_m, reference.v_m_s) == (0.3 + distance, 0.0)
