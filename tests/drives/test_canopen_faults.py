"""What goes wrong on the bus in operation, and how the feedback tells it. Rows: fault catalogue."""

import dataclasses
import threading

import pytest
import scripted_bench
from bench_copies import copied
from canopen_bench import SCALES, SETTINGS, bench
from scripted_bench import ENABLED, PERIOD_S, Scripted

from drives.bank import (
    DriveError,
    DriveGoal,
    DriveSequenceError,
    DriveState,
    LegCommand,
    LinkLostError,
)
from drives.can.frames import BusState, Frame
from drives.canopen import bank as canopen_bank
from drives.canopen import watch as canopen_watch
from drives.canopen.service import PatientSdoClient
from drives.waits import Wait

STILL = (0.0,) * 6


pytestmark = pytest.mark.usefixtures("link")


def hold(feedback):
    return LegCommand(feedback.length_m, STILL)


@copied(Wait)
def running_over(link):
    scripted = Scripted()
    return scripted, hold(scripted.enabled())


def running():
    """Enabled over the link of this test, once for all of them."""
    return running_over(scripted_bench.LINK)


def test_row_18_a_lost_heartbeat_is_unknown_within_three_of_them():
    scripted, command = running()
    scripted.run(10, command)
    scripted.node(3).no_heartbeat = True
    lost_s = scripted.time.now
    while (feedback := scripted.run(1, command)).fault_code[2] == 0:
        assert feedback.state == ENABLED
        assert scripted.time.now - lost_s < 0.07
    assert scripted.time.now - lost_s > 0.04  # two may be missing
    assert feedback.state[2] is DriveState.UNKNOWN
    assert feedback.fault_code == (0, 0, 0x8130, 0, 0, 0)
    assert feedback.fresh[2]  # its PDOs come, and are not believed
    feedback = scripted.run(2, command)
    sent = [each for each in scripted.bus.sent if each.can_id in (0x202, 0x203)][-2:]
    assert [each.data[0] for each in sent] == [0x0F, 0x02]  # quick stop for the silent one only
    scripted.node(3).no_heartbeat = False
    feedback = scripted.run(20, command)
    assert feedback.state[2] is DriveState.QUICK_STOP  # heard again, not enabled again
    assert feedback.fault_code[2] == 0


def test_row_18_control_without_supervision_of_heartbeats_nothing_is_noticed(monkeypatch):
    monkeypatch.setattr(canopen_watch, "HEARTBEATS_MISSED", 10**6)
    scripted = Scripted()
    command = hold(scripted.enabled())
    scripted.node(3).no_heartbeat = True
    assert scripted.run(100, command).state == ENABLED


def test_row_20_a_drive_that_restarts_is_neither_homed_nor_believed_again():
    scripted, command = running()
    scripted.bus.put(0x704, "00")
    feedback = scripted.run(1, command)
    assert feedback.state[3] is DriveState.UNKNOWN
    assert feedback.homed == (True, True, True, False, True, True)
    assert feedback.fault_code[3] == 0x8180
    assert "booted" in scripted.raw.link_report().notes[3]
    feedback = scripted.run(1, command)
    sent = [each for each in scripted.bus.sent if each.can_id == 0x204][-1]
    assert sent.data[0] == 0x06  # not enabled on its old target
    assert feedback.accepted.length_m[:3] == command.length_m[:3]
    scripted.bank.request(DriveGoal.DISABLED)
    scripted.run(50)
    scripted.bank.request(DriveGoal.HOMED)
    feedback = scripted.run(200)
    assert feedback.homed[3] is False
    assert "leg 4: its sign of life" in scripted.raw.waiting


