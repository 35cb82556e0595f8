"""A fault for each watch, in each mode in which it is watched, and how the gate is brought there.

`FAULTS` says once more, apart from `safety.watches`, what has to be watched where.
"""

import math
from dataclasses import dataclass, replace

from safety_samples import START, ZERO, Bench, changed, make_limits

from hil_common.legs import DriveReading
from safety.first_motion import FirstStage
from safety.modes import Mode, Request
from safety.verdict import Check

LIMITS = make_limits(estop_fitted=True)
SPEED = (0.1, -0.08, 0.06, -0.04, 0.02, 0.0)
LEG = 1
"""The one that goes fastest, and that every fault is on."""
SLOW = (0.02,) * 6
"""Told speeds of legs that do not stand, so that a mode lasts."""
NO_LEG = (False,) * 6
FAULT_CODE = 0x7500


@dataclass(frozen=True)
class Fault:
    """What goes wrong, where it has to be seen, and by what."""

    modes: str
    change: object
    """Of a bench and the cycle since it began: what is different of `Bench.cycle`."""
    check: Check
    word: str = ""
    """Part of the violation's text."""
    moves: bool = False
    """Whether the legs have to move for it."""
    cycles: int = 40


ALL = " ".join(mode.name for mode in Mode)
BUS = "IDLE HOMING STANDBY ENGAGING ENGAGED CSTOP HOLD PARKING QSTOP FAULT"
POWER = "HOMING STANDBY ENGAGING ENGAGED CSTOP HOLD PARKING QSTOP FAULT LOCKOUT"
HOMED = "STANDBY ENGAGING ENGAGED CSTOP HOLD PARKING"
MOVING = "ENGAGING ENGAGED CSTOP PARKING"
LED = "ENGAGING ENGAGED PARKING"


def of_inputs(**fields):
    return lambda bench, k: fields


def of_feedback(**fields):
    """Feedback as it would be, but for these of its fields."""
    return lambda bench, k: {"fb": replace(steady(bench), **fields)}


def away(way_m):
    """A leg is measured beside where it is."""

    def change(bench, k):
        read = steady(bench)
        length = changed(read.length_m, LEG, read.length_m[LEG - 1] + way_m)
        return {"fb": replace(read, length_m=length)}

    return change


def stuck(bench, k):
    """A leg goes on telling where it was as this began."""
    if k == 0:
        bench.stuck_m = bench.length_m[LEG - 1]
    read = steady(bench)
    return {"fb": replace(read, length_m=changed(read.length_m, LEG, bench.stuck_m))}


