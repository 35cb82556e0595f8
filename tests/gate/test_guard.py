"""The gate's program in this process and in virtual time, with a control that the test plays."""

import io
import json
import socket
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from gate_bench import LIMITS, PERIOD_S, IdealBank, sim_spec

from drives.bank import DriveSetupError, LinkLostError
from hil.ipc.ring import Ring
from hil.stations.platform.gate import process
from hil.stations.platform.gate.command_slot import CommandSlot, Order
from hil.stations.platform.gate.order import GateOrder
from hil.stations.platform.gate.place_record import AT_REST_M_S, PlaceRecord
from hil.stations.platform.gate.remote import RemoteGate
from hil.stations.platform.gate.status import (
    STATUS_KIND,
    STATUS_SLOT_BYTES,
    STATUS_SLOTS,
    decode,
)
from hil.timing.clock import VirtualClock
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimePolicy
from safety.modes import Mode, Request

PLAIN = RealtimePolicy(None, lock_memory=False, freeze_garbage=False, keep_awake=False)
WAY = (
    (Mode.OFF, Request.CONFIGURED),
    (Mode.IDLE, Request.HOME),
    (Mode.STANDBY, Request.ENGAGE),
)
"""What control asks for in each mode on its way to ENGAGING."""


class Played(VirtualClock):
    """A gate's clock in whose every tick the test plays control; it ends what does not end."""

    def __init__(self, play, cycles=5000):
        super().__init__()
        self._play, self._cycles = play, cycles

    def ticks(self, period_s):
        for tick in super().ticks(period_s):
            assert tick.index < self._cycles, "the gate goes on and on"
            self._play(tick.index)
            yield tick


class Control:
    """Control's ends of slot, ring and connection, and the gate's last status."""

    def __init__(self, monkeypatch, **order):
        self.slot = CommandSlot.shared()
        self.ring = Ring.shared(STATUS_SLOTS, STATUS_SLOT_BYTES)
        self.wire, theirs = socket.socketpair()
        self.order = GateOrder(
            sim_spec(), LIMITS, self.slot.fileno(), self.ring.fileno(), theirs.detach(),
            hold_alone_s=2.0, policy=PLAIN, **order,
        )  # fmt: skip
        self.last = None
        self.first = None
        monkeypatch.setattr(process, "_say", lambda **answer: None)
        monkeypatch.setattr(process, "code_of_process", dict)

    def read(self):
        for kind, payload in self.ring.pop_all():
            if kind == STATUS_KIND:
                self.last = decode(payload)
        return Mode.OFF if self.last is None else self.last.verdict.mode

    def ask(self, tick, *requests, **fields):
        if self.first is None:
            self.first = tick
        index, now_s = tick - self.first, tick * PERIOD_S
        self.slot.write(Order(index, now_s, None, requests, **fields))

    def run(self, play, **options):
        try:
            return process.run_gate(self.order, Played(play, **options))
        finally:
            self.wire.close()
            self.slot.release()
            self.ring.release()


def test_a_control_that_goes_before_its_first_order_ends_the_gate(monkeypatch):
    control = Control(monkeypatch)
    ticks = []

    def play(tick):
        ticks.append(tick)
        if tick == 5:
            control.wire.close()

    assert control.run(play, cycles=100) == 0
    assert ticks == [0, 1, 2, 3, 4, 5]


def test_the_place_is_forgotten_while_the_gate_works_and_written_at_its_end(monkeypatch, tmp_path):
    place = tmp_path / "place.json"
    place.write_text('{"length_m": [1, 1, 1, 1, 1, 1]}')
    control = Control(monkeypatch, place_file=str(place))
    there = set()

    def play(tick):
        there.add(place.exists())
        if control.read() is Mode.STANDBY:
            control.ask(tick, leave=True)
        else:
            control.ask(tick, *(request for mode, request in WAY if control.read() is mode))

    assert control.run(play) == 0
    assert there == {False}
    found = json.loads(place.read_text())["length_m"]
    assert found == pytest.approx(control.last.feedback.length_m, abs=1e-5)


