"""Platform and arm together: each station runs in a process of its own, and they stop together.

The processes share nothing but the wish to stop. It goes to all of them when the operator asks
(Ctrl-C, SIGTERM), when this process itself is gone, and, if the scenario says so, when one of them
has come to a bad end, as a machine does whose emergency stop was pressed; each then stops along its
own path, by its own gate. An emergency stop is wired to the machines themselves: it does not wait
for any of this.
"""

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import Field

from hil.child_process import ChildProcess, ChildTimeout, start_child
from hil.recording.header import RecordingError
from hil.run_files import run_dir
from hil.scenario import Name
from hil.settings import ConfigError, Settings, apply_overrides, read_toml
from hil.shipped import find_file
from hil.signals import StopSignals

LOOK_S = 0.05
"""How often the processes and the operator's wish are looked at [s]."""
STOP_WITHIN_S = 90.0
"""A part that was asked to stop has parked by then, or hangs and is ended; its gate brings
the machine to rest without it [s]."""
LED_STOP_WITHIN_S = 600.0
"""The same for a part that a person leads, who may still park it by hand [s]."""
PROGRAM = ("-m", "hil.together_part")


class PartSettings(Settings):
    """One of the stations."""

    name: Name
    """What progress, refusals and the folder of its run call it."""
    scenario: str
    """Scenario file; a relative path is looked for beside this one, then from where one stands."""
    changes: tuple[str, ...] = ()
    """``key=value`` texts laid over it."""
    operator: bool = False
    """Whether a person leads it from panels; its clock must be the real one."""


class TogetherScenario(Settings):
    """Stations that run at the same time."""

    station: Literal["together"]
    """Always ``together``: it makes the file a scenario of several stations."""
    name: Name
    """What the folder of a run is called after."""
    description: str = ""
    """A line for the reader."""
    part: Annotated[tuple[PartSettings, ...], Field(min_length=2, max_length=8)]
    """The stations, two to eight."""
    stop_together: bool = True
    """Whether a bad end of one brings the others to a controlled stop."""

    @classmethod
    def load(cls, path: Path, overrides: tuple[str, ...] = (), *, operator: bool = False) -> Self:
        """Read a scenario and find its parts' files.

        Args:
            path: its file.
            overrides: ``key=value`` texts laid over it.
            operator: whether a person leads every part, whatever the file says.

        Raises:
            ConfigError: with one line for each wrong value.
        """
        scenario = cls.build(apply_overrides(read_toml(path), overrides), str(path))
        names = [part.name for part in scenario.part]
        if len(set(names)) < len(names):
            raise ConfigError(str(path), [f"part: names {names} must differ"])
        scenario = scenario.led() if operator else scenario
        for part in scenario.part:
            file = find_file(
                part.scenario, beside=path, folder="scenarios", key=f"part {part.name}"
            )
            table = apply_overrides(read_toml(file), part.changes)
            clock = table.get("clock", "virtual")
            if part.operator and clock != "real":
                text = f"part {part.name}: operator = true, but {file} has clock = {clock!r}"
                right = 'a person lives in real time; use changes = ["clock=real"]'
                raise ConfigError(str(path), [f"{text}: {right}"])
        return scenario

    def led(self) -> Self:
        """The same, every part led by a person, and so in real time."""
        parts = tuple(
            part.model_copy(update={"operator": True, "changes": (*part.changes, "clock=real")})
            for part in self.part
        )
        return self.model_copy(update={"part": parts})


@dataclass(frozen=True, slots=True)
class PartResult:
    """How one station's run went.

    Args:
        name: of the part.
        ok: whether it completed, or was stopped by the operator and parked.
        told: what it said of itself; empty if it said nothing that could be read.
        asked_to_stop: why it was asked to stop; empty if it was not.
    """

    name: str
    ok: bool
    told: dict[str, Any]
    asked_to_stop: str


