"""Columns whose numbers are likely of another unit than stated, by their range.

A guess is for a person to judge, and is never played by itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from hil.stations.platform.motion.columns import units_of
from hil.stations.platform.motion.source import AXES, Floats
from hil.stations.platform.plan.motion_settings import Axis, RecordedSettings

LIKELY: Final[Mapping[str, tuple[str, ...]]] = {"rad": ("deg", "mrad"), "m": ("mm",)}
"""Units that are stated by mistake, and the real ones, the likeliest first."""
BEYOND: Final = {"m": 10.0, "rad": 2.0}
"""Multiple of the rig's reach that is beyond any motion."""
PLAUSIBLE: Final = 2.0
"""Multiple of the rig's reach that is plausible in the likely unit."""


@dataclass(frozen=True, slots=True)
class UnitGuess:
    """Column that is likely of another unit."""

    axis: Axis
    column: str
    unit: str
    """Stated unit."""
    likely: str
    """Likely unit."""
    low: float
    """Least value of the column, as a deviation from neutral [m, rad]."""
    high: float
    """Greatest value of the column, as a deviation from neutral [m, rad]."""
    reach: float
    """Reach of the rig along or about the axis from its neutral pose [m, rad]."""

    @property
    def ratio(self) -> float:
        """Likely unit as a part of the stated one [1]."""
        units = units_of(self.axis)
        return units[self.likely] / units[self.unit]


def likely_units(settings: RecordedSettings, samples: Floats, reach: Floats) -> Iterator[UnitGuess]:
    """Find columns that reach far beyond the rig as they are, and not in another unit.

    Args:
        samples: Deviation from neutral in the stated units [m, rad], shape (N, 6).
        reach: Reach of the rig along each coordinate from neutral [m, rad], shape (6,).
    """
    for axis, column in settings.map.items():
        number = AXES.index(axis)
        low, high = float(samples[:, number].min()), float(samples[:, number].max())
        half, far = 0.5 * (high - low), float(reach[number])
        if column.unit not in LIKELY or not half > BEYOND[column.unit] * far > 0.0:
            continue
        units = units_of(axis)
        for likely in LIKELY[column.unit]:
            if half * units[likely] / units[column.unit] <= PLAUSIBLE * far:
                yield UnitGuess(axis, column.column, column.unit, likely, low, high, far)
                break


def in_likely_units(
    settings: RecordedSettings, samples: Floats, guesses: tuple[UnitGuess, ...]
) -> tuple[RecordedSettings, Floats]:
    """Settings with the likely units, and the samples in them."""
    columns, samples = dict(settings.map), np.array(samples)
    for guess in guesses:
        columns[guess.axis] = columns[guess.axis].model_copy(update={"unit": guess.likely})
        samples[:, AXES.index(guess.axis)] *= guess.ratio
    return settings.model_copy(update={"map": columns}), samples
