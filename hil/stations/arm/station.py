"""Station `arm` as everybody else sees it."""

from typing import Final

from hil.config.file_kind import FileKind, NamedFile
from hil.config.offers import Offer
from hil.diagram.run.options import PRESS, SLIDE
from hil.machines.kinds import ROBOT, SPACE_ARM
from hil.run.late_call import late_of
from hil.run.lead import Lead
from hil.run.station import Option, Section, StandIn, Station
from hil.stations.arm.signals import SIGNALS
from hil.stations.arm.views import VIEWS

LINK: Final = Option(
    flag="--arm-link",
    metavar="URL",
    help="Where the robot of an arm station is: `sim:`, serial:/dev/ttyS0?baud=9600, "
    "socket://host:port. A robot on a line takes the real clock.",
    key="devices.arm",
    device=True,
)
AT: Final = Option(
    flag="--arm-at",
    metavar="X,Y,Z,O,A,T",
    help="Where the robot's controller shows its gripper now [mm, deg], for a robot whose "
    "requests do not say so. What the robot says itself goes before it.",
)
WORLD: Final = Option(
    flag="--world",
    metavar="SCENE",
    help="Of an arm station: the scene in which an emulated robot bears its weight and touches "
    "things, `table`, or a file.",
    checks=True,
    key="world",
)


EDIT: Final = Option(
    flag="--edit",
    help="Of an arm station: the diagram that an operator moves it by; on a robot on a line its "
    "structure stays what it is.",
    switch=True,
)


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
    model=_late("scenario:scenario_model"),
    check=_late("scenario:arm_plan_from_table"),
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
"""What its pages show beside the rest, and what they say where there is nothing to show."""


def _offered() -> tuple[Offer, ...]:
    from hil.machines.robot.offered_links import links_offered

    return links_offered()


OPTIONS: Final = (LINK, AT, WORLD, PRESS, SLIDE, EDIT)
STATION: Final = Station(
    name="arm",
    scenarios=SCENARIO,
    machines=(ROBOT, SPACE_ARM),
    options=OPTIONS,
    signals=SIGNALS,
    load=_late("runner:plan_of"),
    prove=_late("runner:check"),
    diagram_ends=_late("diagram_ends:ends_of"),
    prepare=_late("runner:prepare"),
    play=_late("runner:play"),
    summary=_late("runner:summary"),
    stand_in=StandIn(
        "robot",
        _late("runner:emulated"),
        lambda prepared: prepared.proof.plan.scenario.devices.fallback,
    ),
    recorded=_late("report.view:recorded"),
    figures=f"{_REPORT}.key_figures:arm_key_figures",
    sections=SECTIONS,
    views=VIEWS,
    lead=Lead(handles=_late("lead:handles")),
    scene=_late("scene_robot:scenes_of"),
    warm=_late("runner:warm_all"),
    offered=_offered,
)
