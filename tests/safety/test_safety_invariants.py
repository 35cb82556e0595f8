"""The invariants, for any sequence of inputs, under an independent judge with a virtual clock."""

import math
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from properties import at_least
from pure_build import COMPILED
from safety_judge import Judge
from safety_samples import DT, START, YES, ZERO, Bench, changed, make_limits, stop_ends

from safety.gate import Gate
from safety.modes import Mode, Request
from safety.verdict import Action, Check, Setpoint

LIMITS = make_limits(estop_fitted=True)
HALF_SPEED_M_S = tuple(0.5 * leg.speed_max_m_s for leg in LIMITS.legs)
legs = st.integers(1, 6)
odd_numbers = st.sampled_from([math.nan, math.inf, -math.inf, 1e308, -1e308, 0.0, 5e-324])


def patient(examples):
    unhealthy = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(at_least(examples), suppress_health_check=unhealthy)


@cache
def _prepared(start):
    bench = Bench(LIMITS, judge=Judge(LIMITS))
    if start == "fast":
        bench.moving(speed_m_s=HALF_SPEED_M_S, cycles=100)
    elif start != "off":
        getattr(bench, start)()
    return bench


def judged(start="off"):
    """A judged bench in this mode, prepared once and then copied but for what never changes.

    A compiled gate cannot be copied: it is prepared each time.
    """
    if COMPILED:
        return _prepared.__wrapped__(start)
    bench = _prepared(start)
    frozen = {id(value): value for value in (LIMITS, *bench.history)}
    return deepcopy(bench, frozen)


def push(bench, shares):
    """A setpoint that accelerates each leg by this share of what it may."""
    commanded = bench.gate.commanded
    if commanded is None:
        return bench.setpoint(bench.length_m)
    dt = bench.limits.period_s
    speed = [
        u / dt + share * leg.acceleration_max_m_s2 * dt
        for u, share, leg in zip(bench.judge.movement, shares, bench.limits.legs, strict=True)
    ]
    return bench.ask_speed(tuple(speed))


# One cycle of trouble: what is asked, and what is changed in the inputs.


@dataclass(frozen=True)
class Step:
    kind: str
    shares: tuple
    leg: int
    odd: float
    change: str
    requests: tuple
    reset: bool

    def play(self, bench):
        asked = push(bench, self.shares)
        changes = {}
        if self.kind == "none":
            asked = None
        elif self.kind == "odd":
            asked = replace(asked, length_m=changed(asked.length_m, self.leg, self.odd))
        elif self.kind == "odd_speed":
            asked = replace(asked, speed_m_s=changed(asked.speed_m_s, self.leg, self.odd))
        elif self.kind == "jump":
            asked = replace(asked, length_m=changed(asked.length_m, self.leg, 1.0))
        elif self.kind == "stale":
            changes["setpoint_age_s"] = self.odd if self.odd != 0.0 else 1.0
        elif self.kind == "repeated":
            asked = replace(asked, sequence=max(0, asked.sequence - 1))
        fb = bench.read()
        if self.change in FEEDBACK_CHANGES:
            fb = FEEDBACK_CHANGES[self.change](fb, self.leg, self.odd)
        elif self.change in CYCLE_CHANGES:
            changes.update(CYCLE_CHANGES[self.change](bench))
        return bench.cycle(asked, *self.requests, fb=fb, reset=self.reset, **changes)


