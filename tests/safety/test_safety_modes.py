"""The whole table of modes, written out once more, and what must hold of any such table."""

from itertools import permutations, product

import pytest

from safety.modes import (
    DRIVE_REQUEST,
    FAULT_EVENT,
    FOLLOWING_MODES,
    HOMED_MODES,
    STARTED_MODES,
    TRANSITIONS,
    DriveRequest,
    Event,
    Mode,
    Request,
    Severity,
    accepts,
    drive_request,
    most_cautious,
    step,
)

SHORT = {
    "OFF": Mode.OFF,
    "IDLE": Mode.IDLE,
    "HOMG": Mode.HOMING,
    "STBY": Mode.STANDBY,
    "ENGG": Mode.ENGAGING,
    "ENGD": Mode.ENGAGED,
    "CSTP": Mode.CSTOP,
    "HOLD": Mode.HOLD,
    "PARK": Mode.PARKING,
    "QSTP": Mode.QSTOP,
    "FALT": Mode.FAULT,
    "LOCK": Mode.LOCKOUT,
}
# One row per event, one column per mode; "-" is refused, "=" is taken and changes nothing.
EXPECTED = """
event             OFF  IDLE HOMG STBY ENGG ENGD CSTP HOLD PARK QSTP FALT LOCK
CONFIGURED        IDLE -    -    -    -    -    -    -    -    -    -    -
HOME              -    HOMG -    -    -    -    -    -    -    -    -    -
ENGAGE            -    -    -    ENGG -    -    -    -    -    -    -    -
RISEN             -    -    -    -    ENGD -    -    -    -    -    -    -
HOLD              =    =    QSTP =    CSTP CSTP =    =    CSTP =    =    =
PARK_MOVING       -    -    -    -    CSTP CSTP -    -    =    -    -    -
PARK_AT_REST      -    -    -    =    PARK PARK -    PARK =    -    -    -
PARKED            -    -    -    -    -    -    -    -    STBY -    -    -
SHUT_DOWN         =    OFF  QSTP OFF  CSTP CSTP =    OFF  CSTP =    -    -
HOMED             -    -    STBY -    -    -    -    -    -    -    -    -
AT_REST           -    -    -    -    -    -    HOLD -    -    IDLE -    -
AT_REST_FAULTED   -    -    -    -    -    -    FALT -    -    FALT -    -
STOP_FAILED       -    -    -    -    -    -    -    -    -    FALT -    -
CLEARED           -    -    -    -    -    -    -    -    -    -    IDLE -
FAULT_HOLD        =    =    QSTP =    CSTP CSTP =    =    CSTP =    =    -
FAULT_STOP        -    FALT QSTP CSTP CSTP CSTP =    CSTP CSTP =    =    -
FAULT_QUICK_STOP  -    FALT QSTP QSTP QSTP QSTP QSTP QSTP QSTP =    QSTP -
FAULT_LOCKOUT     LOCK LOCK LOCK LOCK LOCK LOCK LOCK LOCK LOCK LOCK LOCK =
"""
HEAD, *ROWS = (line.split() for line in EXPECTED.strip().splitlines())
PAIRS = [
    (SHORT[column], Event[row[0]], cell)
    for row in ROWS
    for column, cell in zip(HEAD[1:], row[1:], strict=True)
]


def test_the_written_table_has_every_pair():
    assert len(PAIRS) == len(Mode) * len(Event)
    assert {(mode, event) for mode, event, _ in PAIRS} == set(product(Mode, Event))


@pytest.mark.parametrize(("mode", "event", "cell"), PAIRS)
def test_every_pair_is_decided(mode, event, cell):
    assert accepts(mode, event) is (cell != "-")
    assert step(mode, event) is (mode if cell in "-=" else SHORT[cell])


def test_the_table_holds_nothing_else():
    assert len(TRANSITIONS) == sum(cell != "-" for _, _, cell in PAIRS)


