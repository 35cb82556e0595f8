"""The course of a run: what is asked of the modes, and how a run ends."""

import pytest

from hil.stations.platform.cycle.supervisor import Outcome, Supervisor
from safety.modes import DriveRequest, Mode, Request, drive_request
from safety.verdict import Action, Check, Severity, Verdict, Violation

FAULT = Violation(Check.POSITION, 3, 0.9, 0.8, "m", Severity.STOP, low=0.5)


def verdict(mode, *, faults=(), released=True):
    return Verdict(0, mode, Action.BLOCKED, (), None, drive_request(mode, released), faults)


def ask(supervisor, mode, *, done=False, stop=False, faults=(), released=True):
    seen = verdict(mode, faults=faults, released=released)
    if stop:
        supervisor.stop("stopped by the operator")
    return supervisor.ask(seen, done)


def test_a_run_from_power_up_to_off():
    supervisor = Supervisor(100)
    assert supervisor.ask(None, False) == (Request.CONFIGURED,)
    steps = [
        (Mode.IDLE, False, (Request.HOME,)),
        (Mode.HOMING, False, ()),
        (Mode.STANDBY, False, (Request.ENGAGE,)),
        (Mode.ENGAGING, False, ()),
        (Mode.ENGAGING, True, (Request.RISEN,)),
        (Mode.ENGAGED, False, ()),
        (Mode.ENGAGED, True, (Request.PARK,)),
        (Mode.PARKING, False, ()),
        (Mode.PARKING, True, (Request.PARKED,)),
        (Mode.STANDBY, False, (Request.SHUT_DOWN,)),
    ]
    for mode, done, expected in steps:
        assert ask(supervisor, mode, done=done) == expected, mode
        assert not supervisor.done
    ask(supervisor, Mode.OFF)
    assert supervisor.done
    assert supervisor.outcome is Outcome.COMPLETED
    assert supervisor.reason == ""


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (Mode.HOMING, (Request.HOLD,)),
        (Mode.STANDBY, (Request.SHUT_DOWN,)),
        (Mode.ENGAGING, (Request.PARK,)),
        (Mode.ENGAGED, (Request.PARK,)),
        (Mode.HOLD, (Request.PARK,)),
        (Mode.CSTOP, ()),
        (Mode.PARKING, ()),
    ],
)
def test_a_stop_leads_to_parking_from_wherever_the_run_is(mode, expected):
    supervisor = Supervisor(100)
    assert ask(supervisor, mode, stop=True) == expected
    # The wish is remembered: a signal is not held down like a button.
    assert ask(supervisor, mode, stop=False) == expected
    assert supervisor.outcome is Outcome.STOPPED


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.IDLE])
def test_a_stop_before_anything_moved_ends_the_run(mode):
    supervisor = Supervisor(100)
    assert ask(supervisor, mode, stop=True) == ()
    assert supervisor.done


def test_a_fault_ends_the_run_only_when_the_drives_are_released():
    supervisor = Supervisor(100)
    ask(supervisor, Mode.CSTOP, faults=(FAULT,))
    ask(supervisor, Mode.FAULT, faults=(FAULT,), released=False)
    assert not supervisor.done
    ask(supervisor, Mode.FAULT, faults=(FAULT,))
    assert supervisor.done
    assert supervisor.outcome is Outcome.TRIPPED
    assert supervisor.reason == str(FAULT)


def test_a_fault_that_only_holds_parks_and_still_counts_as_tripped():
    supervisor = Supervisor(100)
    assert ask(supervisor, Mode.HOLD, faults=(FAULT,)) == (Request.PARK,)
    assert ask(supervisor, Mode.PARKING, done=True) == (Request.PARKED,)
    assert ask(supervisor, Mode.STANDBY) == (Request.SHUT_DOWN,)
    ask(supervisor, Mode.OFF)
    assert supervisor.done
    assert supervisor.outcome is Outcome.TRIPPED


def test_lockout_ends_the_run():
    supervisor = Supervisor(100)
    ask(supervisor, Mode.LOCKOUT)
    assert supervisor.done


@pytest.mark.parametrize("mode", [Mode.HOMING, Mode.STANDBY])
def test_drives_that_never_get_ready_are_given_up(mode):
    supervisor = Supervisor(5)
    for _ in range(7):
        requests = ask(supervisor, mode)
    assert requests == (Request.SHUT_DOWN,)
    ask(supervisor, Mode.OFF)
    assert supervisor.done
    assert supervisor.outcome is Outcome.FAILED
    assert mode.name in supervisor.reason


def test_drive_request_off_is_what_a_released_fault_asks():
    assert drive_request(Mode.FAULT, True) is DriveRequest.OFF


def test_a_trip_from_outside_the_gate_parks_and_counts_as_tripped():
    supervisor = Supervisor(100)
    supervisor.trip("overrun")
    supervisor.stop("stopped by the operator")
    assert ask(supervisor, Mode.ENGAGED) == (Request.PARK,)
    assert supervisor.outcome is Outcome.TRIPPED
    assert supervisor.reason == "overrun"
