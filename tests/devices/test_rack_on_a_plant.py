"""Six emulated drives that move one body in the engine, judged by statics and by what is asked."""

import math
import struct
from dataclasses import replace

import numpy as np
import pytest
from campaign import count

from hil.config.errors import ConfigError
from hil.config.file_search import find_file
from hil.machines.rig.machine import geometry_of, load_rig
from hil.stations.platform.cycle.world import ServoSettings, WorldSettings, platform_plant, settled
from hil.stations.platform.drives.rack_setup import rack_settings, with_servo
from hil_common.arrays.pose import Pose
from platform6dof.inverse import leg_lengths
from sim.devices.can.rack import CanRack
from sim.devices.drive.cia402 import State
from sim.devices.drive.group import DriveGroup
from sim.devices.drive.rods import PlantError
from sim.devices.drive.servo import LoadServo, ServoGains
from sim.devices.faults import Injection
from sim.devices.modbus.device import ModbusRackSettings
from sim.devices.modbus.rack import ModbusRackCore

RIG = load_rig(find_file("paper", folder="rigs", key="rig"))
GEOMETRY = geometry_of(RIG)
NEUTRAL = (0.0, 0.0, 0.935, 0.0, 0.0, 0.0)
CYCLE_S = 0.004
SLOW_SERVO = ServoSettings(integral_time_s=0.09)
"""Holds 1200 kg, which 60 ms do not."""


def extensions(pose):
    lengths = leg_lengths(GEOMETRY, Pose.from_coordinates(np.array(pose)))
    return lengths - GEOMETRY.closed_length_m


def loaded(payload_kg, servo=None):
    """A plant of so much on the rods, the platform with it."""
    what = WorldSettings(payload_kg=payload_kg, servo=servo or ServoSettings())
    return platform_plant(RIG, settled(what, RIG))


def settings(start_m, servo=None):
    rack = rack_settings(RIG, paced=False)
    rack = with_servo(rack, servo or ServoSettings())
    nodes = tuple(
        replace(n, absolute_zero_m=0.0, rod=replace(n.rod, start_m=float(x)))
        for n, x in zip(rack.nodes, start_m, strict=True)
    )
    return replace(rack, nodes=nodes, start_spread_m=0.0)


def group(payload_kg=None, servo=None):
    """Six drives that stand at the neutral pose, on a body or each by itself."""
    servo = servo or ServoSettings()
    plant = None
    if payload_kg is not None:
        plant = loaded(payload_kg, servo)
    return DriveGroup(settings(extensions(NEUTRAL), servo), seed=1, plant=plant)


def enable(drives):
    for drive in drives.drives:
        drive.write_mode(8)
        for word in (0x06, 0x07, 0x0F):
            drive.write_controlword(word)


def enabled(payload_kg=None, servo=None):
    """Also how far the rods sank while they were enabled."""
    drives = group(payload_kg, servo)
    before = np.array([rod.x_m for rod in drives.rods])
    enable(drives)
    sag_m = 0.0
    for _ in range(250):
        drives.advance(CYCLE_S)
        sag_m = max(sag_m, float((before - [rod.x_m for rod in drives.rods]).max()))
    return drives, sag_m


def follow(drives, pose_of, duration_s):
    """Greatest distance of a rod from its reference."""
    worst = 0.0
    for cycle in range(1, round(duration_s / CYCLE_S) + 1):
        for drive, x_m in zip(drives.drives, extensions(pose_of(cycle * CYCLE_S)), strict=True):
            drive.write_target(drive.to_counts(x_m))
        for _ in range(4):
            drives.advance(CYCLE_S / 4)
            worst = max(worst, *(abs(d.reference.x_m - d.u_m) for d in drives.drives))
    assert all(drive.state is State.OPERATION_ENABLED for drive in drives.drives)
    return worst


def swing(axis, size_m=0.03):
    """1 Hz, faded in."""

    def pose(t_s):
        there = list(NEUTRAL)
        there[axis] += size_m * math.sin(2.0 * math.pi * t_s) * min(1.0, t_s)
        return there

    return pose


