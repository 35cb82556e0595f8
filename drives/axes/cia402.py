"""The state machine of a CiA 402 drive: states, transitions and words, without any drive in sight.

Names, bit patterns and the numbers of the transitions are those of CiA 402-2 / IEC 61800-7-201,
"FSA state machine", with the tables of the statusword 6041h and of the controlword 6040h.
"""

from enum import Enum, IntFlag
from typing import Final, NamedTuple


class State402(Enum):
    """State of the drive's power state machine (CiA 402-2, finite states automaton)."""

    START = "start"
    """State before the self-test; a drive never reports it."""
    NOT_READY_TO_SWITCH_ON = "not ready to switch on"
    SWITCH_ON_DISABLED = "switch on disabled"
    READY_TO_SWITCH_ON = "ready to switch on"
    SWITCHED_ON = "switched on"
    OPERATION_ENABLED = "operation enabled"
    QUICK_STOP_ACTIVE = "quick stop active"
    FAULT_REACTION_ACTIVE = "fault reaction active"
    FAULT = "fault"


WITH_FORCE: Final = frozenset(
    (State402.OPERATION_ENABLED, State402.QUICK_STOP_ACTIVE, State402.FAULT_REACTION_ACTIVE)
)
"""States in which a drive has force (CiA 402-2, power drive state machine)."""


class Event402(Enum):
    """Event that changes a drive's state: six commands of the controlword, and its own events."""

    POWERED_UP = "power-on or reset"
    INITIALISED = "self-test and initialisation done"
    SHUTDOWN = "shutdown"
    SWITCH_ON = "switch on, or disable operation"
    ENABLE_OPERATION = "enable operation"
    DISABLE_VOLTAGE = "disable voltage"
    QUICK_STOP = "quick stop"
    FAULT_RESET = "fault reset"
    FAULT_DETECTED = "fault detected"
    REACTION_DONE = "fault reaction completed"
    QUICK_STOP_DONE = "quick stop completed, option code 0 to 3"


class Transition(NamedTuple):
    """Transition that an event causes."""

    number: int
    """Number of the transition in the standard, 0 to 16."""
    to: State402
    """State after it."""


_S = State402
_E = Event402

TRANSITIONS: dict[tuple[State402, Event402], Transition] = {
    (_S.START, _E.POWERED_UP): Transition(0, _S.NOT_READY_TO_SWITCH_ON),
    (_S.NOT_READY_TO_SWITCH_ON, _E.INITIALISED): Transition(1, _S.SWITCH_ON_DISABLED),
    (_S.SWITCH_ON_DISABLED, _E.SHUTDOWN): Transition(2, _S.READY_TO_SWITCH_ON),
    (_S.READY_TO_SWITCH_ON, _E.SWITCH_ON): Transition(3, _S.SWITCHED_ON),
    (_S.SWITCHED_ON, _E.ENABLE_OPERATION): Transition(4, _S.OPERATION_ENABLED),
    (_S.OPERATION_ENABLED, _E.SWITCH_ON): Transition(5, _S.SWITCHED_ON),
    (_S.SWITCHED_ON, _E.SHUTDOWN): Transition(6, _S.READY_TO_SWITCH_ON),
    (_S.READY_TO_SWITCH_ON, _E.DISABLE_VOLTAGE): Transition(7, _S.SWITCH_ON_DISABLED),
    (_S.READY_TO_SWITCH_ON, _E.QUICK_STOP): Transition(7, _S.SWITCH_ON_DISABLED),
    (_S.OPERATION_ENABLED, _E.SHUTDOWN): Transition(8, _S.READY_TO_SWITCH_ON),
    (_S.OPERATION_ENABLED, _E.DISABLE_VOLTAGE): Transition(9, _S.SWITCH_ON_DISABLED),
    (_S.SWITCHED_ON, _E.DISABLE_VOLTAGE): Transition(10, _S.SWITCH_ON_DISABLED),
    (_S.SWITCHED_ON, _E.QUICK_STOP): Transition(10, _S.SWITCH_ON_DISABLED),
    (_S.OPERATION_ENABLED, _E.QUICK_STOP): Transition(11, _S.QUICK_STOP_ACTIVE),
    (_S.QUICK_STOP_ACTIVE, _E.DISABLE_VOLTAGE): Transition(12, _S.SWITCH_ON_DISABLED),
    (_S.QUICK_STOP_ACTIVE, _E.QUICK_STOP_DONE): Transition(12, _S.SWITCH_ON_DISABLED),
    (_S.FAULT_REACTION_ACTIVE, _E.REACTION_DONE): Transition(14, _S.FAULT),
    (_S.FAULT, _E.FAULT_RESET): Transition(15, _S.SWITCH_ON_DISABLED),
    (_S.QUICK_STOP_ACTIVE, _E.ENABLE_OPERATION): Transition(16, _S.OPERATION_ENABLED),
} | {
    # A fault is possible anywhere but in the two states that it leads to.
    (state, _E.FAULT_DETECTED): Transition(13, _S.FAULT_REACTION_ACTIVE)
    for state in _S
    if state not in (_S.START, _S.FAULT_REACTION_ACTIVE, _S.FAULT)
}
"""Every transition of the standard; an event that is not here changes nothing."""


