"""Limits, values, and an ideal six-leg plant behind a gate."""

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
    force_expected_n=1500.0,
    force_max_n=3000.0,
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
    "stuck_cycles": 10,
    "stuck_movement_m": 0.001,
    "jump_speed_factor": 2.0,
    "jump_base_m": 0.005,
    "feedback_lag_max_s": 0.05,
    "feedback_lag_growth_s": 0.02,
    "force_cycles": 10,
    "estop_fitted": False,
    "estop_discrepancy_cycles": 20,
}


def make_limits(**changes) -> GateLimits:
    return GateLimits(**{**VALUES, **changes})


def changed(values, leg, value):
    """A tuple of six with leg 1..6 changed."""
    return (*values[: leg - 1], value, *values[leg:])


def feedback(
    length_m=START,
    speed_m_s=ZERO,
    enabled=YES,
    homed=YES,
    fault_code=(0,) * 6,
    fresh=YES,
    judged=(False,) * 6,
):
    return Feedback(length_m, speed_m_s, enabled, homed, fault_code, fresh, judged)


class Bench:
    """A gate with drives that do exactly what they are told, one cycle per call."""

    def __init__(self, limits=None, start_m=START, judge=None):
        self.limits = limits or make_limits()
        self.gate = Gate(self.limits)
        self.judge = judge
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
            "estop": (True, True),
            "act_age_s": 0.0 if changes.get("reset") else math.inf,  # a person presses it
        }
        self.inputs = GateInputs(**{**inputs, **changes})
        verdict = self.gate.step(self.inputs)
        self.index = self.inputs.index + 1
        self._obey(verdict)
        if self.judge is not None:
            self.judge.watch(self.inputs, verdict)
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


def speed_limit_within(distance_m: float, deceleration_m_s2: float, dt_s: float) -> float:
    """Greatest speed of the next cycle from which a stop still ends within a distance.

    The next cycle covers v*dt, each later one (v - i*dv)*dt with dv = a*dt, until zero. With k
    braking cycles used up by the distance, v = (d/dt + dv*k(k+1)/2)/(k+1), and
    k = floor((-1 + sqrt(1 + 8d/(dv*dt)))/2). That v is continuous where k jumps, so rounding at the
    edge of the floor changes it by rounding only.

    Args:
        distance_m: way to the limit [m]; negative counts as none.
        deceleration_m_s2: deceleration [m/s^2].
        dt_s: cycle time [s].

    Returns:
        Speed [m/s], 0 when there is no way left.
    """
    # NaN compares false with everything, so it takes this branch too: no way known, no speed.
    if not distance_m > 0.0:
        return 0.0
    if math.isinf(distance_m):
        return math.inf
    dv = deceleration_m_s2 * dt_s
    k = math.floor((-1.0 + math.sqrt(1.0 + 8.0 * distance_m / (dv * dt_s))) / 2.0)
    return (distance_m / dt_s + dv * k * (k + 1) / 2.0) / (k + 1)


def stop_distance(speed, deceleration, dt, steps=None):
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
    return [
        x + stop_distance(u / dt, 1.0, dt, ratio) for x, u in zip(length_m, movement_m, strict=True)
    ]
