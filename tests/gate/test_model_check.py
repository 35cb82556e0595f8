"""Every state that gate, server, drives' sequence and control can reach: nothing starts by itself.

`make test` explores the graph of a control that freezes and goes on; with full counts any two kinds
of trouble happen besides, as often and in whatever order they like: acts, lost frames, drives that
fail, lateness, emergency stop, control's death, an operator's stop, patience that ends; and around
a control that asks anything, any one of them beside a person's acts.
"""

from itertools import combinations

import pytest
from campaign import SHARE
from model import Choice, World
from model_graph import SelfStartError, explore

from hil.stations.platform.cycle.supervisor import Supervisor
from hil.stations.platform.gate.server import GateServer
from safety.interlock import RestartInterlock
from safety.modes import FOLLOWING_MODES, Mode, Request

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(7200)]

WHOLE = SHARE >= 1.0
EVENTS = ("act", "fault", "lost", "late", "estop", "unread", "gone")
PAIRS = tuple(combinations((*EVENTS, "stop", "tired"), 2)) if WHOLE else ((),)
BESIDE = ("", *EVENTS[1:], "reset") if WHOLE else ("",)
TAKEN = {
    Mode.OFF: (Request.CONFIGURED,),
    Mode.IDLE: (Request.HOME, Request.SHUT_DOWN),
    Mode.STANDBY: (Request.ENGAGE, Request.SHUT_DOWN),
    Mode.ENGAGING: (Request.RISEN, Request.HOLD),
    Mode.ENGAGED: (Request.HOLD, Request.PARK),
    Mode.HOLD: (Request.PARK, Request.SHUT_DOWN),
    Mode.PARKING: (Request.PARKED, Request.HOLD),
}
"""Requests that lead on in each mode; all others are refused and change nothing."""


def supervised(events=()):
    """What happens around a supervisor that leads the run."""

    def choices(verdict):
        yield Choice()
        yield Choice(control="frozen")
        for event in events:
            yield Choice(event=event)
        if verdict is None:
            return
        if verdict.mode is Mode.HOMING:
            yield Choice(finds=True)
        if verdict.mode in FOLLOWING_MODES:
            yield Choice(done=True)
            yield Choice(control="swing")
            if events:
                yield Choice(control="none")
                yield Choice(control="bad")

    return choices


def unruly(events=(), *, all_requests=False, moves=False):
    """What happens around a control that asks anything at any time."""

    def choices(verdict):
        mode = Mode.OFF if verdict is None else verdict.mode
        yield Choice(finds=True)
        yield Choice(control="frozen", finds=True)
        for event in events:
            yield Choice(event=event, finds=True)
        for request in Request if all_requests else TAKEN.get(mode, ()):
            yield Choice(request=request, finds=True)
        if mode is Mode.HOMING:
            yield Choice()
        if moves and mode in FOLLOWING_MODES:
            yield Choice(control="swing")

    return choices


def any_control(event):
    """What happens around such a control beside a person's acts, old ones among them."""
    if not WHOLE:
        return unruly(("act", "old act"))
    events = filter(None, ("act", "old act", event))
    return unruly(tuple(events), all_requests=True, moves=not event)


def told(capsys, name, graph):
    with capsys.disabled():
        print(f"\n{name}: {graph.states} states, {graph.transitions} transitions", end=" ")


@pytest.mark.parametrize("events", PAIRS, ids=" and ".join)
def test_a_run_that_a_supervisor_leads_starts_nothing_by_itself(capsys, events):
    graph = explore(World(), supervised(events))
    told(capsys, "supervisor", graph)
    entered = {after for before, after in graph.modes if before is not after}
    assert entered >= {*FOLLOWING_MODES, Mode.HOMING, Mode.STANDBY, Mode.CSTOP, Mode.HOLD}
    assert (Mode.HOMING, Mode.QSTOP) in graph.modes


@pytest.mark.parametrize("event", BESIDE)
@pytest.mark.parametrize("led", [False, True])
def test_no_control_whatever_it_asks_starts_anything_again_without_an_act(capsys, led, event):
    graph = explore(World(supervised=False, led=led), any_control(event))
    told(capsys, f"any control, led: {led}", graph)
    assert {(Mode.IDLE, Mode.HOMING), (Mode.STANDBY, Mode.ENGAGING)} <= graph.modes
    assert (Mode.HOLD, Mode.PARKING) in graph.modes


@pytest.mark.pure_build
def test_a_silence_that_is_not_told_to_the_gate_is_found(monkeypatch):
    """As it was: the server asked for HOLD, homing stopped, and control asked for HOME again."""
    monkeypatch.setattr(GateServer, "_absent", "")
    with pytest.raises(SelfStartError, match="HOMING without an act"):
        explore(World(supervised=False), unruly())


@pytest.mark.pure_build
def test_an_interlock_that_believes_an_old_act_is_found(monkeypatch):
    hear = RestartInterlock.take_age
    monkeypatch.setattr(
        RestartInterlock, "take_age", lambda self, age_s: hear(self, 0.0 if age_s < 1e9 else age_s)
    )
    with pytest.raises(SelfStartError, match="without an act"):
        explore(World(supervised=False), unruly(("old act",)))


@pytest.mark.pure_build
def test_parking_that_is_begun_again_and_again_is_found(monkeypatch):
    monkeypatch.setattr(RestartInterlock, "entered", lambda self, mode: None)
    with pytest.raises(SelfStartError, match="to PARKING: twice"):
        explore(World(supervised=False), unruly())


@pytest.mark.pure_build
def test_a_control_that_does_not_hear_why_it_was_stopped_is_found(monkeypatch):
    """It parks, and calls the run completed."""
    monkeypatch.setattr(Supervisor, "_learn", lambda self, verdict: None)
    with pytest.raises(SelfStartError, match="a run that was stopped ends as completed"):
        explore(World(), supervised())
