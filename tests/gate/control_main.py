"""Control in a process of its own: engages, moves all legs, and says what it meets.

Arguments: a folder for the black box, how long the gate holds alone [s], and the gate's program.
"""

import json
import math
import sys
from pathlib import Path

from gate_bench import PERIOD_S, SPEED, replaced, sim_spec

from drives.bank import DriveError
from hil.stations.platform.gate.remote import RemoteGate
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup
from safety.modes import FOLLOWING_MODES, Mode, Request
from safety.verdict import Setpoint

NEXT = {
    Mode.OFF: (Request.CONFIGURED,),
    Mode.IDLE: (Request.HOME,),
    Mode.STANDBY: (Request.ENGAGE,),
    Mode.ENGAGING: (Request.RISEN,),
}
SWING_CYCLES = 200
TOLD_AFTER = 100
PATIENT = replaced(late_cycles_max=10.0)
"""The lateness of a busy test machine is not what is tested: the stop is judged in cycles."""
PUNCTUAL = RealtimePolicy(priority=85, lock_memory=False, keep_awake=False)
"""Asked for, so that a busy machine does not make the bench trip by itself; a no is no harm."""


def say(**words):
    print(json.dumps(words), flush=True)


def setpoint(index, verdict, begun):
    """Legs that swing one after the other: at any moment some of them move, and none goes far."""
    grown = min(1.0, begun / 50.0)
    turn = 2.0 * math.pi * begun / SWING_CYCLES
    speed = tuple(v * grown * math.sin(turn + leg) for leg, v in enumerate(SPEED))
    length = tuple(x + v * PERIOD_S for x, v in zip(verdict.allowed.length_m, speed, strict=True))
    return Setpoint(index, length, speed)


def told_faults(gate):
    return [] if gate.last is None else [str(fault) for fault in gate.last.verdict.faults]


def swing(gate):
    """Engage and move; return why that came to an end before it was told, if it did."""
    verdict, begun, told = None, 0, False
    for tick in gate.clock.ticks(PERIOD_S):
        asked, requests = None, (Request.CONFIGURED,)
        if verdict is not None:
            requests = NEXT.get(verdict.mode, ())
            if verdict.mode in FOLLOWING_MODES and verdict.allowed is not None:
                asked = setpoint(tick.index, verdict, begun)
        verdict = gate.cycle(tick, asked, requests).verdict
        begun = begun + 1 if verdict.mode is Mode.ENGAGED else 0
        if begun >= TOLD_AFTER and not told:
            told = True
            say(gate=gate.pid, ring=gate._ring.fileno(), cycle=tick.index)
        if verdict.faults and not told:
            return f"tripped in cycle {tick.index}, mode {verdict.mode.name}"
    return "no ticks are left"


def main():
    folder, hold_s, *program = sys.argv[1:]
    gate = RemoteGate(
        sim_spec(),
        PATIENT,
        RealClock().now_s,
        black_box=Path(folder) / "box.jsonl",
        policy=PUNCTUAL,
        hold_alone_s=float(hold_s),
        **({"program": tuple(program)} if program else {}),
    )
    try:
        gate.open()
        RealtimeSetup(RealtimePolicy(priority=80, lock_memory=False, keep_awake=False)).prepare()
        say(ended=swing(gate), faults=told_faults(gate))
    except DriveError as error:
        told = {"kind": type(error).__name__, "mode": gate.mode.name, "faults": told_faults(gate)}
        say(lost=str(error), **told)
    except BaseException as error:
        say(ended=repr(error), faults=told_faults(gate))
        raise
    finally:
        end = gate.close()
    say(closed=True, powered=end.powered)


if __name__ == "__main__":
    main()
