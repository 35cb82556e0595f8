"""Motion of a platform from the recording of its run, on which an arm rides in its world.

The poses that the platform reached are joined by cubic splines, at rest before the first and after
the last. What is measured before homing is over says nothing of places. Recorded poses are as fine
as encoders are: samples closer than `APART_S` would give accelerations of their rounding. Time
begins with the run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.config.file_search import find_file
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from safety.modes import Mode

Array = NDArray[np.float64]

POSE: Final = "reached_pose"
"""Signal of a platform's recording: x, y, z [m], and turns about z, y, x [rad]."""
APART_S: Final = 0.02
"""Least time between two samples [s]."""
MOST_S: Final = 7200.0
"""Longest ride [s]: its splines are kept in memory."""


class RecordedRide:
    """The motion of a recorded platform.

    Args:
        time_s: since the beginning of its run, rising, shape (N,).
        coordinates: x, y, z [m], turns about z, y, x [rad], shape (N, 6).
        recording: of it.
    """

    def __init__(self, time_s: Array, coordinates: Array, recording: Recording) -> None:
        from scipy.interpolate import CubicSpline

        self.path: Path = recording.path.resolve()
        """Path of its recording."""
        self.sha256: str = recording.sha256
        """Digest of its recording."""
        self._ends_s = float(time_s[0]), float(time_s[-1])
        turns = np.unwrap(coordinates[:, 3:], axis=0)
        values = np.hstack([coordinates[:, :3], turns])
        self._spline: Callable[[float], Array] = CubicSpline(time_s, values, bc_type="clamped")

    def pose(self, time_s: float) -> Array:
        """Compute the platform's pose in its base's axes at a time [s], shape (4, 4)."""
        from sim.world.robots.rotations import rotation_of_rpy

        first_s, last_s = self._ends_s
        x = self._spline(min(max(time_s, first_s), last_s))
        pose = np.eye(4)
        pose[:3, :3] = rotation_of_rpy((x[5], x[4], x[3]))
        pose[:3, 3] = x[:3]
        return pose


def ride_of(name: str, *, key: str = "ride", beside: Path | None = None) -> RecordedRide:
    """Return the motion in a recording.

    Args:
        name: its file, or the folder of its run.
        key: where it was asked for, for the errors.
        beside: a file beside which a relative path is searched first.

    Raises:
        ConfigError: if it is no recording of a platform that says where it was, or a ride of more
            than `MOST_S`.
    """
    path = find_file(
        name, beside=beside, folder="motions", key=key, ending=".mcap", folders=True
    )  # fmt: skip
    try:
        recording = Recording.open(path)
    except RecordingError as error:
        raise ConfigError(key, [f"{key} = {name!r}: {error}"]) from None
    if POSE not in recording.columns:
        rows_with_pose = f"a recording of station {recording.signals.station} has no {POSE}"
        raise ConfigError(
            key, [f"{key} = {name!r}: {rows_with_pose}: one of a platform's run is needed"]
        )
    try:
        time_s, coordinates = _samples(recording)
    except RecordingError as error:
        raise ConfigError(key, [f"{key} = {name!r}: {error}"]) from None
    if len(time_s) < 2:
        raise ConfigError(key, [f"{key} = {name!r}: it says fewer than twice where it was"])
    return RecordedRide(time_s, coordinates, recording)


def _samples(recording: Recording) -> tuple[Array, Array]:
    """Read times [s] and poses after the last cycle of homing, far enough apart.

    Raises:
        RecordingError: if they last longer than `MOST_S`.
    """
    homing = [mode.name for mode in Mode].index(Mode.HOMING.name)
    times: list[float] = []
    poses: list[Array] = []
    now_s = 0.0
    for piece in recording.pieces():
        rows = piece.rows
        run_s = np.cumsum(np.concatenate(([now_s], rows.column("dt_s"))))[1:]
        now_s = float(run_s[-1]) if len(run_s) else now_s
        homed = np.flatnonzero(rows.column("mode") == homing)
        begin = int(homed[-1]) + 1 if len(homed) else 0
        if len(homed):
            times, poses = [], []
        rows_with_pose = begin + np.flatnonzero(np.isfinite(rows.column(POSE)[begin:]).all(axis=1))
        kept = _apart(run_s[rows_with_pose], times[-1] if times else -np.inf)
        times += run_s[rows_with_pose[kept]].tolist()
        poses.append(rows.column(POSE)[rows_with_pose[kept]])
        if times and times[-1] - times[0] > MOST_S:
            raise RecordingError(
                f"{recording.path}: a ride of more than {MOST_S:g} s; the recording of a shorter "
                "run is needed"
            )
    return np.array(times), np.concatenate([np.empty((0, 6)), *poses])


def _apart(time_s: Array, last_s: float) -> list[int]:
    """Select samples that are far enough from the last one before them, and each other."""
    found: list[int] = []
    for index, at_s in enumerate(time_s.tolist()):
        if at_s - last_s >= APART_S:
            found.append(index)
            last_s = at_s
    return found