FEEDBACK_CHANGES = {
    "silent": lambda fb, leg, odd: None,
    "lost": lambda fb, leg, odd: replace(fb, fresh=changed(YES, leg, False)),
    "fault": lambda fb, leg, odd: replace(fb, fault_code=changed((0,) * 6, leg, 0x7500)),
    "dropped": lambda fb, leg, odd: replace(fb, enabled=changed(fb.enabled, leg, False)),
    "unhomed": lambda fb, leg, odd: replace(fb, homed=changed(fb.homed, leg, False)),
    "away": lambda fb, leg, odd: replace(fb, length_m=changed(fb.length_m, leg, 0.99)),
    "odd": lambda fb, leg, odd: replace(fb, length_m=changed(fb.length_m, leg, odd)),
    "moving": lambda fb, leg, odd: replace(fb, speed_m_s=changed(fb.speed_m_s, leg, 0.1)),
}
CYCLE_CHANGES = {
    "estop": lambda bench: {"estop": (False, False)},
    "estop 1": lambda bench: {"estop": (False, True)},
    "estop 2": lambda bench: {"estop": (True, False)},
    "estop gone": lambda bench: {"estop": None},
    "late": lambda bench: {"late_s": 1.0},
    "long": lambda bench: {"elapsed_s": 4.0 * DT},
    "short": lambda bench: {"elapsed_s": 0.4 * DT},
    "none": lambda bench: {"elapsed_s": 0.0},
    "nan": lambda bench: {"elapsed_s": math.nan},
    "again": lambda bench: {"index": bench.index - 1},
    "skipped": lambda bench: {"index": bench.index + 1},
}
shares = st.one_of(
    st.tuples(*[st.floats(-1.0, 1.0)] * 6),
    st.sampled_from([(1.0,) * 6, (-1.0,) * 6, (1.0, -1.0) * 3, (0.0,) * 6]),
)
calm = st.builds(
    Step,
    kind=st.just("push"),
    shares=shares,
    leg=legs,
    odd=st.just(0.0),
    change=st.just("no"),
    requests=st.just(()),
    reset=st.just(False),
)
trouble = st.builds(
    Step,
    kind=st.sampled_from(["push"] * 6 + ["none", "odd", "odd_speed", "jump", "stale", "repeated"]),
    shares=shares,
    leg=legs,
    odd=odd_numbers,
    change=st.sampled_from(["no"] * 20 + [*FEEDBACK_CHANGES, *CYCLE_CHANGES]),
    requests=st.one_of(
        st.just(()), st.just(()), st.lists(st.sampled_from(Request), max_size=3).map(tuple)
    ),
    reset=st.booleans(),
)
blocks = st.tuples(st.integers(1, 60), st.one_of(calm, calm, trouble))
starts = st.sampled_from(["idle", "homing", "standby", "engaging", "engaged", "moving"])


def play(start, plan):
    bench = judged(start)
    for count, item in plan:
        for _ in range(count):
            item.play(bench)
    return bench


@patient(150)
@given(starts, st.lists(blocks, max_size=12))
def test_invariants_1_to_7_10_11_13_18_hold_for_any_sequence(start, plan):
    play(start, plan)


@patient(60)
@given(st.lists(st.tuples(st.integers(5, 200), shares), min_size=1, max_size=6))
def test_invariants_2_3_4_hold_up_to_the_limits_and_the_stop_is_used_to_the_full(plan):
    """Full acceleration for long: the gate itself has to stop the legs, and does."""
    bench = judged("engaged")
    for count, share in plan:
        for _ in range(count):
            if bench.gate.mode is Mode.ENGAGED:
                bench.cycle(push(bench, share))
    while bench.gate.mode in (Mode.ENGAGED, Mode.CSTOP):
        bench.cycle(bench.setpoint(ZERO))
    assert bench.gate.mode is Mode.FAULT


def test_invariant_4_the_gate_lets_a_leg_go_as_near_as_the_margin_permits():
    """The bound is not bought by forbidding motion: a planned stop reaches the very margin."""
    bench = judged("engaged")
    leg = LIMITS.legs[5]
    edge = leg.soft_max_m - LIMITS.following_base_m
    brake = leg.stop_deceleration_m_s2 * DT
    speed = 0.0
    for _ in range(1500):
        slowest, fastest = max(speed - brake, 0.0), min(speed + brake, 0.1)
        while fastest - slowest > 1e-9:
            middle = (slowest + fastest) / 2.0
            slowest, fastest = (middle, fastest) if stoppable(bench, middle) else (slowest, middle)
        speed = slowest
        bench.cycle(bench.ask_speed(changed(ZERO, 6, speed)))
        assert bench.verdict.action is Action.PASSED, bench.verdict
    assert bench.length_m[5] == pytest.approx(edge, abs=1e-5)


