"""A control that ends or freezes itself at a moment of its choice, with much memory to give back.

Arguments: a folder for the black box, the mode to die in, the signal, the part of a cycle to wait
after its last order, and how much memory to hold [MiB]. A child of it holds a copy of its
connection to the gate, so that the end of that connection tells nothing.
"""

import os
import select
import signal
import sys
from pathlib import Path

from control_main import NEXT, PATIENT, PUNCTUAL, setpoint
from gate_bench import PERIOD_S, sim_spec

from hil.stations.platform.gate.remote import RemoteGate
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup
from safety.modes import FOLLOWING_MODES, Mode, Request

CYCLES_BEFORE = 40
"""In the mode to die in."""


def hold_a_copy():
    """Fork a child that holds all descriptors of this process until it is killed."""
    if os.fork() == 0:
        while True:
            signal.pause()


def main():
    folder, mode, number, share, megabytes = sys.argv[1:]
    ballast = bytearray(int(megabytes) << 20)
    ballast[::4096] = b"\1" * len(ballast[::4096])  # every page is there
    gate = RemoteGate(
        sim_spec(), PATIENT, RealClock().now_s, black_box=Path(folder) / "box.jsonl",
        policy=PUNCTUAL, hold_alone_s=0.05,
    )  # fmt: skip
    gate.open()
    print(gate.pid, flush=True)
    hold_a_copy()
    RealtimeSetup(RealtimePolicy(priority=80, lock_memory=False, keep_awake=False)).prepare()
    wait_for = gate._wait_for

    def die(index):
        """Its order of this cycle is written; the gate has run as many cycles as it has told."""
        print(index, gate._ring.pushed, flush=True)
        select.select([], [], [], float(share) * PERIOD_S)
        os.kill(os.getpid(), int(number))
        return wait_for(index)

    verdict, cycles = None, 0
    for tick in gate.clock.ticks(PERIOD_S):
        asked, requests = None, (Request.CONFIGURED,)
        if verdict is not None:
            requests = NEXT.get(verdict.mode, ())
            if verdict.mode in FOLLOWING_MODES and verdict.allowed is not None:
                asked = setpoint(tick.index, verdict, cycles)
            cycles = cycles + 1 if verdict.mode is Mode[mode] else 0
        if cycles > CYCLES_BEFORE:
            gate._wait_for = die
        verdict = gate.cycle(tick, asked, requests).verdict
        if verdict.faults:
            print(*verdict.faults, flush=True)
            return


if __name__ == "__main__":
    main()
