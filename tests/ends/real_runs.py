"""A program `hil run` in real time that something is done to; what is seen of it in the end."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
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
HIL = ("-m", "hil.cli")
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


def real(station: str) -> list[str]:
    """Arguments of `hil run` for a station in real time."""
    return arguments(station, *LONGER[station], 'clock="real"')


class Program:
    """One run in real time.

    Args:
        words: of `hil run`.
        program: arguments of the interpreter that is `hil`.
    """

    def __init__(self, folder: Path, words: Sequence[str], *, program: Sequence[str] = HIL) -> None:
        self.folder, self.runs = folder, folder / "runs"
        self.runs.mkdir(parents=True)
        command = [sys.executable, "-P", *program, "run", *words, "--out", str(self.runs)]
        self.as_json = "--json" in words
        self.undo: Callable[[], object] = lambda: None
        """Takes back what was done, so that it can be looked at."""
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

    def family(self) -> list[int]:
        """Control, and all processes of the run."""
        return [*family(self.pid)]

    def wait(self) -> int:
        """See its end; its exit status."""
        return self.process.wait(ENDS_S)

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

    def seen(self) -> Seen:
        """See its end, and look at all that it left."""
        status = self.wait()
        out, err = ((self.folder / name).read_text() for name in ("out.txt", "err.txt"))
        seen = Seen(status, told=parsed(out)) if self.as_json else Seen(status, err + out)
        seen.errors = err
        if self.recording is None:
            return seen
        self.look(seen, self.recording)
        return seen

    def look(self, seen: Seen, recording: Path) -> None:
        """Look at a recording, and have its report made."""
        seen.file = File.of(recording)
        exported, made = (
            subprocess.run(
                [sys.executable, "-P", *HIL, verb, str(recording), "--json"],
                capture_output=True, text=True, check=False,
            )
            for verb in ("export", "report")
        )  # fmt: skip
        assert exported.returncode == made.returncode, exported.stdout + exported.stderr
        seen.reported, seen.report = made.returncode, parsed(made.stdout)
        seen.verdict, seen.page = page_of(recording.parent / "report.html")

    def close(self) -> None:
        """Leave no process and nothing read-only behind."""
        self.undo()
        for pid in [*family(self.pid)][::-1]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(30.0)
        self.process.kill()
        self.process.wait()
