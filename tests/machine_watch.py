"""Real time on a shared machine: a test that failed while the machine stood still is made again.

A watch in a process of its own sleeps for 2 ms at a time and notes whenever it wakes late. A test
marked `real_time` that fails is made again, with new fixtures, if the watch was late since the test
began, or, where it judges what a fixture of its file did, since the first test of the file; before
that, the machine is waited for a while to be in time again. A failure on a machine that was in time
stands if it comes again; one that does not is told, and more than two of those fail the session.
What fails more rarely than always may pass so: every failure that was passed over is told at the
end, and more than a few of them fail the session.
A test whose every attempt met a machine that stood still says nothing of the program: it is skipped
as not judged, and more than very few of those fail the session too.
"""

import gc
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from threading import Event

import pytest
import pytest_timeout
from _pytest.runner import runtestprotocol
from campaign import SHARE

from hil.timing.realtime import RealClock

ATTEMPTS = 4
SPOILT_MAX = 80 if SHARE >= 1.0 else 25
"""So many failures may be passed over in a session: of over 400 tests in the long one."""
UNJUDGED_MAX = 8
"""So many tests may be skipped in a session since the machine stood still in all their attempts."""
UNEXPLAINED_MAX = 2
"""So many tests of a session may fail on a machine in time if they pass when made again."""
SPOILT = "spoilt by the machine"
UNEXPLAINED = "not explained"
UNJUDGED = "not judged"
CALM_S = 3.0 if SHARE >= 1.0 else 0.5
"""A machine is in time again when it has had no stall for so long."""
PATIENCE_S = 40.0 if SHARE >= 1.0 else 6.0
"""So long that is waited for before a test is made again."""
STALL_S = 0.008
"""Late by this, the watch has seen a stall: a gate's patience is two or three cycles of 2-4 ms."""

_WATCH = """
import os, sys, time
parent, file = os.getppid(), open(sys.argv[1], "w", buffering=1)
while os.getppid() == parent:
    began = time.monotonic()
    time.sleep(0.002)
    if (late := time.monotonic() - began - 0.002) > float(sys.argv[2]):
        print(began, late, file=file)
"""


class MachineWatch:
    """Plugin: repeats tests marked `real_time` that a stall of the machine spoilt.

    Args:
        stall_s: Lateness that counts as a stall [s].
    """

    def __init__(self, stall_s: float = STALL_S) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._stall_s = stall_s
        self._folder = tempfile.TemporaryDirectory(prefix="hil-watch-")
        self._log = Path(self._folder.name) / "stalls.txt"
        self._file: Path | None = None
        self._since_s = 0.0
        self._passed_over: list[str] = []
        self._unjudged = self._unexplained = 0
        self._now_s = RealClock().now_s

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None):
        """Run one marked test, again while the machine spoils it; others run as ever."""
        if item.get_closest_marker("real_time") is None:
            return None
        self._begin(item)
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        spoilt: list[str] = []
        unexplained: list[str] = []
        while True:
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            failures = [report for report in reports if report.failed]
            stall_s = self.longest_stall_s() if failures else 0.0
            if not failures or len(spoilt) + len(unexplained) == ATTEMPTS - 1:
                break
            crash = getattr(failures[0].longrepr, "reprcrash", failures[0].longrepr)
            if stall_s:
                spoilt.append(f"the machine was late by {stall_s * 1e3:.0f} ms: {crash}")
            elif unexplained:
                break
            else:
                unexplained.append(f"the machine was in time: {crash}")
            self._begin_again(item)
        reports[0].user_properties += [(SPOILT, text) for text in spoilt]
        if not failures:
            reports[0].user_properties += [(UNEXPLAINED, text) for text in unexplained]
        if stall_s:
            reports[0].user_properties.append((UNJUDGED, item.nodeid))
            for report in failures:
                _leave_unjudged(report, stall_s)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def longest_stall_s(self) -> float:
        """Return how late the watch was at worst [s] since what is judged began."""
        return self._late_s(self._since_s)

    def _await_calm(self) -> None:
        """Wait for a machine that is in time, but not for ever."""
        began_s = now_s = self._now_s()
        while now_s - began_s < PATIENCE_S:
            Event().wait(0.2)
            now_s = self._now_s()
            if now_s - began_s > CALM_S and not self._late_s(now_s - CALM_S):
                return

    def _late_s(self, since_s: float) -> float:
        lines = self._log.read_text().split("\n") if self._log.exists() else []
        stalls = (line.split() for line in lines)
        late = (
            float(stall[1]) for stall in stalls if len(stall) == 2 and float(stall[0]) >= since_s
        )
        return max(late, default=0.0)

    def _begin_again(self, item: pytest.Item) -> None:
        """Give up every fixture, so that all are made anew, and give the attempt its full time."""
        item.session._setupstate.teardown_exact(None)
        item._initrequest()  # type: ignore[attr-defined]  # as a first run begins
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            sys.__dict__.pop(name, None)  # what a failed test left open hangs on its frames
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
        settings = pytest_timeout._get_item_settings(item)
        if settings.timeout:
            item.ihook.pytest_timeout_cancel_timer(item=item)
        self._await_calm()
        if settings.timeout:
            item.ihook.pytest_timeout_set_timer(item=item, settings=settings)
        self._since_s = self._now_s()

    def _begin(self, item: pytest.Item) -> None:
        if self.process is None:
            command = [sys.executable, "-ISc", _WATCH, str(self._log), str(self._stall_s)]
            self.process = subprocess.Popen(command)
        if item.path != self._file or not _shares_fixtures(item):
            self._file, self._since_s = item.path, self._now_s()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note which failures were passed over, and how the tests had failed."""
        if report.when == "setup":
            for name, text in report.user_properties:
                if name in (SPOILT, UNEXPLAINED):
                    self._passed_over.append(f"made again: {report.nodeid}: {str(text)[:300]}")
                self._unjudged += name == UNJUDGED
                self._unexplained += name == UNEXPLAINED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell them."""
        for line in self._passed_over:
            terminalreporter.write_line(line)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End the watch; too much that was passed over is a failure."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self._folder.cleanup()
        if len(self._passed_over) > SPOILT_MAX:
            self._passed_over.append(f"{len(self._passed_over)} made again: {SPOILT_MAX} may be")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self._unexplained > UNEXPLAINED_MAX:
            self._passed_over.append(f"{self._unexplained} not explained: {UNEXPLAINED_MAX} may be")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self._unjudged > UNJUDGED_MAX:
            self._passed_over.append(f"{self._unjudged} not judged: {UNJUDGED_MAX} may be")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _leave_unjudged(report: pytest.TestReport, stall_s: float) -> None:
    """Make a failure that the machine caused a skip that says so."""
    crash = getattr(report.longrepr, "reprcrash", report.longrepr)
    file, line, _ = report.location
    why = f"the machine was late by {stall_s * 1e3:.0f} ms in the last of {ATTEMPTS} attempts"
    report.outcome = "skipped"
    report.longrepr = (file, line or 0, f"Skipped: not judged, {why}: {str(crash)[:300]}")


def _shares_fixtures(item: pytest.Item) -> bool:
    """Whether it judges what a fixture of this suite has done for several tests."""
    made = item._fixtureinfo.name2fixturedefs.values()  # type: ignore[attr-defined]
    return any(one.baseid and one.scope != "function" for fixtures in made for one in fixtures)
