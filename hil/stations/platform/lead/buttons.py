"""Presses that are possible now, why the others are not, and which presses lead to them.

One pure rule for control and panel. It says what makes sense; the gate decides. So a press that
passes here by mistake moves nothing that the gate does not let move.
"""

from dataclasses import dataclass
from typing import Final

from hil.desk.order import Button
from safety.modes import HOMED_MODES, Mode, Severity
from safety.verdict import Action, Check, DriveRequest, Verdict

NOT_HELD: Final = "hold-to-run is released; hold Space, then press again"
UNDER_WAY: Final = "the end is under way"
MOVING_MODES: Final = frozenset({Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED, Mode.PARKING})
"""Modes in which the legs may move on an operator's behalf: only while the dead-man is held."""
STOPPING_MODES: Final = frozenset({Mode.CSTOP, Mode.QSTOP})
WORKS_IN: Final = {
    Button.HOME: frozenset({Mode.IDLE}),
    Button.ENGAGE: frozenset({Mode.STANDBY}),
    Button.HOLD: MOVING_MODES,
    Button.PARK: frozenset({Mode.HOLD, Mode.ENGAGING, Mode.ENGAGED}),
    Button.RESET: frozenset({Mode.FAULT}),
    Button.SHUT_DOWN: frozenset(Mode) - {Mode.OFF, Mode.LOCKOUT},
    Button.PLAY: frozenset({Mode.ENGAGED}),
    Button.POSE: frozenset({Mode.ENGAGED}),
}
"""Modes in which a press does something."""
NEXT_PRESS: Final = {
    Mode.IDLE: (Button.HOME, Mode.STANDBY),
    Mode.STANDBY: (Button.ENGAGE, Mode.ENGAGED),
    Mode.HOLD: (Button.PARK, Mode.STANDBY),
    Mode.FAULT: (Button.RESET, Mode.IDLE),
}
"""Next press, and the mode that it leads to, in modes that last until a press."""
WAITS: Final = {
    Mode.OFF: "until the drives are set up",
    Mode.HOMING: "until every leg is homed",
    Mode.ENGAGING: "until it has risen",
    Mode.PARKING: "until it is parked",
    Mode.CSTOP: "until it stands",
    Mode.QSTOP: "until it stands",
}
"""Modes that end by themselves, and until when."""
ALREADY: Final[dict[Button, dict[Mode, str]]] = {
    Button.HOME: dict.fromkeys(HOMED_MODES, "the legs are homed already")
    | {Mode.HOMING: "homing has begun already"},
    Button.ENGAGE: {Mode.ENGAGING: "it rises already", Mode.ENGAGED: "it is engaged already"},
    Button.PARK: {Mode.STANDBY: "it is parked already", Mode.PARKING: "it parks already"},
    Button.HOLD: dict.fromkeys(frozenset(Mode) - MOVING_MODES, "nothing moves")
    | {Mode.HOLD: "it holds already", **dict.fromkeys(STOPPING_MODES, "it stops already")},
    Button.RESET: dict.fromkeys(frozenset(Mode) - STOPPING_MODES, "no fault is latched"),
    Button.SHUT_DOWN: dict.fromkeys((Mode.OFF, Mode.LOCKOUT), UNDER_WAY),
    Button.PLAY: {},
    Button.POSE: {},
}
"""Modes in which a press is not needed any more, and why."""
RECOVERABLE: Final = frozenset({Button.ENGAGE, Button.PLAY})
"""Presses that recovery carries on to their mode, if a stall of the computer alone stopped it."""
STALLS: Final = frozenset({Check.MISSING, Check.LATE, Check.PERIOD, Check.CONTROL})
"""Checks that fail when the computer stalls."""
AFTER_GAP: Final = frozenset({Check.SPEED, Check.ACCELERATION, Check.SPEED_MISMATCH})
"""Checks that fail besides, where the next setpoint does not continue a bridged one."""
HELD_FOR: Final = frozenset({Button.HOME, Button.ENGAGE, Button.PARK, Button.PLAY, Button.POSE})
"""Presses that move the legs: only while hold-to-run is held."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Facts besides the mode that decide about a press."""

    held: bool = True
    """Whether the dead-man is held and its panel alive."""
    ready: bool = True
    """Whether the gate holds the legs; in STANDBY only then a rise can begin."""
    clear: bool = True
    """Whether nothing is violated now and the drives may be without power, so that a fault's cause
    is gone and the legs are at rest."""
    target: bool = True
    """Whether a pose is given."""
    playing: str = ""
    """Motion that is played: ``"play"``, ``"pose"`` or empty."""
    ending: bool = False
    """Whether the end of the run is under way."""
    stalled: bool = False
    """Whether nothing but a stall of the computer stopped it."""


