"""Station `simulator` as everybody else sees it: the platform, led by a live source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hil.config.file_kind import FileKind, NamedFile
from hil.hosts.map_kind import HOST_MAP
from hil.machines.kinds import CUEING_PRESET, DRIVE, RIDE_MAP, RIG
from hil.run.station import Checked, Option, Request, Section, Station, Tried
from hil.stations.platform.station import OPTIONS as PLATFORM_OPTIONS
from hil.stations.platform.station import SECTIONS as PLATFORM_SECTIONS
from hil.stations.platform.station import STATION as PLATFORM
from hil.stations.simulator.signals import SIGNALS
from hil.stations.simulator.views import LEAD, VIEWS

if TYPE_CHECKING:
    from hil.config.offers import Offer
    from hil.config.settings import Settings
    from hil.recording.reader import Recording
    from hil.stations.simulator.report.view import RideView

OPTIONS: Final = (
    *(one for one in PLATFORM_OPTIONS if one.flag == "--drives"),
    Option(
        flag="--preset",
        metavar="TEXT",
        help="Cueing preset in place of the scenario's: a name in configs/cueing, or a file.",
        checks=True,
    ),
    Option(
        flag="--algorithm",
        metavar="TEXT",
        help="classical, adaptive, optimal, mpc or direct, in place of the preset's.",
        checks=True,
    ),
    Option(
        flag="--gain",
        metavar="NUMBER",
        help="Factor on the vehicle's force and rates, in place of the scenario's.",
        checks=True,
    ),
    Option(
        flag="--trust",
        switch=True,
        help="Load the native code of an FMU that the scenario's source names.",
        checks=True,
    ),
)


def _scenario() -> type[Settings]:
    from hil.stations.simulator.scenario import RideScenario

    return RideScenario


def _read(table: Mapping[str, Any], file: Path) -> None:
    from hil.stations.simulator.bench import ride_of
    from hil.stations.simulator.scenario import ride_from_table

    plan = ride_from_table(table, file)
    plan.lasts_s  # noqa: B018  # looks for the source's own files
    ride_of(plan)


SCENARIO: Final = FileKind(
    name="simulator scenario",
    schema="simulator-scenario",
    station="simulator",
    names=(
        NamedFile(("rig",), "rigs"),
        NamedFile(("cueing", "preset"), "cueing"),
        NamedFile(("source", "file"), "motions", "*.csv"),
    ),
    model=_scenario,
    check=_read,
)
"""What a scenario of this station is."""


def _check(request: Request) -> Checked:
    from hil.stations.simulator.runner import checked

    return checked(request)


def _run(request: Request) -> bool:
    from hil.stations.simulator.runner import run_asked

    return run_asked(request)


def _dry_run(file: Path, out: Path, tell: Callable[[float, float], None]) -> Tried:
    from hil.stations.simulator.runner import dry_run

    return dry_run(file, out, tell)


def _recorded(recording: Recording) -> RideView:
    from hil.stations.simulator.report.view import RideView

    return RideView.of_ride(recording)


_REPORT: Final = "hil.stations.simulator.report"
SECTIONS: Final = (
    Section("ride", f"{_REPORT}.host_figure:hosts"),
    Section("felt", f"{_REPORT}.felt_figure:felt"),
    Section("limits", f"{_REPORT}.governor_figure:governed"),
    Section("latency", f"{_REPORT}.latency_figure:latency"),
    *PLATFORM_SECTIONS,
)
"""What its pages show beside the rest; what there is nothing to draw of is left out."""


def _warm(quiet: bool) -> None:
    from hil.stations.simulator.warm import warm_ride

    warm_ride(quiet=quiet)


def _offered() -> tuple[Offer, ...]:
    from hil.stations.simulator.offered import sources_offered

    return sources_offered()


STATION: Final = Station(
    name="simulator",
    scenarios=SCENARIO,
    machines=(RIG, DRIVE, CUEING_PRESET, HOST_MAP, RIDE_MAP),
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
    scene=PLATFORM.scene,
    warm=_warm,
    offered=_offered,
)
"""What the entry point of the station gives."""
