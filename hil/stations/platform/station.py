"""Station `platform` for the rest of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hil.config.file_kind import FileKind, NamedFile
from hil.machines.kinds import CYLINDERS, DESIGN, DRIVE, RIG
from hil.run.late_call import late_of
from hil.run.lead import HOLD_TO_RUN, Lead
from hil.run.station import Section, StandIn, Station
from hil.run.workspace_maker import WorkspaceMaker
from hil.stations.platform.options import OPTIONS
from hil.stations.platform.signals import SIGNALS
from hil.stations.platform.views import VIEWS

if TYPE_CHECKING:
    from hil.config.offers import Offer

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
    model=_late("plan.scenario:scenario_model"),
    check=_late("plan.motion_build:motion_of_table"),
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
    Section("machine", f"{_REPORT}.machine_figure:machine"),
    Section("rig", f"{_REPORT}.rig_figure:rig"),
    Section("lateness", f"{_REPORT}.lateness_figure:lateness"),
)
"""Sections of its pages besides the common ones; those without content are left out."""


LEAD: Final = Lead(
    buttons=("home", "engage", "hold", "park", "reset", "shut_down", "play", "pose"),
    why_not=_late("lead.controls:why_not"),
    next_acts={"HOLD": (HOLD_TO_RUN, "park"), "FAULT": ("reset", HOLD_TO_RUN, "home")},
    controls=_late("lead.controls:controls"),
)
"""Requests that it takes from an operator."""


def _warm(quiet: bool) -> None:
    from hil.stations.platform.cycle.kernel_warmup import warm_and_say
    from platform6dof.warm import warm_workspace

    warm_and_say(quiet=quiet)
    warm_workspace()


def _offered() -> tuple[Offer, ...]:
    from hil.machines.rig.buses import buses_offered
    from hil.machines.rig.offered_banks import banks_offered
    from hil.stations.platform.motion.motion_plugins import motions_offered

    return motions_offered() + banks_offered() + buses_offered()


STATION: Final = Station(
    name="platform",
    scenarios=SCENARIO,
    machines=(RIG, DRIVE, CYLINDERS, DESIGN),
    options=OPTIONS,
    signals=SIGNALS,
    load=_late("plan.command_line:plan_of"),
    prove=_late("run.check_report:checked"),
    diagram_ends=_late("motion.diagram:ends_of"),
    prepare=_late("run.runner:prepare"),
    play=_late("run.runner:play"),
    summary=_late("run.runner:summary"),
    stand_in=StandIn(
        "drives",
        _late("run.runner:emulated"),
        lambda prepared: prepared.plan.scenario.devices.fallback,
    ),
    recorded=_late("report.view:RunView.of"),
    figures=f"{_REPORT}.key_figures:key_figures",
    sections=SECTIONS,
    views=VIEWS,
    lead=LEAD,
    scene=_late("scene.platform:scenes_of"),
    preview=_late("scene.preview:preview"),
    motion=_late("plan.motion_build:motion_of_file"),
    workspace=WorkspaceMaker(
        kind=RIG,
        quantities=_late("proof.workspace_slices:quantities"),
        map=_late("proof.workspace_slices:workspace_map"),
        prove=_late("proof.workspace_slices:workspace_proof"),
    ),
    examine=_late("commissioning.drive_scan:link_findings"),
    examine_chain=_late("commissioning.chain_findings:chain_findings"),
    warm=_warm,
    offered=_offered,
)
"""Object of the station's entry point."""
