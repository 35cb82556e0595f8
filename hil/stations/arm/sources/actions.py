"""Actions on the space arm's drives in TOML, and the times at which they are done."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from hil.config.fields import Positive
from hil.config.settings import Settings
from sim.world.space_arm.actions import (
    BRAKES,
    CLUTCHES,
    ActionKind,
    DriveAction,
    TimedAction,
    limit_of,
)
from sim.world.space_arm.arm import Arm

ButtonName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
JointNumber = Annotated[int, Field(ge=1)]

KINDS: Final = ("clutch", "power", "brake", "open_brake", "release")
"""Keys of which each action has one."""
_CLUTCH: Final = {
    "closed": ActionKind.CLUTCH_CLOSED,
    "slip": ActionKind.CLUTCH_SLIP,
    "open": ActionKind.CLUTCH_OPEN,
}
_POWER: Final = {"on": ActionKind.POWER_ON, "off": ActionKind.POWER_OFF}


class ActionSettings(Settings):
    """One action on the space arm while it moves, at a time or by a button."""

    at_s: Annotated[float, Field(ge=0.0, le=3600.0)] | None = None
    """Time of the motion at which it is done [s]."""
    button: ButtonName | None = None
    """Button by which the operator does it, in place of a time; ``--press NAME@S`` presses it."""
    clutch: Literal["closed", "slip", "open"] | None = None
    """Clutch of ``joint`` from then on: passes on any torque, at most its limit, or nothing."""
    limit_nm: Positive | None = None
    """Torque at which that clutch slips [N m], of a sliding joint its force [N]; left out: the
    one in the arm's file."""
    power: Literal["on", "off"] | None = None
    """Power of the motor of ``joint``; without it the joint coasts."""
    joint: JointNumber | None = None
    """Number of the joint of a clutch or a motor, from 1 at the base."""
    brake: tuple[JointNumber, ...] | None = None
    """Joints whose brakes close, at whatever speed."""
    open_brake: tuple[JointNumber, ...] | None = None
    """Joints whose brakes open."""
    release: Literal[True] | None = None
    """Whether the gripper lets its payload go; joints keep their rates."""

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if (self.at_s is None) == (self.button is None):
            raise ValueError("must have either at_s or button")
        if len([key for key in KINDS if getattr(self, key) is not None]) != 1:
            raise ValueError(f"must have one of {', '.join(KINDS)}")
        driven = self.clutch is not None or self.power is not None
        if driven != (self.joint is not None):
            raise ValueError("joint belongs to a clutch or to power, and is needed there")
        if self.limit_nm is not None and self.clutch != "slip":
            raise ValueError('limit_nm belongs to clutch = "slip"')
        if self.brake == () or self.open_brake == ():
            raise ValueError("brakes of no joint: at least one is needed")
        return self

    def actions(self) -> tuple[DriveAction, ...]:
        """Return what is done, one action a joint."""
        if self.release:
            return (DriveAction(ActionKind.RELEASE),)
        if self.clutch is not None and self.joint is not None:
            kind = _CLUTCH[self.clutch]
            limit = () if self.limit_nm is None else (self.limit_nm,)
            return (DriveAction(kind, self.joint, *limit),)
        if self.power is not None and self.joint is not None:
            return (DriveAction(_POWER[self.power], self.joint),)
        closed, opened = self.brake or (), self.open_brake or ()
        return (
            *(DriveAction(ActionKind.BRAKE_CLOSED, joint) for joint in closed),
            *(DriveAction(ActionKind.BRAKE_OPEN, joint) for joint in opened),
        )


class PlacedAction(NamedTuple):
    """An action with the place where it was asked for."""

    key: str
    """Key of the action in its table, or the press."""
    at_s: float
    """Time of the motion [s]."""
    action: DriveAction
    """The action."""


def buttons_of(actions: Sequence[ActionSettings]) -> Mapping[str, tuple[DriveAction, ...]]:
    """Return what each button does, in the order of the scenario."""
    found: dict[str, tuple[DriveAction, ...]] = {}
    for one in actions:
        if one.button is not None:
            found[one.button] = (*found.get(one.button, ()), *one.actions())
    return found


def timed_actions(actions: Sequence[ActionSettings], press: Sequence[str]) -> list[PlacedAction]:
    """Return the actions at a time and those of buttons that are pressed at one, in order.

    Args:
        press: ``NAME@S`` each; names that are no button of an action are left to the diagram.

    Raises:
        ValueError: if a time is none.
    """
    found = [
        PlacedAction(f"actions.{number}", one.at_s, action)
        for number, one in enumerate(actions)
        if one.at_s is not None
        for action in one.actions()
    ]
    for number, (name, at_s) in enumerate(_presses(actions, press)):
        found += [
            PlacedAction(f"press.{number}", at_s, action) for action in buttons_of(actions)[name]
        ]
    return sorted(found, key=lambda one: one.at_s)


def presses_of_diagram(actions: Sequence[ActionSettings], press: Sequence[str]) -> tuple[str, ...]:
    """Return the presses that are of no button of an action."""
    buttons = buttons_of(actions)
    return tuple(one for one in press if one.partition("@")[0].strip() not in buttons)


