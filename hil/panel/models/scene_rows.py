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