def test_row_21_an_emcy_is_told_in_the_cycle_after_it_and_until_it_is_taken_back():
    scripted, command = running()
    scripted.bus.put(0x086, "1042 09 0000000000")  # 4210h: temperature
    feedback = scripted.run(1, command)
    assert feedback.fault_code == (0, 0, 0, 0, 0, 0x4210)
    assert "0x4210" in scripted.raw.link_report().notes[5]
    assert scripted.run(30, command).fault_code[5] == 0x4210
    scripted.bus.put(0x086, "0000 00 0000000000")
    assert scripted.run(1, command).fault_code == (0,) * 6


def test_row_21_a_fault_bit_alone_is_a_fault_with_a_code():
    scripted, command = running()
    scripted.node(1).state = "fault"
    feedback = scripted.run(1, command)
    assert feedback.state == (DriveState.FAULT, *ENABLED[1:])
    assert feedback.fault_code[0] == 0x1000


def test_an_acknowledged_fault_takes_its_code_with_it():
    scripted, command = running()
    scripted.bus.put(0x081, "1186 20 0000000000")
    scripted.node(1).state = "fault"
    assert scripted.run(1, command).fault_code[0] == 0x8611
    assert scripted.run(100, command).state[0] is DriveState.FAULT  # not by itself
    scripted.bank.request(DriveGoal.DISABLED)
    feedback = scripted.until(lambda f: f.state == (DriveState.DISABLED,) * 6)
    assert feedback.fault_code == (0,) * 6
    assert feedback.homed == (True,) * 6


def test_row_22_a_drive_that_leaves_operation_enabled_is_told_at_once_and_not_taken_back():
    scripted, command = running()
    scripted.node(2).state = "off"
    states = scripted.run(1, command).state
    assert states == (ENABLED[0], DriveState.DISABLED, *ENABLED[2:])
    assert scripted.run(100, command).state == states


def test_row_28_a_missing_pdo_is_not_fresh_and_its_values_stay():
    scripted, command = running()
    before = scripted.run(1, command)
    scripted.node(5).no_pdo = True
    started_s = scripted.time.now
    feedback = scripted.run(1, command)
    assert feedback.fresh == (True, True, True, True, False, True)
    assert feedback.length_m == before.length_m
    assert scripted.raw.link_report().missing == (0, 0, 0, 0, 1, 0)
    waited_s = scripted.time.now - max(started_s, scripted.bank.due_s - PERIOD_S)
    assert waited_s == pytest.approx(SETTINGS.answer_share * PERIOD_S)
    scripted.node(5).no_pdo = False
    assert scripted.run(1, command).fresh == (True,) * 6


def test_an_answer_that_is_late_counts_for_the_next_cycle():
    scripted, command = running()
    scripted.bus.pdo_delay_s = 0.0035  # beyond the wait for answers
    assert scripted.run(1, command).fresh == (False,) * 6
    assert scripted.run(1, command).fresh == (True,) * 6
    assert scripted.raw.link_report().late == 6


@pytest.mark.parametrize("data", ["3712", "37120840420F", "37120840420F0000", ""])
def test_row_29_a_pdo_of_another_length_is_not_used(data):
    scripted, command = running()
    before = scripted.run(1, command)
    scripted.node(1).no_pdo = True
    scripted.bus.put(0x181, data)
    feedback = scripted.run(1, command)
    assert not feedback.fresh[0]
    assert feedback.length_m == before.length_m
    assert scripted.raw.link_report().malformed == 1


def test_row_32_bus_off_is_the_end_and_error_passive_a_fault_of_all():
    scripted, command = running()
    scripted.bus.state = BusState.PASSIVE
    feedback = scripted.run(30, command)  # an SLCAN adapter is asked every 0.1 s
    assert feedback.fault_code == (0x8120,) * 6
    assert feedback.state == ENABLED
    scripted.bus.state = BusState.BUS_OFF
    scripted.bus.note = "F: bus error"
    noticed_s = scripted.time.now
    with pytest.raises(LinkLostError, match=r"scripted:: .*bus 0 is bus off; .*bus error"):
        scripted.run(30, command)
    assert scripted.time.now - noticed_s < 0.1 + 0.02 + 2 * scripted.bank.period_s