@pytest.mark.parametrize(
    ("payload_kg", "servo", "sag_max_m"),
    [
        (100.0, None, 0.5e-3),
        (300.0, None, 1.0e-3),
        (600.0, None, 2.0e-3),
        (1080.0, SLOW_SERVO, 5.0e-3),
    ],
)
def test_an_enabled_drive_bears_what_statics_say(payload_kg, servo, sag_max_m):
    drives, sag_m = enabled(payload_kg, servo)
    assert 1e-5 < sag_m < sag_max_m
    print(f"{payload_kg:g} kg: sag {sag_m * 1e3:.3f} mm")
    plate_n = payload_kg * 9.81 * math.sqrt(0.13155 + 0.935**2) / (6.0 * 0.935)
    for drive in drives.drives:
        assert drive.motor.force_n == pytest.approx(plate_n + 91.18, abs=0.5)  # + the leg's own
        told = 1000.0 * (plate_n + 91.18) / RIG.cylinders.force_max_n[0]
        assert abs(drive.torque_permille - told) < 1.0  # 6077h
        assert abs(drive.u_m - drive.reference.x_m) < 1e-5


@pytest.mark.parametrize("axis", [0, 1, 2], ids=["surge", "sway", "heave"])
@pytest.mark.parametrize(
    ("payload_kg", "servo", "adds_max_m"),
    [
        (100.0, None, 0.3e-3),
        (300.0, None, 0.3e-3),
        (600.0, None, 1.0e-3),
        (1080.0, SLOW_SERVO, 1.0e-3),
    ],
)
def test_a_load_adds_little_to_the_following_error(payload_kg, servo, adds_max_m, axis):
    size_m = 0.03 if payload_kg < 1000.0 else 0.01  # 30 mm need more than the drives can push
    alone = follow(enabled()[0], swing(axis, size_m), 2.5)
    drives = enabled(payload_kg, servo)[0]
    with_load = follow(drives, swing(axis, size_m), 2.5)
    print(f"{payload_kg:g} kg axis {axis}: {with_load * 1e3:.3f} mm, alone {alone * 1e3:.3f} mm")
    assert with_load - alone < adds_max_m


def test_too_heavy_a_payload_is_refused():
    with pytest.raises(ConfigError, match=r"payload of 1800 kg: s\w+ has a modal mass of \d+ kg"):
        group(1800.0)


def test_a_blocked_platform_trips_the_following_error():
    drives, _ = enabled(300.0)
    for drive in drives.drives:
        drive.parameters.following_error_window = 5000
    far = drives.drives[0].u_m + 0.2
    for _ in range(60):
        drives.drives[0].write_target(drives.drives[0].to_counts(far))
        drives.advance(CYCLE_S)
    assert any(drive.error_code == 0x8611 for drive in drives.drives)


def test_sto_in_motion_brakes_and_holds_the_body():
    drives, _ = enabled(300.0)
    follow(drives, swing(2), 1.1)
    for drive in drives.drives:
        drive.set_interlock(False)
    drives.advance(0.2)
    stopped = np.array([rod.x_m for rod in drives.rods])
    assert [rod.force_n for rod in drives.rods] == [0.0] * 6
    assert [rod.v_m_s for rod in drives.rods] == [0.0] * 6
    drives.advance(10.0)
    np.testing.assert_allclose([rod.x_m for rod in drives.rods], stopped, atol=50e-6)


@pytest.mark.campaign
def test_supply_lost_at_rest_sags_less_than_50_um_in_a_minute():
    plant = loaded(600.0)
    rack = CanRack(settings(extensions(NEUTRAL)), seed=1, plant=plant)
    rack.advance(0.0)
    enable(rack.group)
    for tick in range(1, 1001):
        rack.advance(tick * 1e-3)
    assert rack.rods[0].powered
    before = np.array([rod.x_m for rod in rack.rods])
    for node in range(1, 7):
        rack.faults.start(Injection("absent", node), 1.0)
    rack.advance(1.0 + count(60, least=10))
    assert not any(rod.powered for rod in rack.rods)
    np.testing.assert_allclose([rod.x_m for rod in rack.rods], before, atol=50e-6)


