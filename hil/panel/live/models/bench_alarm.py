"""The alarm of a bench that has stopped: its first cause, and what brings it on."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from hil.panel.live.models.faults import advice_of
from hil.run.lead import HOLD_TO_RUN, Lead
from hil.run.station import Views

BUTTONS: Final = {
    "home": "Home",
    "engage": "Engage",
    "hold": "Hold",
    "park": "Park",
    "reset": "Reset",
    "shut_down": "End run",
    "play": "Play",
    "pose": "Go to pose",
}

STALLED_ACTS: Final = (HOLD_TO_RUN, "play")
"""Acts that bring a bench on which a stall of the computer stopped."""


class Alarm(NamedTuple):
    """Cause of a bench's stop and the remedy, in words; all empty if it does as it was asked."""

    cause: str = ""
    """Its mode, and what it stopped for first."""
    advice: str = ""
    """Remedy for that."""
    acts: str = ""
    """Buttons to be pressed next."""


class Hands(NamedTuple):
    """Ownership of the motion, as far as it decides what is to be done next."""

    you_own: bool
    owner: str
    held: bool


def alarm_of(
    lead: Lead | None,
    views: Views,
    mode: str | None,
    cause: Mapping[str, Any] | None,
    hands: Hands,
    *,
    clear: bool,
    stalled: bool = False,
) -> Alarm:
    """The alarm of a mode.

    Args:
        cause: the first violation that is latched, as control told it; None if there is none.
        clear: whether it is gone.
        stalled: whether it is nothing but a stall of the computer.
    """
    wanted = () if lead is None or mode is None else lead.next_acts.get(mode, ())
    if mode is None or not (cause or wanted):
        return Alarm()
    if stalled and wanted and lead is not None and "play" in lead.buttons:
        wanted = STALLED_ACTS
    why = "" if cause is None else f": {cause['message']}"
    advice = "" if cause is None else advice_of(views, cause.get("check"))
    return Alarm(f"{mode}{why}", advice, _acts(wanted, hands, clear=clear) if wanted else "")


def _acts(wanted: tuple[str, ...], hands: Hands, *, clear: bool) -> str:
    acts = [_name(one) for one in wanted if one != HOLD_TO_RUN or not hands.held]
    if not clear and wanted[0] == "reset":
        acts.insert(0, "take the cause away")
    if not hands.you_own and not hands.owner:
        acts.insert(0, "take the motion")
    who = f", by {hands.owner}" if hands.owner and not hands.you_own else ""
    return f"Next{who}: {', then '.join(acts)}"


def _name(act: str) -> str:
    return "hold Space" if act == HOLD_TO_RUN else BUTTONS[act]
