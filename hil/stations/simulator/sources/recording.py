"""A recorded ride as a live source: it begins when the platform follows, and knows what comes.

One that has a place and an attitude of its own is of poses too, which the direct algorithm follows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from hil.config.errors import ConfigError, MotionError, about
from hil.config.file_search import find_file
from hil.config.settings import Settings
from hil.hosts.watch.states import Cause, HostReading, HostState
from hil.machines.cueing.ride_map import RideMap, read_ride_map
from hil.stations.simulator.plan.source import SourceKind, Surroundings
from platform6dof.cueing.record import VehicleRecord
from platform6dof.cueing.vehicle import Vector3, VehicleFlags, VehicleState

if TYPE_CHECKING:
    from hil.stations.simulator.plan.ride_file import RideFile


NO_FLAGS: Final = VehicleFlags(0)


class RideRecordSettings(Settings):
    """Ride that is played."""

    kind: Literal["recording"]
    file: str
    """CSV file; in the folder of the scenario, or shipped."""
    map: str = ""
    """Map of the columns: a name in ``configs/rides``, or a TOML file; left out where the columns
    bear the bench's own names, such as `f_x_m_s2`."""


class PlayedRecord:
    """A record on the loop's grid, played once from when it begins.

    Args:
        record: at the loop's rate.
        flags: of every row.
    """

    def __init__(self, record: VehicleRecord, flags: VehicleFlags = NO_FLAGS) -> None:
        self._record, self._flags = record, flags
        self._last = len(record) - 1
        self._begun_s = math.inf

    @property
    def ended_s(self) -> float:
        """Time at which its last row is played, on the run's clock [s]; infinite before."""
        return self._begun_s + self._record.duration_s

    def begin(self, now_s: float) -> None:
        """Play from the first row on."""
        self._begun_s = now_s

    def poll(self, now_s: float) -> HostReading:
        """Return this moment's row; the first before it begins, the last after its end."""
        return HostReading(self._state(now_s), HostState.LIVE, Cause.NONE, 1.0)

    def preview(self, now_s: float, span_s: float, step_s: float) -> tuple[VehicleState, ...]:
        """Return the recorded states, a step apart from now on."""
        count = max(round(span_s / step_s), 0)
        return tuple(self._state(now_s + index * step_s) for index in range(count + 1))

    def _state(self, now_s: float) -> VehicleState:
        passed_s = now_s - self._begun_s
        row = round(passed_s / self._record.step_s) if passed_s > 0.0 else 0
        state = self._record.state(min(row, self._last))
        return replace(state, flags=self._flags) if self._flags else state


def ride_file_of(settings: RideRecordSettings, file: Path) -> RideFile:
    """Return the ride that such settings name, as it was recorded.

    Args:
        file: of the scenario.

    Raises:
        ConfigError: if a file is not there, or cannot be.
        MotionError: of the recording, with its place.
    """
    from hil.stations.simulator.plan.ride_file import read_ride_file

    path = find_file(settings.file, beside=file, folder="motions", key="source.file")
    map_: RideMap | None = None
    if settings.map:
        map_ = read_ride_map(settings.map, beside=file)
    return read_ride_file(path, map_)


def _read(
    settings: RideRecordSettings, file: Path, head_m: Vector3
) -> tuple[RideFile, VehicleRecord]:
    """Read the ride as it was recorded, and complete it.

    Args:
        file: of the scenario.
        head_m: the head from the recorder's sensor, forward, right, down [m].

    Raises:
        ConfigError: with the place, the value and what would have been right.
    """
    try:
        recorded = ride_file_of(settings, file)
        return recorded, recorded.ride(head_m)
    except MotionError as error:
        raise ConfigError(f"{file}: source", [about("source.file", str(error))]) from None


@contextmanager
def opened(settings: RideRecordSettings, around: Surroundings) -> Iterator[PlayedRecord]:
    """Read the ride, and put it on the loop's grid."""
    recorded, record = _read(settings, around.scenario_file, around.head_m)
    motion = recorded.motion
    posed = all(np.isfinite(one).all() for one in (motion.position, motion.attitude))
    flags = VehicleFlags.POSE if posed else NO_FLAGS
    yield PlayedRecord(record.at_rate(around.period_s), flags)


def lasts_s(settings: RideRecordSettings, file: Path) -> float:
    """Return the duration of the ride [s]."""
    _, record = _read(settings, file, (0.0, 0.0, 0.0))
    return record.duration_s


KIND = SourceKind(RideRecordSettings, opened, lasts_s, judges=True)
"""Object of the entry point."""
