"""Station `arm` as everybody else sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hil.config.file_kind import FileKind, NamedFile
from hil.machines.kinds import ROBOT, SPACE_ARM
from hil.run.lead import Lead
from hil.run.station import Checked, Option, Request, Section, Station, Tried
from hil.stations.arm.signals import SIGNALS
from hil.stations.arm.views import VIEWS

if TYPE_CHECKING:
    from hil.config.settings import Settings
    from hil.recording.header import RunHeader
    from hil.recording.reader import Recording
    from hil.run.lead import Handles
    from hil.scene.figure import Scene
    from hil.stations.arm.report.view import ArmView

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


def _check(request: Request) -> Checked:
    from hil.stations.arm.runner import checked, plan_of

    return checked(plan_of(request), quiet=request.as_json)


def _run(request: Request) -> bool:
    from hil.stations.arm.runner import plan_of, run_arm_and_show
    from hil.stations.arm.start import robot_at

    return run_arm_and_show(
        plan_of(request), request.folder, report_too=request.report, as_json=request.as_json,
        operator=request.operator, robot_at=robot_at(request.options.get(AT.flag)),
    )  # fmt: skip


def _dry_run(file: Path, out: Path, tell: Callable[[float, float], None]) -> Tried:
    from hil.stations.arm.bench import dry_run

    return dry_run(file, out, tell)


def _recorded(recording: Recording) -> ArmView:
    from hil.stations.arm.recording import ArmRecording
    from hil.stations.arm.report.view import ArmView

    return ArmView.of(ArmRecording(recording))


_REPORT: Final = "hil.stations.arm.report"
_NO_ARMS: Final = "Nothing to draw: no waypoint tells the joints of both arms, or what they are."
_NO_LINES: Final = (
    "Nothing to draw: fewer than two waypoints tell the joints of both arms, or what they are."
)
_NO_POSES: Final = "Nothing to draw: fewer than two waypoints were asked of the robot."
SECTIONS: Final = (
    Section("arms", f"{_REPORT}.drawing:arms", "Both arms", _NO_ARMS),
    Section(
        "motion", f"{_REPORT}.drawing:overlaid", "The same motion at two places", _NO_POSES
    ),
    Section(
        "relative", f"{_REPORT}.figures:relative_motion", "Motion of both grippers over time",
        _NO_POSES,
    ),
    Section(
        "accuracy", f"{_REPORT}.path_figures:accuracy", "Accuracy of the robot's path",
        "Nothing to draw: the robot was sent nothing, or the recording does not tell both paths.",
        unless="robot_alone",
    ),
    Section(
        "following", f"{_REPORT}.path_figures:following", "How the robot followed",
        "Nothing to draw: the robot was sent nothing, or did not tell where it was.",
    ),
    Section("speed", f"{_REPORT}.figures:speed", "Speed of the gripper", _NO_POSES),
    Section(
        "travel", f"{_REPORT}.figures:travel_left", "Way left to the joints' limits", _NO_LINES
    ),
    Section("rates", f"{_REPORT}.figures:rates", "Joint rates", _NO_LINES),
    Section(
        "singular", f"{_REPORT}.figures:singular",
        "Distance of the industrial arm from its singularities",
        "Nothing to draw: fewer than two waypoints tell the robot's joints.",
    ),
    Section(
        "answers", f"{_REPORT}.figures:answers", "Answers to the robot's requests",
        "Nothing to draw: no answer was timed. With the virtual clock an answer takes no time.",
    ),
    Section(
        "joints", f"{_REPORT}.tables:joint_tables", "Joints against their limits",
        "No joint angles, or no arms to compare them with, are in the recording.",
    ),
    Section("link", f"{_REPORT}.tables:link_table", "The link to the robot"),
)  # fmt: skip
"""What its pages show beside the rest, and what they say where there is nothing to show."""


def _scene(header: RunHeader) -> tuple[Scene, ...]:
    from hil.stations.arm.scene_robot import scenes_of

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
    recorded=_recorded,
    figures=f"{_REPORT}.key_figures:arm_key_figures",
    sections=SECTIONS,
    views=VIEWS,
    lead=Lead(handles=_handles),
    scene=_scene,
    warm=_warm,
)
