"""Frequency response of the classical filter in closed form, without its limiter.

What a rider feels for a sinusoid of what the vehicle does, at the gain of the parameters and for
small angles: the translation's s³ / ((s² + 2 z wn s + wn²)(s + wb)) and the tilt's
wl² / (s² + 2 z wl s + wl²) side by side; s / (s + wr) of the rates. With a limiter at work it does
not hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from platform6dof.cueing.parameters import (
    ClassicalParameters,
    CueingError,
    Rotation,
    Tilt,
    Translation,
)
from platform6dof.cueing.vehicle import GRAVITY_M_S2

Complex = NDArray[np.complex128]
INPUTS: Final = ("f_x", "f_y", "f_z", "p", "q", "r")
"""Quantities that may be a sinusoid."""


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """Response to one input, at some frequencies; complex values, each of shape (N,)."""

    rad_s: NDArray[np.float64]
    """The frequencies [rad/s]."""
    felt: Complex
    """Ratio of what is felt to what the vehicle does: force over force, or rate over rate."""
    moved: Complex
    """Displacement over force [m per m/s²]; of a rate, angle over rate [rad per rad/s]."""
    tilted: Complex
    """Tilt over force [rad per m/s²]; of a rate and of f_z, 0."""

    @property
    def modulus(self) -> NDArray[np.float64]:
        """Modulus of what is felt."""
        return np.abs(self.felt)

    @property
    def phase_rad(self) -> NDArray[np.float64]:
        """Phase of what is felt, within ± π [rad]."""
        return np.angle(self.felt)


def response(parameters: ClassicalParameters, what: str, rad_s: ArrayLike) -> Response:
    """The response to a sinusoid.

    Args:
        parameters: of the filter; its limits and its limiter are left out.
        what: one of `INPUTS`.
        rad_s: frequencies above 0 [rad/s].

    Raises:
        CueingError: of another input, or where tilt turns the force as well, for then the channels
            are not side by side.
    """
    if what not in INPUTS:
        raise CueingError(f"{what!r} is no input; there are {', '.join(INPUTS)}")
    if parameters.tilt_turns_force:
        text = "tilt_turns_force is true: force and tilt are not side by side"
        raise CueingError(f"{text}, there is no closed form", "tilt_turns_force")
    w = np.asarray(rad_s, np.float64)
    if w.ndim != 1 or not (np.isfinite(w) & (w > 0.0)).all():
        raise CueingError("rad_s: frequencies above 0, shape (N,), are needed", "rad_s")
    s = np.asarray(1j * w, np.complex128)
    k = INPUTS.index(what)
    none = np.zeros(len(w), np.complex128)
    if k >= 3:
        angle = parameters.rates[k - 3].gain * turn_of(parameters.rotation[k - 3], s)
        return Response(w, s * angle, angle, none)
    gain = parameters.force[k].gain
    moved = gain * displacement_of(parameters.translation[k], s)
    tilt = none if k == 2 or parameters.tilt.most_rad == 0.0 else gain * tilt_of(parameters.tilt, s)
    return Response(w, moved * s * s + tilt, moved, tilt / GRAVITY_M_S2)


def displacement_of(one: Translation, s: Complex) -> Complex:
    """Displacement over acceleration [s²]."""
    w = one.wn_rad_s
    return s / ((s * s + 2.0 * one.damping * w * s + w * w) * (s + one.wb_rad_s))


def tilt_of(one: Tilt, s: Complex) -> Complex:
    """Share of a force that tilt gives."""
    w = one.corner_rad_s
    return w * w / (s * s + 2.0 * one.damping * w * s + w * w)


def turn_of(one: Rotation, s: Complex) -> Complex:
    """Angle over rate [s]."""
    w = one.wr_rad_s
    if one.order == 1:
        return 1.0 / (s + w)
    return s / (s * s + 2.0 * one.damping * w * s + w * w)
