"""What is known of a drive or an adapter has an age: too old, it is told as not known."""

import math
from dataclasses import replace

import pytest
import scripted_bench
import text_port
from canopen_bench import SETTINGS, bench, six
from memory_bus import MemoryBus
from scripted_bench import Scripted

from drives.bank import DriveGoal, DriveSetupError, DriveState, LegCommand
from drives.can.frames import BusState
from drives.canopen import bank as canopen_bank
from drives.canopen.cycle import INPUTS_BELIEVED_S
from drives.canopen.exchange import STATE_UNTOLD_S

ENABLED = (DriveState.ENABLED,) * 6
PERIOD_S = 0.004
TPDO2, TPDO3 = 0x280, 0x380


class Filtered(MemoryBus):
    """A bus on which frames of some identifiers get lost."""

    silenced: frozenset[int] = frozenset()

    def receive_frames(self, timeout_s):
        return [f for f in super().receive_frames(timeout_s) if f.can_id not in self.silenced]


def enabled(monkeypatch):
    """Return six emulated drives that are enabled, their bus, and the last feedback."""
    monkeypatch.setattr("canopen_bench.MemoryBus", Filtered)
    rig = bench()
    rig.bank.configure()
    rig.bank.request(DriveGoal.HOMED)
    for _ in range(1500):
        feedback = rig.bank.exchange(None)
        if all(feedback.homed):
            rig.bank.request(DriveGoal.ENABLED)
        if feedback.state == ENABLED:
            return rig, rig.buses[0], feedback
    raise AssertionError(f"not enabled: {feedback}; {rig.bank.waiting}")


def cycles(rig, count, length_m):
    for _ in range(count):
        feedback = rig.bank.exchange(LegCommand(length_m, six(0.0)))
    return feedback


@pytest.mark.parametrize("leg", [0, 5])
def test_inputs_of_a_drive_that_tells_them_no_longer_are_unknown(monkeypatch, leg):
    rig, bus, feedback = enabled(monkeypatch)
    length_m = feedback.length_m
    assert cycles(rig, 300, length_m).inputs is not None
    bus.silenced = frozenset({TPDO3 + leg + 1})
    start_s = rig.time.now
    while (feedback := cycles(rig, 1, length_m)).inputs is not None:
        assert rig.time.now - start_s < INPUTS_BELIEVED_S
    assert rig.time.now - start_s > INPUTS_BELIEVED_S - 0.1 - 2 * PERIOD_S  # two may be missing
    assert feedback.fresh == (True,) * 6
    assert feedback.state == ENABLED
    assert feedback.fault_code == (0,) * 6
    assert cycles(rig, 100, length_m).inputs is None  # the other five tell theirs
    bus.silenced = frozenset()
    assert cycles(rig, 30, length_m).inputs is not None


@pytest.mark.parametrize("leg", [0, 5])
def test_the_speed_of_a_leg_that_nobody_tells_is_not_a_number(monkeypatch, leg):
    rig, bus, feedback = enabled(monkeypatch)
    assert not any(math.isnan(speed) for speed in feedback.speed_m_s)
    length_m, told = feedback.length_m, []

    def move(count):
        nonlocal length_m
        for _ in range(count):
            length_m = tuple(each + 0.1 * PERIOD_S for each in length_m)
            told.append(rig.bank.exchange(LegCommand(length_m, six(0.1))))
        return told[-1]

    assert move(100).speed_m_s == pytest.approx(six(0.1), abs=0.01)
    told.clear()
    bus.silenced = frozenset({TPDO2 + leg + 1})
    feedback = move(40)
    unknown = [math.isnan(each.speed_m_s[leg]) for each in told]
    most = 5 * SETTINGS.velocity_every + 2
    assert most - SETTINGS.velocity_every <= unknown.index(True) <= most
    assert all(unknown[unknown.index(True) :])
    others = [speed for each, speed in enumerate(feedback.speed_m_s) if each != leg]
    assert others == pytest.approx([0.1] * 5, abs=0.01)
    assert all(each.fresh == (True,) * 6 for each in told)
    assert feedback.length_m == pytest.approx(length_m, abs=0.01)
    bus.silenced = frozenset()
    assert move(SETTINGS.velocity_every).speed_m_s == pytest.approx(six(0.1), abs=0.01)


def test_a_speed_that_was_never_told_is_0_at_power_up_only(monkeypatch):
    monkeypatch.setattr("canopen_bench.MemoryBus", Filtered)
    rig = bench()
    rig.bank.configure()
    rig.buses[0].silenced = frozenset({TPDO2 + 3})
    told = [rig.bank.exchange(None) for _ in range(20)]
    most = 5 * SETTINGS.velocity_every + 2
    assert all(each.speed_m_s == six(0.0) for each in told[:most])
    assert all(math.isnan(each.speed_m_s[2]) for each in told[most:])
    assert {state for each in told for state in each.state} == {DriveState.DISABLED}


