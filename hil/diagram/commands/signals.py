"""``hil diagram signals``: signals and setpoints of a scenario's diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hil.terminal.completion import offered
from hil.terminal.console import Json, leave, out, print_json, verb

if TYPE_CHECKING:
    from hil.diagram.check.seam import Endpiece
    from hil.diagram.show.summaries import EndpieceSummary

ScenarioArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO", help="Scenario file, or the name of a shipped one (press).",
        autocompletion=offered("scenarios"),
    ),
]  # fmt: skip


@verb
def signals(scenario: ScenarioArgument, as_json: Json = False) -> None:
    """Signals that a scenario's diagram may take, and setpoints that it has to give."""
    from hil.diagram.run.station_ends import ends_of
    from hil.diagram.show.summaries import DiagramEndsSummary

    path, ends = ends_of(scenario)
    if as_json:
        taken, given = (
            [_summarize(one) for one in group] for group in (ends.offered, ends.accepted)
        )
        print_json(
            DiagramEndsSummary(
                ok=True, path=str(path), signals=taken, setpoints=given, some=ends.some,
                step_s=ends.step_s,
            )
        )  # fmt: skip
        leave(True)
    for direction, group in (("in ", ends.offered), ("out", ends.accepted)):
        for one in group:
            out.print(f"{direction} {one.name}: {one.words}", soft_wrap=True)
    if not ends.offered:
        out.print("nobody feeds it: it has no inputs")
    if ends.some:
        out.print("some of the outputs will do")
    if ends.step_s is not None:
        out.print(f"its base period is a whole multiple of {ends.step_s:g} s")
    leave(True)


def _summarize(one: Endpiece) -> EndpieceSummary:
    from hil.diagram.show.summaries import EndpieceSummary

    return EndpieceSummary(
        name=one.name, shape=list(one.shape), unit=one.diagram_unit, frame=one.frame
    )
