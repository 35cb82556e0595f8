"""What reading a recorded table costs: a million rows of three columns, plain and in a dialect.

The judges read the same file in the same run: `numpy.loadtxt`, and `pandas.read_csv` where pandas
is installed, which the bench does not need.

    python -m benchmarks.bench_tables [--rows 1000000]
"""

from __future__ import annotations

import importlib
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from hil.config.tables import read_table

TIMES: Final = 3
NAMES: Final = ("t_s", "surge_mm", "roll_deg")


def run(rows: int = 1_000_000, console: Console | None = None) -> dict[str, float]:
    """Measure, print a table, return the figures."""
    with tempfile.TemporaryDirectory() as name:
        plain, foreign = Path(name) / "plain.csv", Path(name) / "foreign.csv"
        stamped = Path(name) / "stamped.csv"
        t_s = np.arange(rows) * 0.002
        values = np.column_stack([t_s, 20.0 * np.sin(t_s), 2.0 * np.sin(t_s)])
        header = ",".join(NAMES)
        np.savetxt(plain, values, "%.4f", ",", header=header, comments="")
        text = plain.read_text("ascii").replace(",", ";").replace(".", ",")
        foreign.write_text(f"sep=;\n{text}", "ascii")
        stamps = np.datetime64("2026-02-28T12:00:00.000") + 2 * np.arange(rows)
        body = zip(stamps.astype(str), text.replace(",", ".").splitlines()[1:], strict=True)
        lines = (f"{stamp}Z,{row.partition(';')[2].replace(';', ',')}" for stamp, row in body)
        stamped.write_text("\n".join([header, *lines, ""]), "ascii")
        results = {
            "plain CSV [s]": _seconds(lambda: read_table(plain, NAMES, time="t_s")),
            "semicolons and decimal commas [s]": _seconds(
                lambda: read_table(foreign, NAMES, time="t_s")
            ),
            "stamps of ISO 8601 [s]": _seconds(lambda: read_table(stamped, NAMES, time="t_s")),
            "numpy.loadtxt, plain [s]": _seconds(
                lambda: np.loadtxt(plain, delimiter=",", skiprows=1)
            ),
        }
        if (pandas := _pandas()) is not None:
            results["pandas.read_csv, plain [s]"] = _seconds(lambda: pandas(plain))
            results["pandas.read_csv, semicolons and decimal commas [s]"] = _seconds(
                lambda: pandas(foreign, sep=";", decimal=",", skiprows=1)
            )
            results["pandas.read_csv, stamps of ISO 8601 [s]"] = _seconds(
                lambda: pandas(stamped, parse_dates=["t_s"])
            )
    best = min(value for name, value in results.items() if name.endswith(", plain [s]"))
    results["plain CSV, times the quickest of the others"] = results["plain CSV [s]"] / best
    table = Table("what", "figure", title=f"{rows} rows of {len(NAMES)} columns: medians")
    for what, value in results.items():
        table.add_row(what, f"{value:.2f}")
    (console or Console(width=100)).print(table)
    return results


def _pandas() -> Callable[..., object] | None:
    try:
        return importlib.import_module("pandas").read_csv
    except ImportError:
        return None


def _seconds(call: Callable[[], object]) -> float:
    """Processor time of a call [s], which other work on the machine hardly lengthens."""
    spent: list[float] = []
    for _ in range(TIMES):
        begun = time.process_time()
        call()
        spent.append(time.process_time() - begun)
    return statistics.median(spent)


if __name__ == "__main__":
    main(run, __doc__)
