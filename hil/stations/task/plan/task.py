"""The value `Task`: a published operation, with its draw, its ports, its judge and its page.

Tasks are found by the entry points ``hil.tasks``. A task draws a world from its settings and a
seed, and says what a diagram that does it must have; a diagram gets sensors and reported places
only, and the judge the true state only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hil.config.settings import Settings
from hil.stations.task.plan.task_figures import TaskFigures

if TYPE_CHECKING:
    from hil.machines.world.scene_documents import FurnishedScene
    from hil.recording.signals import Signal
    from sim.world.robots.model import Robot

GROUP: Final = "hil.tasks"
"""Group of the entry points of tasks."""
Numbers = float | tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class DrawnTask:
    """World of one seed, and what is reported of it."""

    values: Mapping[str, float]
    """Drawn values by name, for the header, tables and campaigns."""
    scene: FurnishedScene
    """Scene without the robot."""
    robot: Robot
    """Robot with its drawn defects."""
    start_m: tuple[float, float, float]
    """Place of the robot's base in the world [m]."""
    start_heading_rad: float
    """Heading of the robot's base about z [rad]."""
    reported: Mapping[str, Numbers]
    """Inputs of the diagram that the task feeds: places as they were reported."""
    may_touch: tuple[str, ...] = ()
    """Bodies whose contacts are the judge's alone."""
    period_s: float | None = None
    """Drawn period of the diagram [s]; None for that of its file."""


@dataclass(frozen=True, slots=True)
class DiagramChoice:
    """Diagram of a navigator, and what is set in it."""

    file: str
    """Name of a shipped diagram, or its file."""
    set: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Parameters in place of the file's."""
    library: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name of a sub-diagram of the file → diagram that is computed in its place."""


def _no_keys(_: Robot) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class LedBlocks:
    """Parameters of a diagram's panel blocks by which a person drives, each ``path.name``."""

    ahead: str = ""
    """Value of the slider for the speed, -1 to 1; empty for a robot that does not drive."""
    turn: str
    """Value of the slider for the turn, -1 to 1, positive to the left."""
    pause: str
    """State of the switch at which the robot stands."""
    stop: str
    """Presses of the button that ends the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task."""

    name: str
    """Name of its entry point."""
    title: str
    """Description in a line."""
    settings: type[Settings]
    """Model of the scenario's table ``[task]``, whose `kind` is the task's name."""
    robot: str
    """Robot that does it, if the scenario names none."""
    draw: Callable[[Settings, Robot, int], DrawnTask]
    """Draws a world for settings, a robot and a seed, from these alone; raises `ConfigError`
    if there can be none."""
    navigators: Mapping[str, DiagramChoice]
    """Diagrams that come with the task, by what a scenario calls them."""
    inputs: tuple[str, ...] = ()
    """Inputs that a diagram of the task must have."""
    outputs: tuple[str, ...] = ()
    """Outputs that a diagram of the task must have besides the drives' commands."""
    diagram: Callable[[Robot], Mapping[str, Any]] = _no_keys
    """Further keys of the table ``[diagram]`` for a robot, such as its groups."""
    starts: Sequence[str] = ()
    """Buttons that are pressed when a run begins, unless a person leads it."""
    led: Mapping[str, LedBlocks] = field(default_factory=dict[str, LedBlocks])
    """Navigators by which a person drives the robot, and what of the diagram he sets."""
    judge: Callable[[Settings, DrawnTask, Any], Any]
    """Makes the judge of a run: settings, draw, and the bench with the true world."""
    figures: TaskFigures
    """Figures that a summary of a run has besides those of every task."""
    signals: tuple[Signal, ...] = ()
    """Signals of each row whose values the judge gives."""
    time_limit_s: Callable[[Settings], float]
    """Time after which a run is over [s]."""