def readiness_of(
    verdict: Verdict, *, held: bool, target: bool, playing: str, ending: bool
) -> Readiness:
    """Facts by the gate's last verdict and the operator's order."""
    return Readiness(
        held=held,
        ready=verdict.action is Action.HOLDING,
        clear=cleared(verdict),
        target=target,
        playing=playing,
        ending=ending,
        stalled=stalled(verdict),
    )


def stalled(verdict: Verdict) -> bool:
    """Whether all that is latched is a stall of the computer, or what follows from one."""
    checks = [fault.check for fault in verdict.faults]
    first = checks[:1] == [Check.MISSING]
    return bool(checks) and all(one in STALLS or (first and one in AFTER_GAP) for one in checks)


def leads_back(button: Button, mode: Mode, readiness: Readiness) -> bool:
    """Whether a press is carried on to where it does something, by the presses of `presses_to`."""
    stopped = mode in (Mode.HOLD, Mode.FAULT) and readiness.stalled
    return stopped and button in RECOVERABLE and not readiness.ending


def cleared(verdict: Verdict) -> bool:
    """Whether nothing is violated any more and the drives may be without power."""
    violated = any(found.severity is not Severity.INFORM for found in verdict.violations)
    return not violated and verdict.drives is DriveRequest.OFF


def presses_to(button: Button, mode: Mode) -> tuple[Button, ...]:
    """Presses, one after the other, until a button does something or need not be pressed.

    Empty where that is so already, and where no press helps.
    """
    presses: list[Button] = []
    while mode in NEXT_PRESS and mode not in WORKS_IN[button] and mode not in ALREADY[button]:
        press, mode = NEXT_PRESS[mode]
        presses.append(press)
    return tuple(presses)


def why_not(button: Button, mode: Mode, readiness: Readiness) -> str:
    """Reason why a press does nothing now, and what helps; empty if it does something."""
    if leads_back(button, mode, readiness):
        return _not_ready(presses_to(button, mode)[0], readiness) or (
            "" if readiness.held else NOT_HELD
        )
    if mode not in WORKS_IN[button]:
        return _elsewhere(button, mode, readiness)
    if readiness.ending and button not in (Button.HOLD, Button.PARK, Button.RESET):
        return UNDER_WAY
    return _not_ready(button, readiness) or (
        NOT_HELD if button in HELD_FOR and not readiness.held else ""
    )


def _elsewhere(button: Button, mode: Mode, readiness: Readiness) -> str:
    """Reason why a press does nothing in this mode."""
    if mode is Mode.LOCKOUT and button is not Button.SHUT_DOWN:
        return "a lockout has no reset; the run ends, begin it anew"
    if mode in ALREADY[button]:
        return ALREADY[button][mode]
    if readiness.ending:
        return UNDER_WAY
    if mode in WAITS:
        return f"the bench is in {mode.name}; wait {WAITS[mode]}"
    presses = presses_to(button, mode)
    first = ""
    if presses[0] is Button.RESET and not readiness.clear:
        first = "take its cause away, then "
    elif presses[0] in HELD_FOR and not readiness.held:
        first = "hold Space, then "
    names = ", then ".join(press.name.capitalize() for press in presses)
    return f"the bench is in {mode.name}; {first}{names}"


def _not_ready(button: Button, readiness: Readiness) -> str:
    """Condition that is missing in a mode where a press could do something."""
    if button is Button.ENGAGE and not readiness.ready:
        return "the drives are still being enabled; wait until they hold"
    if button is Button.RESET and not readiness.clear:
        return "the fault's cause is still there, or a leg does not stand; take it away first"
    if button is Button.PLAY and readiness.playing == "play":
        return "the motion is being played"
    if button is Button.POSE and not readiness.target:
        return "no pose is given; set one first"
    return ""
