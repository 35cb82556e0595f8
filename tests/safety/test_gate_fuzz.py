"""The gate against an independent model of it (`gate_model.py`), over random sequences of cycles.

Each sequence leads a platform with ideal drives towards motion and puts trouble in its way:
drives, frames, channels, times, setpoints, requests, resets, acts, a control that is gone. Mode,
action, drive request, setpoint, violations and latched faults have to be the same in every cycle.
"""

import math
import random
from collections import Counter, deque
from dataclasses import replace

import pytest
from campaign import count
from gate_model import GateModel
from safety_samples import NO, START, YES, ZERO, changed, feedback, make_limits

from hil_common.legs import DriveReading
from safety.gate import Gate, GateInputs
from safety.modes import Mode, Request, Severity
from safety.verdict import Check, DriveRequest, Setpoint

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(7200)]

SEQUENCE_CYCLES = 400
SEQUENCES = count(2600)  # 1 040 000 cycles
SEED = 20_261_122
LIMITS = make_limits(estop_fitted=True)
NEXT = {
    Mode.OFF: Request.CONFIGURED,
    Mode.IDLE: Request.HOME,
    Mode.STANDBY: Request.ENGAGE,
    Mode.ENGAGING: Request.RISEN,
    Mode.HOLD: Request.PARK,
    Mode.PARKING: Request.PARKED,
}
ODD = (math.nan, math.inf, -math.inf, 1e308, 0.0, 5e-324)