def stoppable(bench, speed):
    """Whether leg 6 at this speed in the next cycle can stop within the margin."""
    movement = changed(ZERO, 6, speed * DT)
    there = changed(START, 6, bench.length_m[5] + speed * DT)
    per_speed = LIMITS.following_per_speed_s + LIMITS.reaction_time_s
    margin = LIMITS.following_base_m + per_speed * speed
    return stop_ends(LIMITS, there, movement)[5] <= LIMITS.legs[5].soft_max_m - margin - 1e-9


@patient(50)
@given(st.lists(blocks, max_size=8))
def test_invariant_8_limits_hold_between_the_setpoints_too(plan):
    """A drive that goes linearly from setpoint to setpoint stays inside on the way."""
    bench = play("moving", plan)
    allowed = [v.allowed for v in bench.history]
    for a, b in pairwise(allowed):
        if a is not None and b is not None:
            for x, y, leg in zip(a.length_m, b.length_m, LIMITS.legs, strict=True):
                for part in (0.25, 0.5, 0.75):
                    assert leg.soft_min_m <= x + part * (y - x) <= leg.soft_max_m
                assert abs(y - x) / DT <= leg.speed_max_m_s + 1e-9


@patient(50)
@given(starts, st.lists(blocks, max_size=8))
def test_invariant_17_the_same_inputs_give_the_same_verdicts(start, plan):
    bench, again = judged(start), judged(start)
    for count, item in plan:
        for _ in range(count):
            item.play(bench)
            again.history.append(again.gate.step(bench.inputs))
    # repr, because a NaN inside a violation is not equal to itself.
    assert repr(again.history) == repr(bench.history)


RANK = {Mode.CSTOP: 1, Mode.FAULT: 2, Mode.QSTOP: 3, Mode.LOCKOUT: 4}
FAULTS = {
    "setpoint": {"asked": Setpoint(10_000, ZERO, ZERO)},
    "late": {"late_s": 1.0},
    "long": {"elapsed_s": 1.0},
    **{f"code{i}": {"fault_code": i} for i in range(1, 7)},
    **{f"off{i}": {"enabled": i} for i in range(1, 7)},
    **{f"away{i}": {"length_m": i} for i in range(1, 7)},
}


def after_faults(start, names, cycles):
    """Strongest reaction to these faults during some cycles, and what was latched."""
    bench = judged(start)
    reached = 0
    for _ in range(cycles):
        fb, changes, asked = bench.read(), {}, None
        for name in names:
            for key, value in FAULTS[name].items():
                if key == "asked":
                    asked = value
                elif key in ("late_s", "elapsed_s"):
                    changes[key] = value
                else:
                    wrong = {"fault_code": 1, "enabled": False, "length_m": 0.5}[key]
                    fb = replace(fb, **{key: changed(getattr(fb, key), value, wrong)})
        verdict = bench.cycle(asked, fb=fb, **changes)
        reached = max(reached, RANK.get(verdict.mode, 0))
    return reached, set(map(str, verdict.faults))


