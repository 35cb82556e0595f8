"""A dry run in a process of its own: `python -m hil.panel.scenarios.models.dry_run FILE OUT`.

The virtual clock and simulated devices, whatever the file says; the motion itself is the file's.
One JSON object a line on standard output: how far it is, and at the end how it went.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import orjson

from hil.config.errors import RefusedError
from hil.config.settings import ConfigError
from hil.recording.header import RecordingError
from hil.run.file_kinds import TOGETHER, find_kind, scenario_kinds
from hil.run.registry import station_of_kind
from hil.service import dry_run

TOLD_STEP: Final = 0.005
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
        end = dry_run(station_of_kind(kind), path, out, _teller())
        reason, recording = end.reason or end.outcome, str(end.recorder.path)
        result = {"ok": end.ok, "reason": reason, "recording": recording}
    except (ConfigError, RefusedError, RecordingError, ValueError) as error:
        result = {"ok": False, "reason": str(error), "recording": ""}
    _print({"result": result})
    return 0 if result["ok"] else 1


def _teller() -> Callable[[float, float], None]:
    """What tells how far a run is, not more often than a bar can show."""
    last_share = 0.0

    def report(t_s: float, total_s: float) -> None:
        nonlocal last_share
        share = min(t_s / total_s, 1.0) if total_s > 0.0 else 1.0
        if share >= last_share + TOLD_STEP:
            last_share = share
            _print({"share": share})

    return report


def _print(what: dict[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(what) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
