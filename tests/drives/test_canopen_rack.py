"""The bank on the emulated drives: two independent readings of one standard must agree."""

import dataclasses
import math

import pytest
from canopen_bench import ENABLED, PATIENT, SETTINGS, bench, enabled, six, until

from drives.axes.scaling import LegScale
from drives.bank import DriveGoal, DriveState, LegCommand, LinkLostError
from drives.canopen.scan import scan
from sim.devices.drive.parameters import default_nodes
from sim.devices.faults import Injection

STILL = six(0.0)


def hold(feedback):
    return LegCommand(feedback.length_m, STILL)


def test_the_emulated_drives_say_that_they_are_emulated():
    report = bench().bank.configure()
    assert report.simulated
    assert [identity.rsplit(" ", 1)[1] for identity in report.identities] == [
        str(serial) for serial in range(1001, 1007)
    ]


def test_homing_ends_at_the_reference_whatever_the_encoders_said_before():
    rig, _, feedback = enabled(start_spread_m=0.02)
    for leg, rod in enumerate(rig.rack.rods):
        assert feedback.length_m[leg] == pytest.approx(0.7 + 0.01 * leg, abs=5e-4)
        assert rod.x_m == pytest.approx(feedback.length_m[leg] - 0.67 - 0.01 * leg, abs=5e-4)


@pytest.mark.parametrize("mode", [8, 7])
def test_the_rods_follow_a_wave_in_every_mode_without_a_missed_answer(mode):
    rig, _, feedback = enabled(dataclasses.replace(SETTINGS, mode=mode))
    start_m, error_m = feedback.length_m, 0.0
    for cycle in range(500):
        angle = 2.0 * math.pi * 0.5 * cycle * 0.004
        by_m = 0.02 * (1.0 - math.cos(angle))
        goal = tuple(x + by_m for x in start_m)
        feedback = rig.bank.exchange(LegCommand(goal, STILL))
        assert feedback.accepted.length_m == pytest.approx(goal, abs=1e-6)
        errors = (abs(a - b) for a, b in zip(goal, feedback.length_m, strict=True))
        error_m = max(error_m, *errors)
    assert feedback.state == ENABLED
    assert error_m < 0.003
    report = rig.bank.link_report()
    assert (report.missing, report.late, report.malformed) == ((0,) * 6, 0, 0)


def test_speed_and_force_come_in_si():
    rig, _, feedback = enabled()
    start_m = feedback.length_m
    for cycle in range(200):
        goal = tuple(x + 0.05 * 0.004 * cycle for x in start_m)
        feedback = rig.bank.exchange(LegCommand(goal, STILL))
    assert feedback.speed_m_s == pytest.approx(six(0.05), rel=0.05)
    assert feedback.force_n == pytest.approx(six(650.0), rel=0.1)  # the load on each rod


def test_a_falling_scale_homes_and_moves_the_same_way():
    nodes = tuple(dataclasses.replace(node, sign=-1, counts_per_m=2e5) for node in default_nodes())
    scales = tuple(LegScale(2e5, -1, 0.7) for _ in range(6))
    rig, _, feedback = enabled(scales=scales, nodes=nodes)
    before = [rod.x_m for rod in rig.rack.rods]
    goal = LegCommand(tuple(x + 0.01 for x in feedback.length_m), STILL)
    for _ in range(200):
        feedback = rig.bank.exchange(goal)
    moved = [rod.x_m - x_m for rod, x_m in zip(rig.rack.rods, before, strict=True)]
    assert moved == pytest.approx([0.01] * 6, abs=1e-4)
    assert feedback.force_n == pytest.approx(six(650.0), rel=0.1)


def inject(rig, kind, node=3, **values):
    rig.rack.faults.start(Injection(kind, node=node, **values), rig.time.now)


def run(rig, cycles, command):
    for _ in range(cycles):
        feedback = rig.bank.exchange(command)
    return feedback


def test_row_20_a_reboot_in_operation():
    rig, _, feedback = enabled()
    command = hold(feedback)
    inject(rig, "reboot")
    feedback = run(rig, 60, command)
    assert feedback.state[2] is DriveState.UNKNOWN
    assert feedback.homed[2] is False
    assert feedback.fault_code[2] == 0x8180
    assert feedback.state[:2] == ENABLED[:2]
    assert run(rig, 300, command).state[2] is DriveState.UNKNOWN


def test_row_21_an_emcy_of_an_emulated_drive_and_its_acknowledgement():
    rig, _, feedback = enabled()
    command = hold(feedback)
    inject(rig, "emcy", value=0x3210)
    feedback = run(rig, 3, command)
    assert feedback.fault_code == (0, 0, 0x3210, 0, 0, 0)
    assert run(rig, 60, command).state[2] is DriveState.FAULT
    rig.bank.request(DriveGoal.DISABLED)
    feedback = until(rig.bank, lambda f: f.state == (DriveState.DISABLED,) * 6)
    assert feedback.fault_code == (0,) * 6
    assert feedback.homed == (True,) * 6


