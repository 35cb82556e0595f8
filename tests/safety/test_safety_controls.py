"""Positive controls: with one reaction taken out of the gate, the judge must find it out.

Each attack is played twice: against the whole gate, which the judge must find in order, and against
a gate whose reaction was patched away, which the judge must convict under the rule that is named.
"""

import math
from dataclasses import replace

import pytest
from safety_judge import Judge
from safety_samples import DT, NO, START, YES, ZERO, Bench, changed, make_limits

from safety.controlled_stop import StopRamp
from safety.modes import Mode, Request
from safety.verdict import Check

SPEED = (0.1, -0.08, 0.06, -0.04, 0.02, 0.0)


def judged(**changes):
    limits = make_limits(**changes)
    return Bench(limits, judge=Judge(limits))


# Attacks


def press_on(bench, cycles=3000):
    """Drive leg 6 towards its end without ever braking."""
    bench.engaged()
    speed = 0.0
    for _ in range(cycles):
        if bench.gate.mode is not Mode.ENGAGED:
            return
        speed = min(speed + 0.004, 0.3)
        bench.cycle(bench.ask_speed(changed(ZERO, 6, speed)))


def go_fast(bench):
    """Accelerate leg 6 gently past its speed limit of 0.35 m/s."""
    bench.engaged()
    for i in range(100):
        if bench.gate.mode is Mode.ENGAGED:
            bench.cycle(bench.ask_speed(changed(ZERO, 6, 0.004 * (i + 1))))


def jump(offset):
    def attack(bench):
        bench.moving()
        asked = bench.ask_speed(SPEED)
        bench.cycle(replace(asked, length_m=changed(asked.length_m, 2, START[1] + offset)))
        bench.run(3)

    return attack


def ask_nan(bench):
    bench.moving()
    asked = bench.ask_speed(SPEED)
    bench.cycle(replace(asked, length_m=changed(asked.length_m, 5, math.nan)))


def ask_feed_forward(value):
    def attack(bench):
        bench.moving()
        asked = bench.ask_speed(SPEED)
        bench.cycle(replace(asked, speed_m_s=changed(asked.speed_m_s, 5, value)))

    return attack


def start_elsewhere(bench):
    bench.engaging()
    bench.cycle(bench.setpoint(tuple(x + 5e-6 for x in START), (0.0025,) * 6))


def fall_silent(bench):
    bench.moving()
    bench.run(20)


def stop(bench):
    bench.moving()
    bench.cycle(None, Request.HOLD)
    bench.run(100)


def stop_while_lagging(bench):
    bench.moving()
    lagging = bench.read(length_m=tuple(x - 0.003 for x in bench.length_m))
    bench.cycle(None, Request.HOLD, fb=lagging)


def every_cycle(**changes):
    def attack(bench):
        bench.moving()
        for _ in range(6):
            if bench.gate.mode is Mode.ENGAGED:
                bench.cycle(bench.ask_speed(SPEED), **changes)

    return attack


def every_feedback(**fields):
    def attack(bench):
        bench.moving()
        for _ in range(6):
            if bench.gate.mode is Mode.ENGAGED:
                bench.cycle(bench.ask_speed(SPEED), fb=bench.read(**fields))

    return attack


def stray(bench):
    """All legs report 4.9 mm too much: outside the window of a leg at rest, and still no jump."""
    bench.moving()
    for _ in range(6):
        if bench.gate.mode is Mode.ENGAGED:
            away = tuple(x + 0.0049 for x in bench.length_m)
            bench.cycle(bench.ask_speed(SPEED), fb=bench.read(length_m=away))


def freeze(bench):
    """Leg 1 repeats its length; slowly enough for the following window not to see it first."""
    bench.moving((0.03, 0.02, 0.0, 0.0, 0.0, 0.0))
    frozen = bench.length_m[0]
    for _ in range(60):
        if bench.gate.mode is Mode.ENGAGED:
            bench.cycle(
                bench.ask_speed((0.03, 0.02, 0.0, 0.0, 0.0, 0.0)),
                fb=bench.read(length_m=changed(bench.length_m, 1, frozen)),
            )


def leap(bench):
    """Leg 3 reports 50 mm more from one frame to the next, once."""
    bench.moving()
    leapt = changed(bench.length_m, 3, bench.length_m[2] + 0.05)
    bench.cycle(bench.ask_speed(SPEED), fb=bench.read(length_m=leapt))


