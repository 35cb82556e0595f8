"""Station `arm` as everybody else sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hil.config.file_kind import FileKind, NamedFile
from hil.machines.kinds import ROBOT, SPACE_ARM
from hil.run.lead import Lead
from hil.run.station import Checked, Option, Request, Station, Tried
from hil.stations.arm.signals import SIGNALS
from hil.stations.arm.views import VIEWS

if TYPE_CHECKING:
    from hil.config.settings import Settings
    from hil.recording.header import RunHeader
    from hil.recording.reader import Recording
    from hil.run.lead import Handles
    from hil.scene.figure import Scene

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


def _read(table: Mapping[str, Any], file: Path) -> None:
    from hil.stations.arm.scenario import arm_plan_from_table

    arm_plan_from_table(table, file)


SCENARIO: Final = FileKind(
    name="arm scenario",
    schema="arm-scenario",
    station="arm",
    names=(
        NamedFile(("robot",), "robots", default="rm01"),
        NamedFile(("space_arm", "arm"), "arms", default="bkm"),
        NamedFile(("source", "file"), pattern="*.csv"),
        NamedFile(("source", "token_file"), pattern=""),
    ),
    model=_scenario,
    check=_read,
)
"""What a scenario of this station is."""


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


def _dry_run(file: Path, out: Path, tell: Callable[[float, float], None]) -> Tried:
    from hil.stations.arm.dry_run import dry_run

    return dry_run(file, out, tell)


def _report(recording: Recording, folder: Path) -> Path:
    from hil.stations.arm.recording import ArmRecording
    from hil.stations.arm.report.page import write_arm_report

    return write_arm_report(ArmRecording(recording), folder)


def _scene(header: RunHeader) -> tuple[Scene, ...]:
    from hil.stations.arm.scenes import scenes_of

    return scenes_of(header)


def _handles() -> Handles:
    from hil.stations.arm.lead import handles

    return handles()


def _warm(quiet: bool) -> None:
    from hil.stations.arm.runner import warm_arm_and_say

    warm_arm_and_say(quiet=quiet, classic=True, fine=True)


STATION: Final = Station(
    name="arm",
    scenarios=SCENARIO,
    machines=(ROBOT, SPACE_ARM),
    options=(LINK, AT),
    signals=SIGNALS,
    check=_check,
    run=_run,
    dry_run=_dry_run,
    report=_report,
    views=VIEWS,
    lead=Lead(handles=_handles),
    scene=_scene,
    warm=_warm,
)
"""What the entry point of the station gives."""
