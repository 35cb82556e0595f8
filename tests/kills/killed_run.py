"""One led run on the foreign rack, a signal to one of its processes, and what is left of it.

What is judged is read here: the rods by the rack, the recording by the public MCAP reader, the
gate's own record, the result and the console. Only to lead and to look is the bench's client used.
"""

import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TESTS = HERE.parent
CLIENT_PATH = [str(TESTS.parent), *(str(TESTS / name) for name in ("operated", "."))]
sys.path[:0] = [str(HERE), str(TESTS / "foreign"), str(TESTS / "operated"), str(TESTS)]

from desk_processes import children, desk_path  # noqa: E402
from foreign_rack import PRODUCT, VENDOR, serial_numbers  # noqa: E402
from mcap.exceptions import McapError  # noqa: E402
from mcap.records import Channel, Message  # noqa: E402
from mcap.stream_reader import StreamReader  # noqa: E402
from test_end_to_end import NOW_S, Panel  # noqa: E402
from variant_run import RackHandle, write_rig  # noqa: E402
from variants import BY_NAME  # noqa: E402

from drives.bank import BankReport  # noqa: E402
from hil.certificate import Proofs, write_certificate  # noqa: E402
from hil.commissioning import LegTest  # noqa: E402
from hil.desk.places import benches  # noqa: E402
from hil.machine import load_rig  # noqa: E402
from hil.watchdog_proof import WatchdogProof  # noqa: E402

RACK = BY_NAME["complete"]
SCENARIO = """name = "kills"
rig = "{rig}"
clock = "real"
rate_hz = 100
check_first = false
[motion]
kind = "multi_sine"
duration_s = 60.0
fade_s = 0.5
terms = [{{axis = "z", amplitude_m = 0.02, frequency_hz = 0.5}}]
"""
MODULES = {
    "gate": "hil.gate.process",
    "recorder": "hil.recording.process",
    "keeper": "hil.desk.keeper",
    "desk": "hil.desk.process",
    "prover": "hil.desk.prover",
}
"""Module that each process of a run was started as."""
CYCLES, EVENTS = "/platform/cycle", "/platform/events"
MODES = ("IDLE", "HOMING", "STANDBY", "ENGAGING", "ENGAGED", "HOLD", "PARKING")
PROCESSES = ("control", *MODULES, "standby", "panel", "rack")
"""The standby is the recorder's copy, which waits to take its place."""
WITHIN_S = {"HOMING": 4.0, "ENGAGING": 0.2, "ENGAGED": 1.5, "PARKING": 0.2}
"""How far into a mode the moment may be drawn [s]; 0.5 s in those where nothing moves."""
ARRIVES_S, WATCHED_S, ENDS_S, LEAVES_S = 60.0, 1.5, 15.0, 45.0


class SpoiltError(Exception):
    """The run was not where it was to be struck; another moment is drawn."""


@dataclass(frozen=True)
class Case:
    """Who is struck by what, and when.

    Args:
        process: one of `PROCESSES`.
        number: SIGKILL, or SIGSTOP, which SIGCONT follows.
        mode: in which it is struck.
        into_s: time since the mode began [s].
        stopped_s: time between SIGSTOP and SIGCONT [s].
    """

    process: str
    number: signal.Signals
    mode: str
    into_s: float
    stopped_s: float

    def drawn_anew(self, draw: random.Random) -> "Case":
        """The same pair at another moment."""
        into_s = draw.uniform(0.0, WITHIN_S.get(self.mode, 0.5))
        return Case(self.process, self.number, self.mode, into_s, draw.uniform(0.4, 0.9))


@dataclass
class Seen:
    """What is left of a run.

    Args:
        case: how it was struck.
        struck_s: when [monotonic s].
        acted_s: when a person acted next [s].
        moving: when the rack saw rods begin and cease to move.
        modes: when the gate was in which mode, by recording or else by its own record.
        status: exit status of the run.
        result: its JSON; empty if it gave none.
        words: all that result, console, recording and the gate's record say.
        indices: cycles of all files of the recording.
        powered: drives that had power in the end.
    """

    case: Case
    struck_s: float = 0.0
    acted_s: float = 0.0
    moving: list[tuple[float, bool]] = field(default_factory=list)
    modes: list[tuple[float, str]] = field(default_factory=list)
    status: int = 0
    result: dict[str, Any] = field(default_factory=dict)
    words: str = ""
    indices: list[int] = field(default_factory=list)
    parts: int = 0
    powered: bool = False

    @property
    def mode(self) -> str:
        """In which the signal found the gate."""
        return next((mode for at, mode in reversed(self.modes) if at <= self.struck_s), "")


