"""Calls of functions of ours, and files they stand in, in one turn of each station's loop.

    python -m benchmarks.bench_turn

Counted on the virtual clock with simulated drives, so that a turn is the same every time; the
median of all turns of a run is printed. What a turn costs is `bench_cycle.py`'s affair.
"""

import contextlib
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.frame import main

TOP = Path(__file__).parents[1]
OURS = tuple(
    f"{TOP / name}/"
    for name in ("hil", "hil_common", "safety", "drives", "sim", "platform6dof", "arm_driver")
)
RUNS = {
    "platform": ("demo", "hil/stations/platform/cycle/loop.py"),
    "arm": ("circle_on_rm01", "hil/stations/arm/cycle/loop.py"),
    "world": ("joint_move", "hil/stations/world/cycle/loop.py"),
    "live ride": ("live_demo", "hil/stations/platform/cycle/loop.py"),
}
"""What is counted → a scenario, and the file whose `turn` is one."""
ON_PAPER = ("--set", "clock=virtual", "--set", "devices.drives=sim:")


class Turns:
    """A profiler that counts calls of functions of ours while a turn is at work."""

    def __init__(self, file: str) -> None:
        self._file = str(TOP / file)
        self._within: FrameType | None = None
        self._calls, self._files = 0, set[str]()
        self.found: list[tuple[int, int]] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Take one event of the interpreter."""
        if event == "call":
            name = frame.f_code.co_filename
            if self._within is None:
                if frame.f_code.co_name != "turn" or name != self._file:
                    return
                self._within = frame
            if name.startswith(OURS):
                self._calls += 1
                self._files.add(name)
        elif event == "return" and frame is self._within:
            self.found.append((self._calls, len(self._files)))
            self._within, self._calls, self._files = None, 0, set()


def count(begin: Callable[[], object], file: str) -> tuple[float, float, int]:
    """Median calls, median files, and number of the turns of what is begun."""
    turns = Turns(file)
    sys.setprofile(turns)
    try:
        begin()
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
    calls, files = zip(*turns.found, strict=True)
    return statistics.median(calls), statistics.median(files), len(turns.found)


def run() -> dict[str, Any]:
    """Run one scenario of each kind; return calls, files and number of turns."""
    from hil.cli.main import app

    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for what, (scenario, file) in RUNS.items():
            arguments = ["run", scenario, "--out", folder, "--json"]
            arguments += ON_PAPER if what == "live ride" else ()
            with Path(os.devnull).open("w") as nothing, contextlib.redirect_stdout(nothing):
                calls, files, turns = count(lambda given=arguments: app(given), file)
            print(f"{what}: {calls:.0f} calls in {files:.0f} files, {turns} turns", flush=True)
            found[what] = {"calls": calls, "files": files, "turns": turns}
    return found


if __name__ == "__main__":
    main(run, __doc__)
