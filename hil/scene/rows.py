"""Signals in a row of numbers."""

import numpy as np
from numpy.typing import NDArray

from hil.recording.signals import Signals

Array = NDArray[np.float64]


class Columns:
    """Where each signal stands in a row.

    Args:
        signals: table of the rows.
    """

    def __init__(self, signals: Signals) -> None:
        self.values = signals.values
        self._at = signals.places

    def of(self, row: Array, name: str) -> Array:
        """Values of a signal.

        Args:
            row: values of one frame, shape (values,).
            name: of the signal.

        Raises:
            KeyError: if there is no such signal.
            ValueError: if the row is not of this table.
        """
        if row.shape != (self.values,):
            raise ValueError(f"a row of shape {row.shape}, must be ({self.values},)")
        return row[self._at[name]]

    def of_all(self, rows: Array, name: str) -> Array:
        """Values of a signal in many frames.

        Args:
            rows: values of the frames, shape (N, values).
            name: of the signal.

        Returns:
            Shape (N, count).

        Raises:
            KeyError: if there is no such signal.
            ValueError: if the rows are not of this table.
        """
        if rows.ndim != 2 or rows.shape[1] != self.values:
            raise ValueError(f"rows of shape {rows.shape}, must be (N, {self.values})")
        return rows[:, self._at[name]]
