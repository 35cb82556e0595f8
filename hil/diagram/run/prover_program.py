"""The process that looks at what an operator wants of a run's diagram, see `hil.desk.prover`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from hil.desk.order import Six
from hil.desk.prover import serve

if TYPE_CHECKING:
    from hil.diagram.run.live import Version

PROGRAM: Final = ("-m", "hil.diagram.run.prover_program")
"""Arguments of the interpreter for it."""


class PanelJudge:
    """Judge of what is set and pressed in a diagram.

    Args:
        version: as the run begins.
    """

    def __init__(self, version: Version) -> None:
        self._version = version

    def target(self, pose: Six) -> str:
        """A robot is sent nowhere while it runs."""
        return "a run of this station goes to no pose"

    def motion(self, table: Mapping[str, Any]) -> tuple[str, bytes]:
        """Judge a table of what is set and pressed.

        Returns:
            What is wrong with it, empty if nothing; and the table as JSON.
        """
        from hil.config.errors import ConfigError
        from hil.diagram.run.panel_page import change_of_table

        try:
            self._version.changed(change_of_table(self._version, table).changes)
        except ConfigError as error:
            return "; ".join(error.problems), b""
        return "", json.dumps(table, sort_keys=True).encode()


def main() -> None:
    """Run the process."""
    from hil.diagram.run.panel_page import version_from_table

    def judge_of(header: Mapping[str, Any]) -> PanelJudge:
        return PanelJudge(version_from_table(header["scenario"]))

    serve(judge_of)


if __name__ == "__main__":
    main()
