"""Station `platform` for the rest of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hil.config.file_kind import FileKind, NamedFile
from hil.diagram.run.options import PRESS, SLIDE
from hil.machines.kinds import DRIVE, RIG
from hil.run.late_call import late_of
from hil.run.lead import HOLD_TO_RUN, Lead
from hil.run.station import Option, Section, StandIn, Station
from hil.stations.platform.signals import SIGNALS
from hil.stations.platform.views import VIEWS

if TYPE_CHECKING:
    from hil.config.offers import Offer

OPTIONS: Final = (
    Option(
        flag="--rig", metavar="TEXT", help="Rig file, for a motion without a scenario.", checks=True
    ),
    Option(
        flag="--motion",
        metavar="PATH",
        help="File to replay, for a run without a scenario: CSV, or AT2, VT2, DT2. Given again for "
        "files of one record's components: x, y, z in this order, or a --map for each.",
        many=True,
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
        flag="--fit",
        switch=True,
        help="Change a motion that the rig refuses until it fits: bias, fade, low-pass, direction, "
        "scale. The recording tells what was changed. A unit is never guessed.",
        checks=True,
    ),
    Option(
        flag="--drives",
        metavar="URL",
        help="Where the drives are: `sim:`, `rig` (where the rig says), slcan:…, socketcan:…, "
        "modbus-tcp:…, modbus-rtu:…. Drives on a wire take the real clock.",
        key="devices.drives",
        device=True,
    ),
    Option(
        flag="--world",
        metavar="SCENE",
        help="What hangs on the rods of simulated cylinders in the physics engine, and what is in "
        "their way: a scene's name or file.",
        checks=True,
        key="world",
    ),
    PRESS,
    SLIDE,
)


_late: Final = late_of("hil.stations.platform")

AXES: Final = ("x", "y", "z", "alpha", "beta", "gamma")
"""Coordinates that a column of a recording may be."""
SCENARIO: Final = FileKind(
    name="platform scenario",
    schema="scenario",
    marks=("motion", "rig"),
    names=(
        NamedFile(("rig",), "rigs"),
        NamedFile(("motion", "file"), "motions", "*.csv"),
        *(NamedFile(("motion", "map", axis, "file"), "motions", "*.csv") for axis in AXES),
        NamedFile(("motion", "diagram"), "diagrams"),
    ),
    model=_late("scenario:scenario_model"),
    check=_late("motion.build:motion_of_table"),
)
"""Kind of file of a scenario of this station, also of one that names none."""


_REPORT: Final = "hil.stations.platform.report"
SECTIONS: Final = (
    Section("stop", f"{_REPORT}.stop_figure:stop"),
    Section("touches", f"{_REPORT}.touch_figure:touches"),
    Section("strokes", f"{_REPORT}.leg_figures:strokes"),
    Section("speeds", f"{_REPORT}.leg_figures:speeds"),
    Section("tracking", f"{_REPORT}.leg_figures:tracking"),
    Section("pose", f"{_REPORT}.pose_figure:pose"),
    Section("acceleration", f"{_REPORT}.acceleration_figure:acceleration"),
    Section("rig", f"{_REPORT}.rig_figure:rig"),
    Section("lateness", f"{_REPORT}.lateness_figure:lateness"),
)
"""Sections of its pages besides the common ones; those without content are left out."""


LEAD: Final = Lead(
    buttons=("home", "engage", "hold", "park", "reset", "shut_down", "play", "pose"),
    why_not=_late("operator_controls:why_not"),
    next_acts={"HOLD": (HOLD_TO_RUN, "park"), "FAULT": ("reset", HOLD_TO_RUN, "home")},
    controls=_late("operator_controls:controls"),
)
"""Requests that it takes from an operator."""


def _warm(quiet: bool) -> None:
    from hil.stations.platform.kernel_warmup import warm_and_say

    warm_and_say(quiet=quiet)


def _offered() -> tuple[Offer, ...]:
    from hil.machines.rig.offered_banks import banks_offered
    from hil.stations.platform.motion.motion_plugins import motions_offered

    return motions_offered() + banks_offered()


STATION: Final = Station(
    name="platform",
    scenarios=SCENARIO,
    machines=(RIG, DRIVE),
    options=OPTIONS,
    signals=SIGNALS,
    load=_late("command_line:plan_of"),
    prove=_late("check_report:checked"),
    diagram_ends=_late("motion.diagram:ends_of"),
    prepare=_late("runner:prepare"),
    play=_late("runner:play"),
    summary=_late("runner:summary"),
    stand_in=StandIn(
        "drives", _late("runner:emulated"), lambda prepared: prepared.plan.scenario.devices.fallback
    ),
    recorded=_late("report.view:RunView.of"),
    figures=f"{_REPORT}.key_figures:key_figures",
    sections=SECTIONS,
    views=VIEWS,
    lead=LEAD,
    scene=_late("scene:scenes_of"),
    preview=_late("preview:preview"),
    examine=_late("drives.drive_scan:link_findings"),
    examine_chain=_late("drives.chain_findings:chain_findings"),
    warm=_warm,
    offered=_offered,
)
"""Object of the station's entry point."""