def test_a_gate_that_loses_its_drives_leaves_a_black_box(monkeypatch, tmp_path):
    box = tmp_path / "gate.jsonl"
    bank = IdealBank()
    monkeypatch.setattr(process, "build_bank", lambda *_: bank)
    control = Control(monkeypatch, black_box=str(box))

    def play(tick):
        control.ask(tick, *(request for mode, request in WAY if control.read() is mode))
        if tick == 20:
            bank.error = LinkLostError("the adapter is gone")

    assert control.run(play) == 1
    told = [json.loads(line) for line in box.read_text().splitlines()]
    assert any("LinkLostError: the adapter is gone" in one.get("event", "") for one in told)


@pytest.mark.parametrize("led", [False, True])
def test_a_gate_in_a_led_run_parks_for_nobody_but_a_person(monkeypatch, led):
    control = Control(monkeypatch, led=led)
    modes = []
    silent_from = []

    def play(tick):
        mode = control.read()
        modes.append(mode)
        if mode is Mode.ENGAGING and not silent_from:
            silent_from.append(tick)
        if not silent_from:
            control.ask(tick, *(request for at, request in WAY if mode is at))
        elif tick > silent_from[0] + 100:  # it was frozen for 0.4 s, and asks to park
            parked = mode is Mode.PARKING or tick > silent_from[0] + 200
            control.ask(tick, Request.PARK, leave=parked)

    assert control.run(play) == 0
    assert Mode.HOLD in modes
    assert (Mode.PARKING in modes) is not led


@pytest.mark.parametrize(
    ("lengths_m", "speeds_m_s", "written"),
    [
        ((0.9,) * 6, (AT_REST_M_S, -AT_REST_M_S, 0.0, 0.0, 0.0, 0.0), True),
        ((0.9,) * 6, (0.0, 0.0, 0.0, 0.0, 0.0, 1.01 * AT_REST_M_S), False),
        ((0.9,) * 6, (0.0, -0.3, 0.0, 0.0, 0.0, 0.0), False),
        ((0.9,) * 6, (0.0, 0.0, float("nan"), 0.0, 0.0, 0.0), False),
        ((), (), False),
    ],
)
def test_only_where_legs_rest_is_a_place(tmp_path, lengths_m, speeds_m_s, written):
    path = tmp_path / "place.json"
    record = PlaceRecord(str(path))
    record.begin()
    record.end(lengths_m, speeds_m_s)
    assert path.exists() is written


OTHER_LIMITS = """
import dataclasses, sys
from hil.stations.platform.gate import order, process
read = order.GateOrder.from_line
def widened(line):
    ordered = read(line)
    limits = dataclasses.replace(ordered.limits, start_tolerance_m=0.0123)
    return dataclasses.replace(ordered, limits=limits)
order.GateOrder.from_line = widened
sys.exit(process.main())
"""
"""A gate that guards, and by other limits than it was ordered to."""


@pytest.mark.parametrize(("program", "refused"), [(OTHER_LIMITS, True), (None, False)])
def test_a_gate_with_other_limits_than_were_ordered_is_refused(program, refused):
    gate = RemoteGate(
        sim_spec(), LIMITS, RealClock().now_s, policy=PLAIN,
        **({"program": ("-c", program)} if program else {}),
    )  # fmt: skip
    try:
        with pytest.raises(DriveSetupError, match="other limits") if refused else nullcontext():
            gate.open()
    finally:
        gate.close()


@pytest.mark.parametrize("line", [b"", b"no order\n", b"{}\n", b"[1]\n"])
def test_an_order_that_cannot_be_read_is_refused_in_words(monkeypatch, line):
    answers = []
    monkeypatch.setattr(process, "_say", lambda **answer: answers.append(answer))
    monkeypatch.setattr(process.signal, "signal", lambda number, action: None)
    monkeypatch.setattr(process.sys, "stdin", SimpleNamespace(buffer=io.BytesIO(line)))
    assert process.main() == 2
    assert [list(answer) for answer in answers] == [["refused", "kind"]]