def test_nothing_but_the_rise_leads_to_engaged():
    into = {(a, e) for (a, e), b in TRANSITIONS.items() if b is Mode.ENGAGED}
    assert into == {(Mode.ENGAGING, Event.RISEN)}
    into = {(a, e) for (a, e), b in TRANSITIONS.items() if b is Mode.ENGAGING}
    assert into == {(Mode.STANDBY, Event.ENGAGE)}


def test_only_requests_lead_towards_motion():
    requested = {request.name for request in Request} | {"PARK_AT_REST", "PARK_MOVING"}
    for (before, event), after in TRANSITIONS.items():
        if after is not before and after in FOLLOWING_MODES | {Mode.HOMING}:
            assert event.name in requested


def test_invariant_11_lockout_has_no_exit_and_fault_has_one_towards_motion():
    for event in Event:
        assert step(Mode.LOCKOUT, event) is Mode.LOCKOUT
    out = {e: b for (a, e), b in TRANSITIONS.items() if a is Mode.FAULT and b is not a}
    assert out == {
        Event.CLEARED: Mode.IDLE,
        Event.FAULT_QUICK_STOP: Mode.QSTOP,
        Event.FAULT_LOCKOUT: Mode.LOCKOUT,
    }


def test_a_stop_request_is_taken_in_every_mode_and_stops_every_motion():
    for mode in Mode:
        assert accepts(mode, Event.HOLD)
    for mode in FOLLOWING_MODES:
        assert step(mode, Event.HOLD) is Mode.CSTOP


RANK = {Mode.CSTOP: 1, Mode.FAULT: 2, Mode.QSTOP: 3, Mode.LOCKOUT: 4}


@pytest.mark.parametrize("mode", Mode)
def test_invariant_12_a_worse_fault_never_leads_to_a_weaker_mode(mode):
    after = [mode, *(step(mode, FAULT_EVENT[severity]) for severity in list(Severity)[1:])]
    ranks = [RANK.get(m, 0) for m in after]
    assert ranks == sorted(ranks)


UNPOWERED = (Mode.OFF, Mode.IDLE, Mode.LOCKOUT)


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode not in UNPOWERED])
def test_a_class_b_fault_leaves_no_mode_with_power_as_it_was(mode):
    assert step(mode, Event.FAULT_STOP) in (Mode.CSTOP, Mode.QSTOP, Mode.FAULT)


def test_drive_requests():
    off, enable = DriveRequest.OFF, DriveRequest.ENABLE
    assert DRIVE_REQUEST.keys() == set(Mode)
    for mode in (Mode.OFF, Mode.IDLE, Mode.FAULT, Mode.LOCKOUT):
        assert drive_request(mode, released=True) is off
    for mode in HOMED_MODES:
        assert drive_request(mode, released=False) is enable
    assert drive_request(Mode.HOMING, released=False) is DriveRequest.HOME
    assert drive_request(Mode.QSTOP, released=False) is DriveRequest.QUICK_STOP
    assert drive_request(Mode.FAULT, released=False) is enable
    assert drive_request(Mode.LOCKOUT, released=False) is DriveRequest.QUICK_STOP


def test_severities_rise():
    names = ["INFORM", "HOLD", "STOP", "QUICK_STOP", "LOCKOUT"]
    assert [(s.name, int(s)) for s in Severity] == [(n, i) for i, n in enumerate(names)]


def test_sets_of_modes():
    assert {Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED} == STARTED_MODES
    assert {Mode.ENGAGING, Mode.ENGAGED, Mode.PARKING} == FOLLOWING_MODES
    assert {Mode.STANDBY, Mode.CSTOP, Mode.HOLD} | FOLLOWING_MODES == HOMED_MODES


def test_the_most_cautious_request_wins_in_any_order():
    caution = [
        Request.SHUT_DOWN,
        Request.HOLD,
        Request.PARK,
        Request.PARKED,
        Request.RISEN,
        Request.ENGAGE,
        Request.HOME,
        Request.CONFIGURED,
    ]
    assert set(caution) == set(Request)
    for a, b in permutations(caution, 2):
        wanted = a if caution.index(a) < caution.index(b) else b
        assert most_cautious((a, b)) is wanted
        assert most_cautious((b, a, b, a)) is wanted
