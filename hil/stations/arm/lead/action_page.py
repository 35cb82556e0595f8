"""Buttons of actions on the space arm, for a live motion's panels: their page, and its judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from hil.desk.order import Six
from hil.diagram.run import panel_page
from hil.run.pages import Page, PageButton, PageText

if TYPE_CHECKING:
    from hil.diagram.run.prover_program import PanelJudge

KIND: Final = "actions"
"""Kind of the table that panels send."""
PRESSES_MOST: Final = 10**6


def buttons_in(scenario: Mapping[str, Any]) -> dict[str, str]:
    """Return the buttons of a run's scenario, with what each does in words.

    Args:
        scenario: as the header of the run has it.
    """
    source = scenario.get("scenario", {}).get("source", {})
    found: dict[str, str] = {}
    for one in source.get("actions", ()):
        if (name := one.get("button")) is not None:
            found[name] = ", ".join(filter(None, (found.get(name), _words(one))))
    return found


def _words(action: Mapping[str, Any]) -> str:
    keys = ("clutch", "limit_nm", "power", "joint", "brake", "open_brake", "release")
    given = [(key, action[key]) for key in keys if action.get(key) is not None]
    return ", ".join("release" if key == "release" else f"{key} {value}" for key, value in given)


def pages(table: Mapping[str, Any]) -> tuple[Page, ...]:
    """Make the pages of a run's header: those of its diagram, and one of its actions' buttons."""
    found = panel_page.pages(table)
    source = table.get("scenario", {}).get("source", {})
    buttons = buttons_in(table)
    if not buttons or source.get("kind") in ("profile", "recorded", "spiral"):
        return found
    widgets = [PageText(words="They are done with the next waypoint, while hold-to-run is held.")]
    shown = [
        PageButton(label=f"{name}: {words}", counts=f"presses.{name}")
        for name, words in buttons.items()
    ]
    return (*found, Page(title="Actions", widgets=(*widgets, *shown), asks={"kind": KIND}))


def presses_in(table: Mapping[str, Any], buttons: Sequence[str]) -> Mapping[str, int]:
    """Return how often each button has been pressed, from a table that a panel sent.

    Raises:
        ValueError: with what is wrong with it.
    """
    presses = table.get("presses", {})
    if set(table) - {"kind", "presses"} or not isinstance(presses, Mapping):
        raise ValueError(f"kind = {KIND!r} and the table presses are needed")
    for name, count in presses.items():
        if name not in buttons:
            raise ValueError(f"presses.{name[:60]}: there are {', '.join(buttons) or 'none'}")
        if type(count) is not int or not 0 <= count <= PRESSES_MOST:
            raise ValueError(f"presses.{name} = {count!r:.40}: a whole number is needed")
    return presses


class ActionJudge:
    """Judge of what is pressed, and of what is asked of a diagram beside it.

    Args:
        buttons: names of the actions' buttons.
        diagram: judge of the diagram; None without one.
    """

    def __init__(self, buttons: Sequence[str], diagram: PanelJudge | None) -> None:
        self._buttons, self._diagram = tuple(buttons), diagram

    def target(self, pose: Six) -> str:
        """Refuse a pose: a robot is sent nowhere while it runs."""
        return "a run of this station goes to no pose"

    def motion(self, table: Mapping[str, Any]) -> tuple[str, bytes]:
        """Judge a table; return what is wrong with it, empty if nothing, and the table as JSON."""
        if self._diagram is not None and table.get("kind") != KIND:
            return self._diagram.motion(table)
        try:
            presses_in(table, self._buttons)
        except ValueError as error:
            return str(error), b""
        return "", json.dumps(table, sort_keys=True).encode()


class PressCounter:
    """Counts of a panel's buttons, of which what has grown is pressed.

    Args:
        press: told a button that is pressed; returns why nothing is done, or nothing.
        others: takes any other table.
    """

    def __init__(
        self,
        buttons: Sequence[str],
        press: Callable[[str], None],
        others: Callable[[bytes], None],
    ) -> None:
        self._buttons, self._press, self._others = tuple(buttons), press, others
        self._counts = dict.fromkeys(self._buttons, 0)

    def take(self, table: bytes) -> None:
        """Take a table that the desk has proved."""
        values = json.loads(table)
        if values.get("kind") != KIND:
            self._others(table)
            return
        for name, count in presses_in(values, self._buttons).items():
            if count > self._counts[name]:
                self._press(name)
            self._counts[name] = count