def step(state: State402, event: Event402) -> State402:
    """Return the state after an event; the same state where the standard knows no transition."""
    found = TRANSITIONS.get((state, event))
    return state if found is None else found.to


class Control(IntFlag):
    """Bits of the controlword 6040h."""

    SWITCH_ON = 1 << 0
    ENABLE_VOLTAGE = 1 << 1
    QUICK_STOP = 1 << 2
    """Active low: 0 stops."""
    ENABLE_OPERATION = 1 << 3
    MODE_START = 1 << 4
    """Homing: start (rising edge). Interpolated position: enable interpolation."""
    FAULT_RESET = 1 << 7
    """Rising edge."""
    HALT = 1 << 8


class Statusword(IntFlag):
    """Bits of the statusword 6041h; bits 12 and 13 mean what the mode of operation says."""

    READY_TO_SWITCH_ON = 1 << 0
    SWITCHED_ON = 1 << 1
    OPERATION_ENABLED = 1 << 2
    FAULT = 1 << 3
    VOLTAGE_ENABLED = 1 << 4
    QUICK_STOP = 1 << 5
    """Active low: 0 while a quick stop is on."""
    SWITCH_ON_DISABLED = 1 << 6
    WARNING = 1 << 7
    REMOTE = 1 << 9
    """The controlword is obeyed."""
    TARGET_REACHED = 1 << 10
    INTERNAL_LIMIT = 1 << 11
    FOLLOWS_COMMAND = 1 << 12
    """Mode 8: the drive follows the command value. Mode 7: interpolation is active. Mode 6:
    homing attained."""
    MODE_ERROR = 1 << 13
    """Mode 8: following error. Mode 6: homing error."""


PLACING_METHODS = (*range(1, 15), *range(17, 31), 33, 34)
"""Homing methods (6098h) that look for something; 35, 37 and the makers' own take any place for the
reference, or nobody here knows what they do."""


class OperationMode(Enum):
    """Modes of operation 6060h that the bench uses."""

    HOMING = 6
    INTERPOLATED_POSITION = 7
    CYCLIC_SYNCHRONOUS_POSITION = 8


SHUTDOWN = Control.QUICK_STOP | Control.ENABLE_VOLTAGE
SWITCH_ON = SHUTDOWN | Control.SWITCH_ON
ENABLE_OPERATION = SWITCH_ON | Control.ENABLE_OPERATION
DISABLE_VOLTAGE = Control(0)
QUICK_STOP = Control.ENABLE_VOLTAGE
FAULT_RESET = Control.FAULT_RESET

