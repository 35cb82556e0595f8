"""Station `world` for the rest of the program."""

from typing import Final

from hil.config.file_kind import FileKind, NamedFile
from hil.config.offers import Offer
from hil.run.late_call import late_of
from hil.run.lead import Lead
from hil.run.pages import Role, Shape
from hil.run.station import Section, Station, Views
from hil.stations.world.options import OPTIONS
from hil.stations.world.signals import SIGNALS

LAMPS: Final[dict[str, tuple[Role, Shape]]] = {
    "moving": ("ok", Shape.MOVES),
    "settling": ("accent", Shape.REST),
    "stopping": ("warn", Shape.STOPS),
    "stopped": ("warn", Shape.REST),
    "off": ("fault", Shape.FAULT),
}
FIRST_TRACES: Final = (
    "position_rad", "position_m", "position_joints", "effort_n_m", "effort_n", "effort_joints",
    "contact_force_n",
)  # fmt: skip
"""First traces of the scope, of which a robot has some."""
ADVICE: Final = {
    "position": "A joint would leave its range. Ask for less, or choose another start.",
    "braking": "A joint could not stop before its limit. Slow the motion near it.",
    "speed": "A joint is too fast. Slow the motion.",
    "acceleration": "A joint speeds up too fast. Give the motion more time, or bounded jerk.",
    "following": "A joint does not follow. Something holds it, or its drive is too weak: look at "
    "effort against its limit.",
    "effort": "A drive's effort is beyond its bound. Slow the motion, or carry less.",
    "box": "The tool would leave its workspace. Move the motion inward.",
    "own_bodies": "Two bodies of the robot touch. Choose another way.",
}


_late: Final = late_of("hil.stations.world")

SCENARIO: Final = FileKind(
    name="world scenario",
    schema="world-scenario",
    station="world",
    names=(
        NamedFile(("motion", "file"), "motions", "*.csv"),
        NamedFile(("robot",), "world/robots"),
    ),
    model=_late("plan.scenario:scenario_model"),
    check=_late("plan.scenario_reader:world_plan_from_table"),
)

DOCUMENT: Final = FileKind(
    name="robot document",
    schema="robot-document",
    folder="world/robots",
    marks=("link",),
    model=_late("robots.robot_file:robot_model"),
    check=_late("robots.robot_file:robot_from_table"),
    endings=(".toml", ".txt"),
    read=_late("robots.robot_file:robot_table"),
    write=_late("robots.robot_file:robot_text"),
    begun={"link": [], "joint": []},
    runs=(".toml", ".txt", ".urdf", ".mjcf", ".xml"),
    grids=("link", "joint", "drive"),
)
"""Kind of file of a jointed robot, which scenarios name."""

_REPORT: Final = "hil.stations.world.report.sections"
SECTIONS: Final = (
    Section("goal", "hil.stations.world.report.goal_table:goal_parts", "Goal of the scenario"),
    Section(
        "instants", f"{_REPORT}:instants", "The robot in pictures",
        "No pictures: they need the physics engine (pip install hil-bench[world]) and OpenGL "
        "without a screen (Debian: libegl1, libgl1-mesa-dri), and two rows at least.",
    ),
    Section(
        "frames", f"{_REPORT}:motion_frames", "The robot in motion",
        "Nothing to draw: fewer than two rows, or no physics engine "
        "(pip install hil-bench[world]).",
    ),
    Section("joints", f"{_REPORT}:joints_over_time", "Joints and drives over time"),
    Section("tool", f"{_REPORT}:tool_path", "Way of the tool"),
    Section("contacts", f"{_REPORT}:contact_force", "Contacts over time"),
    Section("sensors", f"{_REPORT}:sensor_readings", "Sensors over time"),
    Section("errors", f"{_REPORT}:joint_errors", "Joints against where they should be"),
    Section("losses", f"{_REPORT}:losses", "What of the documents does not act"),
)  # fmt: skip
"""Sections of its pages besides the common ones."""


def _offered() -> tuple[Offer, ...]:
    from hil.diagram.library.registry import offered

    return offered()


STATION: Final = Station(
    name="world",
    scenarios=SCENARIO,
    machines=(DOCUMENT,),
    options=OPTIONS,
    offered=_offered,
    signals=SIGNALS,
    load=_late("plan.requested_plan:plan_of"),
    prove=_late("run.runner:check"),
    diagram_ends=_late("cycle.diagram_ends:ends_of"),
    prepare=_late("run.runner:prepare"),
    play=_late("run.runner:play"),
    summary=_late("run.runner:summary"),
    machine_preview=_late("robots.robot_preview:robot_preview"),
    lead=Lead(handles=_late("lead.operator_access:handles")),
    sections=SECTIONS,
    views=Views(
        lamps=LAMPS,
        first_traces=FIRST_TRACES,
        moving=("moving", "stopping"),
        advice=ADVICE,
        margins=_late("view.margins:margins_of"),
        pages=_late("view.pages:pages"),
    ),
    scene=_late("view.scene:scenes_of"),
)
