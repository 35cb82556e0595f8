"""Station `platform` as everybody else sees it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from hil.config.file_kinds import FileKind
from hil.run.station import Checked, Option, Request, Station
from hil.stations.platform.signals import SIGNALS

if TYPE_CHECKING:
    from hil.config.settings import Settings
    from hil.recording.reader import Recording
    from hil.timing.doctor import Finding

OPTIONS: Final = (
    Option(
        flag="--rig", metavar="TEXT", help="Rig file, for a motion without a scenario.", checks=True
    ),
    Option(
        flag="--motion",
        metavar="PATH",
        help="CSV file to replay, for a run without a scenario.",
        checks=True,
    ),
    Option(
        flag="--map",
        metavar="AXIS=COLUMN[:UNIT[:BIAS[:SCALE]]]",
        help="Which column is which axis (x y z alpha beta gamma, t for time), e.g. "
        "x=disp_north_m,y=disp_east_m. The unit is taken from the column's name if left out. "
        "Comma-separated, or repeated.",
        many=True,
        checks=True,
    ),
    Option(
        flag="--drives",
        metavar="URL",
        help="Where the drives are: `sim:`, `rig` (where the rig says), slcan:…, socketcan:…, "
        "modbus-tcp:…, modbus-rtu:…. Drives on a wire take the real clock.",
    ),
)


def _scenario() -> type[Settings]:
    from hil.stations.platform.scenario import Scenario

    return Scenario


def _check(request: Request) -> Checked:
    from hil.stations.platform.command_line import plan_of
    from hil.stations.platform.runner import checked

    return checked(plan_of(request), quiet=request.as_json)


def _run(request: Request) -> bool:
    from hil.stations.platform.command_line import plan_of
    from hil.stations.platform.runner import run_and_show

    return run_and_show(
        plan_of(request), request.folder, report_too=request.report, as_json=request.as_json,
        operator=request.operator,
    )  # fmt: skip


def _report(recording: Recording, folder: Path) -> Path:
    from hil.stations.platform.report.page import write_report

    return write_report(recording, folder)


def _warm(quiet: bool) -> None:
    from hil.stations.platform.runner import warm_and_say

    warm_and_say(quiet=quiet)


def _examine(url: str, bitrate: int) -> list[Finding]:
    from hil.stations.platform.drives.tools import link_findings

    return link_findings(url, bitrate)


STATION: Final = Station(
    name="platform",
    scenarios=FileKind.PLATFORM_SCENARIO,
    machines=(FileKind.RIG, FileKind.DRIVE),
    options=OPTIONS,
    signals=SIGNALS,
    scenario=_scenario,
    check=_check,
    run=_run,
    report=_report,
    examine=_examine,
    warm=_warm,
)
"""What the entry point of the station gives."""
