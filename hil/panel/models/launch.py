"""Checks, dry runs and benches as processes of their own, looked at and never waited for.

A bench has a session of its own: the panel's death does not kill it, its dead-man stops the motion.
What a process says goes into files without a name, so it never waits for the panel either.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

import orjson

from hil.desk.places import Place, PlaceError, benches
from hil.panel.models.toml_text import toml_value

LOOK_EVERY_S: Final = 0.2
"""How often a bench's desk is looked for [s]."""
WORDS_MAX: Final = 4000
"""Characters of standard error that are kept, the last ones."""
TOLD_MAX: Final = 16 << 20
"""Bytes of standard output that are read."""
HIL: Final = ("-m", "hil.cli")
DRY_RUN: Final = ("-m", "hil.panel.models.dry_run")


class Child:
    """A process of our own.

    Args:
        arguments: of the interpreter.
        folder: that it works in; this process' own if left out.
    """

    def __init__(self, arguments: Sequence[str], folder: Path | None = None) -> None:
        # Files without a name: whole after its end, and gone with the last who has them open.
        self._told = tempfile.TemporaryFile()  # noqa: SIM115 closed with the child
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(  # noqa: S603 our own interpreter and modules, no shell
            [sys.executable, *arguments], stdin=subprocess.DEVNULL, stdout=self._told,
            stderr=self._errors, cwd=folder, start_new_session=True,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.poll()

    def told(self, start: int = 0) -> bytes:
        """What it has said on standard output, from a byte on."""
        return os.pread(self._told.fileno(), TOLD_MAX, start)

    def words(self) -> str:
        """The last that it has said on standard error."""
        fd = self._errors.fileno()
        begin = max(0, os.fstat(fd).st_size - WORDS_MAX)
        return os.pread(fd, WORDS_MAX, begin).decode("utf-8", "replace").strip()

    def answer(self) -> dict[str, Any] | None:
        """The JSON object that it has said; None if it said none."""
        with suppress(orjson.JSONDecodeError):
            said = orjson.loads(self.told())
            return said if isinstance(said, dict) else None
        return None

    def ask_to_stop(self) -> None:
        """Ask it as Ctrl-C does: a run stops along its path and parks."""
        if self.status is None:
            self._process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """End it if it still runs: for what moves nothing."""
        if self.status is None:
            self._process.kill()
            self._process.wait()
        self.forget()

    def forget(self) -> None:
        """Let go of it; it goes on if it runs."""
        self._told.close()
        self._errors.close()

    def why(self) -> str:
        """Why it ended badly, in its own words; empty if it said none and was not killed."""
        said = self.answer() or {}
        reason = str(said.get("error") or said.get("reason") or "") or self.words()
        status = self.status
        if not reason and status is not None and status < 0:
            return f"signal {-status} ({signal.Signals(-status).name})"
        return reason


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing that a check has found.

    Args:
        place: phase and leg, or joint and waypoint.
        quantity: which limit.
        value: the worst value.
        limit: the limit.
        unit: of both.
        t_s: when it begins, from the start of its phase [s]; None if it has no time.
        wrong: whether the limit is passed; else it is what comes nearest.
    """

    place: str
    quantity: str
    value: float
    limit: float
    unit: str
    t_s: float | None
    wrong: bool


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """How a check ended.

    Args:
        ok: whether all is well.
        findings: the wrong ones first.
        error: why there is no verdict on the motion; empty if there is.
        duration_s: of the motion [s]; None if not told.
    """

    ok: bool
    findings: tuple[CheckFinding, ...]
    error: str
    duration_s: float | None


class CheckRun:
    """`hil check` of a file, in the background.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._child = Child([*HIL, "check", str(path), "--json"])

    def poll(self) -> CheckOutcome | None:
        """Return how it went; None while it runs."""
        if self._child.status is None:
            return None
        said = self._child.answer()
        if said is None:
            return CheckOutcome(False, (), self._child.why(), None)
        return outcome_of(said)

    def end(self) -> None:
        """End it."""
        self._child.end()


def outcome_of(said: dict[str, Any]) -> CheckOutcome:
    """What the JSON of `hil check` says, of any station."""
    parts = said.get("parts")
    if isinstance(parts, dict):
        each = {name: outcome_of(one) for name, one in parts.items()}
        findings = tuple(
            CheckFinding(f"{name}: {one.place}", one.quantity, one.value, one.limit, one.unit,
                         one.t_s, one.wrong)
            for name, outcome in each.items() for one in outcome.findings
        )  # fmt: skip
        errors = [f"{name}: {one.error}" for name, one in each.items() if one.error]
        return CheckOutcome(bool(said.get("ok")), _wrong_first(findings), "\n".join(errors), None)
    found = [_of_platform(one) for one in said.get("violations", ())]
    found += [_of_arm(one) for one in said.get("findings", ())]
    error = str(said.get("error") or "")
    return CheckOutcome(
        bool(said.get("ok")), _wrong_first(tuple(found)), error, said.get("duration_s")
    )


def _wrong_first(findings: tuple[CheckFinding, ...]) -> tuple[CheckFinding, ...]:
    return tuple(sorted(findings, key=lambda one: not one.wrong))


def _of_platform(one: dict[str, Any]) -> CheckFinding:
    leg = "" if one["leg"] is None else f", leg {one['leg']}"
    return CheckFinding(
        f"{one['phase']}{leg}", one["quantity"], _number(one["value"]), _number(one["limit"]),
        one["unit"], one["t_s"], True,
    )  # fmt: skip


def _of_arm(one: dict[str, Any]) -> CheckFinding:
    return CheckFinding(
        f"{one['place']}, waypoint {one['waypoint']}", one["kind"], _number(one["value"]),
        _number(one["limit"]), one["unit"], None, not one["within"],
    )  # fmt: skip


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


@dataclass(frozen=True, slots=True)
class DryOutcome:
    """How a dry run ended.

    Args:
        ok: whether all went well.
        reason: how it ended, or what went wrong.
        recording: its file; None if there is none.
    """

    ok: bool
    reason: str
    recording: Path | None


class DryRun:
    """A dry run, in the background.

    Args:
        path: of the scenario.
        out: folder that gets a new folder for the run.
    """

    def __init__(self, path: Path, out: Path) -> None:
        self._child = Child([*DRY_RUN, str(path), str(out)])
        self._read = 0
        self._outcome: DryOutcome | None = None
        self.share = 0.0
        """How much of it is done, 0 to 1."""

    def poll(self) -> DryOutcome | None:
        """Return how it went; None while it runs."""
        if self._outcome is None:
            ended = self._child.status is not None
            self._listen()
            if ended and self._outcome is None:
                self._outcome = DryOutcome(False, self._child.why(), None)
        return self._outcome

    def _listen(self) -> None:
        *lines, _ = self._child.told(self._read).split(b"\n")
        for line in lines:
            self._read += len(line) + 1
            with suppress(orjson.JSONDecodeError, KeyError):
                said = orjson.loads(line)
                self.share = float(said.get("share", self.share))
                if "result" in said:
                    told = said["result"]
                    recording = Path(told["recording"]) if told["recording"] else None
                    self._outcome = DryOutcome(told["ok"], told["reason"], recording)

    def end(self) -> None:
        """End it."""
        self._child.end()


class ReportRun:
    """`hil report` of a recording, in the background.

    Args:
        recording: its file.
    """

    def __init__(self, recording: Path) -> None:
        self._child = Child([*HIL, "report", str(recording), "--json"])
        self.error = ""
        """Why there is no page; empty while there is none yet."""

    def poll(self) -> Path | None:
        """Return the page when it is there."""
        if self._child.status is None:
            return None
        page = (self._child.answer() or {}).get("report")
        if not page:
            self.error = self._child.why() or "?"
            return None
        return Path(page)

    def end(self) -> None:
        """End it."""
        self._child.end()


class LaunchState(Enum):
    """How far a bench is."""

    STARTING = "starting"
    RUNNING = "running"
    """Its desk answers; or, where it has none, it has begun."""
    ENDED = "ended"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RemoteAddress:
    """Where an arm station listens for handles.

    Args:
        socket: path of its socket.
        token_file: file with the token.
    """

    socket: Path
    token_file: Path


class BenchRun:
    """A bench that a person leads, begun from the panel.

    Args:
        path: of the scenario.
        station: ``platform``, ``arm`` or ``together``.
        out: folder that gets a new folder for the run.
        now_s: monotonic time [s].
        remote: where an arm station shall listen for handles; None to leave its source as it is.
        source: the scenario's own source table, whose limits and frame `remote` keeps.
        find: lists the benches that answer; another one only in tests.
    """

    def __init__(
        self,
        path: Path,
        station: str,
        out: Path,
        *,
        now_s: Callable[[], float],
        remote: RemoteAddress | None = None,
        source: dict[str, Any] | None = None,
        find: Callable[[], list[Place]] = benches,
    ) -> None:
        self.station, self.path = station, path
        self._now_s, self._find = now_s, find
        self._looked_s = -float("inf")
        self._child = Child(bench_arguments(path, station, out, remote, source))
        self.state = LaunchState.STARTING
        self.desk: Path | None = None
        """Its desk's socket, once it is found."""
        self.remote = remote
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
            self._look()
        return self.state

    recording: Path | None = None
    """Its file, once it has ended."""

    def _look(self) -> None:
        now_s = self._now_s()
        if now_s - self._looked_s < LOOK_EVERY_S:
            return
        self._looked_s = now_s
        if self.station != "platform":
            if self.remote is None or self.remote.socket.exists():
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
        """Let go of it; it goes on."""
        self._child.forget()


def bench_arguments(
    path: Path,
    station: str,
    out: Path,
    remote: RemoteAddress | None = None,
    source: dict[str, Any] | None = None,
) -> list[str]:
    """Arguments of the interpreter that begin a bench in real time."""
    begun = [*HIL, "run", str(path), "--out", str(out), "--json"]
    if station == "together":
        return begun  # each part has its own clock
    begun += ["--clock", "real"]
    if station == "platform":
        return [*begun, "--operator"]
    if remote is not None:
        kept = {key: (source or {})[key] for key in ("limits", "frame") if key in (source or {})}
        table = kept | {
            "kind": "remote", "listen": str(remote.socket), "token_file": str(remote.token_file),
        }  # fmt: skip
        begun += ["--set", f"source={toml_value(table)}"]
    return begun


def _path_or_none(value: object) -> Path | None:
    return Path(value) if isinstance(value, str) and value else None
