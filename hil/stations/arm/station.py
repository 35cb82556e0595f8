"""Station `arm` as everybody else sees it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from hil.config.file_kinds import FileKind
from hil.run.station import Checked, Option, Request, Station
from hil.stations.arm.signals import SIGNALS

if TYPE_CHECKING:
    from hil.config.settings import Settings
    from hil.recording.reader import Recording

LINK: Final = Option(
    flag="--arm-link",
    metavar="URL",
    help="Where the robot of an arm station is: `sim:`, serial:/dev/ttyS0?baud=9600, "
    "socket://host:port. A robot on a line takes the real clock.",
)
AT: Final = Option(
    flag="--arm-at",
    metavar="X,Y,Z,O,A,T",
    help="Where the robot's controller shows its gripper now [mm, deg], for a robot whose "
    "requests do not say so. What the robot says itself goes before it.",
)


def _scenario() -> type[Settings]:
    from hil.stations.arm.scenario import ArmScenario

    return ArmScenario


def _check(request: Request) -> Checked:
    from hil.stations.arm.command_line import plan_of
    from hil.stations.arm.runner import checked

    return checked(plan_of(request), quiet=request.as_json)


def _run(request: Request) -> bool:
    from hil.stations.arm.command_line import plan_of, robot_at
    from hil.stations.arm.runner import run_arm_and_show

    return run_arm_and_show(
        plan_of(request), request.folder, report_too=request.report, as_json=request.as_json,
        operator=request.operator, robot_at=robot_at(request.options.get(AT.flag)),
    )  # fmt: skip


def _report(recording: Recording, folder: Path) -> Path:
    from hil.stations.arm.recording import ArmRecording
    from hil.stations.arm.report.page import write_arm_report

    return write_arm_report(ArmRecording(recording), folder)


def _warm(quiet: bool) -> None:
    from hil.stations.arm.runner import warm_arm_and_say

    warm_arm_and_say(quiet=quiet, classic=True, fine=True)


STATION: Final = Station(
    name="arm",
    scenarios=FileKind.ARM_SCENARIO,
    machines=(FileKind.ROBOT, FileKind.SPACE_ARM),
    options=(LINK, AT),
    signals=SIGNALS,
    scenario=_scenario,
    check=_check,
    run=_run,
    report=_report,
    warm=_warm,
)
"""What the entry point of the station gives."""