def press_estop(*channels):
    """Engaged and moving, then these channels, cycle by cycle, with the reset button tried."""

    def attack(bench):
        bench.moving()
        for pair in channels:
            asked = bench.ask_speed(SPEED) if bench.gate.commanded else None
            bench.cycle(asked, estop=pair)
        for level in (False, True, False, True):
            for _ in range(10):
                bench.cycle(None, estop=channels[-1], reset=level)

    return attack


def repeat(bench):
    bench.moving()
    for _ in range(3):
        if bench.gate.mode is Mode.ENGAGED:
            asked = bench.ask_speed(SPEED)
            bench.sequence -= 1
            bench.cycle(replace(asked, sequence=bench.sequence))


def start_while_moving(bench):
    bench.homing()
    for _ in range(30):
        speed = ZERO if bench.gate.mode is Mode.HOMING else (0.05,) * 6
        bench.cycle(fb=bench.read(speed_m_s=speed))


def fault_then_reset_with(**fields):
    def attack(bench):
        bench.moving()
        bench.cycle(bench.setpoint(ZERO))
        bench.run(150)
        bench.cycle(fb=bench.read(**fields), reset=True)

    return attack


def two_faults(bench):
    bench.moving()
    bench.cycle(fb=bench.read(fault_code=(1, 1, 0, 0, 0, 0)))
    bench.run(20)


def lock_out(bench):
    bench.moving()
    bench.gate._command.target = None
    bench.run(3)
    bench.run(3, reset=True)


def run_while_off(bench):
    bench.idle()
    bench.run(30)


def held_reset(bench):
    bench.moving()
    bench.cycle(bench.setpoint(ZERO), reset=True)
    bench.run(300, reset=True)


# Patches: each takes one reaction out.


def blind_checks(bench):
    bench.gate._checks.judge = lambda *_: []


def no_second_look(bench):
    free = (-math.inf, math.inf, math.inf, math.inf, math.inf)
    bench.gate._command._bounds = (free,) * 6

    def advance(length_m, speed_m_s):
        command = bench.gate._command
        moves = zip(command.target.length_m, length_m, strict=True)
        command.movement_m = tuple(b - a for a, b in moves)
        command.target = replace(command.target, length_m=length_m, speed_m_s=speed_m_s)

    bench.gate._command.advance = advance


def blind(bench):
    blind_checks(bench)
    no_second_look(bench)


def no_braking_check(bench):
    bench.gate._checks._judge_stopping = lambda *_: None


def no_start_check(bench):
    bench.gate._checks.start_offset = lambda *_: []


def any_start(bench):
    def obstacles(feedback, standing):
        return []

    bench.gate._checks.start_obstacles = obstacles


def endless_bridge(bench):
    bench.gate._stream._missing_max = 10**6


class LegByLeg(StopRamp):
    """Each leg stops on its own, the fault that twists a platform."""

    def length_m(self, cycle):
        brake = 8e-6
        return tuple(
            x + sum(math.copysign(max(0.0, abs(u) - brake * j), u) for j in range(1, cycle + 1))
            for x, u in zip(self.start_m, self.movement_m, strict=True)
        )


def leg_by_leg(bench):
    command = bench.gate._command
    begin = command.begin_stop

    def begin_stop():
        begin()
        ramp = command._ramp
        command._ramp = LegByLeg(ramp.start_m, ramp.movement_m, ramp.ratio)

    command.begin_stop = begin_stop


def from_measured(bench):
    no_second_look(bench)
    command = bench.gate._command
    begin = command.begin_stop

    def begin_stop():
        begin()
        ramp = command._ramp
        measured = tuple(x - 0.003 for x in bench.length_m)
        command._ramp = StopRamp(measured, ramp.movement_m, ramp.ratio)

    command.begin_stop = begin_stop


def soft_stop(bench):
    no_second_look(bench)
    command = bench.gate._command
    command._brake_steps_m = tuple(0.3 * brake for brake in command._brake_steps_m)


def no_cycle_watch(bench):
    bench.gate._cycle.step = lambda *_: []


def no_feedback_watch(bench):
    bench.gate._feedback.step = lambda *_: []
    bench.gate._lag.step = lambda *_: None  # a leg that strays lags as well


def run_away(bench):
    """Two drives drop out, which is a quick stop, and leg 4 becomes faster and faster in it."""
    bench.moving()
    bench.cycle(bench.ask_speed(SPEED), fb=bench.read(enabled=(False, False, *YES[2:])))
    for k in range(100):
        speeds = changed(ZERO, 4, 0.008 * k)
        bench.cycle(None, fb=bench.read(speed_m_s=speeds, enabled=NO))


