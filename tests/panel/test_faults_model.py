"""Faults in words: every check has advice, values have units, a reset ends what stands."""

import math

import pytest
from feed_samples import arm_facts, batch, event, mode_event, platform_facts

from hil.panel.live.models.faults import KEPT, FaultsModel, Sort, advice_of
from hil.panel.widgets.figures import figure, span, time_figure
from hil.recording.events import EventKind, EventRecord, Level
from hil.stations.arm.views import VIEWS as ARM
from hil.stations.platform.cycle.journal import violation_data
from hil.stations.platform.views import VIEWS as PLATFORM
from safety.arm_limits import ArmCheck, ArmViolation
from safety.modes import Severity
from safety.verdict import Check, Violation


def violation(t_s=1.0, check=Check.POSITION, leg=3, value=0.842, limit=0.83, unit="m", low=0.52):
    broken = Violation(check, leg, value, limit, unit, Severity.STOP, low)
    kind, level = EventKind.VIOLATION, Level.ERROR
    data = violation_data(broken)
    return EventRecord(t_s, round(1e3 * t_s), kind, level, "gate", str(broken), data)


def model_of(*events, facts=None):
    model = FaultsModel(facts or platform_facts())
    model.take(batch(platform_facts(), *events, count=0), 0.0)
    return model


def refusal(t_s=2.0):
    data = {"taken": False, "button": "engage"}
    return event("note", "pressed, nothing done: ENGAGE: no", t_s, Level.INFO, "operator", **data)


# --- advice ------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", Check)
def test_every_check_of_the_platform_has_advice(check):
    assert check.name.lower() in PLATFORM.advice
    assert len(advice_of(PLATFORM, check.name.lower())) > 20


@pytest.mark.parametrize("check", ArmCheck)
def test_every_check_of_the_arms_has_advice(check):
    assert check.name.lower() in ARM.advice
    assert len(advice_of(ARM, check.name)) > 20


def test_no_advice_is_for_a_check_that_does_not_exist():
    assert set(PLATFORM.advice) == {one.name.lower() for one in Check} | {"overrun"}
    assert set(ARM.advice) == {one.name.lower() for one in ArmCheck}


def test_an_unknown_check_has_general_advice():
    assert advice_of(PLATFORM, "levitation") == advice_of(PLATFORM, None)
    assert advice_of(PLATFORM, None) == (
        "Read the cause; have the machine looked at before going on if it is not understood."
    )


# --- entries -----------------------------------------------------------------------------------


def test_a_violation_becomes_a_line_with_figures_and_units():
    (entry,) = model_of(violation()).entries
    assert (entry.sort, entry.active, entry.place) == (Sort.FAULT, True, "leg 3")
    assert (entry.value, entry.limit) == ("842 mm", "520 mm … 830 mm")
    assert entry.cause == "leg 3: position 0.842 m outside [0.520, 0.830] m"
    assert entry.advice == (
        "The motion leaves the leg's travel. Make it smaller or move its neutral pose; "
        "`hil check` prints what makes it fit. Reset, then home."
    )


def test_what_is_told_by_words_alone_shows_no_figures():
    broken = Violation(Check.INTERNAL, None, 0, 0, "", Severity.LOCKOUT, note="allowed is outside")
    told = EventRecord(
        1.0, 1, EventKind.VIOLATION, Level.ERROR, "gate", str(broken), violation_data(broken)
    )
    (entry,) = model_of(told).entries
    assert (entry.place, entry.value, entry.limit) == ("", "–", "–")


def test_newest_first():
    model = model_of(violation(1.0), violation(2.0, Check.SPEED, 1, 0.4, 0.3, "m/s"))
    assert [entry.t_s for entry in model.entries] == [2.0, 1.0]


def test_presses_that_did_nothing_and_warnings_are_told_but_do_not_stand():
    bridged = event("note", "setpoint missing", 3.0, Level.WARNING, check="missing", value=1)
    quiet = event("note", "request", 3.1, Level.DEBUG, check="request", value=0)
    taken = event("note", "HOME pressed", 3.2, Level.INFO, "operator", taken=True, button="home")
    model = model_of(refusal(), bridged, quiet, taken)
    assert [entry.sort for entry in model.entries] == [Sort.WARNING, Sort.REFUSAL]
    assert model.active == 0


