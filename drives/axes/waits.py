"""Waits for one drive: object, value seen, value wanted, and what may help."""

from drives.axes.cia402 import State402, state_of
from drives.waits import Wait

STATUSWORD = "statusword (6041h)"
SILENT = Wait(
    0x1017,
    "its sign of life (heartbeat 1017h, or answer)",
    "missing, or not to be believed",
    "one in time",
    "supply, cable and node id of this drive; its fault, if one is told",
)
NOT_REMOTE = Wait(
    0x6041,
    "statusword (6041h) bit 9, remote,",
    "0",
    "1",
    "is the drive set to be commanded over the bus? A type that never sets it: remote_bit",
)
FOLLOWS_NOT = Wait(
    0x6041,
    "statusword (6041h) bit 12, follows the command,",
    "0",
    "1",
    "a halt or limit that is active? A type without this bit: follows_bit",
)
MOVES = Wait(0x6064, "position (6064h)", "moving", "standstill", "a brake that slips?")
_MODE = "is this mode of operation switched on in the drive?"
_STATE_REMEDY: dict[State402 | None, str] = {
    State402.NOT_READY_TO_SWITCH_ON: "its self-test; its own tool tells what it waits for",
    State402.SWITCH_ON_DISABLED: "power stage supplied? safe torque off (STO) released?",
    State402.FAULT: "its cause must go; its code is among the events",
}


def wait_for_state(statusword: int, wanted: State402) -> Wait:
    """Return the wait for a state of the power state machine.

    Args:
        statusword: 6041h, as the drive reported it.
        wanted: The state that it has to reach.
    """
    state = state_of(statusword)
    seen = f"0x{statusword:04X}, {'no state of CiA 402' if state is None else state.value}"
    return Wait(0x6041, STATUSWORD, seen, wanted.value, _STATE_REMEDY.get(state, ""))


def wait_for_mode(shown: int, wanted: int) -> Wait:
    """Return the wait for a mode of operation.

    Args:
        shown: 6061h, as the drive reported it.
        wanted: The mode that it has to show.
    """
    return Wait(0x6061, "mode display (6061h)", str(shown), str(wanted), _MODE)
