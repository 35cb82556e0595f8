"""Public interface of the station `task`: a robot of the world, which does a task and is judged."""

from __future__ import annotations

from typing import Final

from hil.config.file_kind import FileKind, NamedFile
from hil.config.offers import Offer
from hil.run.late_call import late_of
from hil.run.lead import Lead
from hil.run.station import Section, Station
from hil.stations.task.options import OPTIONS
from hil.stations.task.signals import SIGNALS
from hil.stations.world.station import SECTIONS as WORLD_SECTIONS
from hil.stations.world.station import STATION as WORLD

_late: Final = late_of("hil.stations.task")

SCENARIO: Final = FileKind(
    name="task scenario",
    schema="task-scenario",
    station="task",
    names=(
        NamedFile(("robot",), "world/robots", default="mf4_wheels"),
        NamedFile(("diagram", "file"), "diagrams", default="container"),
    ),
    model=_late("plan.scenario:scenario_model"),
    check=_late("plan.task_plan:task_plan_from_table"),
)
"""Kind of the scenario files of this station."""
_REPORT: Final = "hil.stations.task.report"
SECTIONS: Final[tuple[Section, ...]] = (
    Section("judgement", f"{_REPORT}.judgement_table:judgement", "Judgement of the task"),
    Section("track", f"{_REPORT}.track_figure:track", "Track of the robot"),
    Section("turn", f"{_REPORT}.turn_figure:turn", "Force and moment against their targets"),
    Section("turn_frames", f"{_REPORT}.turn_frames:turn_frames", "Motion frames of the turn"),
    Section("course", f"{_REPORT}.course_figure:course", "Phases, voltages and forces over time"),
    Section("phases", f"{_REPORT}.phase_pictures:phase_pictures", "The beginning of each phase"),
    *(one for one in WORLD_SECTIONS if one.name not in ("goal", "tool", "errors")),
)
"""Sections of its pages besides the common ones."""


def _offered() -> tuple[Offer, ...]:
    from hil.stations.task.plan.task_registry import installed_tasks

    return installed_tasks()


STATION: Final = Station(
    name="task",
    scenarios=SCENARIO,
    extends="world",
    machines=WORLD.machines,
    options=OPTIONS,
    offered=_offered,
    signals=SIGNALS,
    load=_late("run.runner:plan_of"),
    prove=_late("run.runner:check"),
    prepare=_late("run.runner:prepare"),
    play=_late("run.runner:play"),
    summary=_late("run.runner:summary"),
    machine_preview=WORLD.machine_preview,
    lead=Lead(handles=_late("lead.handles:handles")),
    compared=(
        "time_s",
        "path_m",
        "turns",
        "least_distance_m",
        "jerk_m_s3",
        "contacts",
        "slip_mm",
    ),
    sections=SECTIONS,
    views=WORLD.views,
    scene=WORLD.scene,
)
"""Object of the station's entry point."""
