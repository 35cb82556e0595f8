"""A dry run in a process of its own: `python -m hil.panel.scenarios.models.dry_run FILE OUT`.

The virtual clock and simulated devices, whatever the file says; the motion itself is the file's.
One JSON object a line on standard output: how far it is, and at the end how it went.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hil.config.errors import RefusedError
from hil.config.settings import ConfigError
from hil.panel.scenarios.models.helper_output import share_reporter, write_line
from hil.recording.header import RecordingError
from hil.run.file_kinds import TOGETHER, find_kind, scenario_kinds
from hil.run.registry import station_of_kind
from hil.service import dry_run

REPORTED_STEP: Final = 0.005
"""Share of the run between two words on how far it is."""


def main() -> int:
    """Run the file named on the command line.

    Returns:
        Exit status: 0 if all went well, else 1.
    """
    name, out = sys.argv[1], Path(sys.argv[2])
    try:
        path, kind = find_kind(name, *scenario_kinds(), key="SCENARIO")
        if kind is TOGETHER:
            raise RefusedError("stations together have clocks of their own: run it, or each alone")
        end = dry_run(station_of_kind(kind), path, out, _reporter())
        reason, recording = end.reason or end.outcome, str(end.recorder.path)
        result = {"ok": end.ok, "reason": reason, "recording": recording}
    except (ConfigError, RefusedError, RecordingError, ValueError) as error:
        result = {"ok": False, "reason": str(error), "recording": ""}
    write_line({"result": result})
    return 0 if result["ok"] else 1


def _reporter() -> Callable[[float, float], None]:
    """Return a reporter of how far a run is, not more often than a bar can show."""
    report = share_reporter(REPORTED_STEP)
    return lambda t_s, total_s: report(min(t_s / total_s, 1.0) if total_s > 0.0 else 1.0)


if __name__ == "__main__":
    sys.exit(main())
