"""Changes of the diagram that moves the robot of a run, between its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from hil.diagram.run.changer import WHO
from hil.recording.events import Level
from hil.stations.world.cycle.diagram_law import DiagramLaw

if TYPE_CHECKING:
    from hil.diagram.run.changer import DiagramChanger
    from hil.stations.world.cycle.loop import WorldRun
    from hil.timing.clock import Tick


class LawChanges:
    """Changes of the diagram that moves the robot of a run, between its steps.

    Args:
        changer: source of the changes.
    """

    def __init__(self, changer: DiagramChanger) -> None:
        self._changer = changer

    def act(self, run: WorldRun, tick: Tick) -> None:
        """Report the result of a change, or take the next; never waits."""
        self._changer.act(_law(run).diagram, run.journal, tick)

    def close(self, run: WorldRun) -> None:
        """Report the rest, and FMUs whose answers came late."""
        self._changer.close(run.journal)
        models = _law(run).models
        for path, ticks in {} if models is None else models.late.items():
            if run.journal is not None:
                text = (
                    f"{path}: the FMU's answer was not there in {ticks} ticks: its outputs stayed"
                )
                run.journal.put(run.bench.world.time_s, run.figures.steps, text, {"late": ticks},
                                 who=WHO, level=Level.WARNING)  # fmt: skip


def _law(run: WorldRun) -> DiagramLaw:
    return cast(DiagramLaw, run.bench.gated.law)