def test_row_33_a_lost_link_ends_the_cycle_and_closing_is_quiet():
    scripted, command = running()
    scripted.bus.lost = "/dev/ttyACM0: unplugged"
    with pytest.raises(LinkLostError, match="unplugged"):
        scripted.run(1, command)
    scripted.bank.close()
    assert scripted.bus.closed == 1


@pytest.mark.parametrize(("can_id", "data"), [(0x080, ""), (0x77F, "05"), (0x000, "8000")])
def test_row_35_a_second_master_in_operation_is_a_fault_of_all_legs_for_good(can_id, data):
    scripted, command = running()
    scripted.bus.put(can_id, data)
    assert scripted.run(1, command).fault_code == (0x8150,) * 6
    assert scripted.run(100, command).fault_code == (0x8150,) * 6


def test_a_wrong_node_is_counted_and_never_taken_for_a_leg():
    scripted, command = running()
    scripted.bus.put(0x199, "37120840420F00")
    scripted.bus.put(0x123, "0102")
    scripted.bus.put(0x701, "0505")  # no heartbeat has two bytes
    feedback = scripted.run(1, command)
    assert feedback.length_m == pytest.approx(command.length_m)
    assert scripted.raw.link_report().unknown_ids == 3


def test_a_node_that_leaves_the_operational_state_is_unknown():
    scripted, command = running()
    scripted.node(6).nmt = 0x04
    feedback = scripted.run(10, command)
    assert feedback.state[5] is DriveState.UNKNOWN
    assert feedback.fault_code[5] == 0x8100


def test_a_subscriber_that_raises_does_not_matter():
    scripted, command = running()

    def broken(can_id, data, timestamp):
        raise RuntimeError("a mistake")

    for segment in scripted.raw._segments:
        segment.network.subscribe(0x081, broken)
    scripted.bus.put(0x081, "0000 00 0000000000")
    feedback = scripted.run(50, command)
    assert feedback.state == ENABLED
    assert scripted.raw.link_report().swallowed > 0


def test_a_failed_homing_has_a_code_until_disabling_is_asked_for():
    scripted = Scripted(dataclasses.replace(SETTINGS, homing_timeout_s=0.5))
    scripted.node(4).lacks = set()
    scripted.bank.configure()
    scripted.node(4).homed_bits = 0
    scripted.node(4).on_sync = never_homes(scripted.node(4))
    scripted.bank.request(DriveGoal.HOMED)
    feedback = scripted.run(200)
    assert feedback.fault_code == (0, 0, 0, 0x8612, 0, 0)
    assert feedback.homed[3] is False
    scripted.bank.request(DriveGoal.DISABLED)
    assert scripted.run(1).fault_code == (0,) * 6


def never_homes(node):
    honest = node.on_sync

    def on_sync():
        data = honest()
        if node.mode == 6:
            word = int.from_bytes(data[:2], "little") & ~0x3400
            return word.to_bytes(2, "little") + data[2:]
        return data

    return on_sync


def test_no_setpoint_leaves_before_all_six_are_enabled():
    scripted = Scripted()
    scripted.bank.configure()
    far = LegCommand((1.3,) * 6, STILL)
    counts = [scale.counts(1.3).to_bytes(4, "little", signed=True) for scale in SCALES]
    enabled = False
    scripted.bank.request(DriveGoal.HOMED)
    for cycle in range(400):
        before = len(scripted.bus.sent)
        feedback = scripted.bank.exchange(far)
        sent = [each for each in scripted.bus.sent[before:] if each.can_id & 0x780 == 0x200]
        if enabled:
            assert [each.data[3:] for each in sent] == counts
            assert feedback.accepted.length_m == pytest.approx(far.length_m)
            break
        assert not {each.data[3:] for each in sent} & set(counts)
        assert feedback.accepted is None
        enabled = feedback.state == ENABLED
        if cycle == 100:
            scripted.bank.request(DriveGoal.ENABLED)
    assert enabled


