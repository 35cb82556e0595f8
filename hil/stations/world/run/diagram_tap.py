"""Values of a run's diagram for whoever has it open in the editor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from hil.desk.endpoints import PlaceError
from hil.terminal.console import err, styled

if TYPE_CHECKING:
    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.plan.scenario import WorldPlan


@contextmanager
def tapped(plan: WorldPlan, bench: WorldBench) -> Iterator[None]:
    """Publish the law's values while it is open, unless the folder of benches is unsafe.

    The run continues without; that is reported.
    """
    from hil.diagram.run.taps import OpenTaps  # Linux only
    from hil.stations.world.cycle.diagram_law import DiagramLaw  # seldom needed

    law, used = bench.gated.law, plan.diagram
    with ExitStack() as stack:
        if used is not None and isinstance(law, DiagramLaw):
            header = plan.scenario.name, used.path.resolve(), used.text, used.changes
            try:
                law.diagram.taps = stack.enter_context(OpenTaps(*header)).taps
            except PlaceError as error:
                words = f"nobody can watch the diagram: {error}"
                err.print(styled("yellow", words), soft_wrap=True)
        yield