def late(bench, k):
    """All legs tell more and more of the past."""
    allowed = [verdict.allowed for verdict in bench.history]
    return {"fb": replace(steady(bench), length_m=allowed[-1 - min(15, k // 2)].length_m)}


def asked(**fields):
    """A setpoint that is not as it may be."""

    def change(bench, k):
        return {"asked": replace(bench.ask_speed(ZERO), **fields)}

    return change


def no_more_setpoints(bench, k):
    return {"asked": bench.ask_speed(ZERO) if k == 0 else None}


FAULTS = {
    "control": (Fault(ALL, of_inputs(absent="gone"), Check.CONTROL),),
    "cycle": (
        Fault(ALL, of_inputs(late_s=1.0), Check.LATE),
        Fault(ALL, of_inputs(elapsed_s=math.nan), Check.PERIOD),
    ),
    "feedback": (
        Fault(BUS, of_inputs(fb=None), Check.FEEDBACK),
        Fault(BUS, of_feedback(fresh=(False, *(True,) * 5)), Check.FEEDBACK),
        Fault(BUS, of_feedback(length_m=(math.nan, *START[1:])), Check.FEEDBACK, "not finite"),
        Fault(BUS, of_feedback(failed="gone", fresh=NO_LEG), Check.DRIVE, "gone"),
    ),
    "drive": (Fault(BUS, of_feedback(fault_code=(FAULT_CODE, *(0,) * 5)), Check.DRIVE, "0x7500"),),
    "homed": (Fault(HOMED, of_feedback(homed=NO_LEG), Check.DRIVE, "not homed"),),
    "enabled": (Fault(f"{HOMED} FAULT", of_feedback(enabled=NO_LEG), Check.DRIVE, "not follow"),),
    "following": (Fault(f"{HOMED} FAULT", away(0.0063), Check.FOLLOWING),),
    "age": (Fault(BUS, of_feedback(age_s=(0.021, *ZERO[1:])), Check.LAG, "time stamp"),),
    "path": (
        Fault(HOMED, away(0.02), Check.JUMP),
        Fault(MOVING, stuck, Check.STUCK, moves=True),
    ),
    "lag": (Fault(LED, late, Check.LAG, moves=True, cycles=200),),
    "force": (
        Fault(POWER, of_feedback(force_n=(3100.0, *ZERO[1:])), Check.FORCE, "3000"),
        Fault(POWER, of_feedback(force_n=(-1600.0, *ZERO[1:])), Check.FORCE, "payload"),
    ),
    "first_motion": (Fault("ENGAGING", away(0.0005), Check.FIRST_MOTION),),
    "warning": (
        Fault(BUS, of_feedback(warning_code=(0x4310, *(0,) * 5)), Check.WARNING),
        Fault(BUS, of_feedback(high=(DriveReading(1, "heat", 81.0, 80.0, "°C"),)), Check.WARNING),
    ),
    "estop": (
        Fault(BUS, of_inputs(estop=(False, False)), Check.ESTOP, "open"),
        Fault(BUS, of_inputs(estop=None), Check.ESTOP, "not read"),
        Fault(BUS, of_inputs(estop=(True, False)), Check.ESTOP, "channel 2"),
    ),
    "quick_stop": (
        Fault("QSTOP LOCKOUT", of_feedback(speed_m_s=(1.0, *SLOW[1:])), Check.QUICK_STOP, "leg 1"),
        Fault("QSTOP LOCKOUT", of_inputs(), Check.QUICK_STOP, "does not end", cycles=600),
    ),
    "setpoint": (
        Fault(LED, asked(speed_m_s=(math.nan, *ZERO[1:])), Check.FINITE),
        Fault(LED, asked(speed_m_s=(0.1, *ZERO[1:])), Check.SPEED_MISMATCH),
        Fault(LED, no_more_setpoints, Check.MISSING, "setpoint missing for 3 cycles"),
    ),
}


def steady(bench):
    """Feedback of a platform as it should be, in a mode that shall last."""
    mode = bench.gate.mode
    lasts = mode in (Mode.QSTOP, Mode.FAULT, Mode.LOCKOUT)
    read = bench.read(speed_m_s=SLOW) if lasts else bench.read()
    return replace(read, homed=NO_LEG) if mode in (Mode.IDLE, Mode.HOMING) else read


def move(bench, cycles=60):
    """Reach `SPEED` from rest by the same acceleration in every cycle."""
    for i in range(1, cycles + 1):
        bench.cycle(bench.ask_speed(tuple(v * i / cycles for v in SPEED)))
    return bench


def brought_to(mode, *, moves):
    """A bench in this mode; its legs may move, where they can."""
    bench = Bench(LIMITS)
    if mode is Mode.OFF:
        return bench
    if mode is Mode.IDLE:
        return bench.idle()
    if mode in (Mode.HOMING, Mode.QSTOP):
        bench.homing()
        if mode is Mode.QSTOP:
            bench.cycle(None, Request.HOLD, fb=steady(bench))
        return bench
    if mode is Mode.STANDBY:
        return bench.standby()
    if mode is Mode.LOCKOUT:
        bench.standby().cycle(elapsed_s="no number")
        return bench
    bench.engaging() if mode is Mode.ENGAGING else bench.engaged()
    if mode is Mode.FAULT:
        code = replace(bench.read(), fault_code=(FAULT_CODE, *(0,) * 5))
        bench.cycle(fb=code)
        while bench.gate.mode is not mode:
            bench.cycle()
        return bench
    if mode is Mode.CSTOP:
        move(bench).cycle(None, Request.HOLD)
        return bench
    if mode in (Mode.HOLD, Mode.PARKING):
        bench.cycle(None, Request.HOLD)
        bench.cycle()
        if mode is Mode.PARKING:
            bench.cycle(None, Request.PARK)
    return move(bench) if moves else bench


def reports(mode, fault, first_motion=False):
    """Whether the gate reports this fault while it is in this mode."""
    bench = brought_to(mode, moves=fault.moves)
    assert bench.gate.mode is mode
    if first_motion:
        bench.gate.expect_first_motion([FirstStage(0.001, 0.001)])
        bench.gate._first.begin(bench.length_m)
    for k in range(fault.cycles):
        if bench.gate.mode is not mode:
            return False
        moving = fault.moves and mode is not Mode.CSTOP
        inputs = {"fb": steady(bench), "asked": bench.ask_speed(SPEED) if moving else None}
        verdict = bench.cycle(**(inputs | fault.change(bench, k)))
        if any(v.check is fault.check and fault.word in str(v) for v in verdict.violations):
            return True
    return False


def lag_reported(mode, onset):
    """Where lag is reported that begins to grow so many cycles before a stop: modes before."""
    bench = brought_to(Mode.PARKING if mode is Mode.STANDBY else Mode.ENGAGED, moves=False)
    seen, delay = set(), 20

    def cycle(asked=None, *requests):
        allowed = [verdict.allowed for verdict in bench.history if verdict.allowed]
        length = allowed[max(0, len(allowed) - 1 - delay)].length_m
        before = bench.gate.mode
        verdict = bench.cycle(asked, *requests, fb=bench.read(length_m=length))
        if any(v.check is Check.LAG for v in verdict.violations):
            seen.add(before)

    for k in range(130):
        delay += k >= 130 - onset and delay < 29 and k % 2
        cycle(bench.ask_speed(tuple(v * min(1.0, k / 60) for v in SPEED)))
    if mode is Mode.STANDBY:
        for k in range(25):
            delay += delay < 29 and k % 2
            cycle(bench.ask_speed(tuple(v * (24 - k) / 25 for v in SPEED)))
    last = Request.PARKED if mode is Mode.STANDBY else Request.HOLD
    cycle(None, last)
    for k in range(80):
        delay += delay < 29 and k % 2
        cycle()
    return seen
