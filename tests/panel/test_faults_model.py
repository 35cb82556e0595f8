"""Faults in words: every check has advice, values have units, a reset ends what stands."""

import math

import pytest
from feed_samples import arm_facts, batch, event, mode_event, platform_facts
from hypothesis import given
from hypothesis import strategies as st

from hil.panel.live.models.arm_words import arm_data
from hil.panel.live.models.faults import KEPT, FaultsModel, Sort, advice_key, advice_of
from hil.panel.shell.models.figures import figure, span, time_figure
from hil.panel.shell.texts import TEXTS
from hil.recording.frame import EventKind, EventRecord, Level
from hil.stations.platform.journal import violation_data
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
    assert advice_key("platform", check.name) in TEXTS
    assert len(advice_of("platform", check.name.lower())) > 20


@pytest.mark.parametrize("check", ArmCheck)
def test_every_check_of_the_arms_has_advice(check):
    assert advice_key("arm", check.name) in TEXTS
    assert len(advice_of("arm", check.name)) > 20


def test_no_advice_is_for_a_check_that_does_not_exist():
    known = {f"advice.platform.{one.name.lower()}" for one in Check} | {"advice.platform.overrun"}
    known |= {f"advice.arm.{one.name.lower()}" for one in ArmCheck}
    found = {key for key in TEXTS if key.startswith(("advice.platform.", "advice.arm."))}
    assert found == known


def test_an_unknown_check_has_general_advice():
    assert advice_of("platform", "levitation") == advice_of("platform", None)
    assert advice_of("platform", None) == TEXTS["advice.unknown"]


# --- entries -----------------------------------------------------------------------------------


def test_a_violation_becomes_a_line_with_figures_and_units():
    (entry,) = model_of(violation()).entries
    assert (entry.sort, entry.standing, entry.place) == (Sort.FAULT, True, "leg 3")
    assert (entry.value, entry.limit) == ("842 mm", "520 mm … 830 mm")
    assert entry.cause == "leg 3: position 0.842 m outside [0.520, 0.830] m"
    assert entry.advice == TEXTS["advice.platform.position"]


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
    assert model.standing == 0


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
    assert model.standing == stands
    assert (model.serial > serial) is (stands == 0)


def test_the_order_within_one_look_is_kept():
    model = model_of(violation(1.0), mode_event("IDLE", 1.5), violation(2.0))
    assert [entry.standing for entry in model.entries] == [True, False]
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


# --- the arms' words ---------------------------------------------------------------------------

NUMBERS = st.one_of(
    st.floats(-500.0, 500.0).map(lambda x: round(x, 3)), st.floats(-1e-4, 1e-4), st.just(0.0)
)
UNITS = {
    ArmCheck.POSITION: "rad", ArmCheck.RATE: "rad/s", ArmCheck.ACCELERATION: "rad/s^2",
    ArmCheck.GRIPPER_SPEED: "m/s", ArmCheck.GRIPPER_TURN: "rad/s", ArmCheck.REACH: "m",
    ArmCheck.MARGIN: "1", ArmCheck.CLEARANCE: "m", ArmCheck.CORNER: "m", ArmCheck.FINITE: "rad",
}  # fmt: skip
NOTES = {
    ArmCheck.MARGIN: "wrist singularity",
    ArmCheck.CLEARANCE: "column and forearm",
    ArmCheck.FINITE: "joint angle",
    ArmCheck.START: "the robot is 3 mm from the planned start: bring it there",
    ArmCheck.LATCHED: "since waypoint 3",
    ArmCheck.INTERNAL: "ValueError: no",
}
RANGED = (ArmCheck.POSITION, ArmCheck.RATE, ArmCheck.ACCELERATION)
TOLD = (ArmCheck.START, ArmCheck.LATCHED, ArmCheck.INTERNAL)


@given(
    st.sampled_from(ArmCheck), st.sampled_from(["", "rm01", "RM-01"]), NUMBERS, NUMBERS, NUMBERS,
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_words_of_a_refusal_are_read_back(check, arm, value, limit, low, jointed, noted):
    joint = "joint 3" if jointed and arm and check not in TOLD else ""
    note = NOTES.get(check, "at the waypoint before" if noted else "")
    value = math.nan if check is ArmCheck.FINITE else value
    low = low if check in RANGED else None
    broken = ArmViolation(check, arm, joint, value, limit, UNITS.get(check, ""), low, note)
    data = arm_data(broken.message)
    assert data is not None, broken.message
    assert (data["check"], data["arm"], data["joint"]) == (check.name, arm, joint)
    if check in TOLD:
        return
    assert data["unit"] == broken.unit
    if check is ArmCheck.FINITE:
        assert math.isnan(data["value"])
        return
    assert data["value"] == pytest.approx(value, rel=1e-8, abs=2e-10)
    assert data["limit"] == pytest.approx(limit, rel=1e-8, abs=2e-10)
    assert data["low"] == (None if low is None else pytest.approx(low, rel=1e-8, abs=2e-10))


def test_other_words_are_none_of_these():
    assert arm_data("the start is agreed; the stream begins") is None
    assert arm_data("robot: something went wrong") is None


def test_an_arms_refusal_without_data_still_has_place_figures_and_advice():
    broken = ArmViolation(ArmCheck.RATE, "rm01", "joint 5", 2.1, 1.5, "rad/s", -1.5)
    told = event("violation", broken.message, 1.0)
    (entry,) = model_of(told, facts=arm_facts()).entries
    assert entry.place == "rm01, joint 5"
    assert (entry.value, entry.limit) == ("120.3 °/s", "−85.94 °/s … 85.94 °/s")
    assert entry.advice == TEXTS["advice.arm.rate"]
    (same,) = model_of(
        event("violation", broken.message, 1.0, **broken.data), facts=arm_facts()
    ).entries
    assert same == entry


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
