"""Public interface of the station `arm`."""

from typing import Final

from hil.config.file_kind import FileKind, NamedFile
from hil.config.offers import Offer
from hil.machines.kinds import ROBOT, SPACE_ARM
from hil.run.late_call import late_of
from hil.run.lead import Lead
from hil.run.station import Section, StandIn, Station
from hil.stations.arm.options import OPTIONS
from hil.stations.arm.signals import SIGNALS
from hil.stations.arm.views import VIEWS

_late: Final = late_of("hil.stations.arm")

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
    model=_late("plan.scenario:scenario_model"),
    check=_late("plan.scenario:arm_plan_from_table"),
)


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
"""Sections of its pages beside the rest, with the texts where there is nothing to show."""


def _offered() -> tuple[Offer, ...]:
    from hil.machines.robot.offered_links import links_offered

    return links_offered()


STATION: Final = Station(
    name="arm",
    scenarios=SCENARIO,
    machines=(ROBOT, SPACE_ARM),
    options=OPTIONS,
    signals=SIGNALS,
    load=_late("run.runner:plan_of"),
    prove=_late("run.runner:check"),
    diagram_ends=_late("plan.diagram_ends:ends_of"),
    prepare=_late("run.runner:prepare"),
    play=_late("run.runner:play"),
    summary=_late("run.runner:summary"),
    stand_in=StandIn(
        "robot",
        _late("run.runner:emulated"),
        lambda prepared: prepared.proof.plan.scenario.devices.fallback,
    ),
    recorded=_late("report.view:recorded"),
    figures=f"{_REPORT}.key_figures:arm_key_figures",
    sections=SECTIONS,
    views=VIEWS,
    lead=Lead(handles=_late("lead.handles:handles")),
    scene=_late("scene.robot:scenes_of"),
    warm=_late("run.runner:warm_all"),
    offered=_offered,
)
