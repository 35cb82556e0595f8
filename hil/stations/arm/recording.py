"""A recording of the arm station, by name."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeGuard

import numpy as np
from numpy.typing import NDArray

from hil.recording.header import RecordingError
from hil.recording.mcap_scan import Caps
from hil.recording.reader import Recording
from hil.stations.arm.events import LINK_TALLY, SUPERVISION
from hil.stations.arm.signals import SIGNALS

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
    def open(cls, path: Path, caps: Caps | None = None) -> Self:
        """Read a file, or the recording in a run's folder.

        Args:
            path: the file or the folder.
            caps: most memory to spend on it.

        Raises:
            RecordingError: if it is not there, is no recording of the arm or is beyond the caps.
        """
        return cls(Recording.open(path, caps))

    @property
    def waypoints(self) -> int:
        """Number of waypoints read, N."""
        return self.recording.cycles

    @property
    def t_s(self) -> Array:
        """Motion time of each waypoint [s], (N,)."""
        return self.recording.t_s

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the codes in column "state"."""
        return self.recording.modes

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the codes in column "action"."""
        return self.recording.actions

    @property
    def missing(self) -> int:
        """Waypoints that are not in the recording; the start, number 0, is none."""
        return sum(gap.missing for gap in self.recording.gaps)

    def link_tally(self) -> dict[str, float]:
        """Counts of the link at the end, by name; empty if the run did not put them down."""
        return self._numbers(LINK_TALLY)

    def supervision(self) -> dict[str, float]:
        """What was seen of the robot's period and places; empty if it was not put down."""
        return self._numbers(SUPERVISION)

    def _numbers(self, event_name: str) -> dict[str, float]:
        """Numbers of the last event of a name."""
        for event in reversed(self.recording.events):
            if event.name == event_name:
                pairs = event.data.items()
                return {name: float(value) for name, value in pairs if _is_number(value)}
        return {}

    def column(self, name: str) -> NDArray[Any]:
        """One signal of all waypoints, read-only, (N,) or (N, count).

        Args:
            name: of a signal, such as "target_pose".

        Raises:
            RecordingError: if there is no such signal; the message lists those there are.
        """
        return self.recording.column(name)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