class Fuzz:
    """One sequence: a gate, its model, ideal drives, and a source of chance."""

    def __init__(self, seed, told):
        self.chance = random.Random(seed)
        self.led = self.chance.random() < 0.3
        self.gate, self.model = Gate(LIMITS, led=self.led), GateModel(LIMITS, self.led)
        self.told = told
        self.index = self.sequence = 0
        near_ends = [
            (
                leg.soft_min_m + self.chance.uniform(0.006, 0.04),
                leg.soft_max_m - self.chance.uniform(0.006, 0.04),
                *(x, x),
            )
            for x, leg in zip(START, LIMITS.legs, strict=True)
        ]
        self.length = tuple(map(self.chance.choice, near_ends))
        self.speed, self.homed, self.frozen, self.pressed = ZERO, NO, None, None
        self.aim = list(self.length)
        self.drives = DriveRequest.OFF
        self.trouble = self.chance.choice((0.001, 0.003, 0.005, 0.01, 0.03, 0.1))
        self.eager = self.chance.choice((0.05, 0.2, 0.6))
        self.lasting = {}
        self.movement = ZERO
        self.past = deque([self.length], 20)
        self.late = self.loaded = None
        self.verdict = None

    def run(self):
        for _ in range(SEQUENCE_CYCLES):
            inputs = self.inputs()
            verdict = self.gate.step(inputs)
            self.compare(inputs, verdict, self.model.step(inputs))
            self.obey(verdict)

    def inputs(self):
        chance = self.chance
        fields = {
            "index": self.index,
            "elapsed_s": LIMITS.period_s,
            "late_s": 0.0,
            "asked": self.asked(),
            "setpoint_age_s": 0.0,
            "feedback": self.read(),
            "requests": self.requests(),
            "reset": chance.random() < 0.3,
            "estop": (True, True),
            "act_age_s": chance.choice((0.0, 0.0, 0.001, 0.01, 1.0, math.inf, math.nan, -0.001))
            if chance.random() < self.eager
            else math.inf,
            "absent": "",
        }
        self.lasting = {name: left - 1 for name, left in self.lasting.items() if left}
        if chance.random() < self.trouble:
            trouble = chance.choice(TROUBLES)
            longest = (100, 200, 300) if trouble in (_delay, _load) else (0, 1, 2, 5, 12, 30)
            self.lasting[trouble] = chance.choice(longest)
        if _freeze not in self.lasting:
            self.frozen = None
        if _press not in self.lasting:
            self.pressed = None
        if _delay not in self.lasting:
            self.late = None
        if _load not in self.lasting:
            self.loaded = None
        for trouble in self.lasting:
            trouble(self, fields)
        self.index = fields["index"] + 1
        return GateInputs(**fields)

    def requests(self):
        chance, mode = self.chance, self.gate.mode
        if chance.random() < self.eager and mode in NEXT:
            return (NEXT[mode],)
        if chance.random() < 0.01:
            return tuple(chance.choices(tuple(Request), k=chance.choice((1, 1, 2, 3))))
        return ()

    def read(self):
        enabled = YES if self.drives is DriveRequest.ENABLE else NO
        return feedback(self.length, self.speed, enabled, self.homed)

    def asked(self):
        """A setpoint that accelerates each leg by a share of what it may, towards its aim."""
        chance, commanded, dt = self.chance, self.gate.commanded, LIMITS.period_s
        if commanded is None or chance.random() < 0.005:
            return None
        self.sequence = (self.sequence + chance.choice((1,) * 50 + (0, 2, 2**31))) % 2**32
        keen = 1.3 if chance.random() < 0.002 else 0.9
        speed = []
        for x, u, leg in zip(commanded.length_m, self.movement, LIMITS.legs, strict=True):
            k = len(speed)
            if chance.random() < 0.01:
                self.aim[k] = chance.uniform(leg.soft_min_m - 0.05, leg.soft_max_m + 0.05)
            most = leg.speed_max_m_s
            wanted = max(-most, min(most, 6.0 * (self.aim[k] - x)))
            wanted = max(-1.0, min(1.0, (wanted - u / dt) / 0.02))
            speed.append(u / dt + keen * wanted * leg.acceleration_max_m_s2 * dt)
        if self.gate.mode in (Mode.ENGAGING, Mode.PARKING) and chance.random() < 0.97:
            speed = [u / dt * 0.5 if abs(u) > 1e-7 else 0.0 for u in self.movement]
        pairs = zip(commanded.length_m, speed, strict=True)
        return Setpoint(self.sequence, tuple(x + v * dt for x, v in pairs), tuple(speed))

    def compare(self, inputs, verdict, model):
        mode, action, drives, allowed, found, faults = model
        objections = [v for v in verdict.violations if v.check is not Check.REQUEST]
        same = (
            verdict.mode.name == mode
            and verdict.action.name == action
            and verdict.drives.name == drives
            and _near(verdict.allowed, allowed)
            and _named(objections) == found
            and _named(verdict.faults) == faults
            and self.same_lag(verdict.lag_s)
        )
        assert same, f"cycle {inputs.index}: {verdict}\nmodel: {model}"
        self.told.update(v.check for v in verdict.violations if v.severity > Severity.INFORM)
        if self.verdict is not None and self.verdict.mode is not verdict.mode:
            self.told[self.verdict.mode, verdict.mode] += 1

    def same_lag(self, lag_s):
        known = self.model.lag.greatest
        if lag_s is None or known is None:
            return lag_s is known
        return abs(lag_s - known) <= 1e-6 * LIMITS.period_s

    def obey(self, verdict):
        self.drives, self.verdict = verdict.drives, verdict
        if verdict.drives is DriveRequest.HOME and self.chance.random() < 0.2:
            self.homed = YES
        before, self.movement = self.length, ZERO
        if verdict.allowed is None:
            self.speed = ZERO
            return
        self.length = verdict.allowed.length_m
        self.past.appendleft(self.length)
        self.movement = tuple(b - a for a, b in zip(before, self.length, strict=True))
        self.speed = tuple(u / LIMITS.period_s for u in self.movement)


def _near(target, allowed):
    if target is None or allowed is None:
        return target is allowed
    return all(
        abs(a - b) <= most
        for told, known, most in zip(
            (target.length_m, target.speed_m_s), allowed, (1e-11, 1e-8), strict=True
        )
        for a, b in zip(told, known, strict=True)
    )


def _named(violations):
    return {(v.check.name, v.leg, int(v.severity)) for v in violations}


def _with_feedback(change):
    def trouble(fuzz, fields):
        if fields["feedback"] is not None:
            fields["feedback"] = change(fuzz.chance, fields["feedback"])

    return trouble


def _leg(chance, values, value):
    return changed(values, chance.randint(1, 6), value)


def _with_asked(change):
    def trouble(fuzz, fields):
        if fields["asked"] is not None:
            fields["asked"] = change(fuzz.chance, fields["asked"])

    return trouble


