"""How long the help of `hil` takes, beside a bare interpreter and one that loads typer.

python -m benchmarks.bench_help
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import Final

from benchmarks.frame import main

ROUNDS: Final = 7
MOST_S: Final = 0.6
"""That the help may take [s]."""
PROGRAMS: Final = {
    "nothing": ("-c", "pass"),
    "typer": ("-c", "import typer, typer.rich_utils"),
    "help": ("-c", "import sys; sys.argv = ['hil', '--help']; import hil.cli.entry as e; e.main()"),
}


def run(rounds: int = ROUNDS) -> dict[str, float]:
    """Median of each, interleaved [s]."""
    taken_s: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(rounds):
        for name, arguments in PROGRAMS.items():
            begun_s = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            taken_s[name].append(time.perf_counter() - begun_s)
    found = {name: statistics.median(each) for name, each in taken_s.items()}
    for name, median_s in found.items():
        print(f"{name}: {median_s:.3f} s" + f", asked <= {MOST_S:g} s" * (name == "help"))
    return found


if __name__ == "__main__":
    main(run, __doc__)
