"""A recording as columns: NumPy as it is, pandas and polars where they are installed.

python examples/read_recording.py RUN
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hil.recording.reader import Recording


def columns(recording: Recording) -> dict[str, np.ndarray[Any, Any]]:
    """One array a column of `hil export`: signals of six legs become six columns."""
    found: dict[str, np.ndarray[Any, Any]] = {}
    for signal in recording.signals.shown:
        values = recording.columns[signal.name]
        for name, one in zip(signal.columns(), values.reshape(recording.cycles, -1).T, strict=True):
            found[name] = one
    return found


def main(run: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Print what a recording holds; its columns."""
    recording = Recording.open(run)
    table = columns(recording)
    print(f"{recording.cycles} rows of {len(table)} columns, {len(recording.events)} events")
    engaged = recording.column("mode") == recording.modes.index("ENGAGED")
    error_m = np.abs(recording.column("sent_length_m") - recording.column("measured_length_m"))
    print(f"legs lag by at most {error_m[engaged].max() * 1e3:.3f} mm in motion")
    if find_spec("pandas"):
        import pandas  # pyright: ignore[reportMissingImports]

        frame = pandas.DataFrame(table).set_index("t_s")
        print(frame.filter(like="measured_length").describe())
    if find_spec("polars"):
        import polars  # pyright: ignore[reportMissingImports]

        print(polars.DataFrame(table).select(polars.col("^measured_speed.*$").max()))
    return table


if __name__ == "__main__":
    main(Path(sys.argv[1]))
