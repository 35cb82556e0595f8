"""A program `hil run` in real time that something is done to; what is seen of it in the end."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from seen_ends import File, Seen, page_of, parsed
from short_runs import arguments

from hil.timing.realtime import RealClock

NOW_S = RealClock().now_s
LONGER = {
    "platform": ["motion.duration_s=12"],
    "simulator": ["duration_s=12"],
    "arm": ["source.segment=[{duration_s=18.0, velocity_m_s=[0, 0, 0.01]}]"],
    "world": ["motion.duration_s=14"],
}
"""Motions that are under way for as long as something is done, and then end by themselves."""
MODULES = {
    "gate": "hil.stations.platform.gate.process",
    "recorder": "hil.recording.process",
    "desk": "hil.desk.process",
}
BEGINS_S, ENDS_S = 90.0, 120.0


def pause(time_s: float) -> None:
    """Let time pass [s]."""
    select.select([], [], [], time_s)


def family(pid: int) -> Iterator[int]:
    """A process and all that descends from it."""
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from family(int(child))


class Program:
    """One run in real time.

    Args:
        options: of `hil run`, beside scenario and changes.
    """

    def __init__(self, station: str, folder: Path, *options: str) -> None:
        self.folder, self.runs = folder, folder / "runs"
        folder.mkdir(parents=True)
        changes = [*LONGER[station], 'clock="real"']
        command = [sys.executable, "-P", "-m", "hil.cli", "run", *arguments(station, *changes)]
        command += ["--out", str(self.runs), *options]
        self.as_json = "--json" in options
        runtime = folder / "runtime"
        runtime.mkdir(mode=0o700)
        with (folder / "out.txt").open("wb") as out, (folder / "err.txt").open("wb") as err:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                env=os.environ | {"XDG_RUNTIME_DIR": str(runtime)},
            )  # fmt: skip

    @property
    def pid(self) -> int:
        """Of control."""
        return self.process.pid

    def pids(self, name: str) -> list[int]:
        """Processes of a part of the run, the eldest first."""
        found = []
        for pid in family(self.pid):
            with suppress(OSError):
                if MODULES[name].encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return found

    def until(self, holds: Callable[[], object], most_s: float = BEGINS_S) -> None:
        """Wait until something holds."""
        end_s = NOW_S() + most_s
        while not holds():
            assert self.process.poll() is None, (self.folder / "err.txt").read_text()
            assert NOW_S() < end_s, "waited in vain"
            pause(0.05)

    def send(self, number: signal.Signals, *pids: int) -> None:
        """Send a signal to processes of the run."""
        for pid in pids:
            os.kill(pid, number)

    @property
    def recording(self) -> Path | None:
        """Its file, once it is there."""
        return next(self.runs.glob("*/recording.mcap"), None)

    def under_way(self) -> None:
        """Wait until it has turned for 3 s: rows are on the disk then, and more will come."""
        self.until(lambda: self.recording is not None)
        first = self.recording.stat().st_size
        self.until(lambda: self.recording.stat().st_size > first)
        pause(3.0)

    def stop(self) -> None:
        """Ask it to stop, as Ctrl-C does, unless it is over."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def seen(self, *, page: bool = True) -> Seen:
        """See its end, and look at all that it left."""
        status = self.process.wait(ENDS_S)
        out, err = ((self.folder / name).read_text() for name in ("out.txt", "err.txt"))
        seen = Seen(status, told=parsed(out)) if self.as_json else Seen(status, err + out)
        seen.errors = err
        if self.recording is None:
            return seen
        seen.file = File.of(self.recording)
        if page:
            command = [sys.executable, "-P", "-m", "hil.cli", "report", str(self.recording)]
            made = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
            seen.reported, seen.report = made.returncode, parsed(made.stdout)
            seen.verdict, seen.page = page_of(self.recording.parent / "report.html")
        return seen

    def close(self) -> None:
        """Leave no process behind."""
        for pid in [*family(self.pid)][::-1]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(30.0)
        self.process.kill()
        self.process.wait()
