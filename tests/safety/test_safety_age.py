"""Feedback that a time stamp proves too old, or of a clock that leapt, is no feedback."""

import math

import pytest
from safety_samples import changed, make_limits

from safety.age import AgeWatch
from safety.gate import Gate, GateInputs
from safety.modes import Mode, Request, Severity
from safety.verdict import Check, Feedback

LIMITS = make_limits()
MOST_S = LIMITS.feedback_lag_growth_s
ZERO, ON, OFF = (0.0,) * 6, (True,) * 6, (False,) * 6


def told(age_s, fresh=ON, homed=ON):
    return Feedback(ZERO, ZERO, OFF, homed, (0,) * 6, fresh, age_s=changed(ZERO, 4, age_s))


def judged(age_s, **fields):
    return AgeWatch(LIMITS).step(told(age_s, **fields))


@pytest.mark.parametrize("age_s", [0.0, MOST_S, -MOST_S, 1e-6])
def test_an_age_within_the_limit_passes(age_s):
    assert judged(age_s) is None
    assert AgeWatch(LIMITS).step(None) is None


@pytest.mark.parametrize("age_s", [1.001 * MOST_S, -1.001 * MOST_S, math.inf, math.nan])
def test_one_frame_beyond_it_is_a_stop_by_leg(age_s):
    (found,) = judged(age_s)
    assert (found.check, found.leg, found.severity) == (Check.LAG, 4, Severity.STOP)
    assert found.limit == MOST_S
    assert found.cause == "lag", "one queue makes all legs late: one cause"
    assert "time stamp of the drive" in str(found)


def test_a_leg_that_is_not_fresh_is_judged_elsewhere():
    assert judged(1.0, fresh=changed(ON, 4, False)) is None


def test_the_gate_judges_it_before_homing_too():
    gate = Gate(LIMITS)
    period_s = LIMITS.period_s
    configured = GateInputs(0, period_s, 0.0, None, 0.0, told(0.0), (Request.CONFIGURED,))
    assert gate.step(configured).mode is Mode.IDLE
    verdict = gate.step(GateInputs(1, period_s, 0.0, None, 0.0, told(1.0, homed=OFF)))
    assert [fault.check for fault in verdict.faults] == [Check.LAG]
    assert verdict.mode is not Mode.IDLE