@pytest.mark.parametrize("word", [0x0227, 0x1227, 0x0217, 0x020F, 0x0235 | 2, 0x0204])
@pytest.mark.parametrize("leg", [1, 4])
def test_closing_leaves_the_watchdog_of_a_drive_that_keeps_its_force(word, leg):
    scripted = Scripted()
    scripted.enabled()
    node, honest = scripted.node(leg), scripted.node(leg).on_sync
    node.on_sync = lambda: word.to_bytes(2, "little") + honest()[2:]
    node.objects[0x6041, 0] = word.to_bytes(2, "little")
    watchdog, before, start_s = node.objects[0x1016, 1], len(scripted.bus.sent), scripted.time.now
    log, send = [], scripted.bus.send_frames
    scripted.bus.send_frames = lambda frames: (
        log.extend((scripted.time.now, each) for each in frames),
        send(frames),
    )
    scripted.bank.close()
    assert scripted.bus.closed == 1
    assert scripted.time.now - start_s >= canopen_bank.CLOSE_S  # it has all the time there is
    sent = scripted.bus.sent[before:]
    assert watchdog != bytes(4)
    assert node.objects[0x1016, 1] == watchdog
    asked = {bytes(each.data[:4]) for each in sent if each.can_id == 0x600 + leg}
    assert asked <= {b"\x40\x41\x60\x00", b"\x2b\x40\x60\x00"}, "its power, and nothing else"
    words = [
        (at_s, int.from_bytes(each.data[4:6], "little"))
        for at_s, each in log
        if each.can_id == 0x600 + leg and each.data[:3] == b"\x2b\x40\x60"
    ]
    assert words[0][1] == 0x0006, "gently first: a stop that it is in goes on"
    cut_s = min(at_s for at_s, each in words if each == 0x0000)
    assert {each for _, each in words} == {0x0006, 0x0000}
    assert cut_s - words[0][0] >= 0.5, "five times what a stop from the largest speed takes"
    told = [each.data[1] for each in sent if each.can_id == 0x000]
    assert told == [each for each in range(1, 7) if each != leg]
    assert node.nmt == 0x05
    for other in scripted.bus.nodes:
        if other is not node:
            assert other.objects[0x1016, 1] == bytes(4)
            assert other.nmt == 0x7F


@pytest.mark.parametrize(
    ("word", "signed_off"),
    [(0x0237, False), (0x0207, False), (0x020F, False), (0x0218, True), (0x0250, True)],
)
def test_a_drive_whose_last_word_is_old_is_asked_for_a_new_one_before_it_is_signed_off(
    word, signed_off
):
    """Operation enabled, quick stop, fault reaction: its watchdog stays; else it goes."""
    scripted = Scripted()
    scripted.bank.configure()
    scripted.run(10)
    node = scripted.node(2)
    node.no_pdo = True
    node.objects[0x6041, 0] = word.to_bytes(2, "little")
    scripted.bank.close()
    assert (node.nmt == 0x7F) == signed_off
    assert (node.objects[0x1016, 1] == bytes(4)) == signed_off
    assert scripted.node(3).nmt == 0x7F


@pytest.mark.parametrize("name", ["consumer_heartbeat_s", "rpdo_timeout_s"])
def test_a_cycle_too_slow_for_the_watchdogs_of_the_drives_is_refused(name):
    quick = replace(SETTINGS, master_heartbeat_every_s=0.01, **{name: 0.03})
    Scripted(quick, period_s=0.01)  # three cycles exactly
    text = r"scripted:: .* after 0\.03 s .* 3 cycles of 0\.0125 s: at least 100 Hz"
    with pytest.raises(DriveSetupError, match=text):
        Scripted(quick, period_s=0.0125)
    Scripted(period_s=0.0125)


def over_slcan(monkeypatch, state):
    """Return enabled nodes behind an SLCAN adapter that tells this state, and a command."""
    monkeypatch.setattr(scripted_bench, "LINK", "slcan")
    monkeypatch.setitem(text_port.FLAGS, BusState.UNKNOWN, b"")
    scripted = Scripted()
    scripted.bus.state = state
    return scripted, LegCommand(scripted.enabled().length_m, six(0.0))


def test_an_adapter_that_answers_no_more_is_not_believed_well_for_ever(monkeypatch):
    scripted, command = over_slcan(monkeypatch, BusState.ACTIVE)
    (health,) = scripted.raw.link_report().health
    assert (health.state, health.note) == (BusState.ACTIVE, "")
    scripted.bus.state = BusState.UNKNOWN
    start_s = scripted.time.now
    scripted.run(300, command)
    (health,) = scripted.raw.link_report().health
    assert health.state is BusState.UNKNOWN
    assert health.note.startswith("the adapter has not answered F for 1.")
    while (feedback := scripted.run(1, command)).fault_code == (0,) * 6:
        assert scripted.time.now - start_s < 3.2
    assert scripted.time.now - start_s >= STATE_UNTOLD_S
    assert feedback.fault_code == (0x8120,) * 6
    assert feedback.fresh == (True,) * 6
    assert scripted.run(100, command).fault_code == (0x8120,) * 6
    scripted.bus.state = BusState.ACTIVE
    assert scripted.run(40, command).fault_code == (0,) * 6
    assert scripted.raw.link_report().health[0].note == ""


def test_an_adapter_that_never_answers_is_only_not_known(monkeypatch):
    scripted, command = over_slcan(monkeypatch, BusState.UNKNOWN)
    assert scripted.run(1000, command).fault_code == (0,) * 6
    (health,) = scripted.raw.link_report().health
    assert (health.state, health.note) == (BusState.UNKNOWN, "")


def test_an_adapter_that_nobody_asks_owes_no_answer(monkeypatch):
    scripted, command = over_slcan(monkeypatch, BusState.ACTIVE)
    scripted.run(10, command)
    scripted.time.now += 10.0  # the cycle stands still
    scripted.bank.due_s = None
    assert scripted.raw.link_report().health[0].note == ""
    assert 0x8120 not in scripted.run(30, command).fault_code
