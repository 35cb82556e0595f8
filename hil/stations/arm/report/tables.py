"""Tables of the report: joints of both arms against their limits, and the link's counts."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.report.recorded_run import Row, Table, Tables
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.scene.machines import ArmJoints, ArmMachines

Array = NDArray[np.float64]


HEADS: Final = (
    "joint", "reached [deg]", "allowed [deg]", "least left [deg]", "at [s]", "rate [deg/s]",
    "limit [deg/s]", "acceleration [deg/s²]", "limit [deg/s²]",
)  # fmt: skip
"""Columns of a table; a cell is empty where nothing is known."""
SLIDING: Final = " (mm)"
"""Mark of a prismatic joint, whose numbers are in millimetres instead of degrees."""


def joint_tables(view: ArmView) -> Tables | None:
    """Return a table of each arm; None if the recording does not describe the arms.

    Angles of the simulated arm are those it had, of the industrial one those it was asked for.
    """
    machines = view.machines
    if machines is None or not view.run.waypoints:
        return None
    tables = tuple(
        Table(HEADS, _rows(view, arm), _name(machines, arm))
        for arm in machines.joints()
        if np.isfinite(view.run.column(arm.angles)).any()
    )
    return Tables(tables) if tables else None


def acceleration_rad_s2(rate_rad_s: Array, period_s: float) -> Array:
    """Change of joint rates by the time between waypoints, shape (N, n) as the rates; NaN first."""
    nothing = np.full((min(1, len(rate_rad_s)), rate_rad_s.shape[1]), np.nan)
    return np.vstack([nothing, np.diff(rate_rad_s, axis=0) / period_s])


def _name(machines: ArmMachines, arm: ArmJoints) -> str:
    named = f" {machines.space.name}" if machines.space and arm.arm == "simulated" else ""
    return f"{arm.arm} arm{named}, {arm.meaning}"


def _rows(view: ArmView, arm: ArmJoints) -> tuple[Row, ...]:
    return tuple(_row(view, arm, joint) for joint in range(len(arm.prismatic)))


def _row(view: ArmView, arm: ArmJoints, joint: int) -> Row:
    factor = 1e3 if arm.prismatic[joint] else 180.0 / np.pi
    low, high = (float(factor * end[joint]) for end in (arm.low_rad, arm.high_rad))
    q_rad, rate_rad_s = view.run.column(arm.angles), view.run.column(arm.rates)
    angle = factor * q_rad[:, joint]
    left = np.minimum(angle - low, high - angle)
    place = int(np.nanargmin(left))
    rate = _peak(factor * rate_rad_s[:, joint])
    rate_limit = float(factor * arm.rate_max_rad_s[joint])
    change, change_limit = np.nan, np.nan
    if arm.acceleration_max_rad_s2 is not None:
        change = _peak(factor * acceleration_rad_s2(rate_rad_s, view.period_s)[:, joint])
        change_limit = float(factor * arm.acceleration_max_rad_s2[joint])
    bad = left[place] < 0.0 or _over(rate, rate_limit) or _over(change, change_limit)
    cells = (
        str(joint + 1) + (SLIDING if arm.prismatic[joint] else ""),
        f"{np.nanmin(angle):.2f} … {np.nanmax(angle):.2f}",
        f"{low:.1f} … {high:.1f}",
        f"{left[place]:.2f}",
        f"{view.fetches.fetched_s[place]:.2f}",
        _text(rate, 3),
        _text(rate_limit, 1),
        _text(change, 2),
        _text(change_limit, 0),
    )
    return Row(cells, bool(bad))


def _peak(values: Array) -> float:
    there = values[np.isfinite(values)]
    return float(np.abs(there).max()) if len(there) else np.nan


def _over(value: float, limit: float) -> bool:
    return bool(value > limit * (1.0 + 1e-9))  # False if one of them is not there


def _text(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if np.isfinite(value) else ""


_COUNTS: Final[tuple[tuple[str, str, bool], ...]] = (
    ("requests", "requests that were understood", False),
    ("answers", "lines sent", False),
    ("waypoints", "waypoints sent", False),
    ("repeats", "answers repeated because the robot asked again", True),
    ("told_checksum_errors", "answers of which the robot told a checksum error", True),
    ("checksum_errors", "requests with a wrong checksum, ignored", True),
    ("unparsed", "lines of the robot that are no message, ignored", True),
    ("overlong", "lines of the robot without an end, thrown away", True),
    ("echoes", "echoes of our own lines, swallowed", False),
    ("empty_slot", "requests with no waypoint ready", True),
    ("late_answers", "waypoints ready for the second request only", True),
    ("stale", "requests too old to be answered", True),
    ("out_of_sequence", "requests out of sequence", True),
    ("cut_answers", "answers that the port did not take whole", True),
)
"""Name of a count, what it is, and whether it should be 0."""


def link_table(view: ArmView) -> Tables:
    """Return the table of the counts at the end of the run; without them those of its waypoints."""
    tally = view.run.link_tally()
    if tally:
        rows = [
            Row((words, f"{tally[name]:.0f}"), should_be_none and tally[name] > 0)
            for name, words, should_be_none in _COUNTS
            if name in tally
        ]
        known = {name for name, _, _ in _COUNTS}
        rows += [
            Row((name.replace("_", " "), f"{value:g}"))
            for name, value in tally.items()
            if name not in known
        ]
        return _counted(rows)
    if not view.run.waypoints:
        return Tables((), "The recording tells nothing of the link.")
    column = view.run.column
    least = "" if view.fetches.sent_exact else "at least "
    sent, repeats = int(view.fetches.sent.sum()), int(column("repeats").max())
    return _counted(
        [
            Row(("requests until the last waypoint", str(int(column("requests").max())))),
            Row(("waypoints sent", f"{least}{sent}")),
            Row(("answers repeated until the last waypoint", str(repeats)), repeats > 0),
        ],
        "The recording has no tally of the link's end: checksum errors, late answers and what was "
        "ignored are not known.",
    )


def _counted(rows: list[Row], note: str = "") -> Tables:
    return Tables((Table(("what was counted", "how often"), tuple(rows)),), note)