def _set(name, *values):
    return lambda fuzz, fields: fields.__setitem__(name, fuzz.chance.choice(values))


DT = LIMITS.period_s


def _freeze(fuzz, fields):
    """A leg goes on telling the length that it had when this began."""
    read = fields["feedback"]
    if read is not None:
        leg, length = fuzz.frozen = fuzz.frozen or (3, read.length_m[2])
        fields["feedback"] = replace(read, length_m=changed(read.length_m, leg, length))


def _delay(fuzz, fields):
    """What one leg tells, or all of them, is of some cycles ago."""
    read, chance, past = fields["feedback"], fuzz.chance, fuzz.past
    if read is not None:
        legs, cycles = fuzz.late = fuzz.late or (
            chance.choice(((1, 2, 3, 4, 5, 6), (chance.randint(1, 6),))), chance.randint(1, 18)
        )  # fmt: skip
        old = past[min(cycles, len(past) - 1)]
        length = [old[k] if k + 1 in legs else x for k, x in enumerate(read.length_m)]
        fields["feedback"] = replace(read, length_m=tuple(length))


def _load(fuzz, fields):
    """A load holds legs back, or pushes them, as they accelerate."""
    read, past = fields["feedback"], list(fuzz.past)[:3]
    if read is not None and len(past) == 3:
        fuzz.loaded = fuzz.loaded or [fuzz.chance.uniform(-20.0, 20.0) for _ in range(6)]
        length = [
            x - by * (new + old - 2.0 * at)
            for x, by, new, at, old in zip(read.length_m, fuzz.loaded, *past, strict=True)
        ]
        fields["feedback"] = replace(read, length_m=tuple(length))


def _press(fuzz, fields):
    """Something presses on a leg, less for moments, and its frames get lost now and then."""
    read, chance = fields["feedback"], fuzz.chance
    if read is None:
        return
    leg, force = fuzz.pressed = fuzz.pressed or (
        chance.randint(1, 6), chance.choice((1499.0, 1501.0, 2999.0, 3001.0, -1501.0, -3001.0))
    )  # fmt: skip
    if chance.random() < 0.02:
        force = chance.choice((0.0, 1501.0, 3001.0))
    if chance.random() < 0.2:
        read = replace(read, fresh=changed(read.fresh, leg, False))
        force = chance.choice((force, 0.0, math.nan))
    fields["feedback"] = replace(read, force_n=changed(read.force_n, leg, force))


AGES = (*ODD, LIMITS.feedback_lag_growth_s, 0.0201, -0.0201, 0.001)
FORCES = (*ODD, 1499.0, 1501.0, -1501.0, 3001.0, -3001.0)
HOT = ("motor temperature", 92.0, 85.0, "°C")