def run_together(
    scenario: TogetherScenario,
    path: Path,
    out: Path,
    *,
    now_s: Callable[[], float] | None = None,
    program: tuple[str, ...] = PROGRAM,
    stop_within_s: float = STOP_WITHIN_S,
) -> tuple[PartResult, ...]:
    """Run all parts until the last has ended.

    Args:
        scenario: which.
        path: its file.
        out: folder that gets a new folder for this run, with one for each part.
        now_s: monotonic time [s]; the system's if left out.
        program: arguments of the interpreter that runs a part, which gets this process' number and
            then the arguments of `hil`; another one only in tests.
        stop_within_s: time that a part has to stop [s].

    Raises:
        RecordingError: if the folder cannot be made.
    """
    clock = now_s or _monotonic()

    def deadline(part: PartSettings) -> Deadline:
        return Deadline(clock, LED_STOP_WITHIN_S if part.operator else stop_within_s)

    with ExitStack() as stack:
        folder = stack.enter_context(run_dir(out, scenario.name))
        wish = stack.enter_context(StopSignals())
        parts = [_Part(part, path, folder, program, deadline(part)) for part in scenario.part]
        for part in parts:
            stack.callback(part.kill)
        try:
            for part in parts:
                part.start()
        except OSError as error:
            raise RecordingError(f"{folder}: a part cannot be started: {error}") from None
        while any(part.running for part in parts):
            if wish.asked is not None:
                _stop(parts, "the operator asked for it")
            for part in parts:
                if part.look() and not part.result().ok and scenario.stop_together:
                    _stop(parts, f"{part.name} came to a bad end")
        return tuple(part.result() for part in parts)


def _monotonic() -> Callable[[], float]:
    from hil.realtime import RealClock  # Linux only

    return RealClock().now_s


def _stop(parts: "list[_Part]", why: str) -> None:
    for part in parts:
        part.stop(why)


class Deadline:
    """Time that a part has to stop, from when it was asked.

    Args:
        now_s: monotonic time [s].
        within_s: the time [s].
    """

    def __init__(self, now_s: Callable[[], float], within_s: float) -> None:
        self._now_s = now_s
        self.within_s = within_s
        self._end_s: float | None = None

    def begin(self) -> None:
        """Let the time run."""
        self._end_s = self._now_s() + self.within_s

    @property
    def passed(self) -> bool:
        """Whether it was begun and is over."""
        return self._end_s is not None and self._now_s() > self._end_s


class _Part:
    """One station's process; its words go into a file."""

    def __init__(
        self,
        settings: PartSettings,
        beside: Path,
        folder: Path,
        program: tuple[str, ...],
        deadline: Deadline,
    ) -> None:
        self.name = settings.name
        file = find_file(
            settings.scenario, beside=beside, folder="scenarios", key=f"part {self.name}"
        )
        self._folder = folder / self.name
        self._command = [*program, str(os.getpid()), "run", str(file), "--json"]
        self._command += ["--out", str(self._folder)]
        if settings.operator:
            self._command += ["--operator"]
        for change in settings.changes:
            self._command += ["--set", change]
        self._process: ChildProcess | None = None
        self._why = ""
        self._deadline = deadline
        self._hung = False

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process is not None and self._process.returncode is None

    def start(self) -> None:
        """Begin; a session of its own keeps the terminal's Ctrl-C for the one who forwards it."""
        self._folder.mkdir()
        with (self._folder / "told.json").open("wb") as told, self._errors.open("wb") as errors:
            self._process = start_child(self._command, stdout=told, stderr=errors)

    @property
    def _errors(self) -> Path:
        return self._folder / "errors.txt"

    def look(self) -> bool:
        """Wait a little for its end; whether it has just come."""
        if self._process is None or not self.running:
            return False
        if self._deadline.passed and not self._hung:
            self._hung = True
            self._process.kill()
        with suppress(ChildTimeout):
            self._process.wait(LOOK_S)
            return True
        return False

    def stop(self, why: str) -> None:
        """Ask it once to stop along its path."""
        if self.running and not self._why and self._process is not None:
            self._why = why
            self._deadline.begin()
            with suppress(ProcessLookupError):
                self._process.send_signal(SIGINT)

    def kill(self) -> None:
        """End it if nothing else did: only when this process itself is failing."""
        if self.running and self._process is not None:
            self._process.terminate()
            with suppress(ChildTimeout):
                self._process.wait(self._deadline.within_s)
            self._process.kill()
            self._process.wait()

    def result(self) -> PartResult:
        """How it went."""
        status = None if self._process is None else self._process.returncode
        try:
            told = orjson.loads((self._folder / "told.json").read_bytes())
        except (OSError, orjson.JSONDecodeError):
            told = {"ok": False, "error": self._last_words(status)}
        return PartResult(self.name, status == 0 and told.get("ok") is True, told, self._why)

    def _last_words(self, status: int | None) -> str:
        if self._hung:
            return f"it did not stop within {self._deadline.within_s:g} s and was ended"
        if status is not None and status < 0:
            return f"it was killed by signal {-status}"
        with suppress(OSError):
            lines = self._errors.read_text(encoding="utf-8", errors="replace").splitlines()
            return lines[-1] if lines else "it said nothing"
        return "it said nothing"
