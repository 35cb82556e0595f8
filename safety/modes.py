"""The gate's modes: one enum, one transition table, one pure step.

OFF → IDLE (bus up, drives disabled) → HOMING → STANDBY (homed, enabled, at rest) → ENGAGING (rise
to neutral) → ENGAGED → PARKING → STANDBY. From any motion: CSTOP (controlled stop) → HOLD, or
FAULT when a fault started it; QSTOP (drives' own quick stop) → FAULT. FAULT → IDLE only when
cleared. LOCKOUT has no exit. Only a person's request leads towards motion.
"""

from collections.abc import Iterable
from enum import Enum, IntEnum

from hil_common.identity_enum import IdentityEnum


class Mode(IdentityEnum):
    """Mode of the platform, as the gate sees it."""

    OFF = "OFF"
    IDLE = "IDLE"
    HOMING = "HOMING"
    STANDBY = "STANDBY"
    ENGAGING = "ENGAGING"
    ENGAGED = "ENGAGED"
    CSTOP = "CSTOP"
    HOLD = "HOLD"
    PARKING = "PARKING"
    QSTOP = "QSTOP"
    FAULT = "FAULT"
    LOCKOUT = "LOCKOUT"


class Severity(IntEnum):
    """Reaction to a violation; the worst one wins."""

    INFORM = 0
    """Class D: report only."""
    HOLD = 1
    """Class C: controlled stop, then hold until a request to park."""
    STOP = 2
    """Class B: controlled stop, then fault."""
    QUICK_STOP = 3
    """Class A: quick stop by the drives, then fault."""
    LOCKOUT = 4
    """The gate does not trust itself any more: quick stop, and only a restart helps."""


class DriveRequest(IdentityEnum):
    """State that is requested of the drives."""

    OFF = "OFF"
    HOME = "HOME"
    ENABLE = "ENABLE"
    QUICK_STOP = "QUICK_STOP"


class Request(Enum):
    """Request of control or the operator. A reset is an input of its own, not a request."""

    SHUT_DOWN = "SHUT_DOWN"
    """Power the drives off."""
    HOLD = "HOLD"
    """Operator stop: controlled stop, then hold."""
    PARK = "PARK"
    """Go back to the rest position."""
    PARKED = "PARKED"
    """Control: the rest position is reached."""
    RISEN = "RISEN"
    """Control: the neutral pose is reached."""
    ENGAGE = "ENGAGE"
    """Rise from rest to neutral, then follow the motion."""
    HOME = "HOME"
    """Let the drives find their reference."""
    CONFIGURED = "CONFIGURED"
    """The bus is up, drive parameters were written and read back."""


class Event(Enum):
    """Event that moves the modes: a request with its conditions, or an observation of the gate."""

    CONFIGURED = "CONFIGURED"
    HOME = "HOME"
    ENGAGE = "ENGAGE"
    RISEN = "RISEN"
    HOLD = "HOLD"
    PARK_MOVING = "PARK_MOVING"
    PARK_AT_REST = "PARK_AT_REST"
    PARKED = "PARKED"
    SHUT_DOWN = "SHUT_DOWN"
    HOMED = "HOMED"
    """All six legs homed and standing still."""
    AT_REST = "AT_REST"
    """The stop is over and no fault is latched."""
    AT_REST_FAULTED = "AT_REST_FAULTED"
    """The stop is over and a fault is latched."""
    STOP_FAILED = "STOP_FAILED"
    """The drives' own quick stop does not stop them: without power their brakes do."""
    CLEARED = "CLEARED"
    """Cause gone, reset edge and standstill, all three."""
    FAULT_HOLD = "FAULT_HOLD"
    FAULT_STOP = "FAULT_STOP"
    FAULT_QUICK_STOP = "FAULT_QUICK_STOP"
    FAULT_LOCKOUT = "FAULT_LOCKOUT"


FAULT_EVENT: dict[Severity, Event] = {
    Severity.HOLD: Event.FAULT_HOLD,
    Severity.STOP: Event.FAULT_STOP,
    Severity.QUICK_STOP: Event.FAULT_QUICK_STOP,
    Severity.LOCKOUT: Event.FAULT_LOCKOUT,
}

FOLLOWING_MODES = frozenset({Mode.ENGAGING, Mode.ENGAGED, Mode.PARKING})
"""Modes in which asked setpoints are judged and may pass."""

STARTED_MODES = frozenset({Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED})
"""Modes that are a start: after a stop that no person asked for, only a person's act leads here."""

HOMED_MODES = FOLLOWING_MODES | {Mode.STANDBY, Mode.CSTOP, Mode.HOLD}
"""Modes in which every leg must be homed."""

DRIVE_REQUEST: dict[Mode, DriveRequest] = {
    Mode.OFF: DriveRequest.OFF,
    Mode.IDLE: DriveRequest.OFF,
    Mode.HOMING: DriveRequest.HOME,
    Mode.STANDBY: DriveRequest.ENABLE,
    Mode.ENGAGING: DriveRequest.ENABLE,
    Mode.ENGAGED: DriveRequest.ENABLE,
    Mode.CSTOP: DriveRequest.ENABLE,
    Mode.HOLD: DriveRequest.ENABLE,
    Mode.PARKING: DriveRequest.ENABLE,
    Mode.QSTOP: DriveRequest.QUICK_STOP,
    Mode.FAULT: DriveRequest.OFF,
    Mode.LOCKOUT: DriveRequest.OFF,
}
"""Request of each mode to the drives once they are at rest; see `drive_request`."""


