"""The emulated rack on a bus in memory: the one place where both sides of the wire meet.

Everything runs in one thread on one virtual clock, which moves while somebody waits for a frame.
"""

from drives.bank import LinkLostError
from drives.can.frames import BusHealth, BusState, Frame

STEP_S = 5e-5
"""Least move of the clock: frames of another bus may be due that nobody fetches here [s]."""


class VirtualTime:
    """A clock that tests move."""

    def __init__(self, now_s=0.0):
        self.now = now_s

    def now_s(self):
        return self.now

    def move_to(self, at_s):
        self.now = max(self.now, at_s)


class MemoryBus:
    """A `FrameBus` on one bus of an emulated rack."""

    def __init__(self, rack, time, bus=0):
        self.rack, self.time, self.bus = rack, time, bus
        self.sent = []
        self.keep_sent = False
        self.lost = ""
        self.state = BusState.ACTIVE
        self.closed = False

    def send_frames(self, frames):
        self._check()
        for frame in frames:
            assert isinstance(frame.data, bytes)
            assert len(frame.data) <= 8
            if self.keep_sent:
                self.sent.append((self.time.now, Frame(*frame)))
            self.rack.receive((frame.can_id, frame.data), self.time.now, self.bus)

    def receive_frames(self, timeout_s):
        self._check()
        end_s = self.time.now + timeout_s
        while True:
            arrived = self.rack.transmit(self.time.now, self.bus)
            if arrived or self.time.now >= end_s:
                return [Frame(can_id, bytes(data)) for can_id, data in arrived]
            due_s = self.rack.next_due_s()
            step_s = end_s if due_s is None else min(end_s, max(due_s, self.time.now + STEP_S))
            self.time.move_to(step_s)

    def health(self):
        return BusHealth(self.state)

    def shutdown(self):
        self.closed = True

    def _check(self):
        if self.lost:
            raise LinkLostError(self.lost)


class PacedBank:
    """A bank whose cycles begin a period apart on the virtual clock, as a loop would have it."""

    def __init__(self, bank, time, period_s):
        self.bank, self.time, self.period_s = bank, time, period_s
        self.due_s = None

    def exchange(self, command):
        if self.due_s is not None:
            self.time.move_to(self.due_s)
        self.due_s = self.time.now + self.period_s
        return self.bank.exchange(command)

    def __getattr__(self, name):
        if name.startswith("__"):  # asked of a copy that is not made yet
            raise AttributeError(name)
        return getattr(self.bank, name)