def prepare(folder: Path) -> Path:
    """A rig with a certificate, as `hil drives test` leaves it, and a scenario; returns that."""
    rig_file = write_rig(RACK, folder)
    text = rig_file.read_text(encoding="utf-8")
    rig_file.write_text(text.replace("speed_m_s = 0.40", "speed_m_s = 0.20", 1), encoding="utf-8")
    who = tuple(f"vendor {VENDOR}, product {PRODUCT}, serial {n}" for n in serial_numbers())
    report = BankReport("foreign", "slcan:", False, ("",) * 6, who, (), (True,) * 6)
    tests = tuple(LegTest(leg, 0.005, 0.005, 0.0, "left", ()) for leg in range(1, 7))
    proof = WatchdogProof(100_000, (58_000,) * 6, (59_000,) * 6)
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    try:
        write_certificate(load_rig(rig_file), report, Proofs(tests, proof, "A. Judge"), stamp="now")
    finally:
        del os.environ["XDG_STATE_HOME"]
        if before is not None:
            os.environ["XDG_STATE_HOME"] = before
    scenario = folder / "kills.toml"
    scenario.write_text(SCENARIO.format(rig=rig_file), encoding="utf-8")
    return scenario


class LedRun:
    """A run with its rack, its leading panel, and somebody who looks on."""

    def __init__(self, scenario: Path, folder: Path, mode: str) -> None:
        self.folder, self.place = folder, folder / "runtime"
        self.place.mkdir(mode=0o700, parents=True)
        self.rack = RackHandle(RACK)
        self.panels: list[subprocess.Popen[bytes]] = []
        self.looker: Panel | None = None
        home = {"XDG_STATE_HOME": scenario.parent / "state", "XDG_RUNTIME_DIR": self.place}
        self.control = subprocess.Popen(
            [sys.executable, "-P", "-m", "hil.cli", "run", str(scenario), "--operator", "--json",
             "--drives", self.rack.url, "--out", str(folder / "runs")],
            env=os.environ | {key: str(value) for key, value in home.items()},
            stdin=subprocess.DEVNULL,
            stdout=(folder / "result.json").open("wb"),
            stderr=(folder / "console.txt").open("wb"),
        )  # fmt: skip
        self.path = desk_path(self.control, self.place / "hil-bench")
        self.looker = Panel(self.path)
        self.looker.alive = False
        self.begin_panel(mode)

    def begin_panel(self, mode: str) -> None:
        """A session client that takes the motion and leads."""
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(CLIENT_PATH)}
        command = [sys.executable, str(HERE / "leading_panel.py"), str(self.path), mode]
        self.panels.append(
            subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        )

    def pid(self, name: str) -> int:
        """Number of a process of the run."""
        if name in ("control", "panel", "rack"):
            return {
                "control": self.control, "panel": self.panels[0], "rack": self.rack._process
            }[name].pid  # fmt: skip
        if name == "standby":
            return children(self.pid("recorder"))[0]
        module = MODULES[name].encode()
        for pid in family(self.control.pid)[1:]:
            if module in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
        raise AssertionError(f"the run has no {name}")

    def look(self, time_s: float, mode: str = "") -> bool:
        """Look on for so long [s], or until a mode is seen; says whether it was."""
        assert self.looker is not None
        end_s = NOW_S() + time_s
        while NOW_S() < end_s and self.control.poll() is None:
            self.looker.client.wait(0.005)
            self.looker.turn()
            if mode and self.looker.modes and self.looker.modes[-1][1] == mode:
                return True
        return False

    def _desks(self) -> list[Any]:
        return list(benches(self.place / "hil-bench"))

    def finish(self, *, another_desk: bool) -> int:
        """End the run as a person would, by panel and then by Ctrl-C; its exit status.

        Args:
            another_desk: whether one is waited for.
        """
        if self.control.poll() is not None:
            return self.control.returncode
        panel = self.panels[-1]
        found = self._desks()
        for _ in range(40 if another_desk else 0):
            if found or self.control.poll() is not None:
                break
            self.look(0.2)
            found = self._desks()
        if found and (panel.poll() is not None or found[0].path != self.path):
            self.path = found[0].path
            self.begin_panel("")
            panel = self.panels[-1]
        with suppress(OSError):
            panel.stdin.write(b"end\n")
            panel.stdin.flush()
        for wait_s in (ENDS_S if found else 0.1, LEAVES_S):
            with suppress(subprocess.TimeoutExpired):
                return self.control.wait(wait_s)
            self.control.send_signal(signal.SIGINT)
        raise AssertionError("the run does not end")

    def close(self) -> None:
        """Leave no process behind."""
        if self.looker is not None:
            self.looker.client.close()
        for process in self.panels:
            process.kill()
            process.wait()
            process.stdin.close()
        if self.control.poll() is None:
            for pid in family(self.control.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            self.control.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.control.wait(LEAVES_S)
        self.control.kill()
        self.control.wait()
        with suppress(OSError):
            self.rack.close()


def family(pid: int) -> list[int]:
    """A process and all that descends from it."""
    with suppress(FileNotFoundError):
        return [pid, *(each for child in children(pid) for each in family(child))]
    return [pid]


@contextmanager
def led_run(scenario: Path, folder: Path, mode: str) -> Iterator[LedRun]:
    run = LedRun.__new__(LedRun)
    try:
        run.__init__(scenario, folder, mode)  # type: ignore[misc]  # what it began is closed too
        yield run
    finally:
        run.close()


def strike(case: Case, scenario: Path, folder: Path) -> Seen:
    """Lead a run into a mode, strike one of its processes, look on, end it, and gather.

    Raises:
        SpoiltError: if it did not come into the mode, or had left it when it was struck.
    """
    seen = Seen(case)
    with led_run(scenario, folder, case.mode) as run:
        if not run.look(ARRIVES_S, case.mode):
            raise SpoiltError(f"never {case.mode}: {run.looker.modes}")
        run.look(case.into_s)
        target = run.pid(case.process)
        fd = os.pidfd_open(target)
        seen.struck_s = NOW_S()
        signal.pidfd_send_signal(fd, case.number)
        if case.number is signal.SIGSTOP:
            run.look(case.stopped_s)
            if case.process == "control":  # nobody looks while the run is over
                select.select([], [], [], case.stopped_s)
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(fd, signal.SIGCONT)
        os.close(fd)
        if case.process == "control" and case.number is signal.SIGKILL:
            run.control.wait()
            select.select([], [], [], WATCHED_S + 2.5)  # it holds for 2 s, then lets the link go
        else:
            run.look(WATCHED_S)
        seen.acted_s = NOW_S()
        seen.status = run.finish(another_desk=case.process == "desk")
        if case.process != "rack" or case.number is not signal.SIGKILL:
            went = run.rack.told("host", 1)
            seen.powered = any(went[-1][1]["powered"]) if went else True
        seen.moving = [(at, line["moving"]) for at, line in run.rack.lines if "moving" in line]
    gather(seen, folder)
    if seen.mode != case.mode:
        raise SpoiltError(f"struck in {seen.mode}, not in {case.mode}")
    return seen


def messages(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Topic and row of each message, up to where a writer that was killed left off."""
    topics: dict[int, str] = {}
    with path.open("rb") as stream, suppress(McapError):
        for record in StreamReader(stream).records:
            if isinstance(record, Channel):
                topics[record.id] = record.topic
            elif isinstance(record, Message) and topics[record.channel_id] in (CYCLES, EVENTS):
                yield topics[record.channel_id], json.loads(record.data)


def gather(seen: Seen, folder: Path) -> None:
    """Read what the run has left on the disk."""
    console = (folder / "console.txt").read_text("utf-8", "replace")
    result = (folder / "result.json").read_text("utf-8", "replace")
    with suppress(ValueError):
        seen.result = json.loads(result)
    words = [console, result]
    began_s = 0.0
    for path in sorted((folder / "runs").glob("*/*.mcap"), key=lambda each: len(each.name)):
        seen.parts += 1
        for topic, row in messages(path):
            if topic == EVENTS:
                began_s = began_s or (row.get("data") or {}).get("monotonic_s", 0.0)
                words.append(row["message"])
            elif topic == CYCLES:
                seen.indices.append(row["index"])
                if not seen.modes or seen.modes[-1][1] != row["mode"]:
                    seen.modes.append((row["t_s"], row["mode"]))
    last = len(seen.indices) and seen.indices[-1]
    for path in (folder / "runs").glob("*/gate.jsonl"):
        for row in map(json.loads, path.read_text().splitlines()):
            words.append(row.get("event", ""))
            newer = "mode" in row and row["cycle"] > last
            if newer and (not seen.modes or row["mode"] != seen.modes[-1][1]):
                seen.modes.append((row["t_s"], row["mode"]))
    seen.modes = [(began_s + at, mode) for at, mode in seen.modes]
    seen.words = "\n".join(words)
    shutil.rmtree(folder / "runtime", ignore_errors=True)
