"""Station `simulator` as everybody else sees it: the platform, led by a live source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hil.config.file_kind import FileKind, NamedFile
from hil.config.offers import Offer
from hil.hosts.map_kind import HOST_MAP
from hil.machines.kinds import CUEING_PRESET, DRIVE, RIDE_MAP, RIG
from hil.run.late_call import late_of
from hil.run.station import Option, Section, Station
from hil.stations.platform.station import OPTIONS as PLATFORM_OPTIONS
from hil.stations.platform.station import SECTIONS as PLATFORM_SECTIONS
from hil.stations.platform.station import STATION as PLATFORM
from hil.stations.simulator.signals import SIGNALS
from hil.stations.simulator.views import LEAD, VIEWS

if TYPE_CHECKING:
    pass

OPTIONS: Final = (
    *(one for one in PLATFORM_OPTIONS if one.flag in ("--drives", "--world")),
    Option(
        flag="--preset",
        metavar="TEXT",
        help="Cueing preset in place of the scenario's: a name in configs/cueing, or a file.",
        checks=True,
        key="cueing.preset",
    ),
    Option(
        flag="--algorithm",
        metavar="TEXT",
        help="classical, adaptive, optimal, mpc or direct, in place of the preset's.",
        checks=True,
        key="cueing.algorithm",
    ),
    Option(
        flag="--gain",
        metavar="NUMBER",
        help="Factor on the vehicle's force and rates, in place of the scenario's.",
        checks=True,
        key="cueing.gain",
        number=True,
    ),
    Option(
        flag="--trust",
        switch=True,
        help="Load the native code of an FMU that the scenario's source names.",
        checks=True,
    ),
)


_late: Final = late_of("hil.stations.simulator")

SCENARIO: Final = FileKind(
    name="simulator scenario",
    schema="simulator-scenario",
    station="simulator",
    names=(
        NamedFile(("rig",), "rigs"),
        NamedFile(("cueing", "preset"), "cueing"),
        NamedFile(("source", "file"), "motions", "*.csv"),
    ),
    model=_late("scenario:scenario_model"),
    check=_late("bench:ride_of_table"),
)
"""What a scenario of this station is."""


_REPORT: Final = "hil.stations.simulator.report"
SECTIONS: Final = (
    Section("ride", f"{_REPORT}.host_figure:hosts"),
    Section("felt", f"{_REPORT}.felt_figure:felt"),
    Section("felt-figures", f"{_REPORT}.felt_table:felt_figures", "Wanted and felt, in figures"),
    Section("limits", f"{_REPORT}.governor_figure:governed"),
    Section("latency", f"{_REPORT}.latency_figure:latency"),
    *PLATFORM_SECTIONS,
)
"""What its pages show beside the rest; what there is nothing to draw of is left out."""


def _warm(quiet: bool) -> None:
    from hil.stations.simulator.warm import warm_ride

    warm_ride(quiet=quiet)


def _offered() -> tuple[Offer, ...]:
    from hil.stations.simulator.source_registry import installed_sources
    from hil.stations.simulator.wire_registry import installed_wires

    return installed_sources() + installed_wires()


STATION: Final = Station(
    name="simulator",
    scenarios=SCENARIO,
    machines=(RIG, DRIVE, CUEING_PRESET, HOST_MAP, RIDE_MAP),
    options=OPTIONS,
    signals=SIGNALS,
    load=_late("runner:plan_of"),
    prove=_late("runner:checked"),
    prepare=_late("runner:prepare"),
    play=PLATFORM.play,
    summary=PLATFORM.summary,
    stand_in=PLATFORM.stand_in,
    recorded=_late("report.view:RideView.of_ride"),
    figures=f"{_REPORT}.key_figures:key_figures",
    sections=SECTIONS,
    views=VIEWS,
    lead=LEAD,
    scene=PLATFORM.scene,
    warm=_warm,
    offered=_offered,
)
"""What the entry point of the station gives."""
