"""A bench as a process of its own, with a session of its own.

The panel's death does not kill it: its dead-man stops the motion.
"""

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Final

from hil.desk.endpoints import Endpoint, PlaceError, benches
from hil.panel.scenarios.models.launch_child import HIL, Child

POLL_EVERY_S: Final = 0.2
"""Time between two searches for a bench's desk [s]."""


class LaunchState(Enum):
    """Stage of a bench that is started."""

    STARTING = "starting"
    RUNNING = "running"
    """Its desk answers; or, where it has none of its own, it has begun."""
    ENDED = "ended"
    FAILED = "failed"


class BenchRun:
    """A bench that a person leads, begun from the panel.

    Args:
        out: folder that gets a new folder for the run.
        several: whether it is of several stations: it has no desk then; each part that a person
            leads has its own.
        override: what its scenario is told, ``key=value``; empty if nothing.
    """

    def __init__(
        self,
        path: Path,
        out: Path,
        *,
        now_s: Callable[[], float],
        several: bool = False,
        override: str = "",
        find: Callable[[], list[Endpoint]] = benches,
    ) -> None:
        self.path, self._several = path, several
        self._now_s, self._find = now_s, find
        self._looked_s = -float("inf")
        self._child = Child(bench_arguments(path, out, several=several, override=override))
        self.state = LaunchState.STARTING
        self.desk: Path | None = None
        """Its desk's socket, once it is found."""
        self.error = ""
        """Why it failed, in its own words."""

    @property
    def pid(self) -> int:
        """Number of its process."""
        return self._child.pid

    def poll(self) -> LaunchState:
        """Look at it; the state afterwards."""
        if self.state in (LaunchState.ENDED, LaunchState.FAILED):
            return self.state
        status = self._child.status
        if status is not None:
            answer = self._child.answer() or {}
            well = status == 0 and answer.get("ok", True)
            self.state = LaunchState.ENDED if well else LaunchState.FAILED
            self.error = "" if well else self._child.why()
            self.recording = _path_or_none(answer.get("recording"))
        elif self.state is LaunchState.STARTING:
            self._poll()
        return self.state

    recording: Path | None = None
    """Its file, once it has ended."""

    def _poll(self) -> None:
        now_s = self._now_s()
        if now_s - self._looked_s < POLL_EVERY_S:
            return
        self._looked_s = now_s
        if self._several:
            self.state = LaunchState.RUNNING
            return
        with suppress(PlaceError):
            found = next((place for place in self._find() if place.pid == self._child.pid), None)
            if found is not None:
                self.desk, self.state = found.path, LaunchState.RUNNING

    def ask_to_stop(self) -> None:
        """Ask it to stop along its path, park and end, as Ctrl-C does."""
        self._child.ask_to_stop()

    def forget(self) -> None:
        """Let go of it; it still runs."""
        self._child.forget()


def bench_arguments(path: Path, out: Path, *, several: bool, override: str = "") -> list[str]:
    """Arguments of the interpreter that begin a bench in real time."""
    begun = [*HIL, "run", str(path), "--out", str(out), "--json"]
    if several:
        return begun  # each part has its own clock, and its own word on whether it is led
    led = ["--clock", "real", "--operator"]
    return [*begun, *led, *(("--set", override) if override else ())]


def _path_or_none(value: object) -> Path | None:
    return Path(value) if isinstance(value, str) and value else None
