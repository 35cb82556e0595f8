"""The process that judges an operator's requests during a ride, see `hil.desk.prover`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hil.desk.order import Six
from hil.desk.prover import serve

if TYPE_CHECKING:
    from hil.stations.simulator.plan.source import OperatorInput

PROGRAM: Final = ("-m", "hil.stations.simulator.lead.prover_program")
"""Arguments of the interpreter for it."""


class RideRequestJudge:
    """Judge of gains and presets for one ride.

    Args:
        presets: how many the scenario names.
        inputs: what may be asked of its source.
    """

    def __init__(self, presets: int, inputs: tuple[OperatorInput, ...] = ()) -> None:
        self._presets, self._inputs = presets, inputs

    def target(self, pose: Six) -> str:
        """Refuse a pose: a ride goes to none."""
        return "a ride goes to no pose; end it, and begin a run of poses"

    def motion(self, table: Mapping[str, Any]) -> tuple[str, bytes]:
        """Judge a table of requests.

        Returns:
            What is wrong with it, empty if nothing; and the table in full as JSON.
        """
        from hil.config.errors import ConfigError
        from hil.stations.simulator.lead.ride_request import Desired, require_inputs

        try:
            desired = Desired.build(table, "ride")
            require_inputs(desired.inputs, self._inputs)
        except (ConfigError, ValueError) as error:
            return str(error), b""
        if desired.preset is not None and desired.preset >= self._presets:
            return f"preset = {desired.preset}: 0 to {self._presets - 1} are there", b""
        return "", desired.model_dump_json().encode()


def main() -> None:
    """Run the process."""
    from hil.stations.simulator.plan.scenario import RidePlan
    from hil.stations.simulator.plan.source_registry import operator_inputs

    def judge_of(header: Mapping[str, Any]) -> RideRequestJudge:
        plan = RidePlan.build(header["scenario"], "header")
        inputs = operator_inputs(plan.scenario.source, Path(plan.scenario_file))
        return RideRequestJudge(len(plan.scenario.cueing.names), inputs)

    serve(judge_of)


if __name__ == "__main__":
    main()