def test_our_heartbeat_is_sent_by_the_cycle_and_by_nothing_else():
    scripted, command = running()
    threads = threading.active_count()
    before = len(scripted.bus.sent)
    scripted.run(100, command)
    beats = [each for each in scripted.bus.sent[before:] if each.can_id == 0x77F]
    assert 19 <= len(beats) <= 21
    assert set(beats) == {Frame(0x77F, b"\x05")}
    before = len(scripted.bus.sent)
    scripted.time.now += 10.0  # the cycle stands still
    assert len(scripted.bus.sent) == before
    assert threading.active_count() == threads


def test_reading_an_object_beside_the_cycle_costs_no_cycle(monkeypatch):
    # The reader waits by the machine's clock for what the cycles below bring in virtual time.
    monkeypatch.setattr(PatientSdoClient, "RESPONSE_TIMEOUT", 30.0)
    scripted, command = running()
    answers = []
    worker = threading.Thread(
        target=lambda: answers.extend(scripted.raw.read_object(2, 0x1018, 4) for _ in range(25))
    )
    worker.start()
    while worker.is_alive():
        feedback = scripted.run(1, command)
        assert feedback.fresh == (True,) * 6
    worker.join()
    assert answers == [(502).to_bytes(4, "little")] * 25


def test_reading_an_object_in_the_thread_of_the_cycle_is_refused():
    scripted, _ = running()
    with pytest.raises(DriveSequenceError, match="another thread"):
        scripted.raw.read_object(1, 0x1000)


def test_an_object_that_a_drive_does_not_have_is_an_error_with_its_place():
    scripted, command = running()
    errors = []

    def read():
        try:
            scripted.raw.read_object(3, 0x2345, 6)
        except DriveError as error:
            errors.append(str(error))

    worker = threading.Thread(target=read)
    worker.start()
    while worker.is_alive():
        scripted.run(1, command)
    worker.join()
    assert errors[0].startswith("leg 3 (node 3): 2345h:6: ")


def test_closing_disables_lets_go_of_the_watchdogs_and_leaves():
    scripted, _ = running()
    start_s = scripted.time.now
    scripted.bank.close()
    assert scripted.time.now - start_s < canopen_bank.CLOSE_S
    assert {node.state for node in scripted.bus.nodes} == {"ready"}
    assert {node.nmt for node in scripted.bus.nodes} == {0x7F}
    assert {node.objects[0x1016, 1] for node in scripted.bus.nodes} == {bytes(4)}
    scripted.bank.close()
    assert scripted.bus.closed == 1


def test_closing_waits_a_bounded_time_for_drives_that_do_not_let_go():
    scripted, _ = running()
    for node in scripted.bus.nodes:
        node.silent = True
    start_s = scripted.time.now
    scripted.bank.close()
    assert scripted.time.now - start_s < 2.0
    assert scripted.bus.closed == 1


def test_five_hundred_hertz_on_two_buses():
    split = dataclasses.replace(SETTINGS, bus_of_leg=(0, 0, 0, 1, 1, 1))
    two = bench(split, period_s=0.002)
    two.bank.configure()
    two.bank.request(DriveGoal.HOMED)
    for _ in range(800):
        feedback = two.bank.exchange(None)
        if all(feedback.homed):
            break
    assert feedback.homed == (True,) * 6
    report = two.bank.link_report()
    assert report.missing == (0,) * 6
    # SYNC, three RPDOs and up to nine TPDOs on each bus, handed over as one burst
    assert report.round_trip_s < two.bank._settings.answer_share * 0.002


def test_legs_may_be_spread_over_the_buses_in_any_way():
    two = bench(dataclasses.replace(SETTINGS, bus_of_leg=(0, 1, 0, 1, 0, 1)))
    two.bank.configure()
    assert two.bank.exchange(None).fresh == (True,) * 6
