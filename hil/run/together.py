"""Run of several stations at once: each has a process of its own, and they stop together.

The processes share nothing but the request to stop. It goes to all of them when the operator asks
(Ctrl-C, SIGTERM), when this process itself is gone, and, if the scenario says so, when one of them
has come to a bad end, as a machine does whose emergency stop was pressed; each then stops along its
own path, by its own gate. An emergency stop is wired to the machines themselves: it does not wait
for any of this.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from hil.config.errors import ConfigError, about
from hil.config.scenario import Name
from hil.config.settings import Settings, apply_overrides, read_toml
from hil.recording.header import RecordingError
from hil.run.part_process import (
    RECORDING_MARK,
    PartProcess,
    PartResult,
    PartSettings,
)
from hil.run.run import run_dir
from hil.timing.stop import StopSignals

STOP_WITHIN_S = 90.0
"""A part that was asked to stop has parked by then, or hangs and is ended; its gate brings
the machine to rest without it [s]."""
LED_STOP_WITHIN_S = 600.0
"""The same for a part that a person leads, who may still park it by hand [s]."""
PROGRAM = ("-m", "hil.cli.part")


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
            operator: whether a person leads every part, whatever the file says.

        Raises:
            ConfigError: with one line for each wrong value.
        """
        scenario = cls.build(apply_overrides(read_toml(path), overrides), str(path))
        names = [part.name for part in scenario.part]
        if len(set(names)) < len(names):
            raise ConfigError(str(path), [f"part: names {names} must differ"])
        if wrong := list(scenario.out_of_order()):
            raise ConfigError(str(path), wrong)
        scenario = scenario.led() if operator else scenario
        for part in scenario.part:
            file = part.file(path)
            table = apply_overrides(read_toml(file), part.changes, given=False)
            clock = table.get("clock", "virtual")
            if part.operator and clock != "real":
                text = f"part {part.name}: operator = true, but {file} has clock = {clock!r}"
                right = 'a person lives in real time; use changes = ["clock=real"]'
                raise ConfigError(str(path), [f"{text}: {right}"])
        return scenario

    def out_of_order(self) -> Iterator[str]:
        """Problems of parts that begin after others."""
        before: list[str] = []
        for index, part in enumerate(self.part):
            place = f"part.{index}"
            if part.after and part.after not in before:
                line = f"after = {part.after!r}: a part above it is needed, {before or 'none'}"
                yield about(f"{place}.after", f"{place}.{line}")
            marked = any(RECORDING_MARK in change for change in part.changes)
            if marked and not part.after:
                line = f"{RECORDING_MARK} needs after = the part that records it"
                yield about(f"{place}.changes", f"{place}.changes: {line}")
            before.append(part.name)

    def led(self) -> Self:
        """The same, every part led by a person, and so in real time."""
        parts = tuple(
            part.model_copy(update={"operator": True, "changes": (*part.changes, "clock=real")})
            for part in self.part
        )
        return self.model_copy(update={"part": parts})


def part_files(path: Path) -> dict[str, Path]:
    """The scenario of each part, by its name."""
    scenario = TogetherScenario.build(read_toml(path), str(path))
    return {part.name: part.file(path) for part in scenario.part}


def check_parts(table: Mapping[str, Any], file: Path) -> None:
    """Read a scenario and find its parts' files; a `ConfigError` with a line for each wrong."""
    scenario = TogetherScenario.build(table, str(file))
    names = [part.name for part in scenario.part]
    wrong: list[str] = []
    if len(set(names)) < len(names):
        wrong.append(about("part", f"part: names {names} must differ"))
    wrong += scenario.out_of_order()
    for index, part in enumerate(scenario.part):
        try:
            part.file(file, f"part.{index}.scenario")
        except ConfigError as error:
            wrong += error.problems
    if wrong:
        raise ConfigError(str(file), wrong)


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
        out: folder that gets a new folder for this run, with one for each part.
        now_s: monotonic time [s]; the system's if left out.
        program: arguments of the interpreter that runs a part, which gets this process' number and
            then the arguments of `hil`; another one only in tests.
    """
    clock = now_s or _monotonic()
    with ExitStack() as stack:
        folder = stack.enter_context(run_dir(out, scenario.name))
        stop_request = stack.enter_context(StopSignals())
        parts: list[PartProcess] = []
        for part in scenario.part:
            within_s = LED_STOP_WITHIN_S if part.operator else stop_within_s
            parts.append(PartProcess(part, path, folder, program, clock, within_s))
        for part in parts:
            stack.callback(part.kill)
        for part in parts:
            if not part.waiting:
                _start(part)
        while any(part.running or part.waiting for part in parts):
            _begin_next(parts, stop_request.asked is not None)
            if stop_request.asked is not None:
                _stop(parts, "the operator asked for it")
            for part in parts:
                if part.poll() and not part.result().ok and scenario.stop_together:
                    _stop(parts, part.bad_end(), for_other=True)
        for part in parts:
            part.leave_note()
        return tuple(part.result() for part in parts)


def _begin_next(parts: list[PartProcess], stopped: bool) -> None:
    """Start the parts that are due, or skip them for good."""
    by_name = {part.name: part for part in parts}
    for part in parts:
        before = by_name.get(part.after)
        if not part.waiting or before is None:
            continue
        if stopped:
            part.leave_out("not begun: the operator asked to stop")
        elif not (before.running or before.waiting):
            found = before.result()
            if found.ok and found.asked_to_stop == "":
                _start(part, str(found.values.get("recording", "")))
            else:
                part.leave_out(f"not begun: {before.bad_end()}")


def _start(part: PartProcess, recording: str = "") -> None:
    try:
        part.start(recording)
    except OSError as error:
        text = f"part {part.name}: its process cannot be started: {error}"
        raise RecordingError(text) from None


def _monotonic() -> Callable[[], float]:
    from hil.timing.realtime import RealClock  # Linux only

    return RealClock().now_s


def _stop(parts: list[PartProcess], why: str, *, for_other: bool = False) -> None:
    for part in parts:
        part.stop(why, for_other=for_other)
