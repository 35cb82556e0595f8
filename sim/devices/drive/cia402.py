"""The state machine of a drive, as CiA 402-2 (IEC 61800-7-201), clause "Finite state automaton".

States, events and one table that maps them to the numbered transitions 0 to 16; `step` is pure.
What a transition does to a motor is in `sim.devices.drive.node`.

Not modelled: a main contactor (bit 4 of the statusword follows the interlock input at once).
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple


class State(Enum):
    """States of the automaton; the value is their pattern in the statusword (mask 6Fh or 4Fh)."""

    START = -1
    NOT_READY_TO_SWITCH_ON = 0x00
    SWITCH_ON_DISABLED = 0x40
    READY_TO_SWITCH_ON = 0x21
    SWITCHED_ON = 0x23
    OPERATION_ENABLED = 0x27
    QUICK_STOP_ACTIVE = 0x07
    FAULT_REACTION_ACTIVE = 0x0F
    FAULT = 0x08


class DriveEvent(Enum):
    """Event of the automaton: a command of the controlword, or one inside the drive."""

    SHUTDOWN = "shutdown"
    SWITCH_ON = "switch on"
    ENABLE_OPERATION = "enable operation"
    DISABLE_VOLTAGE = "disable voltage"
    QUICK_STOP = "quick stop"
    FAULT_RESET = "fault reset"
    POWER_UP = "power or reset"
    INITIALISED = "self-test done"
    QUICK_STOP_DONE = "quick stop completed"
    FAULT_DETECTED = "fault detected"
    REACTION_DONE = "fault reaction completed"


class Step(NamedTuple):
    """Transition taken: its number in the standard, and its target state."""

    transition: int
    state: State


_S, _E = State, DriveEvent
_NOT_IN_FAULT = (
    _S.NOT_READY_TO_SWITCH_ON,
    _S.SWITCH_ON_DISABLED,
    _S.READY_TO_SWITCH_ON,
    _S.SWITCHED_ON,
    _S.OPERATION_ENABLED,
    _S.QUICK_STOP_ACTIVE,
)

TABLE: Final[dict[tuple[State, DriveEvent], Step]] = {
    (_S.START, _E.POWER_UP): Step(0, _S.NOT_READY_TO_SWITCH_ON),
    (_S.NOT_READY_TO_SWITCH_ON, _E.INITIALISED): Step(1, _S.SWITCH_ON_DISABLED),
    (_S.SWITCH_ON_DISABLED, _E.SHUTDOWN): Step(2, _S.READY_TO_SWITCH_ON),
    (_S.READY_TO_SWITCH_ON, _E.SWITCH_ON): Step(3, _S.SWITCHED_ON),
    (_S.READY_TO_SWITCH_ON, _E.ENABLE_OPERATION): Step(3, _S.SWITCHED_ON),  # 4 follows by itself
    (_S.SWITCHED_ON, _E.ENABLE_OPERATION): Step(4, _S.OPERATION_ENABLED),
    (_S.OPERATION_ENABLED, _E.SWITCH_ON): Step(5, _S.SWITCHED_ON),
    (_S.SWITCHED_ON, _E.SHUTDOWN): Step(6, _S.READY_TO_SWITCH_ON),
    (_S.READY_TO_SWITCH_ON, _E.DISABLE_VOLTAGE): Step(7, _S.SWITCH_ON_DISABLED),
    (_S.READY_TO_SWITCH_ON, _E.QUICK_STOP): Step(7, _S.SWITCH_ON_DISABLED),
    (_S.OPERATION_ENABLED, _E.SHUTDOWN): Step(8, _S.READY_TO_SWITCH_ON),
    (_S.OPERATION_ENABLED, _E.DISABLE_VOLTAGE): Step(9, _S.SWITCH_ON_DISABLED),
    (_S.SWITCHED_ON, _E.DISABLE_VOLTAGE): Step(10, _S.SWITCH_ON_DISABLED),
    (_S.SWITCHED_ON, _E.QUICK_STOP): Step(10, _S.SWITCH_ON_DISABLED),
    (_S.OPERATION_ENABLED, _E.QUICK_STOP): Step(11, _S.QUICK_STOP_ACTIVE),
    (_S.QUICK_STOP_ACTIVE, _E.DISABLE_VOLTAGE): Step(12, _S.SWITCH_ON_DISABLED),
    (_S.QUICK_STOP_ACTIVE, _E.QUICK_STOP_DONE): Step(12, _S.SWITCH_ON_DISABLED),
    **{(state, _E.FAULT_DETECTED): Step(13, _S.FAULT_REACTION_ACTIVE) for state in _NOT_IN_FAULT},
    (_S.FAULT_REACTION_ACTIVE, _E.REACTION_DONE): Step(14, _S.FAULT),
    (_S.FAULT, _E.FAULT_RESET): Step(15, _S.SWITCH_ON_DISABLED),
    (_S.QUICK_STOP_ACTIVE, _E.ENABLE_OPERATION): Step(16, _S.OPERATION_ENABLED),
}
"""Every transition of the standard; a pair that is not here changes nothing."""

POWERED: Final = frozenset(
    {_S.OPERATION_ENABLED, _S.QUICK_STOP_ACTIVE, _S.FAULT_REACTION_ACTIVE},
)
"""States in which the motor may have power: in all others the brake is closed."""

FAULT_RESET_BIT: Final = 0x80
HALT_BIT: Final = 0x100
MODE_BIT_4: Final = 0x10


def step(state: State, event: DriveEvent) -> Step | None:
    """Return the transition that an event causes.

    Returns:
        The transition's number and the new state, or None when the event means nothing here.
    """
    return TABLE.get((state, event))


def command(controlword: int) -> DriveEvent:
    """Decode bits 0 to 3 of the controlword (CiA 402-2, table "Command coding").

    Returns:
        The command of bits 0 to 3; the fault reset is an edge of bit 7 and not decoded here.
    """
    if not controlword & 0x02:
        return DriveEvent.DISABLE_VOLTAGE
    if not controlword & 0x04:
        return DriveEvent.QUICK_STOP
    if not controlword & 0x01:
        return DriveEvent.SHUTDOWN
    return DriveEvent.ENABLE_OPERATION if controlword & 0x08 else DriveEvent.SWITCH_ON


def state_bits(state: State) -> int:
    """Return bits 0 to 3, 5 and 6 of the statusword for a state."""
    return 0 if state is State.START else state.value
