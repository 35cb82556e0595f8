"""Limits, an ideal six-leg plant behind a gate, and an independent judge of what the gate lets out.

The judge recomputes every bound from the limits alone; it shares no code with the gate.
"""

import math
from dataclasses import replace

from safety.gate import Gate, GateInputs
from safety.limits import GateLimits, LegLimits
from safety.modes import Mode, Request
from safety.verdict import Action, DriveRequest, Feedback, Setpoint, Verdict

DT = 0.002
YES = (True,) * 6
NO = (False,) * 6
ZERO = (0.0,) * 6
START = (0.90, 0.95, 1.00, 1.05, 1.10, 1.12)
EPS = 2e-12

LEG = LegLimits(
    soft_min_m=0.70,
    soft_max_m=1.30,
    speed_max_m_s=0.5,
    acceleration_max_m_s2=3.0,
    stop_deceleration_m_s2=2.0,
)


def unequal_legs():
    """Six different legs, so that a swapped index shows."""
    return tuple(
        replace(
            LEG,
            soft_min_m=LEG.soft_min_m + 0.01 * i,
            soft_max_m=LEG.soft_max_m + 0.008 * i,
            speed_max_m_s=LEG.speed_max_m_s - 0.03 * i,
            acceleration_max_m_s2=LEG.acceleration_max_m_s2 + 0.1 * i,
            stop_deceleration_m_s2=LEG.stop_deceleration_m_s2 + 0.05 * i,
        )
        for i in range(6)
    )


VALUES = {
    "period_s": DT,
    "legs": unequal_legs(),
    "following_base_m": 0.004,
    "following_per_speed_s": 0.02,
    "following_cycles": 3,
    "reaction_time_s": 0.006,
    "missing_setpoints_max": 2,
    "missing_feedback_max": 2,
    "late_cycles_max": 3.0,
    "setpoint_age_max_s": 0.006,
    "start_tolerance_m": 0.001,
    "standstill_speed_m_s": 0.004,
    "standstill_cycles": 4,
}


def make_limits(**changes) -> GateLimits:
    return GateLimits(**{**VALUES, **changes})


def changed(values, leg, value):
    """A tuple of six with leg 1..6 changed."""
    return (*values[: leg - 1], value, *values[leg:])


def feedback(
    length_m=START, speed_m_s=ZERO, enabled=YES, homed=YES, fault_code=(0,) * 6, fresh=YES
):
    return Feedback(length_m, speed_m_s, enabled, homed, fault_code, fresh)


class Bench:
    """A gate with drives that do exactly what they are told, one cycle per call."""

    def __init__(self, limits=None, gate_class=Gate, start_m=START):
        self.limits = limits or make_limits()
        self.gate = gate_class(self.limits)
        self.index = 0
        self.sequence = 0
        self.length_m = start_m
        self.speed_m_s = ZERO
        self.homed = NO
        self.drives = DriveRequest.OFF
        self.verdict: Verdict | None = None
        self.history: list[Verdict] = []

    def read(self, **changes):
        """What the drives report now; fields may be changed."""
        enabled = YES if self.drives is DriveRequest.ENABLE else NO
        values = {
            "length_m": self.length_m,
            "speed_m_s": self.speed_m_s,
            "enabled": enabled,
            "homed": self.homed,
        }
        return feedback(**{**values, **changes})

    def cycle(self, asked=None, *requests: Request, fb="ideal", **changes):
        """One cycle; `changes` go into `GateInputs`."""
        inputs = {
            "index": self.index,
            "elapsed_s": self.limits.period_s,
            "late_s": 0.0,
            "asked": asked,
            "setpoint_age_s": 0.0,
            "feedback": self.read() if fb == "ideal" else fb,
            "requests": requests,
            "reset": False,
        }
        verdict = self.gate.step(GateInputs(**{**inputs, **changes}))
        self.index = inputs["index"] + 1
        self._obey(verdict)
        self.verdict = verdict
        self.history.append(verdict)
        return verdict

    def _obey(self, verdict):
        self.drives = verdict.drives
        if verdict.drives is DriveRequest.HOME:
            self.homed = YES
        if verdict.allowed is None:
            self.speed_m_s = ZERO
            return
        new = verdict.allowed.length_m
        dt = self.limits.period_s
        self.speed_m_s = tuple((b - a) / dt for a, b in zip(self.length_m, new, strict=True))
        self.length_m = new

    def run(self, cycles, **changes):
        for _ in range(cycles):
            self.cycle(**changes)
        return self.verdict

    # Ways into the modes

    def idle(self):
        self.cycle(None, Request.CONFIGURED)
        return self

    def homing(self):
        self.idle().cycle(None, Request.HOME)
        return self

    def standby(self):
        self.homing().run(20)
        assert self.verdict.mode is Mode.STANDBY
        assert self.verdict.action is Action.HOLDING
        return self

    def engaging(self):
        self.standby().cycle(None, Request.ENGAGE)
        assert self.verdict.mode is Mode.ENGAGING
        return self

    def engaged(self):
        self.engaging().cycle(None, Request.RISEN)
        assert self.verdict.mode is Mode.ENGAGED
        return self

    def moving(self, speed_m_s=(0.1, -0.08, 0.06, -0.04, 0.02, 0.0), cycles=60):
        """Engaged and at these speeds, reached by the same acceleration in every cycle."""
        self.engaged()
        for i in range(1, cycles + 1):
            self.cycle(self.ask_speed(tuple(v * i / cycles for v in speed_m_s)))
            assert self.verdict.action is Action.PASSED, self.verdict
        return self

    # Setpoints

    def setpoint(self, length_m, speed_m_s=ZERO):
        self.sequence = (self.sequence + 1) % 2**32
        return Setpoint(self.sequence, length_m, speed_m_s)

    def ask_speed(self, speed_m_s):
        """Next setpoint at these mean speeds of the cycle."""
        dt = self.limits.period_s
        last = self.gate.commanded.length_m
        length = tuple(x + v * dt for x, v in zip(last, speed_m_s, strict=True))
        return self.setpoint(length, tuple(speed_m_s))

    def movement(self):
        """Last two allowed setpoints' difference [m]."""
        a, b = (v.allowed.length_m for v in self.history[-2:])
        return tuple(y - x for x, y in zip(a, b, strict=True))


