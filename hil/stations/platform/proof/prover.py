"""Prover of the platform, a separate process: see `hil.desk.prover`."""

from collections.abc import Mapping
from typing import Any

from hil.desk.prover import serve
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.proof.requests import PlanJudge


def _proof_of(header: Mapping[str, Any]) -> PlanJudge:
    return PlanJudge(Plan.build(header["scenario"], "header"))


def main() -> None:
    """Run the prover's process."""
    serve(_proof_of)


if __name__ == "__main__":
    main()
