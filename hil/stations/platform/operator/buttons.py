"""Which presses are possible now, and why not the others: one pure rule for control and panel.

It says what makes sense; the gate decides. So a press that slips through here moves nothing that
the gate does not let move.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hil.desk.order import Button
from safety.modes import Mode, Severity
from safety.verdict import Action, DriveRequest, Verdict


@dataclass(frozen=True, slots=True)
class Readiness:
    """What besides the mode decides about a press."""

    held: bool = True
    """The dead-man is held and its panel alive."""
    ready: bool = True
    """The gate holds the legs; in STANDBY only then a rise can begin."""
    clear: bool = True
    """Nothing is violated at present and the drives may be without power, so a fault's cause is
    gone and the legs stand."""
    target: bool = True
    """A pose is given."""
    playing: str = ""
    """``"play"``, ``"pose"`` or empty."""
    ending: bool = False
    """The end of the run is under way."""


def standing_of(
    verdict: Verdict, *, held: bool, target: bool, playing: str, ending: bool
) -> Readiness:
    """The facts as the gate's last verdict and the operator's order tell them."""
    violated = any(found.severity is not Severity.INFORM for found in verdict.violations)
    return Readiness(
        held=held,
        ready=verdict.action is Action.HOLDING,
        clear=not violated and verdict.drives is DriveRequest.OFF,
        target=target,
        playing=playing,
        ending=ending,
    )


MOVING_MODES = frozenset({Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED, Mode.PARKING})
"""Modes in which the legs may move on an operator's behalf: only while the dead-man is held."""


def allowed_buttons(mode: Mode, standing: Readiness) -> frozenset[Button]:
    """The buttons that do something now.

    Args:
        standing: what else decides.
    """
    return frozenset(button for button in Button if not why_not(button, mode, standing))


def why_not(button: Button, mode: Mode, standing: Readiness) -> str:
    """Why a press does nothing now, as half a sentence; empty if it does something."""
    return _RULES[button](mode, standing)


def _home(mode: Mode, standing: Readiness) -> str:
    if mode is not Mode.IDLE:
        return f"the bench is in {mode.name}; homing begins in IDLE"
    return _to_move(standing)


def _engage(mode: Mode, standing: Readiness) -> str:
    if mode is Mode.IDLE:
        return "the bench is in IDLE; home it first"
    if mode is Mode.HOLD:
        return "the bench is in HOLD; park it first"
    if mode is not Mode.STANDBY:
        return f"the bench is in {mode.name}; it rises from STANDBY"
    if not standing.ready:
        return "the drives are still being enabled"
    return _to_move(standing)


def _hold(mode: Mode, standing: Readiness) -> str:
    return "" if mode in MOVING_MODES else f"nothing moves in {mode.name}"


def _park(mode: Mode, standing: Readiness) -> str:
    if mode not in (Mode.HOLD, Mode.ENGAGING, Mode.ENGAGED):
        return f"the bench is in {mode.name}; it parks from HOLD, ENGAGING or ENGAGED"
    return "" if standing.held else NOT_HELD


def _reset(mode: Mode, standing: Readiness) -> str:
    if mode is Mode.LOCKOUT:
        return "a lockout has no reset; end the run and start anew"
    if mode is not Mode.FAULT:
        return f"no fault is latched in {mode.name}"
    return "" if standing.clear else "the fault's cause is still there, or a leg does not stand"


def _shut_down(mode: Mode, standing: Readiness) -> str:
    if mode in (Mode.OFF, Mode.LOCKOUT) or standing.ending:
        return "the end is under way"
    return ""


def _play(mode: Mode, standing: Readiness) -> str:
    if standing.playing == "play":
        return "the motion is being played"
    return _engaged(mode, standing)


def _pose(mode: Mode, standing: Readiness) -> str:
    why = _engaged(mode, standing)
    return why or ("" if standing.target else "no pose is given; set one first")


def _engaged(mode: Mode, standing: Readiness) -> str:
    if mode is not Mode.ENGAGED:
        return f"the bench is in {mode.name}; engage it first"
    return _to_move(standing)


def _to_move(standing: Readiness) -> str:
    if standing.ending:
        return "the end is under way"
    return "" if standing.held else NOT_HELD


NOT_HELD = "the dead-man is released; hold it while the legs move"

_RULES: dict[Button, Callable[[Mode, Readiness], str]] = {
    Button.HOME: _home,
    Button.ENGAGE: _engage,
    Button.HOLD: _hold,
    Button.PARK: _park,
    Button.RESET: _reset,
    Button.SHUT_DOWN: _shut_down,
    Button.PLAY: _play,
    Button.POSE: _pose,
}