@patient(200)
@given(
    st.sampled_from(["idle", "homing", "standby", "engaging", "engaged", "moving"]),
    st.lists(st.sampled_from(sorted(FAULTS)), max_size=3),
    st.sampled_from(sorted(FAULTS)),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
def test_invariant_12_one_more_fault_never_weakens_and_order_is_nothing(
    start, names, more, cycles, random
):
    reached, _ = after_faults(start, names, cycles)
    with_more, latched = after_faults(start, [*names, more], cycles)
    assert with_more >= reached
    shuffled = [*names, more]
    random.shuffle(shuffled)
    assert after_faults(start, shuffled, cycles) == (with_more, latched)


@at_least(150)
@given(st.lists(st.floats(1e-6, 1.2 * DT), min_size=1, max_size=80))
def test_invariant_14_more_messages_buy_no_speed(elapsed):
    """However often the gate is called, the way goes with the time that has passed."""
    bench, speed = judged("fast"), HALF_SPEED_M_S
    start, time_s = bench.length_m, 0.0
    for dt in elapsed:
        verdict = bench.cycle(bench.ask_speed(speed), elapsed_s=dt)
        time_s += dt
        if verdict.action is not Action.PASSED:
            assert verdict.faults[0].check is Check.PERIOD
            break
        for a, b, v in zip(start, bench.length_m, speed, strict=True):
            assert abs(b - a) <= v * (time_s + DT) + 1e-9


class GateMachine(RuleBasedStateMachine):
    """Packets, ticks, drops, faults, resets, arming and killing in any order."""

    @initialize()
    def power_up(self):
        self.bench = judged()
        self.alive = True
        self.trouble = {}
        self.late = {}
        self.reset = False
        self.shares = (0.0,) * 6
        self.packet_kind = "push"

    def tick_once(self, *requests):
        asked = push(self.bench, self.shares) if self.alive else None
        if asked is not None and self.packet_kind == "odd":
            asked = replace(asked, length_m=changed(asked.length_m, 2, math.nan))
        fb = self.bench.read(**self.trouble)
        self.bench.cycle(asked, *requests, fb=fb, reset=self.reset, **self.late)
        self.late = {}

    @rule(share=shares, kind=st.sampled_from(["push"] * 5 + ["odd"]))
    def packet(self, share, kind):
        self.shares, self.packet_kind = share, kind

    @rule(cycles=st.integers(1, 80))
    def tick(self, cycles):
        for _ in range(cycles):
            self.tick_once()

    @rule(cycles=st.integers(1, 4))
    def drop(self, cycles):
        alive, self.alive = self.alive, False
        self.tick(cycles)
        self.alive = alive

    @rule(leg=legs, kind=st.sampled_from(["fault_code", "enabled", "homed", "fresh", "length_m"]))
    def fault(self, leg, kind):
        good = {"fault_code": (0,) * 6, "length_m": START}.get(kind, YES)
        bad = {"fault_code": 0x7500, "length_m": math.nan}.get(kind, False)
        self.trouble = {kind: changed(good, leg, bad)}
        self.tick_once()

    @rule()
    def repair(self):
        self.trouble = {}

    @rule(change=st.sampled_from([{"late_s": 1.0}, {"elapsed_s": 0.0}, {"elapsed_s": math.nan}]))
    def stumble(self, change):
        self.late = change
        self.tick_once()

    @rule(level=st.booleans())
    def press_reset(self, level):
        self.reset = level
        self.tick_once()

    @rule(request=st.sampled_from(Request))
    def ask(self, request):
        self.tick_once(request)

    @rule()
    def arm(self):
        self.alive, self.trouble, self.shares, self.packet_kind = True, {}, (0.0,) * 6, "push"
        self.reset = False
        self.tick(6)
        self.reset = True
        self.tick_once()
        for request, cycles in (
            (Request.CONFIGURED, 1),
            (Request.HOME, 12),
            (Request.ENGAGE, 1),
            (Request.RISEN, 1),
        ):
            self.tick_once(request)
            self.tick(cycles)

    @precondition(lambda self: self.alive)
    @rule()
    def kill(self):
        """Control dies: whatever was going on, the legs are at rest soon after."""
        self.alive = False
        self.tick(2 + LIMITS.missing_setpoints_max)
        self.tick(150)
        assert self.bench.judge.movement == ZERO


GateMachine.TestCase.settings = settings(patient(40), stateful_step_count=30)
TestGateMachine = GateMachine.TestCase


def test_the_judge_sees_motion_pass():
    """The properties are not met by standing still."""
    bench = judged()
    bench.moving()
    assert bench.judge.passed == 60
    assert isinstance(bench.gate, Gate)
