"""Control's end of the gate, with no process behind it: what it makes of what it is told."""

import socket
from types import SimpleNamespace

import pytest
from gate_bench import LIMITS, PERIOD_S, IdealBank, InlineGate, sim_spec

from drives.bank import BankEnd, LinkLostError
from hil.ipc.ring import Ring
from hil.stations.platform.gate.command_slot import CommandSlot
from hil.stations.platform.gate.process import _push_end
from hil.stations.platform.gate.remote import RemoteGate
from hil.stations.platform.gate.status import (
    LOST_KIND,
    STATUS_KIND,
    STATUS_SLOT_BYTES,
    StatusEncoder,
)
from hil.timing.clock import Tick

CAUSE = "LinkLostError: /dev/ttyACM0: the adapter is gone"


class Told:
    """A remote gate whose other end is in the test's hands; nobody's time goes on."""

    def __init__(self):
        self.remote = RemoteGate(sim_spec(), LIMITS, lambda: 100.0)
        self.remote._slot = CommandSlot.local()
        self.remote._ring = self.ring = Ring.local(64, STATUS_SLOT_BYTES)
        self.remote._socket, self.gate_end = socket.socketpair()

    def status(self, index):
        """The gate tells of one of its cycles."""
        gate = InlineGate().engage()
        verdict = gate.history[-1].verdict
        tick = Tick(index, index * PERIOD_S, PERIOD_S, 0.0)
        record = StatusEncoder().pack(tick, verdict, IdealBank().exchange(None), True, 0.0, 0.0, 0)
        self.ring.push(STATUS_KIND, record)
        self.gate_end.send(b"\0")

    def lost(self):
        """The gate tells that its link is gone."""
        self.ring.push(LOST_KIND, CAUSE.encode())
        self.gate_end.send(b"\0")

    def cycle(self, index):
        return self.remote.cycle(Tick(index, index * PERIOD_S, PERIOD_S, 0.0), None)

    def close(self):
        self.gate_end.close()
        self.remote._let_go()


@pytest.fixture
def told():
    bench = Told()
    yield bench
    bench.close()


def test_lost_drives_are_told_with_the_cause_and_what_was_last_heard(told):
    told.status(7)
    assert told.cycle(7).tick.index == 7
    told.lost()
    with pytest.raises(LinkLostError) as lost:
        told.cycle(8)
    assert f"the gate has lost its drives: {CAUSE}; last heard: cycle 7, mode ENGAGING" in str(
        lost.value
    )
    assert "(sim:)" in str(lost.value)


def test_a_cycle_that_was_run_before_the_loss_still_counts_and_the_cause_is_kept(told):
    """Both are read in one look: the cause must not be forgotten with the cycle's return."""
    told.status(3)
    told.lost()
    assert told.cycle(3).tick.index == 3
    for index in (4, 5):
        with pytest.raises(LinkLostError, match=CAUSE):
            told.cycle(index)


def test_earlier_cycles_are_not_the_one_that_was_asked_for(told):
    told.status(3)
    told.lost()
    with pytest.raises(LinkLostError, match=f"{CAUSE}; last heard: cycle 3,"):
        told.cycle(4)


def test_the_cause_goes_before_the_end_of_the_process(told):
    told.lost()
    told.gate_end.close()
    with pytest.raises(LinkLostError, match=f"{CAUSE}; it was never heard"):
        told.cycle(0)


def test_without_a_cause_the_end_of_the_process_is_told(told):
    told.gate_end.close()
    with pytest.raises(LinkLostError, match="the gate is gone: its process has ended"):
        told.cycle(0)


@pytest.mark.parametrize(("lost", "patience_s"), [(False, 20.0), (True, 3.0)])
def test_a_control_that_leaves_orders_its_gate_to_end(told, lost, patience_s):
    """An order to leave is in the slot first; a gate without drives has no stop to wait for."""
    seen = []

    class Child:
        running = True

        def end(self, patience_s, wait):
            slot = CommandSlot(told.remote._slot.buffer)
            slot._read = 0
            seen.append((slot.take(), patience_s))

        def kill(self):
            self.running = False

    if lost:
        told.lost()
        with pytest.raises(LinkLostError):
            told.cycle(0)
    told.remote._child = Child()
    told.remote.close()
    [(order, waited_s)] = seen
    assert order is not None
    assert (order.leave, order.setpoint, order.requests) == (True, None, ())
    assert waited_s == patience_s


def test_how_the_drives_were_left_comes_over_whole(told):
    """Each touch has an entry of its own in the ring."""
    touches = (("wall and tool", 0.5, 0.002, (1.0, 2.5)), ("wall and base", 0.7, 0.002, (3.0,)))
    end = BankEnd({"sent": 7}, (0.7,) * 6, (120,) * 6, ("drive 3 (leg 3): silent",), touches)
    _push_end(told.ring, end)
    told.remote._child = SimpleNamespace(running=False, kill=lambda: None)
    assert told.remote.close() == end
