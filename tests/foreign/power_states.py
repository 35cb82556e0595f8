"""The power state machine of CiA 402 (IEC 61800-7-201, figure 9 and tables 28-31)."""

from enum import Enum


class State(Enum):
    """Each with its pattern of the statusword: bits 0-3, 5 and 6."""

    NOT_READY = 0x0000
    SWITCH_ON_DISABLED = 0x0040
    READY = 0x0021
    SWITCHED_ON = 0x0023
    ENABLED = 0x0027
    QUICK_STOP = 0x0007
    FAULT_REACTION = 0x000F
    FAULT = 0x0008


class Command(Enum):
    """What the bits 0-3 and 7 of a controlword ask for."""

    DISABLE_VOLTAGE = "disable voltage"
    QUICK_STOP = "quick stop"
    SHUTDOWN = "shutdown"
    SWITCH_ON = "switch on"
    ENABLE = "enable operation"


def command_of(controlword: int) -> Command:
    """The command in a controlword, but for the reset of a fault."""
    if not controlword & 0x02:
        return Command.DISABLE_VOLTAGE
    if not controlword & 0x04:
        return Command.QUICK_STOP
    if not controlword & 0x01:
        return Command.SHUTDOWN
    return Command.ENABLE if controlword & 0x08 else Command.SWITCH_ON


TRANSITIONS: dict[tuple[State, Command], State] = {
    (State.SWITCH_ON_DISABLED, Command.SHUTDOWN): State.READY,  # 2
    (State.READY, Command.SWITCH_ON): State.SWITCHED_ON,  # 3
    (State.READY, Command.ENABLE): State.SWITCHED_ON,  # 3, and 4 next
    (State.SWITCHED_ON, Command.ENABLE): State.ENABLED,  # 4
    (State.ENABLED, Command.SWITCH_ON): State.SWITCHED_ON,  # 5
    (State.SWITCHED_ON, Command.SHUTDOWN): State.READY,  # 6
    (State.READY, Command.DISABLE_VOLTAGE): State.SWITCH_ON_DISABLED,  # 7
    (State.READY, Command.QUICK_STOP): State.SWITCH_ON_DISABLED,  # 7
    (State.ENABLED, Command.SHUTDOWN): State.READY,  # 8
    (State.ENABLED, Command.DISABLE_VOLTAGE): State.SWITCH_ON_DISABLED,  # 9
    (State.SWITCHED_ON, Command.DISABLE_VOLTAGE): State.SWITCH_ON_DISABLED,  # 10
    (State.SWITCHED_ON, Command.QUICK_STOP): State.SWITCH_ON_DISABLED,  # 10
    (State.ENABLED, Command.QUICK_STOP): State.QUICK_STOP,  # 11
    (State.QUICK_STOP, Command.DISABLE_VOLTAGE): State.SWITCH_ON_DISABLED,  # 12
    (State.QUICK_STOP, Command.ENABLE): State.ENABLED,  # 16, with options 5-8
}
