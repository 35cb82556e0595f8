"""Positive controls: each judge condemns a doctored history, and acquits it as it was before."""

import dataclasses
from signal import SIGKILL, SIGSTOP

import pytest
from kill_judges import judged
from kill_traces import Case, Seen
from reactions import reaction_to

GONE = "gate: control is gone, controlled stop"
AFTER_S = 3.0


def stopped(**changes) -> Seen:
    """A control that was killed in the motion, seen as it should be."""
    seen = Seen(
        Case("control", SIGKILL, "ENGAGED", 0.5, 0.5),
        struck_s=10.0,
        acted_s=10.0 + AFTER_S,
        moving=[(8.0, True), (10.6, False)],
        modes=[(7.0, "STANDBY"), (8.0, "ENGAGED"), (10.0001, "CSTOP"), (10.5, "HOLD")],
        status=-SIGKILL,
        words=GONE,
        indices=[*range(100)],
        parts=1,
    )
    return dataclasses.replace(seen, **changes)


def recorded(**changes) -> Seen:
    """A recorder that was killed in the motion, seen as it should be."""
    seen = Seen(
        Case("recorder", SIGKILL, "ENGAGED", 0.5, 0.5),
        struck_s=10.0,
        acted_s=10.0 + AFTER_S,
        moving=[(8.0, True), (13.6, False)],
        modes=[(8.0, "ENGAGED"), (13.1, "HOLD"), (13.5, "PARKING")],
        result={"outcome": "completed"},
        words="the recorder was killed; recording-2.mcap goes on",
        indices=[*range(500)],
        parts=2,
    )
    return dataclasses.replace(seen, **changes)


def judge(seen: Seen) -> str:
    return "; ".join(judged(seen, reaction_to(seen.case.process, seen.case.number)))


@pytest.mark.parametrize("seen", [stopped(), recorded()], ids=["stopped", "recorded"])
def test_a_history_as_it_should_be_is_acquitted(seen):
    assert judge(seen) == ""


DOCTORED = {
    "moves again after its rest": (
        stopped(moving=[(8.0, True), (10.6, False), (11.5, True), (11.9, False)]),
        "rods began to move 1.50 s after",
    ),
    "moves although it stood": (
        stopped(moving=[(8.0, True), (9.0, False), (10.8, True), (11.0, False)]),
        "rods began to move 0.80 s after",
    ),
    "never rests": (stopped(moving=[(8.0, True)]), "never came to rest"),
    "parks by itself": (
        stopped(modes=[(8.0, "ENGAGED"), (10.5, "HOLD"), (11.0, "PARKING")]),
        "PARKING began by itself",
    ),
    "homes by itself": (
        stopped(modes=[(8.0, "HOMING"), (10.1, "IDLE"), (10.7, "HOMING")]),
        "HOMING began by itself",
    ),
    "nothing says so": (stopped(words=""), "nothing says 'control is gone'"),
    "ends well": (stopped(status=0, result={"outcome": "completed"}), "exit status 0"),
    "no result": (recorded(result={}), "no result"),
    "a traceback": (stopped(words=f"{GONE} Traceback"), "a traceback"),
    "power stays": (stopped(powered=True), "drives with power"),
    "the motion ends with the recorder": (
        recorded(modes=[(8.0, "ENGAGED"), (10.2, "CSTOP")]),
        "left ENGAGED for CSTOP",
    ),
    "the rods stand still": (recorded(moving=[(8.0, True), (10.2, False)]), "rods stand still"),
    "a second file lacks": (recorded(parts=1), "1 files of the recording, not 2"),
    "a cycle lacks": (recorded(indices=[1, 2, 4]), "1 gaps in 3 cycles"),
    "a cycle twice": (recorded(indices=[1, 2, 2, 3]), "1 gaps in 4 cycles"),
    "an empty recording": (recorded(indices=[]), "0 cycles of the recording"),
}


@pytest.mark.parametrize(("seen", "found"), DOCTORED.values(), ids=DOCTORED)
def test_a_doctored_history_is_condemned(seen, found):
    assert found in judge(seen)


def test_words_that_belong_to_some_modes_are_not_wanted_in_others():
    still = stopped(
        case=Case("panel", SIGSTOP, "IDLE", 0.1, 0.5),
        moving=[],
        modes=[(8.0, "IDLE")],
        status=0,
        result={"outcome": "stopped"},
        words="",
    )
    assert judge(still) == ""
    moved = dataclasses.replace(still, case=Case("panel", SIGSTOP, "ENGAGED", 0.1, 0.5))
    assert "silent loss" in judge(moved)
