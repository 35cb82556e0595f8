"""Numbers of a workspace's pictures: where each one goes, its colours as numbers, its cells."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.panel.widgets.figures import figure
from hil.run.workspace import WorkspaceMap, WorkspaceSlice

LEVELS: Final = 256
"""Levels of a scale of colours."""
LEAST_EM: Final = 12.0
"""Least width of a picture that is still legible [heights of the text]."""
AXIS_EM: Final = 4.0
"""Width of the numbers beside a picture [heights of the text]."""
FRAME_EM: Final = 5.5
"""Height of title and axis above and below a picture [heights of the text]."""
TALLEST: Final = 1.6
"""Greatest ratio of a picture's height to its width."""


def columns_of(width_px: float, em_px: float) -> int:
    """Number of pictures beside each other: three, two or one.

    Args:
        em_px: height of the text.
    """
    return min(max(int(width_px / (LEAST_EM * em_px)), 1), 3)


def cell_of(picture: int, columns: int) -> tuple[int, int]:
    """Row and column of a picture; of three slices there are six, the quantity's first.

    In three columns the limits are below the quantity, in two beside it, in one after it.
    """
    kind, at = divmod(picture, 3)
    if columns == 2:
        return at, kind
    return (kind, at) if columns == 3 else (picture, 0)


def height_px(one: WorkspaceSlice, width_px: float, em_px: float) -> int:
    """Height of a picture whose axes have the same scale."""
    left, right, lower, upper = one.ends
    ratio = min((upper - lower) / (right - left), TALLEST) if right > left else 1.0
    drawn = max(width_px - AXIS_EM * em_px, em_px)
    return round(drawn * ratio + FRAME_EM * em_px)


def levels_of(found: WorkspaceMap, one: WorkspaceSlice) -> NDArray[np.uint8]:
    """Level of each cell on the scale from the map's least to its greatest value; 0 without."""
    low, high = found.least, found.greatest
    span = high - low if high > low else 1.0
    share = np.nan_to_num((one.values - low) / span)
    levels: NDArray[np.uint8] = np.round(np.clip(share, 0.0, 1.0) * (LEVELS - 1)).astype(np.uint8)
    return levels


def limits_shown(slices: Sequence[WorkspaceSlice]) -> tuple[int, ...]:
    """Numbers of the limits that bind somewhere in some slices, in their order."""
    found = [np.unique(one.limits) for one in slices]
    return tuple(int(one) for one in np.unique(np.concatenate(found))) if found else ()


def readout(found: WorkspaceMap, one: WorkspaceSlice, right: float, up: float) -> str:
    """Words about the cell at a place; empty outside of the slice."""
    left, end, lower, upper = one.ends
    if not (left <= right < end and lower <= up < upper):
        return ""
    rows, columns = one.limits.shape
    row = int((up - lower) / (upper - lower) * rows)
    column = int((right - left) / (end - left) * columns)
    limit = found.limits[int(one.limits[row, column])].name
    place = f"{one.right} {right:.3f} {one.unit}, {one.up} {up:.3f} {one.unit}"
    if not one.inside[row, column]:
        return f"{place}: outside, {limit}"
    return f"{place}: {_value(found, float(one.values[row, column]))}; binds next: {limit}"


def _value(found: WorkspaceMap, value: float) -> str:
    if not np.isfinite(value):
        return "no value"
    return figure(value, found.unit)


def scale_ends(found: WorkspaceMap) -> tuple[str, str]:
    """Least and greatest value of a map with their unit."""
    return _value(found, found.least), _value(found, found.greatest)
