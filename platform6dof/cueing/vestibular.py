"""Models of a rider's inner ear, for specific force and angular velocity: otoliths and canals.

Each model is a linear transfer function; what a person does not notice lies below its threshold.
Sampled signals are taken as straight between their samples (first-order hold), so a step and a
ramp pass exactly whatever the rate is.

Sources: Reid and Nahon, "Flight simulation motion-base drive algorithms", UTIAS 296 (1985), after
Young and Meiry (1968) and Zacharias (1978); Telban and Cardullo, NASA CR-2005-213747 (2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from platform6dof.cueing.vestibular_kernels import pass_through

Array = NDArray[np.float64]

AXES: Final = ("surge", "sway", "heave", "roll", "pitch", "yaw")
"""Axes of sensation: specific force f_x, f_y, f_z [m/s²], then rates p, q, r [rad/s], axes FRD."""
LEAST_PERIOD_S: Final = 1e-5
GREATEST_PERIOD_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class SensoryModel:
    """One organ along one axis."""

    numerator: tuple[float, ...]
    """Coefficients of the transfer function, highest power of s first."""
    denominator: tuple[float, ...]
    """The same; of at least the numerator's degree."""
    threshold: float
    """Smallest change that is noticed, in the unit of the input (m/s² or rad/s)."""


@dataclass(frozen=True, slots=True)
class VestibularModel:
    """Otoliths and canals of one author."""

    name: str
    organs: tuple[SensoryModel, ...]
    """Organs in the order of `AXES`."""

    @property
    def thresholds(self) -> Array:
        """Thresholds of the six axes [m/s², rad/s], shape (6,)."""
        return np.array([one.threshold for one in self.organs])

    def sensed(self, felt: Array, period_s: float) -> Array:
        """Output of the organs for a motion that began at rest.

        Args:
            felt: specific force less its value at rest and rates in the order of `AXES`
                [m/s², rad/s], a row a period, shape (N, 6).
            period_s: between the rows [s].

        Returns:
            A new array of the same shape.

        Raises:
            ValueError: of another shape, not finite, or the period is outside `LEAST_PERIOD_S` to
                `GREATEST_PERIOD_S`.
        """
        if felt.ndim != 2 or felt.shape[1] != len(AXES):
            raise ValueError(f"felt has shape {felt.shape}: it must be (N, {len(AXES)})")
        return SensedPieces(self, period_s).sensed(felt)


class SensedPieces:
    """Output of the organs for a motion that began at rest and comes in pieces.

    Args:
        model: the organs.
        period_s: between the rows [s].

    Raises:
        ValueError: the period is outside `LEAST_PERIOD_S` to `GREATEST_PERIOD_S`.
    """

    def __init__(self, model: VestibularModel, period_s: float) -> None:
        self._organs = tuple(_Organ(one, period_s) for one in model.organs)

    def sensed(self, felt: Array) -> Array:
        """Output of the organs for the next rows; see `VestibularModel.sensed`."""
        columns = [
            organ.sensed(np.ascontiguousarray(felt[:, axis]))
            for axis, organ in enumerate(self._organs)
        ]
        return np.stack(columns, axis=1)


class _Organ:
    """One organ, and its state after the values so far."""

    def __init__(self, model: SensoryModel, period_s: float) -> None:
        if not (math.isfinite(period_s) and LEAST_PERIOD_S <= period_s <= GREATEST_PERIOD_S):
            raise ValueError(
                f"period of {period_s} s: {LEAST_PERIOD_S:g} to {GREATEST_PERIOD_S:g} s can be used"
            )
        self._recursion = discrete(model, period_s)
        self._state = np.zeros(len(self._recursion[1]))
        self._last = np.zeros(0)
        """The value before; none at first."""

    def sensed(self, signal: Array) -> Array:
        if signal.ndim != 1 or not np.isfinite(signal).all():
            raise ValueError("the signal must be one-dimensional and finite")
        with_last = np.concatenate((self._last, signal))
        found = pass_through(*self._recursion, with_last, self._state)[len(self._last) :]
        self._last = with_last[-1:]
        return found


def sensed(model: SensoryModel, signal: Array, period_s: float) -> Array:
    """Output of one organ for a signal that was 0 before its first sample.

    Args:
        model: the organ.
        signal: specific force or rate, a value a period, shape (N,).
        period_s: between the values [s].

    Returns:
        A new array, shape (N,).

    Raises:
        ValueError: not finite, not one-dimensional, or the period is outside its bounds.
    """
    return _Organ(model, period_s).sensed(signal)