def no_quick_stop_watch(bench):
    bench.gate._quick_stop.step = lambda *_: []


def no_plausibility(bench):
    bench.gate._plausible.step = lambda *_: None


def no_estop_watch(bench):
    bench.gate._estop.step = lambda *_: []


def no_comparison(bench):
    bench.gate._estop._compare = lambda *_: None


def ageless(bench):
    bench.gate._stream._watch._age_max_s = math.inf


def sequenceless(bench):
    watch = bench.gate._stream._watch
    take = watch.take

    def taken(asked, age_s, found):
        watch._last = None
        return take(asked, age_s, found)

    watch.take = taken


class AlwaysTrue:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        return True

    def __set__(self, instance, value):
        pass


def patched_class(bench, **attributes):
    gate = bench.gate
    gate.__class__ = type("Patched", (type(gate),), attributes)


def reset_by_level(bench):
    patched_class(bench, _reset_was_low=AlwaysTrue())


def reset_at_any_time(bench):
    bench.gate._interlock.close = lambda causes: None


def go_on(bench):
    """Control goes silent in the motion, and goes on with its program."""
    bench.moving()
    bench.run(40, absent="silent")
    for request in [Request.PARK, Request.PARKED, Request.ENGAGE, Request.RISEN] * 3:
        bench.cycle(None, request)
        bench.run(20)


def home_again(bench):
    """Control goes silent while the legs home, and asks for it again."""
    bench.engaging().cycle(None, Request.HOLD)
    bench.run(20)
    bench.cycle(None, Request.SHUT_DOWN)
    bench.cycle(None, Request.CONFIGURED)
    bench.homed = NO
    bench.cycle(None, Request.HOME)
    bench.run(3, absent="gone", fb=bench.read(homed=NO))
    for _ in range(10):
        bench.cycle(None, Request.HOME)


def park_again(bench):
    """Parking, which was part of a stop, is broken off; control asks for it again."""
    bench.moving()
    bench.run(60)
    bench.cycle(None, Request.PARK)
    bench.run(5, absent="silent")
    bench.run(20)
    bench.cycle(None, Request.PARK)


def no_interlock(bench):
    bench.gate._interlock.objection = lambda following: ""


def forgetful_interlock(bench):
    bench.gate._interlock.entered = lambda mode: None


def reset_while_moving(bench):
    still = bench.gate._still
    still.__class__ = type("Standing", (type(still),), {"all_legs": True, "reporting_legs": True})


def power_again(bench):
    released = property(lambda self: False, lambda self, value: None)
    patched_class(bench, _released=released)


def a_way_out_of_lockout(bench):
    observe = bench.gate._observe

    def forgiving(inputs):
        if bench.gate._mode is Mode.LOCKOUT and inputs.reset:
            bench.gate._mode = Mode.IDLE
        return observe(inputs)

    bench.gate._observe = forgiving


def command_in_idle(bench):
    bench.gate._command.start(START)
    bench.gate._command.drop = lambda: None


