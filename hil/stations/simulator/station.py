"""Public interface of the station `simulator`: the platform, led by a live source."""

from __future__ import annotations

from typing import Final

from hil.config.file_kind import FileKind, NamedFile
from hil.config.offers import Offer
from hil.hosts.map_kind import HOST_MAP
from hil.machines.kinds import CUEING_PRESET, DRIVE, RIDE_MAP, RIG
from hil.run.late_call import late_of
from hil.run.station import Section, Station
from hil.stations.platform.station import SECTIONS as PLATFORM_SECTIONS
from hil.stations.platform.station import STATION as PLATFORM
from hil.stations.simulator.options import OPTIONS
from hil.stations.simulator.signals import SIGNALS
from hil.stations.simulator.views import LEAD, VIEWS

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
    model=_late("plan.scenario:scenario_model"),
    check=_late("run.bench:ride_of_table"),
)
"""Kind of the scenario files of this station."""


_REPORT: Final = "hil.stations.simulator.report"
SECTIONS: Final = (
    Section("ride", f"{_REPORT}.host_figure:hosts"),
    Section("felt", f"{_REPORT}.felt_figure:felt"),
    Section("felt-figures", f"{_REPORT}.felt_table:felt_figures", "Wanted and felt, in figures"),
    Section("limits", f"{_REPORT}.governor_figure:governed"),
    Section("latency", f"{_REPORT}.latency_figure:latency"),
    *PLATFORM_SECTIONS,
)
"""Sections of its pages beside the rest; what there is nothing to draw of is left out."""


def _warm(quiet: bool) -> None:
    from hil.stations.simulator.run.warm import warm_ride

    warm_ride(quiet=quiet)


def _offered() -> tuple[Offer, ...]:
    from hil.stations.simulator.plan.source_registry import installed_sources
    from hil.stations.simulator.sources.wire_registry import installed_wires

    return installed_sources() + installed_wires()


STATION: Final = Station(
    name="simulator",
    scenarios=SCENARIO,
    extends="platform",
    machines=(RIG, DRIVE, CUEING_PRESET, HOST_MAP, RIDE_MAP),
    options=OPTIONS,
    signals=SIGNALS,
    load=_late("run.runner:plan_of"),
    prove=_late("run.runner:checked"),
    prepare=_late("run.runner:prepare"),
    motion=_late("run.rehearsal:motion_of_file"),
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
"""Object of the station's entry point."""
