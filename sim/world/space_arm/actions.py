"""Actions on the drives of a space arm while it moves: clutches, brakes, power, and the payload.

An action takes no time. It changes what the drives do from then on, never a rate: a clutch that
closes and a brake that closes at speed slip until both sides are equally fast.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.drive import CLUTCH, LOOP_GAIN, TORQUE_PER_VOLT, JointDrive
from sim.world.space_arm.kernels.vectors import copied

Array = NDArray[np.float64]


class ActionKind(Enum):
    """Kinds of actions, by what a joint or the gripper does from then on."""

    CLUTCH_CLOSED = "clutch closed"
    """The clutch passes on any torque, as the models without clutches have it."""
    CLUTCH_SLIP = "clutch slips"
    """The clutch passes on at most its limit."""
    CLUTCH_OPEN = "clutch open"
    """The clutch passes on nothing: motor and link move apart."""
    BRAKE_CLOSED = "brake closed"
    """The brake acts on the motor with its torque; the motor's command is 0."""
    BRAKE_OPEN = "brake open"
    """The brake does not act."""
    POWER_OFF = "power off"
    """The motor has no current, and so no torque."""
    POWER_ON = "power on"
    """The motor follows its commands."""
    RELEASE = "payload released"
    """The gripper lets its payload go; joints keep their rates."""


CLUTCHES = (ActionKind.CLUTCH_CLOSED, ActionKind.CLUTCH_SLIP, ActionKind.CLUTCH_OPEN)
BRAKES = (ActionKind.BRAKE_CLOSED, ActionKind.BRAKE_OPEN)
POWER = (ActionKind.POWER_OFF, ActionKind.POWER_ON)


@dataclass(frozen=True, slots=True)
class DriveAction:
    """One action on one joint, or on the payload."""

    kind: ActionKind
    """Kind of the action."""
    joint: int = 0
    """Number of the joint, from 1 at the base; 0 for the payload."""
    limit_nm: float = math.inf
    """Torque at which the clutch slips [N m]; infinite: that of the joint's clutch."""

    def __str__(self) -> str:
        place = f"joint {self.joint}: " if self.joint else ""
        limit = f" at {self.limit_nm:g} N m" if math.isfinite(self.limit_nm) else ""
        return f"{place}{self.kind.value}{limit}"


@dataclass(frozen=True, slots=True)
class TimedAction:
    """An action at a time."""

    at_s: float
    """Time of the action [s]."""
    action: DriveAction
    """The action."""


def limit_of(action: DriveAction, drive: JointDrive) -> float:
    """Return the torque that a clutch passes on after an action [N m].

    Raises:
        ValueError: if the joint has no clutch, or one that slips at less.
    """
    if math.isinf(drive.clutch_nm):
        raise ValueError(f"joint {action.joint} has no clutch")
    if action.kind is ActionKind.CLUTCH_OPEN:
        return 0.0
    if action.kind is ActionKind.CLUTCH_CLOSED:
        return math.inf
    if math.isinf(action.limit_nm):
        return drive.clutch_nm
    if not 0.0 < action.limit_nm <= drive.clutch_nm:
        raise ValueError(
            f"joint {action.joint}: a clutch that slips at {action.limit_nm:g} N m; its own slips "
            f"at {drive.clutch_nm:g} N m, so above 0 and at most that is needed"
        )
    return action.limit_nm


def changed_drives(
    table: Array, rated: Array, drives: Sequence[JointDrive], action: DriveAction
) -> Array:
    """Return the drives' table after an action on a clutch or a motor's power, read-only.

    Args:
        table: the table before it; see `drive.drive_table`.
        rated: the table of the drives at the start.
        drives: the joints' drives.

    Raises:
        ValueError: as `limit_of`.
    """
    changed, j = copied(table), action.joint - 1
    if action.kind in CLUTCHES:
        changed[CLUTCH, j] = limit_of(action, drives[j])
    else:
        on = 1.0 if action.kind is ActionKind.POWER_ON else 0.0
        for row in (LOOP_GAIN, TORQUE_PER_VOLT):
            changed[row, j] = on * rated[row, j]
    changed.setflags(write=False)
    return changed


class TickActions:
    """Actions of one tick that are still to come, in the order of their times.

    Args:
        actions: their times count from the tick's beginning.
    """

    def __init__(self, actions: Sequence[TimedAction]) -> None:
        self._left = sorted(actions, key=lambda one: one.at_s)

    def next_before(self, end_s: float, *, last: bool) -> TimedAction | None:
        """Take the next one before a time in the tick [s], or any if it is the end of the tick."""
        if self._left and (last or self._left[0].at_s < end_s):
            return self._left.pop(0)
        return None
