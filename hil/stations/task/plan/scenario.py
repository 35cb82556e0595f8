"""Scenario of a task: which one, by which diagram, and a seed.

Scenarios of all stations lie in ``configs/scenarios/``; those of this one say
``station = "task"``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from hil.config.scenario import Name, RecordingSettings
from hil.config.settings import Settings
from hil.diagram.run.diagram_use import ChangeDiagram, GivenParameter, TooSlow
from hil.stations.task.plan.task_registry import ANY_TASK
from hil.stations.world.plan.operator_motions import HandlesSettings, KeysSettings
from hil.stations.world.plan.sensor_fault import SensorFaultRows


class TaskDiagram(Settings):
    """Diagram that does the task, in place of that of a navigator."""

    file: str = ""
    """Diagram file, in the folder of the scenario or shipped; left out, that of the navigator."""
    library: dict[str, str] = Field(default_factory=dict)
    """Sub-diagrams in whose places others are computed: its name, and the diagram that takes its
    place, such as ``{ Navigator = "my_drive.toml" }``."""
    set: tuple[GivenParameter, ...] = ()
    """Parameters in place of the file's."""
    change: tuple[ChangeDiagram, ...] = ()
    """Changes while it runs, in any order."""
    too_slow: TooSlow = "report"
    """Reaction if 1 of 1000 of its ticks takes longer than its period on this machine."""


class TaskScenario(Settings):
    """Scenario of a task: everything that a run needs."""

    station: Literal["task"]
    """Always ``task``: it makes the file a scenario of this station."""
    name: Name
    """Name of the scenario, and first part of the name of a run's folder."""
    description: str = ""
    """Description in a line."""
    task: Annotated[Settings, ANY_TASK]
    """Task, by its `kind`, and bounds of what it draws."""
    robot: str = ""
    """Name or file of the robot's document; left out, that of the task."""
    navigator: str = "robust"
    """Diagram that comes with the task; one of `diagram.file` takes its place."""
    driver: Annotated[KeysSettings | HandlesSettings, Field(discriminator="kind")] | None = None
    """Device of a person who drives with the navigator `manual`; left out, the panel's page."""
    diagram: TaskDiagram = TaskDiagram()
    """Diagram of one's own."""
    clock: Literal["virtual", "real"] = "virtual"
    """Clock: ``virtual``, as fast as the computer can; ``real``, in real time."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    """Seed of the world that is drawn, and of all random numbers of the run."""
    sensor_fault: SensorFaultRows = ()
    """Faults of sensors during the run."""
    recording: RecordingSettings = RecordingSettings()
    """Settings of the recording."""


def scenario_model() -> type[Settings]:
    """Model of a scenario of this station."""
    return TaskScenario
