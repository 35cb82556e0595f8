"""Station `platform` as everybody else sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hil.config.file_kind import FileKind, NamedFile
from hil.machines.kinds import DRIVE, RIG
from hil.run.lead import HOLD_TO_RUN, Lead
from hil.run.station import Checked, Option, Request, Section, Station, Tried
from hil.stations.platform.signals import SIGNALS
from hil.stations.platform.views import VIEWS

if TYPE_CHECKING:
    from hil.config.offers import Offer
    from hil.config.settings import Settings
    from hil.recording.header import RunHeader
    from hil.recording.reader import Recording
    from hil.run.lead import Controls, Seen
    from hil.run.preview import Preview
    from hil.scene.figure import Scene
    from hil.stations.platform.report.view import RunView
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
    ),
    Option(
        flag="--world",
        metavar="SCENE",
        help="What hangs on the rods of simulated cylinders in the physics engine, and what is in "
        "their way: a scene's name or file.",
        checks=True,
    ),
)


def _scenario() -> type[Settings]:
    from hil.stations.platform.scenario import Scenario

    return Scenario


def _read(table: Mapping[str, Any], file: Path) -> None:
    from hil.stations.platform.motion.build import motion_of
    from hil.stations.platform.scenario import plan_from_table

    motion_of(plan_from_table(table, file))


SCENARIO: Final = FileKind(
    name="platform scenario",
    schema="scenario",
    marks=("motion", "rig"),
    names=(NamedFile(("rig",), "rigs"), NamedFile(("motion", "file"), "motions", "*.csv")),
    model=_scenario,
    check=_read,
)
"""What a scenario of this station is; one that names no station."""


def _check(request: Request) -> Checked:
    from hil.stations.platform.checked import checked
    from hil.stations.platform.command_line import plan_of

    return checked(plan_of(request), request)


def _run(request: Request) -> bool:
    from hil.stations.platform.command_line import plan_of
    from hil.stations.platform.runner import run_asked

    return run_asked(plan_of(request), request)


def _dry_run(file: Path, out: Path, tell: Callable[[float, float], None]) -> Tried:
    from hil.stations.platform.dry_run import dry_run

    return dry_run(file, out, tell)


def _recorded(recording: Recording) -> RunView:
    from hil.stations.platform.report.view import RunView

    return RunView.of(recording)


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
"""What its pages show beside the rest; what there is nothing to draw of is left out."""


def _scene(header: RunHeader) -> tuple[Scene, ...]:
    from hil.stations.platform.scene import PlatformScene

    return (PlatformScene.from_scenario(header.scenario),)


def _preview(file: Path) -> Preview:
    from hil.stations.platform.preview import preview

    return preview(file)


def _why_not(button: str, seen: Seen) -> str:
    from hil.stations.platform.lead import why_not

    return why_not(button, seen)


def _controls(plan: Mapping[str, Any]) -> Controls:
    from hil.stations.platform.lead import controls

    return controls(plan)


LEAD: Final = Lead(
    buttons=("home", "engage", "hold", "park", "reset", "shut_down", "play", "pose"),
    why_not=_why_not,
    next_acts={"HOLD": (HOLD_TO_RUN, "park"), "FAULT": ("reset", HOLD_TO_RUN, "home")},
    controls=_controls,
)
"""What an operator may ask of it."""


def _warm(quiet: bool) -> None:
    from hil.stations.platform.runner import warm_and_say

    warm_and_say(quiet=quiet)


def _examine(url: str, bitrate: int) -> list[Finding]:
    from hil.stations.platform.drives.tools import link_findings

    return link_findings(url, bitrate)


def _offered() -> tuple[Offer, ...]:
    from hil.machines.offered_banks import banks_offered
    from hil.stations.platform.motion.offered import motions_offered

    return motions_offered() + banks_offered()


STATION: Final = Station(
    name="platform",
    scenarios=SCENARIO,
    machines=(RIG, DRIVE),
    options=OPTIONS,
    signals=SIGNALS,
    check=_check,
    run=_run,
    dry_run=_dry_run,
    recorded=_recorded,
    figures=f"{_REPORT}.key_figures:key_figures",
    sections=SECTIONS,
    views=VIEWS,
    lead=LEAD,
    scene=_scene,
    preview=_preview,
    examine=_examine,
    warm=_warm,
    offered=_offered,
)
"""What the entry point of the station gives."""
