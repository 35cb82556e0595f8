"""Times at which the robot fetched its waypoints, on the loop's clock, and which it was sent.

A row has the time of the last request and how many waypoints had been sent by then, so the request
that fetched waypoint n is the one in the row with n sent. Where the robot asked more than once
since the row before, that time may be of a repetition: it is bridged. A request is noticed late, by
its length and by the next poll; the robot is a clock, so requests that are even but for that are
taken as even.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.stations.arm.report.recording import ArmRecording

Array = NDArray[np.float64]

EVEN_LEAST: Final = 6
"""Number of requests below which a clock cannot be judged."""
WAY_MAX_S: Final = 0.03
"""Largest deviation by lines of different length and by polling the port [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class FetchTimes:
    """Times of a stream on the clock of the loop. Arrays are read-only."""

    fetched_s: Array
    """Time at which each waypoint was fetched, or would have been [s], shape (N,); the motion time
    if no request has a time."""
    known: bool
    has_pose: NDArray[np.bool_]
    """Frames whose time of the last request is surely that of its pose, shape (N,)."""
    pose_s: Array
    """Time of the request of each such frame [s], shape (N,); NaN where there is none."""
    sent: NDArray[np.bool_]
    """Waypoints that the robot was sent, shape (N,)."""
    sent_exact: bool
    """Whether the number of waypoints sent is exact, rather than a lower bound."""

    @classmethod
    def of(cls, run: ArmRecording, period_s: float) -> "FetchTimes":
        """Take the times out of a recording."""
        number = run.column("index").astype(np.float64)
        streamed, at_s = run.column("sent_seq"), run.column("measured_at_s")
        requests = run.column("requests").astype(np.float64)
        has_pose = np.isfinite(at_s) & (np.diff(requests, prepend=requests[:1] - 1.0) == 1.0)
        has_pose &= ~_late_without_pose(at_s, run.column("measured_pose"), period_s)
        use = has_pose & np.isfinite(streamed) & (streamed >= 1.0)
        numbers, first = np.unique(streamed[use], return_index=True)
        fetched, known, pose_s = run.t_s.copy(), len(numbers) > 0, at_s.copy()
        if known:
            times = _even(numbers, at_s[use][first])
            fetched = _bridged(number, numbers, times, period_s)
            pose_s[use] = np.interp(streamed[use], numbers, times)
        total, exact = _sent_total(run)
        sent = number <= total
        for array in (fetched, has_pose, pose_s, sent):
            array.setflags(write=False)
        return cls(fetched, known, has_pose, pose_s, sent, exact)

    def of_motion(self, motion_s: Array, period_s: float) -> Array:
        """Convert times of the motion [s], waypoint n at n periods, to times of the loop."""
        number = np.arange(len(self.fetched_s) + 1, dtype=np.float64)
        times = np.append(self.fetched_s[:1] - period_s, self.fetched_s)
        return np.interp(np.asarray(motion_s) / period_s, number, times)


def _late_without_pose(at_s: Array, poses: Array, period_s: float) -> NDArray[np.bool_]:
    """Find untimely requests with the very pose of the one before: a repetition has no pose."""
    same = np.zeros(len(at_s), np.bool_)
    same[1:] = np.all(poses[1:] == poses[:-1], axis=1)
    apart_s = np.diff(at_s, prepend=at_s[:1] - period_s)
    return same & (np.abs(apart_s - period_s) > 0.2 * period_s)


def _even(numbers: Array, times_s: Array) -> Array:
    """Put times on a line over the numbers, if only the transport to the host differs."""
    if len(numbers) < EVEN_LEAST:
        return times_s
    slope, begin = np.polyfit(numbers, times_s, 1)
    line = begin + slope * numbers
    return line if np.abs(line - times_s).max() <= WAY_MAX_S else times_s


def _bridged(wanted: Array, numbers: Array, times_s: Array, period_s: float) -> Array:
    """Return the times at all numbers: even between those known, a period each before and after."""
    times = np.interp(wanted, numbers, times_s)
    times += period_s * (np.minimum(wanted - numbers[0], 0.0))
    return times + period_s * np.maximum(wanted - numbers[-1], 0.0)


def _sent_total(run: ArmRecording) -> tuple[float, bool]:
    """Return the number of waypoints that the robot was sent, and whether it is exact."""
    tally = run.link_tally()
    if "waypoints" in tally:
        return float(tally["waypoints"]), True
    results = [event for event in run.recording.events if "result" in event.data]
    if results and results[-1].data["result"] == "completed":
        return np.inf, True
    streamed = run.column("sent_seq")
    return (float(np.nanmax(streamed)) if np.isfinite(streamed).any() else 0.0), False