CONTROLS = {
    "position and braking": (press_on, blind, "2: soft limits|4: stoppable"),
    "braking": (press_on, no_braking_check, "4: stoppable"),
    "speed": (go_fast, blind, "3: speed"),
    "position": (jump(9.0), blind, "2: soft limits|4: stoppable"),
    "acceleration": (jump(0.0066), blind, "3: acceleration|3: speed"),
    "finite": (ask_nan, blind, "1: finite"),
    "feed-forward": (ask_feed_forward(0.03), blind_checks, "3: feed-forward"),
    "feed-forward limit": (ask_feed_forward(5.0), blind, "3: asked speed"),
    "start": (start_elsewhere, no_start_check, "the stream starts elsewhere"),
    "start at rest": (start_while_moving, any_start, "6: "),
    "missing": (fall_silent, endless_bridge, "too many setpoints are missing"),
    "one factor": (stop, leg_by_leg, "7: six legs share one factor"),
    "from commanded": (stop_while_lagging, from_measured, "3: |4: |5: "),
    "end of the stop": (stop, soft_stop, "5: the stop ends"),
    "cycle time": (every_cycle(elapsed_s=4 * DT), no_cycle_watch, "18: "),
    "no time": (every_cycle(elapsed_s=0.0), no_cycle_watch, "18: "),
    "hurry": (every_cycle(elapsed_s=0.3 * DT), no_cycle_watch, "18: "),
    "late": (every_cycle(late_s=4 * DT), no_cycle_watch, "18: "),
    "age": (every_cycle(setpoint_age_s=1.0), ageless, "13: age"),
    "sequence": (repeat, sequenceless, "13: sequence"),
    "silence": (every_cycle(fb=None), no_feedback_watch, "feedback is missing"),
    "lost leg": (
        every_feedback(fresh=changed(YES, 4, False)),
        no_feedback_watch,
        "feedback is missing",
    ),
    "fault code": (
        every_feedback(fault_code=(0, 0, 0, 0, 1, 0)),
        no_feedback_watch,
        "drives in trouble",
    ),
    "disabled": (
        every_feedback(enabled=changed(YES, 4, False)),
        no_feedback_watch,
        "drives in trouble",
    ),
    "feedback NaN": (
        every_feedback(speed_m_s=changed(ZERO, 4, math.nan)),
        no_feedback_watch,
        "drives in trouble",
    ),
    "following": (stray, no_feedback_watch, "following error"),
    "runaway": (run_away, no_quick_stop_watch, "QSTOP: a leg runs away"),
    "24 stuck": (freeze, no_plausibility, "24: a length is stuck"),
    "25 jump": (leap, no_plausibility, "25: a measured length jumped"),
    "45 open": (press_estop(*[(False, False)] * 3), no_estop_watch, "45: "),
    "45 one channel": (press_estop(*[(True, False)] * 3), no_estop_watch, "45: "),
    "45 broken wire": (press_estop(*[None] * 3), no_estop_watch, "45: "),
    "46 welded": (
        press_estop(*[(True, False)] * 25, *[(True, True)] * 3),
        no_comparison,
        "46: the channels",
    ),
    "reset edge": (held_reset, reset_by_level, "11: its rising edge|11: standstill"),
    "reset cause": (
        fault_then_reset_with(fault_code=(1, 0, 0, 0, 0, 0)),
        reset_at_any_time,
        "11: the cause is gone",
    ),
    "reset standstill": (
        fault_then_reset_with(speed_m_s=(0.1,) * 6),
        reset_while_moving,
        "11: standstill",
    ),
    "power after a quick stop": (two_faults, power_again, "no power again"),
    "restart silent, goes on": (go_on, no_interlock, "restart: started again"),
    "restart silent in homing": (home_again, no_interlock, "restart: started again"),
    "restart parks twice": (park_again, forgetful_interlock, "restart: parked twice"),
    "lockout": (lock_out, a_way_out_of_lockout, "11: lockout has no exit"),
    "unarmed": (run_while_off, command_in_idle, "10: |6: "),
}


def attack_limits(name):
    if name == "start":
        return judged(start_tolerance_m=1e-6)
    if name == "24 stuck":
        return judged(stuck_movement_m=0.0001)
    if name.startswith(("45", "46")):
        return judged(estop_fitted=True)
    return judged()


@pytest.mark.parametrize("name", CONTROLS)
def test_the_whole_gate_withstands_the_attack(name):
    attack, _, _ = CONTROLS[name]
    attack(attack_limits(name))


@pytest.mark.parametrize("name", CONTROLS)
@pytest.mark.pure_build
def test_without_the_reaction_the_attack_is_found_out(name):
    attack, patch, rule = CONTROLS[name]
    bench = attack_limits(name)
    if attack in PATCHED_BEFORE:
        patch(bench)
    else:
        patch_after_start(bench, patch)
    with pytest.raises(AssertionError, match=rule):
        attack(bench)


PATCHED_BEFORE = (start_while_moving, run_while_off)


def patch_after_start(bench, patch):
    """Let the bench come up unharmed: the patch is made when the attack's own start is over."""
    for name in ("moving", "engaged", "engaging"):
        start = getattr(bench, name)

        def started(*args, start=start, **kwargs):
            result = start(*args, **kwargs)
            if not bench.__dict__.get("patched"):
                bench.patched = True
                patch(bench)
            return result

        setattr(bench, name, started)


def test_the_attacks_provoke_every_check():
    """A check that no attack provokes would have no control."""
    provoked = set()
    for name, (attack, _, _) in CONTROLS.items():
        bench = attack_limits(name)
        attack(bench)
        provoked |= {v.check for verdict in bench.history for v in verdict.violations}
    # Of these: test_late_feedback.py in tests/faults, test_safety_{load,first_motion}.py.
    elsewhere = {Check.LAG, Check.FORCE, Check.WARNING, Check.FIRST_SETPOINT, Check.FIRST_MOTION}
    assert provoked | elsewhere == set(Check)
