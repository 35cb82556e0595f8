"""Inputs of a diagram over time, as a command line gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hil.config.errors import ConfigError, MotionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hil.diagram.check.diagram import SoundDiagram


class InputPlan:
    """Inputs of a diagram at each tick.

    Args:
        sound: The diagram.
        given: Texts ``NAME=1,2,3``, for numbers that stay, or ``NAME=FILE.csv``.
        left_out_is_zero: No input need be given.
    """

    def __init__(self, sound: SoundDiagram, given: Sequence[str], *, left_out_is_zero: bool = False
                 ) -> None:  # fmt: skip
        self._steady: dict[str, list[float]] = {}
        self._tables: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {}
        sizes = {one.path: sound.types[one.path, "y"].size for one in sound.flat.inputs()}
        for one in given:
            name, _, text = one.partition("=")
            if name not in sizes:
                there = f"it has {', '.join(sizes)}" if sizes else "it has none"
                raise ConfigError("--input", [f"{name[:60]!r}: no such input; {there}"])
            if text.endswith(".csv"):
                self._tables[name] = _table(name, text, sizes[name])
            else:
                self._steady[name] = _numbers(one, text, sizes[name])
        missing = sizes.keys() - self._steady.keys() - self._tables.keys()
        if missing and not left_out_is_zero:
            problem = ", ".join(sorted(missing))
            raise ConfigError(
                "--input", [f"{problem}: left out; write NAME=NUMBER or NAME=FILE.csv"]
            )

    def steady(self) -> dict[str, list[float]]:
        """Return the inputs that stay what they are."""
        return self._steady

    def at(self, time_s: float) -> dict[str, NDArray[Any]]:
        """Return the inputs that change: each holds its last row; before its first row, that."""
        import numpy as np

        found = {}
        for name, (times_s, rows) in self._tables.items():
            row = int(np.searchsorted(times_s, time_s + 1e-12, side="right")) - 1
            found[name] = rows[max(row, 0)]
        return found


def _numbers(one: str, text: str, size: int) -> list[float]:
    from hil.terminal.console import numbers

    words = "a number" if size == 1 else f"{size} numbers"
    return numbers(text, size, "--input", f"{words} for {one.partition('=')[0]}")


def _table(name: str, text: str, size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read times and rows of a CSV file: ``t_s`` (or ``t_ms``, …), and name, or name_1, …."""
    import numpy as np

    from hil.config.times import read_timed

    columns = [name] if size == 1 else [f"{name}_{number}" for number in range(1, size + 1)]
    try:
        table, time, times_s = read_timed(text, columns)
    except MotionError as error:
        raise ConfigError("--input", [str(error)]) from None
    if not (np.diff(times_s) > 0.0).all():
        raise ConfigError(text, [f"column {time!r}: each time must be above the one before"])
    return times_s, np.stack([table.columns[one] for one in columns], axis=1)
