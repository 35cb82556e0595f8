"""Lines of velocity over the change of position, and of nose over path, which must have slope 1.

If the force of a wire is derived from its velocity, its signs can be compared with nothing else.
A vehicle moves where it points: its heading turns as its path does, its nose rises where it climbs,
and its velocity is mostly forward. Lines of velocities and turns go through the origin, because a
constant value is as good evidence as a change. They are fitted interval by interval, like `slopes`.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numba import njit

from platform6dof.cueing.line_fit import (
    FINE,
    LEAST_PAIRS,
    WRONG_SCALE,
    WRONG_SIGN,
    Array,
    judge_axis,
    judge_line,
    take_pair,
)
from platform6dof.cueing.slopes import COLUMNS, DECAY, SAMPLES, posed_all, turned

COURSES: Final = (
    "velocity north", "velocity east", "velocity down",
    "velocity forward", "velocity right", "velocity down of the vehicle",
    "heading", "pitch", "nose",
)  # fmt: skip
"""Quantities that are compared with the change of position, the turn of the path and its climb,
and for the nose with the share of the path that goes forward."""
LEAST_SPEED_M_S: Final = 3.0
"""Root mean square that one side of a pair of velocities must have [m/s]: on a turning vehicle the
velocity of another point differs by 1 m/s or so."""
LEAST_SINK_M_S: Final = 1.0
"""Root mean square that velocity down must have, which turns change less [m/s]."""
MOVES_M_S: Final = 3.0
"""Speed below which a vehicle may move in any direction [m/s]."""
FLAT_SHARE: Final = 0.7
"""Share of level speed from which a path has a heading."""
LEAST_TURN_RAD: Final = 0.03
"""Root mean square that one side of a pair of turns must have, and standard deviation that one
of pitch and climb must have [rad]."""
MOST_TURN_RAD: Final = 1.0
"""Largest turn in one interval; a vehicle that turns by more is spinning [rad]."""
PITCH_PAIRS: Final = 14.0
"""Intervals needed to judge pitch, which differs from climb for a while in a flare or a stall."""
PITCH_CORRELATION: Final = 0.6
"""Negative correlation of pitch and climb from which a sign is wrong; no scale is judged."""
FORWARD_SHARE: Final = 0.5
"""Least share of the path that goes forward."""
OFF_SHARE: Final = 0.5
"""Relative error from which a value counts as off; a line is wrong if most values are off."""
COUNTED_TURN_RAD: Final = 0.05
"""Least turn of a heading that counts, in an interval [rad]."""
_ROWS: Final = 25
"""Three reported velocities with three expected ones, in world and body axes; three single lines;
counts of values that were off, for the world's velocities and for the heading."""
_HEADING, _PITCH, _NOSE, _OFF = 18, 19, 20, 21


@njit(cache=True, error_model="numpy")
def _take_origin(row: Array, x: float, y: float) -> None:
    """Add one more pair of a line through the origin."""
    take_pair(row, x, y, DECAY)
    row[1] = row[2] = 0.0


@njit(cache=True, error_model="numpy")
def _take_off(row: Array, recorded: float, due: float, least: float) -> None:
    """Count one more pair, and whether it is off."""
    most = max(abs(recorded), abs(due))
    if math.isfinite(most) and most >= least:
        row[0] = DECAY * row[0] + 1.0
        row[1] = DECAY * row[1] + (1.0 if abs(recorded - due) > OFF_SHARE * most else 0.0)


@njit(cache=True, error_model="numpy")
def _judge_off(row: Array, out: Array) -> None:
    """Judge an inconclusive line as wrong if most of its pairs are off."""
    if out[2] == FINE and row[0] >= LEAST_PAIRS and row[1] > 0.5 * row[0]:
        out[2] = WRONG_SCALE


@njit(cache=True, error_model="numpy")
def _wrapped(angle: float) -> float:
    return angle - 2.0 * math.pi * math.floor(0.5 * angle / math.pi + 0.5)


