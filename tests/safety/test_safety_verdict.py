"""Values: what they refuse, and how violations read."""

import math
from dataclasses import FrozenInstanceError
from itertools import product

import pytest
from safety_samples import NO, YES, ZERO, changed

from hil_common.legs import LegTarget, as_six
from safety.modes import Severity
from safety.verdict import SETPOINT_CHECKS, Check, Feedback, Setpoint, Violation


def say(check, leg, value, limit, unit="m", severity=Severity.STOP, low=None, note=""):
    return str(Violation(check, leg, value, limit, unit, severity, low, note))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            say(Check.POSITION, 3, 0.842, 0.83, low=0.52),
            "leg 3: position 0.842 m outside [0.520, 0.830] m",
        ),
        (
            say(Check.POSITION, 3, 0.8300004, 0.83, low=0.52),
            "leg 3: position 0.8300004 m outside [0.520, 0.830] m",
        ),
        (
            say(Check.SPEED_MISMATCH, 1, 0.1, 0.006, "m/s"),
            "leg 1: feed-forward speed differs from the movement by 0.100 m/s, more than 0.006 m/s",
        ),
        (
            say(Check.SPEED, 6, -0.7, 0.5, "m/s", low=-0.5, note="asked feed-forward"),
            "leg 6: speed -0.700 m/s outside [-0.500, 0.500] m/s (asked feed-forward)",
        ),
        (
            say(Check.FINITE, 2, math.nan, math.inf, note="asked length"),
            "leg 2: asked length nan m is not finite",
        ),
        (say(Check.PERIOD, None, math.inf, 0.006, "s"), "cycle time inf s is not finite"),
        (
            say(Check.FEEDBACK, 4, 3, 2, "cycles"),
            "leg 4: feedback missing for 3 cycles, more than 2 cycles",
        ),
        (
            say(Check.MISSING, None, 1, 2, "cycles", Severity.INFORM, note="bridged"),
            "setpoint missing for 1 of at most 2 cycles (bridged)",
        ),
        (
            say(Check.DRIVE, 5, 0x8611, 0, "", note="reports fault 0x8611"),
            "leg 5: drive: reports fault 0x8611",
        ),
        (say(Check.REQUEST, None, 0, 0, "", note="ENGAGE refused"), "request: ENGAGE refused"),
        (
            say(Check.SEQUENCE, None, 3, 7, "", note="3 is not newer than 7"),
            "setpoint sequence: 3 is not newer than 7",
        ),
    ],
)
def test_a_violation_reads_well(text, expected):
    assert text == expected


def test_every_violation_has_a_text_whatever_its_values():
    values, limits = (math.nan, math.inf, -math.inf, 1e300, -0.0, 0), (math.nan, math.inf, 1.0)
    for check, value, limit, low in product(Check, values, limits, (None, math.nan, -1.0)):
        of_a_leg = say(check, 1, value, limit, low=low, note="n")
        of_all = say(check, None, value, limit, low=low)
        assert of_a_leg.startswith("leg 1: "), of_a_leg
        assert not of_all.startswith("leg"), of_all


def test_what_one_setpoint_does_wrong_is_one_cause_and_each_leg_is_one():
    assert {
        Violation(check, leg, 0, 0, "", Severity.STOP).cause
        for check in SETPOINT_CHECKS
        for leg in (None, 1, 2)
    } == {"setpoint"}
    drive = Violation(Check.DRIVE, 2, 0, 0, "", Severity.STOP)
    follow = Violation(Check.FOLLOWING, 2, 0, 0, "", Severity.STOP)
    lost = Violation(Check.FEEDBACK, 2, 0, 0, "", Severity.STOP)
    other = Violation(Check.FEEDBACK, 3, 0, 0, "", Severity.STOP)
    late = Violation(Check.LATE, None, 0, 0, "", Severity.STOP)
    period = Violation(Check.PERIOD, None, 0, 0, "", Severity.STOP)
    assert drive.cause == follow.cause == lost.cause != other.cause
    assert late.cause == period.cause
    assert len({drive.cause, other.cause, late.cause, "setpoint"}) == 4


@pytest.mark.parametrize("bad", [True, "1.0", None, 1j])
@pytest.mark.parametrize("leg", range(1, 7))
def test_only_numbers_become_setpoints_and_feedback(bad, leg):
    values = changed(ZERO, leg, bad)
    with pytest.raises(TypeError, match=f"length_m, leg {leg}: .* is not a number"):
        Setpoint(1, values, ZERO)
    with pytest.raises(TypeError, match=f"speed_m_s, leg {leg}: "):
        Setpoint(1, ZERO, values)
    with pytest.raises(TypeError, match=f"length_m, leg {leg}: "):
        Feedback(values, ZERO, YES, YES, (0,) * 6, YES)
    with pytest.raises(TypeError, match=f"speed_m_s, leg {leg}: "):
        Feedback(ZERO, values, YES, YES, (0,) * 6, YES)


def test_whole_numbers_and_float_subclasses_are_converted():
    class Special(float):
        pass

    setpoint = Setpoint(1, (1, Special(2.0), 3.0, 4.0, 5.0, 6.0), ZERO)
    assert setpoint.length_m == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert {*map(type, setpoint.length_m)} == {float}


@pytest.mark.parametrize("count", [0, 5, 7])
def test_six_values_are_needed(count):
    values, flags, codes = (0.0,) * count, (True,) * count, (0,) * count
    with pytest.raises(TypeError, match=f"length_m: {count} values, need 6"):
        Setpoint(1, values, ZERO)
    with pytest.raises(TypeError, match=f"speed_m_s: {count} values, need 6"):
        Setpoint(1, ZERO, values)
    for place, name in ((2, "enabled"), (3, "homed"), (4, "fault_code"), (5, "fresh")):
        arguments = [ZERO, ZERO, YES, NO, (0,) * 6, YES]
        arguments[place] = codes if name == "fault_code" else flags
        with pytest.raises(TypeError, match=f"{name}: {count} values, need 6"):
            Feedback(*arguments)
    with pytest.raises(ValueError, match="values to unpack"):
        as_six(values)


@pytest.mark.parametrize("sequence", [True, 1.0, "1", None])
def test_a_sequence_is_an_int(sequence):
    with pytest.raises(TypeError, match="is not an int"):
        Setpoint(sequence, ZERO, ZERO)


def test_a_sequence_has_32_bits():
    assert Setpoint(0, ZERO, ZERO).sequence == 0
    assert Setpoint(2**32 - 1, ZERO, ZERO).sequence == 2**32 - 1
    for sequence in (-1, 2**32):
        with pytest.raises(ValueError, match=r"outside \[0, 4294967295\]"):
            Setpoint(sequence, ZERO, ZERO)


def test_values_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        LegTarget(ZERO, ZERO).length_m = ZERO
    with pytest.raises(FrozenInstanceError):
        Setpoint(1, ZERO, ZERO).sequence = 2