def test_row_22_a_state_drop():
    rig, _, feedback = enabled()
    command = hold(feedback)
    inject(rig, "state_drop")
    feedback = run(rig, 5, command)
    assert feedback.state[2] is DriveState.DISABLED
    assert feedback.state[:2] == ENABLED[:2]


def test_row_23_a_following_error_trips_the_drive_itself():
    rig, _, feedback = enabled()
    start_m = feedback.length_m
    inject(rig, "lag", value=5.0)
    codes = set()
    for cycle in range(250):
        goal = tuple(x + 0.15 * 0.004 * cycle for x in start_m)
        feedback = rig.bank.exchange(LegCommand(goal, STILL))
        codes.add(feedback.fault_code[2])
    assert codes == {0, 0x8611}
    assert feedback.state[2] is DriveState.FAULT


def test_row_28_lost_pdos_are_counted_and_not_fresh():
    rig, _, feedback = enabled()
    command = hold(feedback)
    inject(rig, "drop", value=0.1)
    stale = sum(not rig.bank.exchange(command).fresh[2] for _ in range(300))
    assert 10 < stale < 60
    assert rig.bank.link_report().missing == (0, 0, stale, 0, 0, 0)


def test_row_35_a_second_master_is_noticed():
    rig, _, feedback = enabled()
    inject(rig, "second_master", node=0)
    assert run(rig, 20, hold(feedback)).fault_code == (0x8150,) * 6


def test_row_45_an_open_interlock_is_seen_in_the_inputs_and_keeps_all_six_down():
    rig, _, feedback = enabled()
    assert {inputs >> 3 & 1 for inputs in feedback.inputs} == {1}
    inject(rig, "estop", value=0)
    feedback = run(rig, 40, hold(feedback))
    assert feedback.inputs[2] >> 3 & 1 == 0
    assert feedback.state[2] is not DriveState.ENABLED
    rig.bank.request(DriveGoal.DISABLED)
    run(rig, 60, None)
    rig.bank.request(DriveGoal.ENABLED)
    feedback = run(rig, 100, None)
    assert DriveState.ENABLED not in feedback.state


def test_row_49_drives_stop_by_themselves_when_the_cycle_ends():
    rig, _, feedback = enabled(PATIENT)
    start_m = feedback.length_m
    for cycle in range(150):
        goal = tuple(x + 0.2 * 0.004 * cycle for x in start_m)
        rig.bank.exchange(LegCommand(goal, STILL))
    moving = [rod.v_m_s for rod in rig.rack.rods]
    assert min(moving) > 0.15
    last_s = rig.time.now
    while any(abs(rod.v_m_s) > 0.9 * 0.2 for rod in rig.rack.rods):
        rig.time.now += 0.001
        rig.rack.advance(rig.time.now)
        assert rig.time.now - last_s < 0.06  # 50 ms of silence, then its own ramp
    rig.rack.advance(last_s + 0.2)
    assert [rod.v_m_s for rod in rig.rack.rods] == pytest.approx([0.0] * 6, abs=1e-9)


def test_a_mute_drive_is_unknown():
    rig, _, feedback = enabled()
    inject(rig, "mute")
    feedback = run(rig, 20, hold(feedback))
    assert feedback.state[2] is DriveState.UNKNOWN
    assert feedback.fault_code[2] == 0x8130
    assert not feedback.fresh[2]


def test_a_lost_link_in_operation():
    rig, _, feedback = enabled()
    rig.buses[0].lost = "memory: gone"
    with pytest.raises(LinkLostError, match="gone"):
        rig.bank.exchange(hold(feedback))


def test_closed_drives_are_left_without_an_error_for_whoever_comes_next():
    rig, _, _ = enabled()
    rig.bank.close()
    nodes = scan(rig.buses[0], rig.time.now_s)
    assert [node.node for node in nodes] == [1, 2, 3, 4, 5, 6]
    assert {node.name for node in nodes} == {"HIL emulated drive"}
    assert all(node.is_drive and 8 in node.modes and not node.errors for node in nodes)


def test_row_49_after_a_stall_the_drives_tell_why_they_stopped_and_are_acknowledged():
    rig, _, feedback = enabled()
    rig.time.now += 0.2
    feedback = run(rig, 5, hold(feedback))
    assert feedback.state == (DriveState.FAULT,) * 6
    assert set(feedback.fault_code) <= {0x8130, 0x8250}
    assert run(rig, 100, hold(feedback)).state == (DriveState.FAULT,) * 6
    rig.bank.request(DriveGoal.DISABLED)
    feedback = until(rig.bank, lambda f: f.state == (DriveState.DISABLED,) * 6)
    assert feedback.fault_code == (0,) * 6
