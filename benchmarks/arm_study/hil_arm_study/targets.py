"""What the table of drive models is held against: figures of 1993, and what is wanted today."""

from typing import NamedTuple

from sim.world.space_arm.drive import DriveModel


class ModelErrors(NamedTuple):
    """Errors of a drive model."""

    position_mm: float
    """Of the gripper's place."""
    orientation_deg: float
    """Of its orientation."""
    percent: float
    """Of a coordinate, of its path's range."""


PUBLISHED = {
    DriveModel.A: ModelErrors(1.8, 0.015, 0.2),
    DriveModel.B: ModelErrors(2.0, 0.02, 0.3),
    DriveModel.C: ModelErrors(2.4, 0.027, 0.8),
    DriveModel.D: ModelErrors(2.7, 0.03, 1.0),
}
"""The table of 1993."""
SCHEME_1993_MM = {DriveModel.A: 0.51, DriveModel.B: 12.0, DriveModel.D: 100.0}
"""Largest errors that the scheme of 1993 has here, with steps of 35 ms over all motions of the BKM
with an empty gripper [mm]. They are not those published: motions and parameters of then are not all
printed."""
PUBLISHED_COST_RATIO = 112.0
"""Time of the Runge-Kutta method over that of the implicit one, in 1993."""


class AccuracyTarget(NamedTuple):
    """What is wanted of a drive model at every payload."""

    figures: ModelErrors
    rtf: float


_STIFF = AccuracyTarget(ModelErrors(0.27, 0.003, 0.1), 1000.0)
_SMOOTH = AccuracyTarget(ModelErrors(0.03, 0.001, 0.01), 5000.0)
TARGETS = {model: _SMOOTH if model.value in "abf" else _STIFF for model in DriveModel}


KNOWN_SHARE = 0.1
"""A tick of a reference is known if its error is at most this part of the target."""