def test_a_fatal_note_is_a_fault():
    (entry,) = model_of(event("note", "given up: CSTOP lasted", 1.0, Level.FATAL)).entries
    assert entry.sort is Sort.FAULT


@pytest.mark.parametrize(
    ("name", "stands"),
    [("CSTOP", 1), ("QSTOP", 1), ("FAULT", 1), ("HOLD", 1), ("LOCKOUT", 1), ("OFF", 1),
     ("IDLE", 0), ("PARKING", 0), ("STANDBY", 0)],
)  # fmt: skip
def test_a_fault_stands_until_it_was_reset_or_parked(name, stands):
    model = model_of(violation())
    serial = model.serial
    model.take(batch(platform_facts(), mode_event(name, 1.5), count=0), 0.0)
    assert model.active == stands
    assert (model.serial > serial) is (stands == 0)


def test_the_order_within_one_look_is_kept():
    model = model_of(violation(1.0), mode_event("IDLE", 1.5), violation(2.0))
    assert [entry.active for entry in model.entries] == [True, False]
    model.forget()
    assert [entry.t_s for entry in model.entries] == [2.0]
    serial = model.serial
    model.forget()
    assert model.serial == serial


def test_a_seek_begins_anew_and_the_table_does_not_grow_for_ever():
    model = model_of(*(violation(float(k)) for k in range(KEPT + 20)))
    assert len(model.entries) == KEPT
    assert model.entries[0].t_s == KEPT + 19
    model.take(batch(platform_facts(), violation(5.0), restart=True, count=0), 0.0)
    assert [entry.t_s for entry in model.entries] == [5.0]


def test_a_line_for_the_clipboard_has_all_parts():
    (entry,) = model_of(violation()).entries
    parts = entry.line().split("\t")
    assert parts[:4] == ["1.000 s", "fault", "standing", "leg 3"]
    assert parts[-1] == entry.advice


# --- the arms' refusals ------------------------------------------------------------------------


def test_an_arms_refusal_has_place_figures_and_advice():
    broken = ArmViolation(ArmCheck.RATE, "rm01", "joint 5", 2.1, 1.5, "rad/s", -1.5)
    told = event("violation", broken.message, 1.0, **broken.data)
    (entry,) = model_of(told, facts=arm_facts()).entries
    assert entry.place == "rm01, joint 5"
    assert (entry.value, entry.limit) == ("120.3 °/s", "−85.94 °/s … 85.94 °/s")
    assert entry.advice == (
        "A joint would turn too fast. Slow the motion, or stay further from singularities."
    )


# --- figures -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (0.842, "m", "842 mm"),
        (-0.0132, "m", "−13.20 mm"),
        (math.pi, "rad", "180°"),
        (0.5, "rad/s", "28.65 °/s"),
        (9.81, "m/s^2", "9.810 m/s²"),
        (3.0, "cycles", "3 cycles"),
        (0.25, "1", "0.2500"),
        (math.nan, "m", "NaN mm"),
        (-math.inf, "s", "−∞ s"),
        (None, "m", "–"),
    ],
)
def test_figures(value, unit, words):
    assert figure(value, unit) == words


def test_a_range_or_the_one_limit_that_there_is():
    assert span(None, 0.3, "m/s") == "300 mm/s"
    assert span(0.1, 0.3, "m") == "100 mm … 300 mm"
    assert span(None, None, "m") == "–"


@pytest.mark.parametrize(
    ("value_s", "words"),
    [(0.0, "0 µs"), (6.31e-5, "63.1 µs"), (1.02e-3, "1.02 ms"), (0.35, "350 ms"), (2.0, "2.00 s"),
     (math.nan, "–")],
)  # fmt: skip
def test_short_times(value_s, words):
    assert time_figure(value_s) == words
