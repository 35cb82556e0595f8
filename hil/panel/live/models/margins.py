"""Margins left: each leg's and joint's travel, singularities, the supervision's windows.

A share of 1 is the middle of the travel, 0 is a limit, below 0 is beyond it. The thresholds of the
colours are those of the picture in space.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.panel.live.models.feed import Batch, RunFacts, column
from hil.panel.widgets.figures import figure
from hil.run.registry import missing
from hil.scene.margins import WARN_SHARE, MarginGroup, RestState, RestWatch

Array = NDArray[np.float64]

RANK_STEP: Final = 0.005
"""Two rows change places only for a larger difference of shares, so that they do not dance."""


@dataclass(frozen=True, slots=True)
class MarginRow:
    """One bar."""

    name: str
    """Name of the leg or joint, in words."""
    left: float
    """Way to the nearer limit in `unit`, negative beyond it; NaN if not known."""
    unit: str
    """SI, or as it is shown: % and ms of windows."""
    share: float
    """The same as a share of half the travel, or of the window."""
    end: str
    """Key of the words for the limit that is nearer, with `{left}`."""
    role: str
    """``ok``, ``warn``, ``fault`` or ``unknown``."""
    warn_share: float = WARN_SHARE
    """Share below which people are warned."""
    note: str = ""
    """Further note on it."""

    @property
    def words(self) -> str:
        """The number with its unit and which limit it is to."""
        if self.left != self.left:
            return self.note or "not known"
        if self.left < 0.0:
            return f"{figure(-self.left, self.unit)} BEYOND"
        text = self.end.format(left=figure(self.left, self.unit))
        return f"{text}, {self.note}" if self.note else text


class MarginsModel:
    """Travel left in the newest frame of a run."""

    def __init__(self, facts: RunFacts) -> None:
        self._groups: tuple[tuple[MarginGroup, slice], ...] = ()
        self._row: Array | None = None
        self._facts = facts
        self._begin()
        self._order: list[int] | None = None
        self.problem = ""
        """Why there are no rows; empty if there are."""
        margins = facts.views.margins
        if margins is None:
            self.problem = missing(facts.header)
            return
        try:
            self._groups = tuple(
                (group, column(facts.signals, group.field))
                for group in margins(facts.header.scenario)
            )
        except (KeyError, ValueError) as error:  # of an old or foreign recording
            self.problem = str(error)

    def take(self, batch: Batch, now_s: float) -> None:
        """Keep the newest frame."""
        if batch.restart:
            self._row = self._order = None
            self._begin()
        if len(batch.rows):
            self._row = batch.rows[-1].copy()
            if self._modes is not None:
                self._rest.take(batch.rows[:, self._modes].ravel())

    def _begin(self) -> None:
        """Nothing is known of the modes yet."""
        signals = self._facts.signals
        coded = next(iter(signals.coded), None)
        self._modes = None if coded is None else column(signals, coded.name)
        codes = () if coded is None else coded.codes
        self._rest = RestWatch(codes, self._facts.views.rest_states())

    @property
    def rows(self) -> tuple[MarginRow, ...]:
        """All bars, worst first; what is not known comes last."""
        row = self._row
        if row is None:
            return ()
        made = [each for group, place in self._groups for each in self._rows_of(group, row[place])]
        return tuple(made[k] for k in self._ranked([row.share for row in made]))

    def _rows_of(self, group: MarginGroup, values: Array) -> list[MarginRow]:
        rest_state = self._rest.now
        if rest_state is RestState.UNHOMED:
            values = np.full_like(values, np.nan)
        left, share, ends = group.of(values)
        notes = [""] * len(ends)
        if rest_state is RestState.UNHOMED:
            notes = ["not homed"] * len(ends)
        elif rest_state is RestState.AT_REST:
            notes = ["at rest" if at else "" for at in group.at_rest(share, ends)]
        return [
            MarginRow(*each, warn_share=group.warn_share, note=note)
            for *each, note in zip(
                group.names, left.tolist(), group.units, share.tolist(), ends,
                group.roles(values, rest_state), notes, strict=True,
            )
        ]  # fmt: skip

    def _ranked(self, shares: list[float]) -> list[int]:
        known = [np.inf if share != share else share for share in shares]
        before = self._order or sorted(range(len(known)), key=known.__getitem__)
        self._order = ranked(known, before)
        return self._order


def ranked(shares: list[float], before: list[int]) -> list[int]:
    """Places of the least share first, as steadily as that can be.

    Of any two whose shares differ by more than `RANK_STEP` the lesser comes first. Two that differ
    less keep their order, unless a third has to come between them. The very least comes first
    without regard to that once it is near its limit.

    Args:
        shares: not NaN; infinite for what comes last.
        before: places in the order they had.
    """
    left, order = list(before), list[int]()
    while left:
        least = min(shares[k] for k in left)
        place = next(k for k in left if shares[k] <= least + RANK_STEP)
        left.remove(place)
        order.append(place)
    worst = min(order, key=shares.__getitem__, default=None)
    if worst is not None and shares[worst] < WARN_SHARE:
        order.remove(worst)
        order.insert(0, worst)
    return order
