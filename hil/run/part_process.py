"""The process of one station among several: its start, its stop, and its end.

Its output goes into a file. Facts that it cannot know about its own end, namely that it was killed,
or that it was requested to stop because another station failed, are in a note next to its
recording, where its report finds them.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from signal import SIGINT
from typing import Any, Final

import orjson

from hil.config.file_search import find_file
from hil.config.named_files import OutsideError, judged, read_named_file
from hil.config.scenario import Name
from hil.config.settings import Settings
from hil.ipc.child import ChildProcess, ChildTimeout, start_child
from hil.recording.header import RECORDING_NAME
from hil.run.progress import VARIABLE, Progress, ProgressWatch

NOTE_NAME: Final = "together.json"
NOTE_MAX: Final = 100_000
"""Largest size of a note in bytes."""
RECORDING_MARK: Final = "{recording}"
"""Mark in changes of a part that stands for the recording of the part before it."""


LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class PartNote:
    """One part's end, as seen from outside."""

    part: str
    killed: str = ""
    """End of its process, if it reported nothing itself; empty if it did."""
    stopped_for: str = ""
    """The other part that failed, and how, if this one was stopped because of that; otherwise
    empty."""

    def write(self, folder: Path) -> None:
        """Write the note into the folder of the part's run."""
        (folder / NOTE_NAME).write_bytes(orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2))

    @classmethod
    def beside(cls, recording: Path) -> "PartNote | None":
        """The note next to a recording; None if there is none, or if it is not valid."""
        try:
            raw = orjson.loads(read_named_file(recording.parent / NOTE_NAME, recording, NOTE_MAX))
            return cls(str(raw["part"]), str(raw["killed"]), str(raw["stopped_for"]))
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
            return None


