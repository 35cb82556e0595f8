"""A recording of the arm station by name, and the events that it has beside its rows."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self, TypeGuard

import numpy as np
from numpy.typing import NDArray

from hil.recording.events import SIMULATED_KEY, EventKind, EventRecord, Level
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.stations.arm.plan.simulation_accuracy import (
    ASKED,
    AskedAccuracy,
    SimulationAccuracy,
    simulation_accuracy,
)
from hil.stations.arm.signals import SIGNALS
from sim.world.space_arm.actions import TimedAction

LINK_TALLY: Final = "link tally"
"""Name of the event with the link's counts at the end."""
SUPERVISION: Final = "supervision"
"""Name of the event with the observations of the robot's period and places."""
SPACE_ARM: Final = "space arm"
"""Name of the events of actions on its drives."""
ACTION_KEY: Final = "action"
"""Key of the kind of action in the data of such an event."""


def stream_result(t_s: float, index: int, result: str, reason: str) -> EventRecord:
    """Make the event of a stream's end, from which the report takes how a run went.

    Args:
        result: a value of `arm_driver.contour.host_states.StreamResult`, such as "completed".
    """
    level = Level.INFO if result in ("completed", "cancelled") else Level.ERROR
    text = f"stream {result}: {reason}" if reason else f"stream {result}"
    data = {"result": result, "reason": reason}
    return EventRecord(t_s, index, EventKind.NOTE, level, "stream", text, data)


def action_event(t_s: float, index: int, done: TimedAction) -> EventRecord:
    """Make the event of an action on the space arm's drives (time of the loop [s])."""
    action = done.action
    text = f"{done.at_s:.2f} s of the motion: {action}"
    data: dict[str, str | float | int] = {
        ACTION_KEY: action.kind.value, "joint": action.joint, "at_s": done.at_s,
    }  # fmt: skip
    if math.isfinite(action.limit_nm):
        data["limit_nm"] = action.limit_nm
    return EventRecord(t_s, index, EventKind.NOTE, Level.INFO, SPACE_ARM, text, data)


def reason_alone(result: str, reason: str) -> str:
    """Return why a stream ended without its result, which the link's text begins with."""
    return reason.removeprefix(f"{result}: ")


def simulated_event(t_s: float, index: int) -> EventRecord:
    """Make the event of a controller that declares itself emulated (time of the loop [s])."""
    text = "the controller says of itself that it is SIMULATED"
    data = {SIMULATED_KEY: True}
    return EventRecord(t_s, index, EventKind.NOTE, Level.INFO, "link", text, data)


def link_tally(
    t_s: float, index: int, counts: Mapping[str, float], name: str = LINK_TALLY
) -> EventRecord:
    """Make the event of the link's counts at a run's end, or of its supervision.

    Args:
        counts: name → number, such as those of `arm_driver.contour.host_values.LinkCounts`; names
            that end in `_s` are times [s].
    """
    text = "; ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in counts.items())
    return EventRecord(t_s, index, EventKind.NOTE, Level.INFO, name, text, dict(counts))


Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ArmRecording:
    """A run of the arm station in memory: `Recording` with the arms' names.

    Raises:
        RecordingError: if it is of another station.
    """

    recording: Recording
    """Events, facts, scenario and what is missing; its rows are the arm's."""

    def __post_init__(self) -> None:
        station = self.recording.signals.station
        if station != SIGNALS.station:
            raise RecordingError(
                f"{self.recording.path}: a recording of the {station}, one of the arm is needed"
            )

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read a file, or the recording in a run's folder.

        Raises:
            RecordingError: if it is not there, or is no recording of the arm.
        """
        return cls(Recording.open(path))

    @property
    def waypoints(self) -> int:
        """Number of waypoints read, N."""
        return self.recording.cycles

    @property
    def t_s(self) -> Array:
        """Motion time of each waypoint [s], (N,)."""
        return self.recording.t_s

    def link_tally(self) -> dict[str, float]:
        """Return the link's counts at the end, by name; empty if they were not recorded."""
        return self._numbers(LINK_TALLY)

    def supervision(self) -> dict[str, float]:
        """Return the observations of the robot's period and places; empty if there are none."""
        return self._numbers(SUPERVISION)

    def simulation(self) -> SimulationAccuracy | None:
        """Return the accuracy of the simulated arm; None if the recording does not tell it."""
        scenario: Any = (self.recording.scenario or {}).get("scenario")
        chosen: Any = scenario.get("space_arm") if isinstance(scenario, dict) else None
        if not isinstance(chosen, dict):
            return None
        known: dict[str, Any] = chosen
        asked: AskedAccuracy | None = next(
            (one for one in ASKED if one == known.get("accuracy")), None
        )
        return None if asked is None else simulation_accuracy(asked, str(known.get("model", "")))

    def _numbers(self, event_name: str) -> dict[str, float]:
        for event in reversed(self.recording.events):
            if event.name == event_name:
                pairs = event.data.items()
                return {name: float(value) for name, value in pairs if _is_number(value)}
        return {}

    def actions(self) -> tuple[EventRecord, ...]:
        """Return the events of actions on the space arm's drives, in order."""
        return tuple(one for one in self.recording.events if ACTION_KEY in one.data)

    def column(self, name: str) -> NDArray[Any]:
        """Return one signal of all waypoints, read-only, (N,) or (N, count).

        Raises:
            RecordingError: if there is no such signal; the message lists those there are.
        """
        return self.recording.column(name)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