_PATTERNS: tuple[tuple[int, int, State402], ...] = (
    (0x4F, 0x00, _S.NOT_READY_TO_SWITCH_ON),
    (0x4F, 0x40, _S.SWITCH_ON_DISABLED),
    (0x6F, 0x21, _S.READY_TO_SWITCH_ON),
    (0x6F, 0x23, _S.SWITCHED_ON),
    (0x6F, 0x27, _S.OPERATION_ENABLED),
    (0x6F, 0x07, _S.QUICK_STOP_ACTIVE),
    (0x4F, 0x0F, _S.FAULT_REACTION_ACTIVE),
    (0x4F, 0x08, _S.FAULT),
)
"""Mask, value and state of the statusword (CiA 402-2, table "State coding")."""


def _decode(low: int) -> State402 | None:
    return next((state for mask, value, state in _PATTERNS if low & mask == value), None)


_STATE_OF_LOW_BYTE = tuple(_decode(low) for low in range(256))


def state_of(statusword: int) -> State402 | None:
    """Return the state of a statusword 6041h; None for a pattern that is none."""
    return _STATE_OF_LOW_BYTE[statusword & 0xFF]


def event_of(controlword: int, previous: int) -> Event402:
    """Return the command that a controlword gives (CiA 402-2, table "Command coding").

    Args:
        controlword: Word that a drive receives.
        previous: Word that it received before: a fault is reset by the rising edge only.
    """
    if controlword & ~previous & FAULT_RESET:
        return _E.FAULT_RESET
    if not controlword & Control.ENABLE_VOLTAGE:
        return _E.DISABLE_VOLTAGE
    if not controlword & Control.QUICK_STOP:
        return _E.QUICK_STOP
    if not controlword & Control.SWITCH_ON:
        return _E.SHUTDOWN
    if not controlword & Control.ENABLE_OPERATION:
        return _E.SWITCH_ON
    return _E.ENABLE_OPERATION


_OFF, _DOWN, _ON, _RUN, _STOP = (
    int(word) for word in (DISABLE_VOLTAGE, SHUTDOWN, SWITCH_ON, ENABLE_OPERATION, QUICK_STOP)
)

_WORD: dict[State402, dict[State402 | None, int]] = {
    _S.SWITCH_ON_DISABLED: {},
    _S.READY_TO_SWITCH_ON: {
        _S.SWITCH_ON_DISABLED: _DOWN,
        _S.READY_TO_SWITCH_ON: _DOWN,
        _S.SWITCHED_ON: _DOWN,
        _S.OPERATION_ENABLED: _DOWN,
        None: _DOWN,
    },
    _S.SWITCHED_ON: {
        _S.SWITCH_ON_DISABLED: _DOWN,
        _S.READY_TO_SWITCH_ON: _ON,
        _S.SWITCHED_ON: _ON,
        _S.OPERATION_ENABLED: _ON,
        None: _DOWN,
    },
    _S.OPERATION_ENABLED: {
        _S.SWITCH_ON_DISABLED: _DOWN,
        _S.READY_TO_SWITCH_ON: _ON,
        _S.SWITCHED_ON: _RUN,
        _S.OPERATION_ENABLED: _RUN,
        None: _DOWN,
    },
    _S.QUICK_STOP_ACTIVE: dict.fromkeys((*_S, None), _STOP),
}
"""Target state -> present state -> word; where there is none, the voltage is disabled.

A quick stop is never left by transition 16: what was stopped is disabled before it runs again.
"""

TARGETS = tuple(_WORD)
"""States that `next_controlword` leads to."""


def next_controlword(
    state: State402 | None, target: State402, previous: int = 0, *, reset: bool = False
) -> int:
    """Return the controlword that leads one step on towards a state.

    Args:
        state: State that the drive reports; None if its statusword is none.
        target: State to reach, one of `TARGETS`.
        previous: Controlword sent before; bit 7 rises from 0 only.
        reset: Whether a fault shall be acknowledged.

    Raises:
        ValueError: If no controlword leads to the target.
    """
    words = _WORD.get(target)
    if words is None:
        names = ", ".join(each.value for each in TARGETS)
        raise ValueError(f"no controlword leads to {target.value!r}, one leads to: {names}")
    word = words.get(state, _OFF)
    if state is _S.FAULT and reset and not previous & FAULT_RESET:
        return int(FAULT_RESET)
    return word
