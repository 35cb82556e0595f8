"""The diagram of an arm's operator while it runs: how it is changed, and what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hil.config.errors import ConfigError, RefusedError
from hil.desk.velocity.source import SourceError
from hil.diagram.run.changer import DiagramChanger, Inbox, TimedChange
from hil.diagram.run.panel_page import (
    changes_from_panel_or_file,
    column,
    paths_of_displays,
    refusals_to,
    signals_of_displays,
    table_of,
)
from hil.diagram.run.saved_file import DiagramFileWatch
from hil.recording.signals import Signals, SignalsError
from hil.stations.arm.plan.scenario import ArmPlan
from hil.stations.arm.sources.settings import DiagramSourceSettings, diagram_of
from sim.world.space_arm.simulator import TICK_S

if TYPE_CHECKING:
    from hil.desk.velocity.panel_operator import PanelOperator
    from hil.stations.arm.cycle.journal import ArmJournal
    from hil.stations.arm.sources.diagram import VelocityDiagram
    from hil.timing.clock import Tick


class DiagramRun:
    """A diagram that makes a velocity of what an operator asks for.

    Args:
        made: the diagram.
        real: whether a change is built in a thread of its own, so that the loop does not wait.
    """

    def __init__(self, made: VelocityDiagram, *, real: bool) -> None:
        self.made, self._real = made, real
        self.inbox: Inbox | None = None
        """Source of the changes that are requested; None if nobody can request any."""
        self._columns = [column(path) for path in paths_of_displays(made.version.file)]
        self._changer: DiagramChanger | None = None
        self._led: PanelOperator | None = None

    @property
    def header_table(self) -> dict[str, Any]:
        """Facts about it for a header."""
        return table_of(self.made.version, self.made.text)

    def signals(self, signals: Signals) -> Signals:
        """Return the signals of a row, and what it shows.

        Raises:
            RefusedError: if that is more than goes into a row.
        """
        try:
            shown = signals_of_displays(self.made.version.file)
            return replace(signals, fields=(*signals.fields, *shown))
        except SignalsError as error:
            raise RefusedError(f"{self.made.path}: {error}") from None

    def shown(self) -> Mapping[str, float]:
        """Return the values of its panel blocks, by the names of signals."""
        return dict(zip(self._columns, self.made.diagram.shown().tolist(), strict=True))

    def act(self, journal: ArmJournal, tick: Tick) -> None:
        """Report the result of a change, or take the next; never waits."""
        if self._changer is None:
            acts = [TimedChange(round(at_s / TICK_S), change) for at_s, change in self.made.acts]
            self._changer = DiagramChanger(acts, TICK_S, self.inbox, beside=self._real)
            if self._led is not None:
                self._changer.on_refused = refusals_to(self._led)
        self._changer.act(self.made.diagram, journal, tick._replace(index=journal.waypoint))

    def close(self, journal: ArmJournal) -> None:
        """Report the remaining results, and the changes that were not reached."""
        if self._changer is None:
            return
        self._changer.close(journal)
        for missed in self._changer.missed:
            journal.late(missed)

    def led(self, operator: PanelOperator) -> None:
        """Take what panels ask for too."""
        self._led = operator
        self.inbox = changes_from_panel_or_file(self.made.version, operator, self.inbox)

    def saved(self, report: Callable[[str], object]) -> AbstractContextManager[object]:
        """Take each version of its file that is saved, while this is entered."""
        made = self.made
        found = DiagramFileWatch(made.path, made.text, made.version.given, report)
        self.inbox = found.next
        return found


def diagram_run(plan: ArmPlan) -> DiagramRun | None:
    """Return the diagram of a plan's operator; None if there is none.

    Raises:
        RefusedError: if it cannot be used.
    """
    source = plan.scenario.source
    if not isinstance(source, DiagramSourceSettings) or source.planned:
        return None
    devices = plan.scenario.devices
    power = f"the robot at {devices.arm} has power; only parameters change then"
    fixed = "" if devices.simulated else power
    try:
        made = diagram_of(source, Path(plan.scenario_file), fixed)
    except SourceError as error:
        raise RefusedError(f"source: {error}") from None
    return DiagramRun(made, real=plan.scenario.clock == "real")


def edited(
    plan: ArmPlan, run: DiagramRun | None, report: Callable[[str], object]
) -> AbstractContextManager[object]:
    """Takes the diagram of a run each time that its file is saved.

    Raises:
        ConfigError: if there is nothing to be edited.
    """
    if run is None:
        problem = "--edit: an operator's diagram is needed (source.kind, source.by)"
        raise ConfigError(plan.scenario_file, [problem])
    return run.saved(report)
