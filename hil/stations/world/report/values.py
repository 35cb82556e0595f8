"""Signals of a run of the virtual environment, by joint: values, units and lines to draw."""

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hil.recording.decimation import Line
from hil.recording.signals import Signal
from hil.report.pieces import lines
from hil.report.recorded_run import RecordedRun

Array = NDArray[np.float64]


def joint_lines(run: RecordedRun, *names: str) -> list[dict[str, tuple[str, Line]]]:
    """Unit and line of each driven joint, by its name, for each signal.

    Args:
        names: first parts of the signals' names.
    """
    signals = [signal_of(run, name) for name in names]
    there = [one for one in signals if one is not None]
    if not there:
        return [{} for _ in names]
    (drawn,) = lines(run, lambda part: values(part, there))
    rest = iter(drawn)
    return [{} if one is None else _by_joint(one, islice(rest, one.count)) for one in signals]


def _by_joint(of: Signal, drawn: Iterable[Line]) -> dict[str, tuple[str, Line]]:
    units = joint_units(of)
    return {name: (units[name], line) for name, line in zip(_names(of), drawn, strict=True)}


def signal_of(run: RecordedRun, name: str) -> Signal | None:
    """First signal whose name begins so."""
    fields = run.recording.header.signals.fields
    return next((one for one in fields if one.name.startswith(f"{name}_")), None)


def values(part: RecordedRun, signals: Sequence[Signal]) -> Array:
    """All values of some signals side by side, shape (rows, values)."""
    rows = len(part.times)
    columns = [part.recording.column(one.name) for one in signals]
    return np.hstack([column.reshape(rows, -1) for column in columns])


def joint_units(of: Signal) -> dict[str, str]:
    """Unit of each joint of a signal, by the joint's shown name."""
    units = of.unit.split(",")
    return {name: units[place % len(units)] for name, place in joint_places(of).items()}


def joint_places(of: Signal) -> dict[str, int]:
    """Place of each joint among a signal's values, by its shown name."""
    return {name: place for place, name in enumerate(_names(of))}


def _names(of: Signal) -> list[str]:
    names = of.parts or ("joint",)
    return [name.partition("_")[0].replace("joint", "joint ").strip() for name in names]
