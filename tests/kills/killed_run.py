"""One led run on the foreign rack, and a signal to one of its processes.

Only to lead and to look on is the bench's own client used; what is judged is in `kill_traces`.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TESTS = HERE.parent
CLIENT_PATH = [str(TESTS.parent), *(str(TESTS / name) for name in ("operated", "."))]
sys.path[:0] = [str(HERE), str(TESTS / "foreign"), str(TESTS / "operated"), str(TESTS)]

from desk_processes import children, desk_path  # noqa: E402
from foreign_rack import PRODUCT, VENDOR, serial_numbers  # noqa: E402
from kill_traces import Case, Seen, gather  # noqa: E402
from test_end_to_end import NOW_S, Panel  # noqa: E402
from variant_run import RackHandle, write_rig  # noqa: E402
from variants import BY_NAME  # noqa: E402

from drives.bank import BankReport  # noqa: E402
from hil.desk.endpoints import benches  # noqa: E402
from hil.machines.rig.machine import load_rig  # noqa: E402
from hil.stations.platform.drives.certificate import Proofs, write_certificate  # noqa: E402
from hil.stations.platform.drives.leg_test import LegTest  # noqa: E402
from hil.stations.platform.drives.watchdog_proof import WatchdogProof  # noqa: E402

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
    "gate": "hil.stations.platform.gate.process",
    "recorder": "hil.recording.process",
    "keeper": "hil.desk.respawner",
    "desk": "hil.desk.process",
    "prover": "hil.stations.platform.proof.prover",
}
"""Module that each process of a run was started as."""
PROCESSES = ("control", *MODULES, "standby", "panel", "rack")
"""The standby is the recorder's copy, which waits to take its place."""
ARRIVES_S, WATCHED_S, ENDS_S, LEAVES_S = 60.0, 1.5, 15.0, 45.0


class SpoiltError(Exception):
    """The run was not where it was to be struck; another moment is drawn."""


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
        command = [sys.executable, "-P", "-m", "hil.cli", "run", str(scenario), "--operator"]
        command += ["--json", "--drives", self.rack.url, "--out", str(folder / "runs")]
        result, console = folder / "result.json", folder / "console.txt"
        with result.open("wb") as stdout, console.open("wb") as stderr:
            self.control = subprocess.Popen(
                command,
                env=os.environ | {key: str(value) for key, value in home.items()},
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
            )
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

    def look_until_led(self) -> bool:
        """Look on until the panel owns the motion and holds; says whether it does."""
        assert self.looker is not None
        end_s = NOW_S() + ARRIVES_S
        while not self.looker.operation.held and NOW_S() < end_s:
            self.look(0.05)
        return self.looker.operation.held

    def _desks(self) -> list[Any]:
        return list(benches(self.place / "hil-bench"))

    def finish(self, *, another_desk: bool, ctrl_c: bool) -> int:
        """End the run as a person would, by panel and then by Ctrl-C; its exit status.

        Args:
            another_desk: whether one is waited for.
            ctrl_c: whether by Ctrl-C at once; a run that is over by itself is given its time.
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
        for wait_s in (0.1 if ctrl_c else ENDS_S, LEAVES_S):
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
        if case.mode == "IDLE" and not run.look_until_led():  # a run begins in it, led by nobody
            raise SpoiltError("nobody leads")
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
        seen.status = run.finish(
            another_desk=case.process == "desk",
            ctrl_c=case.process == "keeper" and case.number is signal.SIGKILL,
        )
        if case.process != "rack" or case.number is not signal.SIGKILL:
            went = run.rack.told("host", 1)
            seen.powered = any(went[-1][1]["powered"]) if went else True
        seen.moving = [(at, line["moving"]) for at, line in run.rack.lines if "moving" in line]
    gather(seen, folder)
    if seen.mode != case.mode:
        raise SpoiltError(f"struck in {seen.mode}, not in {case.mode}")
    return seen
