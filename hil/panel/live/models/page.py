"""A station's own page: what its widgets show of the newest row, and what a person asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.desk import messages as m
from hil.desk.client import Message
from hil.desk.operation import Refusal
from hil.panel.live.models.feed import Batch, RunFacts
from hil.recording.header import code_name
from hil.run.pages import Page, PageButton, PageLamp, PageSlider, PageSwitch, Role, Shape


class PageModel:
    """One page of one run.

    Args:
        next_id: numbers of the questions to the desk.
    """

    def __init__(self, facts: RunFacts, page: Page, next_id: Callable[[], int]) -> None:
        self.page: Page = page
        """What is shown."""
        self._next_id = next_id
        signals = facts.signals
        self._places = {name: at for at, name in enumerate(signals.columns())}
        self._codes = {one.name: one.codes for one in signals.coded}
        self._row: NDArray[np.float64] | None = None
        self._asked: dict[int, dict[str, Any]] = {}
        self.wanted: dict[str, Any] = dict(page.asks)
        """The table as it was asked for last, by keys with dots."""
        for one in page.widgets:
            if isinstance(one, PageSwitch):
                self.wanted[one.key] = one.on
            elif isinstance(one, PageSlider):
                self.wanted[one.key] = one.value
        self._first = self._granted = dict(self.wanted)
        self._newest, self._before = 0, self._granted
        self.said: str = ""
        """Reason why the last request was refused; empty if it was not."""

    def take(self, batch: Batch) -> None:
        """Keep the newest row."""
        if batch.restart:
            self._row = None
        if len(batch.rows):
            self._row = batch.rows[-1].copy()

    def value(self, column: str) -> float:
        """Value of a column in the newest row; NaN if there is none."""
        at = self._places.get(column)
        return math.nan if at is None or self._row is None else float(self._row[at])

    def code(self, signal: str) -> str:
        """Name of the code that a signal has now; empty if it is not known."""
        value = self.value(signal)
        return "" if math.isnan(value) else code_name(self._codes.get(signal, ()), int(value))

    def lamp(self, lamp: PageLamp) -> tuple[str, Role, Shape, str]:
        """Name of its state, colour, shape, and why."""
        state = self.code(lamp.signal)
        role, shape = lamp.states.get(state, ("dim", Shape.REST))
        why = lamp.reasons.get(self.code(lamp.why), "") if lamp.why else ""
        return state.lower().replace("_", " ") or "not known", role, shape, why

    def ask(self, changes: Mapping[str, Any]) -> m.Motion:
        """The request that some keys be otherwise, to be sent."""
        self.wanted = {**self.wanted, **changes}
        number = self._next_id()
        self._asked[number] = self.wanted
        self.said = ""
        return m.Motion(table=_nested(self.wanted), id=number)

    def press(self, button: PageButton) -> m.Motion:
        """The request of a button that is pressed, to be sent."""
        changes = dict(button.asks)
        if button.counts:
            changes[button.counts] = int(self.wanted.get(button.counts, 0)) + 1
        return self.ask(changes)

    def take_message(self, message: Message) -> bool:
        """Take a message of the desk; return whether the widgets must show what is granted."""
        match message:
            case m.Answer():
                return self._answered(message)
            case m.NewMotion():
                return self._given(message)
            case _:
                return False

    def _answered(self, answer: m.Answer) -> bool:
        table = self._asked.pop(answer.id, None)
        if table is None:
            return False
        if answer.ok:
            return False
        self.said = answer.error
        return self._put_back()

    def _given(self, motion: m.NewMotion) -> bool:
        table = motion.table
        if table is None or any(table.get(key) != one for key, one in self.page.asks.items()):
            return False
        self._newest, self._before = motion.serial, self._granted
        self._granted = {**self._first, **_flat(table)}
        return not self._asked and self._put_back()

    def refused(self, refusal: Refusal) -> bool:
        """Take a refusal of control; return whether the widgets must go back."""
        if not refusal.serial or refusal.serial != self._newest:
            return False
        self._newest, self._granted, self.said = 0, self._before, refusal.why
        return not self._asked and self._put_back()

    def _put_back(self) -> bool:
        """Want what is granted; whether that is something else than was wanted."""
        was, self.wanted = self.wanted, dict(self._granted)
        return self.wanted != was


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The table whose keys have dots where it has tables in it."""
    table: dict[str, Any] = {}
    for key, value in flat.items():
        *tables, last = key.split(".")
        place = table
        for name in tables:
            place = place.setdefault(name, {})
        place[last] = value
    return table


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """Its values by keys with dots."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        inner = _flat(value) if isinstance(value, Mapping) else None
        flat |= {key: value} if inner is None else {f"{key}.{one}": v for one, v in inner.items()}
    return flat


def pages_of(facts: RunFacts) -> tuple[Page, ...]:
    """Pages of a run's own station; none for a plan that cannot be read."""
    if facts.views.pages is None:
        return ()
    try:
        return facts.views.pages(facts.header.scenario)
    except (KeyError, ValueError):
        return ()


def has_controls(facts: RunFacts) -> bool:
    """Whether a run's station has poses and motions that can be set while it runs."""
    station = facts.installed
    return station is not None and station.lead is not None and station.lead.controls is not None