def test_a_rack_on_canopen_tells_force_and_place_of_the_coupled_body():
    plant = loaded(300.0)
    rack = CanRack(settings(extensions(NEUTRAL)), seed=1, plant=plant)
    rack.advance(0.0)
    enable(rack.group)
    for tick in range(1, 1001):
        rack.advance(tick * 1e-3)
    rack.transmit(1.0)
    rack.receive((0x601, bytes.fromhex("4077600000000000")), 1.0005)  # SDO: 6077h of node 1
    answers = [data for can_id, data in rack.transmit(1.002) if can_id == 0x581]
    assert struct.unpack("<h", answers[-1][4:6])[0] == pytest.approx(617.30 / 4.0, abs=1.0)
    rack.receive((0x601, bytes.fromhex("4064600000000000")), 1.0025)
    answers = [data for can_id, data in rack.transmit(1.004) if can_id == 0x581]
    drive = rack.group.drives[0]
    assert struct.unpack("<i", answers[-1][4:8])[0] == drive.position_counts


def test_drives_home_on_the_coupled_body():
    start = np.array(RIG.cylinders.reference_length_m) - RIG.cylinders.closed_length_m + 0.004
    plant = loaded(300.0)
    drives = DriveGroup(replace(settings(start), start_spread_m=0.002), seed=2, plant=plant)
    for drive in drives.drives:
        drive.write_mode(6)
        for word in (0x06, 0x07, 0x0F):
            drive.write_controlword(word)
    drives.advance(0.5)
    for drive in drives.drives:
        drive.write_controlword(0x1F)
    drives.advance(5.0)
    assert all(drive.homed for drive in drives.drives)
    for drive in drives.drives:
        edge_m = drive.settings.rod.reference_m
        assert drive.u_m == pytest.approx(drive.encoder.x_m - edge_m, abs=2e-6)


def test_a_modbus_rack_moves_the_coupled_body():
    plant = loaded(300.0)
    rack = settings(extensions(NEUTRAL))
    core = ModbusRackCore(ModbusRackSettings(rack=rack), seed=1, plant=plant)
    core.advance(0.0)
    for drive in core.drives:
        drive.write_mode(8)
        for word in (0x06, 0x07, 0x0F):
            drive.write_controlword(word)
    for tick in range(1, 501):
        core.advance(tick * 2e-3)
    assert [d.torque_permille for d in core.drives] == pytest.approx([617.3 / 4.0] * 6, abs=1.0)
    height_m = plant.world.robots[0].pose(1)[2, 3]
    assert height_m == pytest.approx(NEUTRAL[2], abs=1e-4)


def test_the_speed_loop_holds_its_integral_at_the_limit():
    """Closed form of one second at constant error: k_v e (1 + t / T_i), then the limit."""
    gains = ServoGains(own_mass_kg=1e-9)
    servo = LoadServo(gains, 4000.0)
    error = 1e-3
    for step in range(1, 101):
        force = servo.force_n(error, 0.0, 0.0, 1e-3)
        assert force == pytest.approx(60e3 * error * (1.0 + step * 1e-3 / 0.06), rel=1e-12)
    for _ in range(10_000):
        force = servo.force_n(1.0, 0.0, 0.0, 1e-3)
    assert (force, servo.limited) == (4000.0, True)
    assert servo.force_n(0.0, 0.0, 0.0, 1e-3) == pytest.approx(60.0 * 0.1 / 0.06, rel=1e-9)
    assert not servo.limited
    servo.reset(0.0)
    assert servo.force_n(0.0, 0.0, 0.0, 1e-3) == 0.0


def test_the_own_rods_acceleration_is_fed_forward():
    servo = LoadServo(ServoGains(own_mass_kg=28.0), 4000.0)
    for step in range(1, 100):
        v_m_s = 2.0 * step * 1e-3
        force = servo.force_n(v_m_s, v_m_s, v_m_s, 1e-3)
    assert force == pytest.approx(56.0, rel=1e-6)


def test_gains_that_make_no_servo_are_refused():
    with pytest.raises(PlantError, match=r"integral_time_s = 0.0: a finite number > 0 is needed"):
        ServoGains(integral_time_s=0.0)
