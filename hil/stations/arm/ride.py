"""How a platform goes, from the recording of its run: what an arm rides on in its world.

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
from hil.config.shipped import find_file
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from safety.modes import Mode

Array = NDArray[np.float64]

POSE: Final = "reached_pose"
"""Signal of a platform's recording: x, y, z [m], and turns about z, y, x [rad]."""
APART_S: Final = 0.02
"""Of two samples at least."""


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
        """Of its recording."""
        self.sha256: str = recording.sha256
        """Of the same."""
        self._ends_s = float(time_s[0]), float(time_s[-1])
        turns = np.unwrap(coordinates[:, 3:], axis=0)
        values = np.hstack([coordinates[:, :3], turns])
        self._spline: Callable[[float], Array] = CubicSpline(time_s, values, bc_type="clamped")

    def pose(self, time_s: float) -> Array:
        """Of the platform in its base's axes at a time since the beginning [s], shape (4, 4)."""
        from sim.world.robots.rotations import rotation_of_rpy

        first_s, last_s = self._ends_s
        x = self._spline(min(max(time_s, first_s), last_s))
        pose = np.eye(4)
        pose[:3, :3] = rotation_of_rpy((x[5], x[4], x[3]))
        pose[:3, 3] = x[:3]
        return pose


def ride_of(name: str, *, key: str = "ride", beside: Path | None = None) -> RecordedRide:
    """The motion in a recording.

    Args:
        name: its file, or the folder of its run.
        key: where it was asked for, for the errors.
        beside: a file beside which a relative path is looked for first.

    Raises:
        ConfigError: if it is no recording of a platform that says where it was.
    """
    path = find_file(
        name, beside=beside, folder="motions", key=key, ending=".mcap", folders=True
    )  # fmt: skip
    try:
        recording = Recording.open(path)
    except RecordingError as error:
        raise ConfigError(key, [f"{key} = {name!r}: {error}"]) from None
    if POSE not in recording.columns:
        told = f"a recording of station {recording.signals.station} has no {POSE}"
        raise ConfigError(key, [f"{key} = {name!r}: {told}: one of a platform's run is needed"])
    poses = recording.columns[POSE]
    run_s = np.cumsum(recording.columns["dt_s"])
    told = np.isfinite(poses).all(axis=1) & _homed(recording)
    kept = _apart(run_s[told])
    if len(kept) < 2:
        raise ConfigError(key, [f"{key} = {name!r}: it says fewer than twice where it was"])
    return RecordedRide(run_s[told][kept], poses[told][kept], recording)


def _homed(recording: Recording) -> NDArray[np.bool_]:
    """Rows after the last of homing, shape (N,)."""
    modes = recording.columns["mode"]
    homing = np.flatnonzero(modes == [mode.name for mode in Mode].index(Mode.HOMING.name))
    return np.arange(len(modes)) > (homing[-1] if len(homing) else -1)


def _apart(time_s: Array) -> list[int]:
    """Numbers of samples, the first among them, that are far enough apart."""
    found: list[int] = []
    for index, at_s in enumerate(time_s.tolist()):
        if not found or at_s - time_s[found[-1]] >= APART_S:
            found.append(index)
    return found