def drive_request(mode: Mode, released: bool) -> DriveRequest:
    """Drive request of a mode.

    Args:
        released: the drives may lose power: they are at rest, or never had power.

    A fault keeps the drives holding, a lockout keeps them in quick stop, until they are at rest:
    power is cut after the stop, not in the middle of it (stop category 1 of IEC 60204-1).
    """
    if not released and mode is Mode.FAULT:
        return DriveRequest.ENABLE
    if not released and mode is Mode.LOCKOUT:
        return DriveRequest.QUICK_STOP
    return DRIVE_REQUEST[mode]


def _table() -> dict[tuple[Mode, Event], Mode]:
    m, e = Mode, Event
    table = {
        (m.OFF, e.CONFIGURED): m.IDLE,
        (m.OFF, e.SHUT_DOWN): m.OFF,
        (m.OFF, e.FAULT_HOLD): m.OFF,
        (m.IDLE, e.HOME): m.HOMING,
        (m.IDLE, e.SHUT_DOWN): m.OFF,
        (m.IDLE, e.FAULT_HOLD): m.IDLE,
        (m.IDLE, e.FAULT_STOP): m.FAULT,  # no power on the drives: nothing to stop
        (m.IDLE, e.FAULT_QUICK_STOP): m.FAULT,
        (m.HOMING, e.HOMED): m.STANDBY,
        # While homing the drives plan the movement themselves, so only they can stop it.
        (m.HOMING, e.HOLD): m.QSTOP,
        (m.HOMING, e.SHUT_DOWN): m.QSTOP,
        (m.HOMING, e.FAULT_HOLD): m.QSTOP,
        (m.HOMING, e.FAULT_STOP): m.QSTOP,
        (m.STANDBY, e.ENGAGE): m.ENGAGING,
        (m.STANDBY, e.SHUT_DOWN): m.OFF,
        (m.STANDBY, e.PARK_AT_REST): m.STANDBY,
        (m.STANDBY, e.FAULT_HOLD): m.STANDBY,  # it holds already
        (m.STANDBY, e.FAULT_STOP): m.CSTOP,
        (m.ENGAGING, e.RISEN): m.ENGAGED,
        (m.PARKING, e.PARKED): m.STANDBY,
        (m.PARKING, e.PARK_AT_REST): m.PARKING,
        (m.PARKING, e.PARK_MOVING): m.PARKING,
        (m.CSTOP, e.AT_REST): m.HOLD,
        (m.CSTOP, e.AT_REST_FAULTED): m.FAULT,
        (m.CSTOP, e.SHUT_DOWN): m.CSTOP,
        (m.CSTOP, e.FAULT_HOLD): m.CSTOP,
        (m.CSTOP, e.FAULT_STOP): m.CSTOP,
        (m.HOLD, e.PARK_AT_REST): m.PARKING,
        (m.HOLD, e.SHUT_DOWN): m.OFF,
        (m.HOLD, e.FAULT_HOLD): m.HOLD,
        (m.HOLD, e.FAULT_STOP): m.CSTOP,
        # Without a fault only a stop during homing leads to QSTOP: the drives are off again then.
        (m.QSTOP, e.AT_REST): m.IDLE,
        (m.QSTOP, e.AT_REST_FAULTED): m.FAULT,
        (m.QSTOP, e.STOP_FAILED): m.FAULT,
        (m.QSTOP, e.SHUT_DOWN): m.QSTOP,
        (m.FAULT, e.CLEARED): m.IDLE,
    }
    for mode in (m.ENGAGING, m.ENGAGED, m.PARKING):
        table[mode, e.HOLD] = m.CSTOP
        table[mode, e.SHUT_DOWN] = m.CSTOP
        table[mode, e.FAULT_HOLD] = m.CSTOP
        table[mode, e.FAULT_STOP] = m.CSTOP
        table[mode, e.FAULT_QUICK_STOP] = m.QSTOP
    for mode in (m.ENGAGING, m.ENGAGED):
        table[mode, e.PARK_MOVING] = m.CSTOP
        table[mode, e.PARK_AT_REST] = m.PARKING
    for mode in (m.HOMING, m.STANDBY, m.CSTOP, m.HOLD, m.QSTOP, m.FAULT):
        table[mode, e.FAULT_QUICK_STOP] = m.QSTOP
    for mode in (m.QSTOP, m.FAULT):
        table[mode, e.FAULT_HOLD] = mode
        table[mode, e.FAULT_STOP] = mode
    for mode in m:
        table.setdefault((mode, e.HOLD), mode)  # asking for a stop is never wrong
        table[mode, e.FAULT_LOCKOUT] = m.LOCKOUT
    return table


TRANSITIONS: dict[tuple[Mode, Event], Mode] = _table()
"""Every accepted pair. A pair that is not here is refused: the mode stays as it is."""

_BY_CAUTION = {request: rank for rank, request in enumerate(Request)}


def step(mode: Mode, event: Event) -> Mode:
    """Next mode; the same mode when the table has no such pair."""
    return TRANSITIONS.get((mode, event), mode)


def accepts(mode: Mode, event: Event) -> bool:
    """Whether the table decides this pair (possibly by staying), rather than refusing it."""
    return (mode, event) in TRANSITIONS


def most_cautious(requests: Iterable[Request]) -> Request:
    """Choose of several requests in one cycle the one to obey: a stop before anything else.

    Their order and number make no difference.
    """
    return min(requests, key=_BY_CAUTION.__getitem__)