def response(model: SensoryModel, rad_s: Array) -> NDArray[np.complex128]:
    """Frequency response of an organ at angular frequencies [rad/s], shape (N,)."""
    s = 1j * np.asarray(rad_s, dtype=np.float64)
    above, below = np.polyval(model.numerator, s), np.polyval(model.denominator, s)
    return np.asarray(above / below, dtype=np.complex128)


def discrete(model: SensoryModel, period_s: float) -> tuple[Array, Array, Array, Array, float]:
    """Exact recursion for a signal that is straight between its samples.

    Returns:
        phi (n, n), share of the sample before (n,), of this one (n,), output (n,), feed-through:
        x[k] = phi x[k-1] + before u[k-1] + now u[k]; y[k] = output x[k] + through u[k].
        Franklin, Powell, Workman, "Digital Control of Dynamic Systems", 3rd ed., section 6.3.2.
    """
    a, b, c, d = _canonical(model)
    order = len(b)
    block = np.zeros((order + 2, order + 2))
    block[:order, :order] = a * period_s
    block[:order, order] = b * period_s
    block[order, order + 1] = 1.0
    whole: Array = np.asarray(expm(block), dtype=np.float64)
    ramp = whole[:order, order + 1]
    return whole[:order, :order].copy(), whole[:order, order] - ramp, ramp.copy(), c, d


def _canonical(model: SensoryModel) -> tuple[Array, Array, Array, float]:
    """Controllable canonical form of the transfer function: A, B, C, D."""
    leading = model.denominator[0]
    denominator = np.array(model.denominator) / leading
    order = len(denominator) - 1
    numerator = np.zeros(order + 1)
    numerator[order + 1 - len(model.numerator) :] = np.array(model.numerator) / leading
    through = float(numerator[0])
    a = np.zeros((order, order))
    a[0] = -denominator[1:]
    a[1:, :-1] = np.eye(order - 1)
    b = np.zeros(order)
    b[0] = 1.0
    return a, b, numerator[1:] - through * denominator[1:], through


def _product(*factors: tuple[float, ...]) -> tuple[float, ...]:
    whole = np.array([1.0])
    for one in factors:
        whole = np.polymul(whole, np.array(one))
    return tuple(float(value) for value in whole)


def _otolith(gain: float, lead_s: float, long_s: float, short_s: float, at: float) -> SensoryModel:
    """K (T_A s + 1) / ((T_L s + 1) (T_S s + 1))."""
    return SensoryModel((gain * lead_s, gain), _product((long_s, 1.0), (short_s, 1.0)), at)


def _canal(
    long_s: float, short_s: float, adaptation_s: float, at_deg_s: float, lead_s: float = 0.0
) -> SensoryModel:
    """T_L T_A s² (T_lead s + 1) / ((T_L s + 1) (T_S s + 1) (T_A s + 1))."""
    lead = (lead_s, 1.0) if lead_s else (1.0,)
    return SensoryModel(
        _product((long_s * adaptation_s, 0.0, 0.0), lead),
        _product((long_s, 1.0), (short_s, 1.0), (adaptation_s, 1.0)),
        math.radians(at_deg_s),
    )


FORCE_THRESHOLDS_M_S2: Final = (0.17, 0.17, 0.28)
RATE_THRESHOLDS_DEG_S: Final = (3.0, 3.6, 2.6)

REID_NAHON: Final = VestibularModel(
    "Reid-Nahon",
    (
        *(_otolith(0.4, 13.2, 5.33, 0.66, at) for at in FORCE_THRESHOLDS_M_S2),
        *(
            _canal(long_s, 0.1, 30.0, at)
            for long_s, at in zip((6.1, 5.3, 10.2), RATE_THRESHOLDS_DEG_S, strict=True)
        ),
    ),
)
"""UTIAS 296, tables of the otolith and of the semicircular canals in roll, pitch, yaw."""

TELBAN_CARDULLO: Final = VestibularModel(
    "Telban-Cardullo",
    (
        *(_otolith(0.4, 10.0, 5.0, 0.016, at) for at in FORCE_THRESHOLDS_M_S2),
        *(_canal(5.73, 0.005, 80.0, at, lead_s=0.06) for at in RATE_THRESHOLDS_DEG_S),
    ),
)
"""NASA CR-2005-213747; its report states no thresholds of its own here: those of UTIAS 296."""

MODELS: Final = {"reid-nahon": REID_NAHON, "telban-cardullo": TELBAN_CARDULLO}