def _presses(
    actions: Sequence[ActionSettings], press: Sequence[str]
) -> Iterator[tuple[str, float]]:
    buttons = buttons_of(actions)
    for text in press:
        name, _, time = text.partition("@")
        if name.strip() not in buttons:
            continue
        try:
            at_s = float(time)
        except ValueError:
            at_s = -1.0
        if not 0.0 <= at_s <= 3600.0:
            raise ValueError(f"press {text[:60]!r}: NAME@S is needed, S from 0 to 3600 s")
        yield name.strip(), at_s


def faults_of(placed: Sequence[PlacedAction], arm: Arm, payload: str) -> Iterator[tuple[str, str]]:
    """Yield the key of each action that cannot be done, and why.

    Args:
        placed: the actions in the order of their times.
        payload: name of what the gripper holds at the start; empty for nothing.
    """
    states: dict[tuple[int, str], tuple[float, DriveAction]] = {}
    for one in placed:
        if why := _fault(one.action, arm, payload):
            yield one.key, why
            continue
        of = one.action.joint, _device(one.action)
        since_s, before = states.get(of, (-1.0, _START.get(_device(one.action))))
        if before is not None and since_s == one.at_s:
            yield one.key, f"{one.action} at {one.at_s:g} s, when also {before} is asked for"
        elif before is not None and _same(before, one.action):
            since = f"since {since_s:g} s" if since_s >= 0.0 else "from the start"
            yield one.key, f"{one.action} at {one.at_s:g} s: it is so {since}"
        states[of] = one.at_s, one.action


def _fault(action: DriveAction, arm: Arm, payload: str) -> str:
    """Return why an arm cannot do an action, whatever else it does; empty if it can."""
    if action.kind is ActionKind.RELEASE:
        return "" if payload else "release: the gripper holds no payload (space_arm.payload)"
    if not 1 <= action.joint <= len(arm.links):
        return f"joint {action.joint}: {arm.name} has 1 to {len(arm.links)}"
    drive, name = arm.drives[action.joint - 1], arm.links[action.joint - 1].name
    if action.kind in BRAKES and drive.brake_nm == 0.0:
        return f"joint {action.joint}, {name} of {arm.name}, has no brake (brake_nm = 0)"
    if action.kind in CLUTCHES:
        try:
            limit_of(action, drive)
        except ValueError as error:
            return f"{error} ({name} of {arm.name}, drive.clutch_nm)"
    return ""


def _device(action: DriveAction) -> str:
    if action.kind in CLUTCHES:
        return "clutch"
    if action.kind in BRAKES:
        return "brake"
    return "payload" if action.kind is ActionKind.RELEASE else "power"


_START: Final = {
    "clutch": DriveAction(ActionKind.CLUTCH_CLOSED),
    "brake": DriveAction(ActionKind.BRAKE_OPEN),
    "power": DriveAction(ActionKind.POWER_ON),
}
"""State of each device at the start, by the action that leads to it."""


def free_joints(placed: Sequence[PlacedAction]) -> list[int]:
    """Return the numbers of the joints that nothing stops after some actions, in order.

    Such a joint has an open clutch, or neither power nor a closed brake.
    """
    last = {(one.action.joint, _device(one.action)): one.action.kind for one in placed}
    found = {joint for (joint, _), kind in last.items() if kind is ActionKind.CLUTCH_OPEN}
    for (joint, _), kind in last.items():
        braked = last.get((joint, "brake")) is ActionKind.BRAKE_CLOSED
        if kind is ActionKind.POWER_OFF and not braked:
            found.add(joint)
    return sorted(found)


def _same(before: DriveAction, after: DriveAction) -> bool:
    return (before.kind, before.limit_nm) == (after.kind, after.limit_nm)


class ActionQueue:
    """Actions of one motion: those at a time, and those whose button has been pressed.

    A button does something only while the motion is held, as nothing else of a live one does.

    Args:
        timed: in the order of their times.
        buttons: what each button does that may be pressed while it moves.
    """

    def __init__(
        self,
        timed: Sequence[TimedAction] = (),
        buttons: Mapping[str, tuple[DriveAction, ...]] | None = None,
    ) -> None:
        self._timed = tuple(timed)
        self._pressed: list[DriveAction] = []
        self._note = ""
        self.buttons: Mapping[str, tuple[DriveAction, ...]] = buttons or {}
        """What each button does."""
        self.is_held: Callable[[], bool] = lambda: True
        """Finds whether the motion is held."""

    def press(self, name: str) -> None:
        """Do what a button does with the next waypoint; nothing if the motion is not held."""
        if self.is_held():
            self._pressed += self.buttons[name]
        else:
            self._note = f"{name} pressed, nothing done: hold-to-run is released"

    def press_number(self, number: int) -> None:
        """Press a button by its number in the scenario, from 1; there need not be one."""
        names = tuple(self.buttons)
        if number <= len(names):
            self.press(names[number - 1])

    def take_note(self) -> str:
        """Return why a press has done nothing, once; empty for nothing."""
        note, self._note = self._note, ""
        return note

    def take(self, begin_s: float, end_s: float) -> list[TimedAction]:
        """Return the actions of a tick; those that were pressed are done as it begins [s]."""
        pressed, self._pressed = self._pressed, []
        due = [one for one in self._timed if begin_s <= one.at_s < end_s]
        return [*(TimedAction(begin_s, action) for action in pressed), *due]
