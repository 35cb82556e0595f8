"""Fields of a frame in a row of numbers."""

import numpy as np
from numpy.typing import NDArray

from hil.recording.layout import Layout

Array = NDArray[np.float64]


class Columns:
    """Where each field of a layout stands in a row.

    Args:
        layout: of the frames.
    """

    def __init__(self, layout: Layout) -> None:
        self.values = layout.values
        self._at: dict[str, slice] = {}
        start = 0
        for row in layout.fields:
            self._at[row.name] = slice(start, start + row.count)
            start += row.count

    def of(self, row: Array, name: str) -> Array:
        """Values of a field.

        Args:
            row: values of one frame, shape (values,).
            name: of the field, as in the layout.

        Raises:
            KeyError: if there is no such field.
            ValueError: if the row is not of this layout.
        """
        if row.shape != (self.values,):
            raise ValueError(f"a row of shape {row.shape}, must be ({self.values},)")
        return row[self._at[name]]

    def of_all(self, rows: Array, name: str) -> Array:
        """Values of a field in many frames.

        Args:
            rows: values of the frames, shape (N, values).
            name: of the field, as in the layout.

        Returns:
            Shape (N, count).

        Raises:
            KeyError: if there is no such field.
            ValueError: if the rows are not of this layout.
        """
        if rows.ndim != 2 or rows.shape[1] != self.values:
            raise ValueError(f"rows of shape {rows.shape}, must be (N, {self.values})")
        return rows[:, self._at[name]]
