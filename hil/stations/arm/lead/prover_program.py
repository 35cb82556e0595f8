"""The process that judges presses of actions' buttons, see `hil.desk.prover`."""

from collections.abc import Mapping
from typing import Any, Final

from hil.desk.prover import serve
from hil.stations.arm.lead.action_page import ActionJudge, buttons_in

PROGRAM: Final = ("-m", "hil.stations.arm.lead.prover_program")
"""Arguments of the interpreter for it."""


def judge_of(header: Mapping[str, Any]) -> ActionJudge:
    """Return the judge of a run, from its header."""
    scenario = header["scenario"]
    diagram = None
    if "diagram" in scenario:
        from hil.diagram.run.panel_page import version_from_table
        from hil.diagram.run.prover_program import PanelJudge

        diagram = PanelJudge(version_from_table(scenario))
    return ActionJudge(tuple(buttons_in(scenario)), diagram)


if __name__ == "__main__":
    serve(judge_of)
