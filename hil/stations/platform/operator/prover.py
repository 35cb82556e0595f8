"""The platform's prover, a process of its own: see `hil.desk.prover`."""

from collections.abc import Mapping
from typing import Any, Final

from hil.desk.prover import serve

PROGRAM: Final = ("-m", "hil.stations.platform.operator.prover")
"""Arguments of the interpreter for it."""


def main() -> None:
    """Run the prover's process."""
    # Imported here: control, which names the program, is not to load what only proofs need.
    from hil.stations.platform.operator.proof import PlanJudge
    from hil.stations.platform.scenario import Plan

    def proof_of(header: Mapping[str, Any]) -> PlanJudge:
        return PlanJudge(Plan.build(header["scenario"], "header"))

    serve(proof_of)


if __name__ == "__main__":
    main()