def stop_way(speed, deceleration, dt, steps=None):
    """Way of a stop, added up cycle by cycle, that loses a fraction of the speed in each."""
    ratio = abs(speed) / (deceleration * dt) if steps is None else steps
    way, j = 0.0, 1
    while ratio > 1.0 and 1.0 - j / ratio > 0.0:
        way += speed * dt * (1.0 - j / ratio)
        j += 1
    return way


def stop_ends(limits, length_m, movement_m):
    """End of the shared stop of six legs, added up cycle by cycle."""
    dt = limits.period_s
    ratio = max(
        1.0,
        *(
            abs(u) / (leg.stop_deceleration_m_s2 * dt**2)
            for u, leg in zip(movement_m, limits.legs, strict=True)
        ),
    )
    return [x + stop_way(u / dt, 1.0, dt, ratio) for x, u in zip(length_m, movement_m, strict=True)]


PERMITTED = {
    Mode.STANDBY,
    Mode.ENGAGING,
    Mode.ENGAGED,
    Mode.PARKING,
    Mode.CSTOP,
    Mode.HOLD,
    Mode.FAULT,
}


class Judge:
    """Watches a gate from outside and keeps what it saw to compare with the next cycle."""

    def __init__(self, limits):
        self.limits = limits
        self.last = None
        self.movement = ZERO
        self.mode = Mode.OFF

    def watch(self, bench_inputs, verdict):
        """Raise AssertionError if this verdict breaks invariant 1, 2, 3, 4, 5, 6, 7 or 10."""
        allowed = verdict.allowed
        assert (allowed is None) == (verdict.action is Action.BLOCKED)
        if allowed is None:
            self.last, self.movement = None, ZERO
        else:
            assert verdict.mode in PERMITTED
            assert verdict.drives is DriveRequest.ENABLE
            assert all(map(math.isfinite, allowed.length_m + allowed.speed_m_s))
            if self.last is None:
                assert allowed.length_m == bench_inputs.feedback.length_m
                assert allowed.speed_m_s == ZERO
                self.last = allowed.length_m
            self._bounds(verdict, allowed)
        self.mode = verdict.mode

    def _bounds(self, verdict, allowed):
        limits, dt = self.limits, self.limits.period_s
        movement = tuple(b - a for a, b in zip(self.last, allowed.length_m, strict=True))
        rows = zip(
            limits.legs, allowed.length_m, allowed.speed_m_s, movement, self.movement, strict=True
        )
        for leg, length, speed, move, before in rows:
            assert leg.soft_min_m <= length <= leg.soft_max_m
            assert abs(move) <= leg.speed_max_m_s * dt + EPS
            assert abs(move - before) <= leg.acceleration_max_m_s2 * dt**2 + EPS
            assert abs(speed) <= leg.speed_max_m_s + 1e-5
        for leg, end, move in zip(
            limits.legs, stop_ends(limits, allowed.length_m, movement), movement, strict=True
        ):
            speed = abs(move) / dt
            margin = limits.following_base_m + speed * (
                limits.following_per_speed_s + limits.reaction_time_s
            )
            assert leg.soft_min_m + margin - EPS <= end <= leg.soft_max_m - margin + EPS
        if verdict.action in (Action.STOPPING, Action.HOLDING):
            self._one_factor(movement)
        self.last, self.movement = allowed.length_m, movement

    def _one_factor(self, movement):
        largest = max(range(6), key=lambda i: abs(self.movement[i]))
        whole = self.movement[largest]
        factor = 0.0 if whole == 0.0 else movement[largest] / whole
        assert 0.0 <= factor <= 1.0
        for move, before in zip(movement, self.movement, strict=True):
            assert abs(move - factor * before) <= EPS