@njit(cache=True, error_model="numpy")
def _take_velocities(block: Array, lasts_s: float, sums: Array, work: Array) -> None:
    """Add mean velocities of an interval and the change of position, in world and body axes.

    A position that stays the same to the last bit is not given, or the vehicle is waiting.
    """
    last = len(block) - 1
    first, end = block[0], block[last]
    if end[13] == first[13] and end[14] == first[14] and end[15] == first[15]:
        return
    recorded, body, due, own = work[0, :3], work[1, :3], work[2, :3], work[3, :3]
    for k in range(3):
        recorded[k] = body[k] = 0.0
        due[k] = (block[last, 13 + k] - block[0, 13 + k]) / lasts_s
    for at in range(last + 1):
        share = (0.5 if at in (0, last) else 1.0) / last
        turned(block[at, 6:10], block[at, 10:13], False, own)
        for k in range(3):
            recorded[k] += share * own[k]
    middle = block[last // 2, 6:10]
    turned(middle, recorded, True, body)
    turned(middle, due, True, own)
    for k in range(3):
        least = LEAST_SPEED_M_S if k < 2 else LEAST_SINK_M_S
        _take_off(sums[_OFF + k], recorded[k], due[k], least)
        for j in range(3):
            _take_origin(sums[3 * k + j], due[j], recorded[k])
            _take_origin(sums[9 + 3 * k + j], own[j], body[k])


@njit(cache=True, error_model="numpy")
def _heading(row: Array, work: Array, out: Array) -> bool:
    """Find heading and pitch of the nose, heading and climb of the path; return whether there."""
    turned(row[6:10], row[10:13], False, work)
    flat = math.hypot(work[0], work[1])
    speed = math.hypot(flat, work[2])
    if not (speed > MOVES_M_S and flat > FLAT_SHARE * speed):
        return False
    w, x, y, z = row[6], row[7], row[8], row[9]
    c, s = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
    level = math.hypot(c, s)
    if level < FLAT_SHARE:
        return False
    out[0], out[1] = math.atan2(s, c), math.atan2(2.0 * (w * y - x * z), level)
    out[2], out[3] = math.atan2(work[1], work[0]), math.atan2(-work[2], flat)
    return True


@njit(cache=True, error_model="numpy")
def _take_nose(block: Array, sums: Array, work: Array) -> None:
    """Add directions of nose and path, at both ends of an interval."""
    last = len(block) - 1
    row = block[last]
    speed = math.sqrt(row[10] ** 2 + row[11] ** 2 + row[12] ** 2)
    if speed > MOVES_M_S:
        take_pair(sums[_NOSE], speed, row[10], DECAY)
    first, end = work[0], work[1]
    if not (_heading(block[0], work[2], first) and _heading(row, work[2], end)):
        return
    turn, course = _wrapped(end[0] - first[0]), _wrapped(end[2] - first[2])
    if max(abs(turn), abs(course)) < MOST_TURN_RAD:
        _take_origin(sums[_HEADING], course, turn)
        _take_off(sums[_OFF + 3], turn, course, COUNTED_TURN_RAD)
    take_pair(sums[_PITCH], end[3], end[1], DECAY)


@njit(cache=True, error_model="numpy")
def _judge_nose(sums: Array, lines: Array) -> None:
    """Verdicts of heading, pitch and nose."""
    judge_line(sums[_HEADING], LEAST_TURN_RAD, lines[6])
    _judge_off(sums[_OFF + 3], lines[6])
    held = lines[7, 2] == WRONG_SIGN
    judge_line(sums[_PITCH], LEAST_TURN_RAD, lines[7])
    most = 0.0 if held else -PITCH_CORRELATION
    sure = sums[_PITCH, 0] >= PITCH_PAIRS and lines[7, 1] < most
    lines[7, 2] = WRONG_SIGN if sure else FINE
    row = sums[_NOSE]
    lines[8, 0], lines[8, 1], lines[8, 2] = math.nan, math.nan, FINE
    if row[0] >= LEAST_PAIRS:
        lines[8, 0] = row[2] / row[1]
        lines[8, 2] = WRONG_SIGN if lines[8, 0] < FORWARD_SHARE else FINE
    for k in range(6, 9):
        lines[k, 3] = k


@njit(cache=True, error_model="numpy")
def course_interval(
    block: Array, lasts_s: float, nose: bool, sums: Array, lines: Array, work: Array
) -> int:
    """Take in one interval.

    Args:
        block: its samples, as `slopes` has them.
        lasts_s: from the first to the last [s].
        nose: whether the nose is compared with the path.
        sums: memory, shape (25, 6), zeros at first.
        lines: gets slope, correlation, verdict and the axis that it follows, for each of `COURSES`,
            shape (9, 4).
        work: scratch, shape (4, 4).

    Returns:
        Number of wrong lines.
    """
    if not posed_all(block):
        return 0
    _take_velocities(block, lasts_s, sums, work)
    if nose:
        _take_nose(block, sums, work)
    wrong = 0
    for k in range(6):
        first = 9 * (k // 3)
        lines[k, 3] %= 3  # where it was on before, in its own group
        least = LEAST_SINK_M_S if k == 2 else LEAST_SPEED_M_S
        judge_axis(sums[first : first + 9], least, k % 3, lines[k], work[0])
        lines[k, 3] += 3 * (k // 3)
        if k < 3:
            _judge_off(sums[_OFF + k], lines[k])
        elif k > 3 and lines[k, 2] == WRONG_SCALE:
            lines[k, 2] = FINE  # how much it slips is another thing at another point
    _judge_nose(sums, lines)
    for k in range(9):
        wrong += lines[k, 2] != FINE
    return wrong


class Courses:
    """Sums over all intervals of one source about its path."""

    def __init__(self) -> None:
        self._sums, self._work = np.zeros((_ROWS, 6)), np.zeros((4, 4))
        self.lines: Array = np.full((len(COURSES), 4), math.nan)
        """Slope, correlation, verdict and the axis that it follows, for each of `COURSES`."""
        self.wrong: int = 0
        """Number of wrong lines."""

    def take(self, block: Array, lasts_s: float, nose: bool) -> None:
        """Take in one more interval, with the samples of `Slopes.block`.

        Args:
            block: shape (`SAMPLES`, `COLUMNS`).
            lasts_s: from the first to the last [s].
            nose: whether the nose is compared with the path; needed if the force is derived from
                these, because then nothing else judges them.
        """
        self.wrong = course_interval(block, lasts_s, nose, self._sums, self.lines, self._work)


def warm() -> None:
    """Compile the kernel, or load it from the cache."""
    Courses().take(np.zeros((SAMPLES, COLUMNS)), 1.0, nose=True)