class PartSettings(Settings):
    """One of the stations."""

    name: Name
    """What progress, refusals and the folder of its run call it."""
    scenario: str
    """Scenario file, beside this one or anywhere, or a shipped one."""
    changes: tuple[str, ...] = ()
    """``key=value`` texts laid over it."""
    operator: bool = False
    """Whether a person leads it from panels; its clock must be the real one."""
    after: str = ""
    """Name of a part that has to have completed before this one begins; in ``changes``,
    ``{recording}`` is then the file that it recorded."""

    def file(self, together: Path, key: str = "") -> Path:
        """Scenario file of the part; raises `ConfigError` if it does not exist."""
        return find_file(  # another scenario, judged by itself
            self.scenario, beside=together, folder="scenarios", key=key or f"part {self.name}",
            anywhere=True,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PartResult:
    """Result of one station's run."""

    name: str
    ok: bool
    """Whether it completed, or was stopped by the operator and parked."""
    values: dict[str, Any]
    """The part's own report; empty if none could be read."""
    asked_to_stop: str


def given_by(changes: Iterable[str], document: Path) -> Iterator[tuple[str, str]]:
    """Keys and whole paths of changes, of files that the document which holds them may name."""
    for change in changes:
        key, _, text = change.partition("=")
        name = text.strip().strip("\"'")
        if Path(name).is_absolute():
            with suppress(OutsideError):
                judged(Path(name), document)
                yield key.strip(), name


class PartProcess:
    """One station's process.

    Args:
        beside: file of the scenario that names it.
        folder: of the run of all; this one gets a folder in it.
    """

    def __init__(
        self,
        settings: PartSettings,
        beside: Path,
        folder: Path,
        program: tuple[str, ...],
        now_s: Callable[[], float],
        stop_within_s: float,
    ) -> None:
        self.name = settings.name
        self.after: str = settings.after
        """Name of the part that runs before it; empty for none."""
        self.waiting: bool = bool(settings.after)
        """Whether the part waits for the end of that part."""
        self._folder = folder / self.name
        self._command = [*program, str(os.getpid()), "run", str(settings.file(beside)), "--json"]
        self._command += ["--out", str(self._folder)]
        if settings.operator:
            self._command += ["--operator"]
        self._changes = settings.changes
        self._given = [*given_by(settings.changes, beside)]
        self._process: ChildProcess | None = None
        self._why = self._left_out = ""
        self._for_other = False
        self._now_s, self._stop_within_s = now_s, stop_within_s
        self._end_s = math.inf
        self._ended = ""
        """Reason why this process ended it; empty if it did not."""
        self._progress: Progress | None = None
        self._watch: ProgressWatch | None = None

    @property
    def running(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process is not None and self._process.returncode is None

    def start(self, recording: str = "") -> None:
        """Start the process in a session of its own, so that Ctrl-C reaches only this process.

        Args:
            recording: recording of the part that ran before it.
        """
        self.waiting = False
        given = list(self._given)
        for change in self._changes:
            key, _, name = change.partition("=")
            if recording and name.strip().strip("\"'") == RECORDING_MARK:
                given.append((key.strip(), recording))
            self._command += ["--set", change.replace(RECORDING_MARK, recording)]
        for key, name in given:
            self._command[self._command.index("run") : 0] = ["--given", f"{key}={name}"]
        self._folder.mkdir()
        with (self._folder / "told.json").open("wb") as answer, self._errors.open("wb") as errors:
            progress = self._progress = Progress.shared()
            self._process = start_child(
                self._command, stdout=answer, stderr=errors, pass_fds=(progress.fd,),
                environment={VARIABLE: str(progress.fd)},
            )  # fmt: skip
        self._watch = ProgressWatch(progress, self._process.pid, self._now_s())

    @property
    def _errors(self) -> Path:
        return self._folder / "errors.txt"

    def poll(self) -> bool:
        """Wait briefly for its end; return whether it has just ended."""
        if self._process is None or not self.running:
            return False
        if not self._ended and (why := self._hopeless()):
            self._ended = why
            self._process.kill()
        with suppress(ChildTimeout):
            self._process.wait(LOOK_S)
            self._watch = None
            if self._progress is not None:
                self._progress.release()
            return True
        return False

    def _hopeless(self) -> str:
        """Return why it must be killed: it is frozen, or does not stop; empty if neither."""
        now_s = self._now_s()
        if now_s > self._end_s:
            return f"it did not stop within {self._stop_within_s:g} s and was ended"
        frozen = "" if self._watch is None else self._watch.check(now_s)
        return f"{frozen}, and was ended" if frozen else ""

    def stop(self, why: str, *, for_other: bool) -> None:
        """Request once that it stops along its path; ``for_other`` if another part is the cause."""
        if self.running and not self._why and self._process is not None:
            self._why, self._for_other = why, for_other
            self._end_s = self._now_s() + self._stop_within_s
            with suppress(ProcessLookupError):
                self._process.send_signal(SIGINT)

    def leave_out(self, why: str) -> None:
        """Mark the part as one that is never started."""
        self.waiting, self._left_out = False, why

    def kill(self) -> None:
        """Kill the process; only for use when this process itself is failing."""
        if self.running and self._process is not None:
            self._process.terminate()
            self._process.end(self._stop_within_s)

    def result(self) -> PartResult:
        """Result of the part's run."""
        status = None if self._process is None else self._process.returncode
        if self._left_out:
            return PartResult(self.name, False, {"ok": False, "error": self._left_out}, self._why)
        answer = self._read_answer() or {"ok": False, "error": self._last_words(status)}
        ok = status == 0 and answer.get("ok") is True
        if ok and self._for_other:
            answer["reason"] = self._why  # all it knows itself is that a signal came
        if "recording" not in answer and (run := self._run_folder()) is not None:
            answer["recording"] = str(run / RECORDING_NAME)
        return PartResult(self.name, ok, answer, self._why)

    def bad_end(self) -> str:
        """Sentence that the part failed, and how."""
        answer = self.result().values
        how = answer.get("reason") or answer.get("error")
        return f"{self.name} came to a bad end{f': {how}' if how else ''}"

    def leave_note(self) -> None:
        """Write the note next to its recording, with the facts that the part cannot know."""
        killed = "" if self._read_answer() else str(self.result().values["error"])
        stopped_for = self._why if self._for_other else ""
        run = self._run_folder()
        if run is not None and (killed or stopped_for):
            with suppress(OSError):  # the results have it as well
                PartNote(self.name, killed, stopped_for).write(run)

    def _read_answer(self) -> dict[str, Any]:
        """Read the part's own report at its end; empty if none can be read."""
        try:
            answer = orjson.loads((self._folder / "told.json").read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return {}
        return answer if isinstance(answer, dict) else {}

    def _run_folder(self) -> Path | None:
        """Folder of the part's recording; None if there is none."""
        found = sorted(self._folder.glob(f"*/{RECORDING_NAME}"))
        return found[-1].parent if found else None

    def _last_words(self, status: int | None) -> str:
        if self._ended:
            return self._ended
        if status is not None and status < 0:
            return f"it was killed by signal {-status}"
        with suppress(OSError):
            lines = self._errors.read_text(encoding="utf-8", errors="replace").splitlines()
            return lines[-1] if lines else "it said nothing"
        return "it said nothing"
