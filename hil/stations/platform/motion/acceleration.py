"""Displacements of the platform from its recorded accelerations.

An acceleration does not show where a motion began and how fast, and its slightest offset grows
with the square of time. So the double integral is freed of its baseline, a cubic in time (that of
an offset and a drift of the sensor, and of the unknown beginning), and of all that is slower than
the corner of a high-pass (Boore & Bommer 2005, Soil Dyn. Earthq. Eng. 25, sections 3 and 4).
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from hil.config.errors import MotionError
from hil.config.tables import NumberTable
from hil.stations.platform.motion.columns import ACCELERATION_UNITS, GRAVITY_M_S2, ColumnMap
from hil.stations.platform.motion.source import Floats

HIGHPASS_HZ = 0.15
"""Corner of the high-pass, if none is given [Hz]: a period of 7 s."""
HIGHPASS_ORDER = 4
BASELINE_DEGREE = 3
GRAVITY_SHARE = 0.15
"""Nearness of a mean to gravity, as a share of it, at which it counts as gravity."""

FELT = (
    "what a rider or a sensor on a moving body feels, not the motion of the platform. It cannot be "
    "replayed; motion cueing, which this bench does not have yet, will take it"
)
"""Reason why specific force and body rates are refused."""
RATE_ENDINGS = ("deg_s", "rad_s", "dps", "rps")
"""Ends of the names of columns that hold angular rates."""
_FORCE = re.compile(r"(^|_)f_[xyz]?", re.IGNORECASE)


def displacements(derivatives: Floats, step_s: float, highpass_hz: float, order: int = 2) -> Floats:
    """Integrate uniform accelerations twice, or velocities once.

    The spline through them is integrated exactly, so that the quintic spline through the result
    has the accelerations themselves at its samples, at every frequency.

    Args:
        derivatives: Accelerations [m/s²] or velocities [m/s], shape (N, K).
        highpass_hz: Corner of a Butterworth filter, run forth and back: there the gain is a half.
        order: Number of integrations.

    Returns:
        Displacements [m], shape (N, K), without baseline and without delay.

    Raises:
        MotionError: If the corner is not between one over the duration and half the sample rate.
    """
    duration_s, half_hz = (len(derivatives) - 1) * step_s, 0.5 / step_s
    if not 1.0 / duration_s < highpass_hz < half_hz:
        raise MotionError(
            f"highpass_hz is {highpass_hz:g} Hz: above {1.0 / duration_s:.3g} Hz, one over the "
            f"{duration_s:g} s of the recording, and below half the sample rate, {half_hz:g} Hz, "
            "is needed to integrate accelerations or velocities"
        )
    from scipy.interpolate import CubicSpline  # slow to load, and seldom needed
    from scipy.signal import butter, sosfiltfilt

    t_s = np.arange(len(derivatives)) * step_s
    integral = np.asarray(CubicSpline(t_s, derivatives).antiderivative(order)(t_s))
    share = np.linspace(-1.0, 1.0, len(t_s))
    baseline = np.polynomial.legendre.legfit(share, integral, BASELINE_DEGREE)
    integral -= np.polynomial.legendre.legval(share, baseline).T
    sections = butter(HIGHPASS_ORDER, highpass_hz / half_hz, "highpass", output="sos")
    padding = min(round(3.0 / (highpass_hz * step_s)), len(t_s) - 1)
    return sosfiltfilt(sections, integral, axis=0, padlen=padding)


def refuse_specific_force(table: NumberTable, maps: Sequence[ColumnMap]) -> None:
    """Refuse specific force of a rider or a sensor in place of the platform's acceleration.

    An accelerometer that moves along reads specific force: gravity and turning are in it, and the
    integral of it is no motion.

    Raises:
        MotionError: With the columns, and what shows it.
    """
    felt = [each for each in maps if each.is_acceleration]
    if not felt:
        return
    for each in felt:
        if _FORCE.match(each.column):
            _refuse(table, [each], "a name that begins with f_ means specific force")
    means = [
        float(np.mean(table.columns[each.column])) * ACCELERATION_UNITS[each.unit] for each in felt
    ]
    together = float(np.linalg.norm(means))
    for mean in (*means, together):
        if abs(abs(mean) - GRAVITY_M_S2) <= GRAVITY_SHARE * GRAVITY_M_S2:
            _refuse(table, felt, f"the mean is {mean:.3g} m/s2, that of gravity")
    rates = [name for name in table.header if is_rate(name)]
    if rates:
        named = ", ".join(repr(name) for name in rates[:3])
        _refuse(table, felt, f"the body rates {named} beside it are those of a sensor on a body")


def felt_columns(names: Iterable[str]) -> list[str]:
    """Columns of specific force, by the names of a file's columns.

    They begin with ``f_``, or are accelerations beside the angular rates of the same sensor.
    """
    known = list(names)
    sensor = any(map(is_rate, known))
    ends = tuple(f"_{unit}" for unit in ACCELERATION_UNITS)
    return [name for name in known if _FORCE.match(name) or (sensor and name.endswith(ends))]


def is_rate(column: str) -> bool:
    """Whether the name of a column ends in a unit of angular rates."""
    return column.lower().endswith(tuple(f"_{ending}" for ending in RATE_ENDINGS))


def _refuse(table: NumberTable, felt: Sequence[ColumnMap], reason: str) -> None:
    named = ", ".join(repr(each.column) for each in felt)
    raise MotionError(f"{table.path}: {named}: {reason}: this is specific force, {FELT}")
