"""Emulated CANopen drives in a process of their own that notes when a rod first moves.

Reads lines "look" at its input: from then on the next change of any position count is noted, and
its time, on the system's monotonic clock, is written to the output, with the longest time that a
turn of the rack's loop took shortly before: a rack that stood still saw the change late.
"""

import os
import sys
from pathlib import Path

from hil.machines.rig.machine import load_rig
from hil.stations.platform.drives.rack import RACK_PRIORITY
from hil.stations.platform.drives.rack_setup import rack_settings
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup
from sim.devices.can import program
from sim.devices.can.rack import CanRack

NOW_S = RealClock().now_s
COUNTS = 2
"""One may flicker at rest."""
WATCHED_S = 0.02
"""So long the longest turn counts [s]."""


class Watch:
    """Looks at the counts of all motors whenever the rack's loop has turned."""

    def __init__(self):
        self.rack = None
        self.stood = None
        self.turned_s, self.slow_s, self.slow_at_s = NOW_S(), 0.0, 0.0
        os.set_blocking(0, False)

    def counts(self):
        both = zip(self.rack.nodes, self.rack.settings.nodes, strict=True)
        return [round(node.drive.motor.x_m * one.counts_per_m) for node, one in both]

    def moved(self):
        return max(abs(a - b) for a, b in zip(self.counts(), self.stood, strict=True))

    def __call__(self):
        now_s = NOW_S()
        took_s, self.turned_s = now_s - self.turned_s, now_s
        if took_s > self.slow_s or now_s - self.slow_at_s > WATCHED_S:
            self.slow_s, self.slow_at_s = took_s, now_s
        try:
            told = os.read(0, 4096)
        except BlockingIOError:
            told = None
        if told == b"":
            return True
        if told:
            self.stood = self.counts()
        elif self.stood is not None and self.moved() >= COUNTS:
            self.stood = None
            print(f"moved {NOW_S()} {self.slow_s}", flush=True)
        return False


def main():
    settings = rack_settings(load_rig(Path(sys.argv[1])), buses=2)
    watch = Watch()

    class Kept(CanRack):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            watch.rack = self

        def awaited_s(self, due_s):
            return due_s  # ticks made together would be looked at together

    program.CanRack = Kept
    with RealtimeSetup(RealtimePolicy(priority=RACK_PRIORITY)):
        program.run_can_rack(
            settings, now_s=NOW_S, ready=lambda url: print(url, flush=True), stop=watch
        )


if __name__ == "__main__":
    main()
