"""How a run ended: each ending is recognised, the gravest wins, the reason is the gate's own."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from report_samples import (
    GOOD,
    PERIOD_S,
    TRIP_TEXT,
    TRIPPED,
    start_of,
    violation,
    with_columns,
    write_run,
)

from hil.recording.events import EventKind, EventRecord, Level
from hil.recording.reader import Recording
from hil.report.phases import phases_of, times_s
from hil.report.run_verdict import Ending, Verdict, in_agreement, sentence, verdict_of
from hil.stations.platform.report.view import platform_verdict
from hil.stations.platform.signals import CycleFlag


def judged(recording: Recording) -> Verdict:
    return platform_verdict(recording, phases_of(recording, times_s(recording)))


def with_flag(recording: Recording, cycle: int, flag: CycleFlag) -> Recording:
    flags = recording.column("flags").copy()
    flags[cycle:] |= int(flag)
    return with_columns(recording, flags=flags)


def cut(recording: Recording, cycles: int, *, truncated: bool = False) -> Recording:
    columns = {name: column[:cycles] for name, column in recording.columns.items()}
    shorter = with_columns(recording, **columns)
    return dataclasses.replace(shorter, truncated=truncated)


def test_a_good_run_is_completed(good_run: Recording) -> None:
    verdict = judged(good_run)
    assert verdict == Verdict(Ending.COMPLETED, "The motion was played for 0.80 s.")
    assert verdict.ending.good


def test_a_trip_says_when_which_and_how_many(tripped_run: Recording) -> None:
    verdict = judged(tripped_run)
    assert verdict.ending is Ending.TRIPPED
    assert not verdict.ending.good
    assert verdict.reason == f"At 0.966 s: {TRIP_TEXT}, and 1 more in the same cycle"


def test_that_it_parked_after_the_stop_is_said(tmp_path) -> None:
    course = (*TRIPPED[:-1], ("HOLD", 5), ("PARKING", 50), ("STANDBY", 10), ("OFF", 2))
    first = start_of(course, "CSTOP")
    run = write_run(tmp_path / "a.mcap", course, events=(violation(first, "control: silent"),))
    latched = with_flag(run, first, CycleFlag.FAULT_LATCHED)
    at = start_of(course, "PARKING") * PERIOD_S
    for recording in (run, latched):
        verdict = judged(recording)
        assert verdict.ending is Ending.TRIPPED
        assert verdict.reason == f"At 0.966 s: control: silent; then it parked, at {at:.3f} s"


def test_a_parking_that_the_stop_ended_is_not_said_to_follow_it(tmp_path) -> None:
    course = (*TRIPPED[:-2], ("PARKING", 50), ("CSTOP", 40), ("FAULT", 30))
    first = start_of(course, "CSTOP")
    run = write_run(tmp_path / "a.mcap", course, events=(violation(first, "control: silent"),))
    reason = judged(with_flag(run, first, CycleFlag.FAULT_LATCHED)).reason
    assert "control: silent" in reason
    assert "parked" not in reason


def test_a_run_of_any_station_says_how_long_it_was(good_run: Recording) -> None:
    """Its rows stand 20 ms apart, so that one more or less is seen."""
    apart = with_columns(good_run, t_s=0.5 + 0.02 * np.arange(good_run.cycles))
    assert verdict_of(apart, ()).reason == f"It ran for {0.02 * (good_run.cycles - 1):.2f} s."


def test_a_refused_request_is_never_the_cause(tmp_path) -> None:
    first = start_of(TRIPPED, "CSTOP")
    events = (
        violation(first - 9, "leg 1: the cause", leg=1),
        violation(first - 1, "request: refused", check="request"),
    )
    verdict = judged(write_run(tmp_path / "a.mcap", TRIPPED, events=events))
    assert verdict.reason == "At 0.948 s: leg 1: the cause"


def test_a_trip_without_a_violation_admits_it(tmp_path) -> None:
    verdict = judged(write_run(tmp_path / "a.mcap", TRIPPED))
    assert verdict == Verdict(Ending.TRIPPED, "The recording does not say what was violated.")


def test_what_came_after_the_stop_is_not_its_cause(tmp_path) -> None:
    first = start_of(TRIPPED, "CSTOP")
    events = (violation(first, "the cause"), violation(first + 20, "a consequence"))
    assert "the cause" in judged(write_run(tmp_path / "a.mcap", TRIPPED, events=events)).reason


def test_a_controlled_stop_nobody_asked_for_is_a_trip(tripped_run: Recording) -> None:
    flags = np.zeros_like(tripped_run.column("flags"))
    unlatched = with_columns(tripped_run, flags=flags)
    assert judged(unlatched).ending is Ending.TRIPPED
    asked = with_flag(unlatched, 400, CycleFlag.STOP_ASKED)
    assert judged(asked).ending is Ending.UNFINISHED  # its last mode is FAULT


def test_the_operator_ends_a_run_well(good_run: Recording) -> None:
    asked = with_flag(good_run, 300, CycleFlag.STOP_ASKED)
    assert judged(asked).ending is Ending.STOPPED
    assert judged(asked).ending.good
    assert judged(with_flag(asked, 301, CycleFlag.FAULT_LATCHED)).ending is Ending.TRIPPED


def test_control_that_broke_is_failed(tmp_path) -> None:
    note = EventRecord(0.5, 250, EventKind.NOTE, Level.FATAL, "loop", "control failed: oh")
    verdict = judged(write_run(tmp_path / "a.mcap", GOOD, events=(note,)))
    assert verdict == Verdict(Ending.FAILED, "At 0.500 s: control failed: oh")


@pytest.mark.parametrize(
    ("cycles", "truncated", "ending", "word"),
    [
        (0, False, Ending.EMPTY, "no row"),
        (1, False, Ending.UNFINISHED, "never played"),
        (200, False, Ending.UNFINISHED, "ENGAGED, not parked"),
        (200, True, Ending.CUT_OFF, "0.398 s in ENGAGED"),
        (545, True, Ending.CUT_OFF, "in OFF"),
    ],
)
def test_a_recording_that_stops_early(
    good_run: Recording, cycles: int, truncated: bool, ending: Ending, word: str
) -> None:
    verdict = judged(cut(good_run, cycles, truncated=truncated))
    assert verdict.ending is ending
    assert word in verdict.reason


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("the gate is silent", "The gate is silent."),
        ("control: silent.", "Control: silent."),
        ("gate.jsonl cannot be read", "gate.jsonl cannot be read."),
        ("/tmp/a.mcap: File too large", "/tmp/a.mcap: File too large."),
        ("", "."),
    ],
)
def test_a_sentence_changes_no_name_of_a_file(words, shown):
    assert sentence(words) == shown


@pytest.mark.parametrize(
    ("ending", "reason", "own", "shown"),
    [
        (Ending.STOPPED, "Asked for by the operator's desk: it has died.", "it has died", "FAILED"),
        (Ending.STOPPED, "A signal asked for the end.", "it has died", "FAILED"),
        (Ending.COMPLETED, "It ran for 3 s.", "", "FAILED"),
        (Ending.TRIPPED, "The robot ran dry.", "the robot ran dry", "TRIPPED"),
        (Ending.TRIPPED, "The robot ran dry.", "", "TRIPPED"),
    ],
)
def test_a_run_that_says_at_its_end_that_it_was_not_well_is_never_a_good_one(
    ending, reason, own, shown
):
    metadata = {"outcome": {"dropped": "0", "lost": "0", "outcome": "some end", "ok": "false",
                            "reason": own}}  # fmt: skip
    found = in_agreement(Verdict(ending, reason), SimpleNamespace(metadata=metadata))
    assert found.ending.value == shown
    assert reason in found.reason
    if own:
        assert found.reason.lower().count(own) == 1


def test_a_run_that_says_at_its_end_that_it_was_well_keeps_its_verdict():
    metadata = {"outcome": {"dropped": "0", "lost": "0", "outcome": "some end", "ok": "true",
                            "reason": ""}}  # fmt: skip
    verdict = Verdict(Ending.STOPPED, "A signal asked for the end.")
    assert in_agreement(verdict, SimpleNamespace(metadata=metadata)) == verdict