TROUBLES = (
    _delay,
    _delay,
    _load,
    _freeze,
    _freeze,
    _set("feedback", None),
    _with_feedback(lambda c, f: replace(f, fresh=_leg(c, f.fresh, False))),
    _with_feedback(lambda c, f: replace(f, fresh=(False, *f.fresh[1:]))),
    _with_feedback(lambda c, f: replace(f, fault_code=_leg(c, f.fault_code, 0x7500))),
    _with_feedback(lambda c, f: replace(f, enabled=_leg(c, f.enabled, False))),
    _with_feedback(lambda c, f: replace(f, homed=_leg(c, f.homed, False))),
    _with_feedback(lambda c, f: replace(f, length_m=_leg(c, f.length_m, c.choice(ODD)))),
    _with_feedback(lambda c, f: replace(f, speed_m_s=_leg(c, f.speed_m_s, c.choice(ODD)))),
    _with_feedback(lambda c, f: replace(f, speed_m_s=_leg(c, f.speed_m_s, c.uniform(-2, 2)))),
    _with_feedback(
        lambda c, f: replace(
            f, length_m=_leg(c, f.length_m, f.length_m[0] + c.uniform(-0.02, 0.02))
        )
    ),
    _with_feedback(lambda c, f: replace(f, length_m=(START[0], *f.length_m[1:]))),
    _with_feedback(lambda c, f: replace(f, age_s=_leg(c, f.age_s, c.choice(AGES)))),
    _with_feedback(lambda c, f: replace(f, force_n=_leg(c, f.force_n, c.choice(FORCES)))),
    _press,
    _press,
    _with_feedback(lambda c, f: replace(f, warning_code=_leg(c, f.warning_code, 0x4310))),
    _with_feedback(lambda c, f: replace(f, high=(*f.high, DriveReading(c.randint(1, 6), *HOT)))),
    _set("estop", (False, False)),
    _set("estop", (True, False)),
    _set("estop", (False, True)),
    _set("estop", None),
    _set("estop", None, (False, False), (True, True), (True, False)),
    _set("late_s", 1.0, math.nan, 2.9 * DT, 3.1 * DT),
    _set("elapsed_s", 0.4 * DT, 0.9 * DT, 4.0 * DT, 2.9 * DT, 0.0, -DT, math.nan, math.inf),
    lambda fuzz, fields: fields.__setitem__("index", fields["index"] + fuzz.chance.choice((-1, 1))),
    _set("setpoint_age_s", 1.0, math.nan, -0.001, 0.005),
    _set("asked", None),
    _with_asked(lambda c, s: replace(s, length_m=_leg(c, s.length_m, c.choice((*ODD, 1.0))))),
    _with_asked(lambda c, s: replace(s, speed_m_s=_leg(c, s.speed_m_s, c.choice((*ODD, 1.0))))),
    _set("absent", "silent"),
    _set("absent", "gone"),
    lambda fuzz, fields: fields.__setitem__("reset", True),
)


def play(seeds, told):
    for seed in seeds:
        try:
            Fuzz(seed, told).run()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from None


def test_the_gate_and_its_model_never_differ(capsys):
    told = Counter()
    play(range(SEED, SEED + SEQUENCES), told)
    with capsys.disabled():
        cycles = SEQUENCES * SEQUENCE_CYCLES
        print(
            f"\ngate fuzz: seeds {SEED}..{SEED + SEQUENCES - 1}, {cycles} cycles, 0 differences",
            end=" ",
        )
    moves = [pair for pair in told if type(pair) is tuple]
    provoked = {check for check in told if type(check) is not tuple}
    quiet = {
        Check.REQUEST,
        Check.INTERNAL,
        Check.STALE,
        Check.SEQUENCE,
        Check.WARNING,
        Check.FIRST_SETPOINT,
        Check.FIRST_MOTION,
    }
    assert provoked >= set(Check) - quiet - RARE, set(Check) - quiet - provoked
    reached = {after for _, after in moves}
    assert reached | RARELY_REACHED == set(Mode) - {Mode.LOCKOUT}, reached


RARE = (
    {
        Check.STUCK,
        Check.BRAKING,
        Check.QUICK_STOP,
        Check.FOLLOWING,
        Check.POSITION,
        Check.FINITE,
        Check.SPEED,
        Check.SPEED_MISMATCH,
        Check.FORCE,
        Check.LAG,
    }
    if SEQUENCES < 1000
    else set()
)
"""What a share of the sequences need not meet."""
RARELY_REACHED = {Mode.OFF} if SEQUENCES < 1000 else set()
"""A mode that a share of the sequences need not come to."""


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("_interlock", "objection", lambda following: ""),
        ("_quick_stop", "begin", lambda feedback, failed: None),
        ("_estop", "_compare", lambda channels: None),
        ("_latch", "add", lambda found, least=1: False),
        ("_stream", "begin", lambda: None),
        ("_lag", "step", lambda feedback, commanded_m: None),
        ("_lag", "forget", lambda: None),
        ("_lag", "_fade", 0.0),
        ("_load", "step", lambda feedback: None),
        ("_age", "step", lambda feedback: None),
    ],
)
def test_a_gate_that_is_broken_differs(part, name, value, monkeypatch):
    """Seeds enough for each of these to show."""
    build = Gate.__init__

    def broken(self, *args, **options):
        build(self, *args, **options)
        setattr(getattr(self, part), name, value)

    monkeypatch.setattr(Gate, "__init__", broken)
    with pytest.raises(AssertionError, match="cycle"):
        play(range(SEED, SEED + 200), Counter())
