"""What is asked of the system: granted and given back, or refused and said with a remedy."""

from __future__ import annotations

import errno
import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.timing.realtime_setup import RealtimePolicy, RealtimeReport, RealtimeSetup

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="real time needs Linux")

NOTHING = RealtimePolicy(
    priority=None, lock_memory=False, freeze_garbage=False, keep_awake=False, cpu=None
)


def _only(report: RealtimeReport, item: str):
    return next(each for each in report.items if each.item == item)


def _with(**changes: object) -> RealtimePolicy:
    values = {name: getattr(NOTHING, name) for name in RealtimePolicy.__slots__}
    return RealtimePolicy(**(values | changes))


@pytest.fixture
def nothing_frozen() -> Iterator[None]:
    """The suite freezes what it has collected; nothing of it is to be seen here."""
    gc.unfreeze()
    yield
    gc.freeze()


def test_a_test_that_is_not_in_real_time_locks_no_page_of_its_worker() -> None:
    """Else all that the worker has mapped stays resident: see tests/conftest.py."""
    with RealtimeSetup(_with(lock_memory=True)) as report:
        assert not _only(report, "memory lock").ok
        status = Path("/proc/self/status").read_text()
        assert next(one for one in status.splitlines() if "VmLck" in one).split()[1] == "0"


@pytest.mark.usefixtures("nothing_frozen")
def test_the_collector_is_frozen_and_comes_back() -> None:
    assert gc.isenabled()
    with RealtimeSetup(_with(freeze_garbage=True)) as report:
        assert not gc.isenabled()
        assert gc.get_freeze_count() > 0
        assert _only(report, "garbage collector").ok
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


@pytest.mark.usefixtures("nothing_frozen")
def test_what_was_frozen_before_stays_frozen() -> None:
    gc.freeze()
    before = gc.get_freeze_count()
    with RealtimeSetup(_with(freeze_garbage=True)):
        pass
    assert gc.get_freeze_count() >= before


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with RealtimeSetup(_with(freeze_garbage=True)):
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_sleep_states_are_forbidden_while_the_device_is_open(tmp_path: Path) -> None:
    device = tmp_path / "cpu_dma_latency"
    device.write_bytes(b"")
    setup = RealtimeSetup(_with(keep_awake=True), device)
    report = setup.prepare()
    assert _only(report, "processor sleep").ok
    assert device.read_bytes() == bytes(4)
    assert str(device) in _open_files()
    setup.restore()
    setup.restore()
    assert str(device) not in _open_files()


def _open_files() -> set[str]:
    folder = Path("/proc/self/fd")
    return {os.readlink(folder / fd) for fd in os.listdir(folder) if (folder / fd).is_symlink()}


def test_a_device_that_is_not_there_is_said(tmp_path: Path) -> None:
    with RealtimeSetup(_with(keep_awake=True), tmp_path / "none") as report:
        item = _only(report, "processor sleep")
    assert (item.ok, item.detail) == (False, f"{tmp_path}/none: No such file or directory")
    assert "udev" in item.remedy
    assert not report.all_ok


def test_a_refused_priority_is_said_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    with RealtimeSetup(_with(priority=70)) as report:
        item = _only(report, "priority")
    assert (item.ok, item.detail) == (False, "SCHED_FIFO 70 refused: Operation not permitted")
    assert "rtprio 98" in item.remedy
    assert "/etc/security/limits.d" in item.remedy


def test_a_granted_priority_is_first_in_first_out_and_not_inherited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []
    monkeypatch.setattr(os, "sched_setscheduler", lambda *args: calls.append(args))
    with RealtimeSetup(_with(priority=70)) as report:
        assert _only(report, "priority").ok
    asked, restored = calls
    assert asked[1] == os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
    assert asked[2].sched_priority == 70
    assert restored[1] == os.sched_getscheduler(0)


def test_a_finite_memory_limit_is_said_instead_of_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hil.timing.realtime_setup._may_lock_everything", lambda: False)
    with RealtimeSetup(_with(lock_memory=True)) as report:
        item = _only(report, "memory lock")
    assert not item.ok
    assert "memlock unlimited" in item.remedy


def test_a_processor_is_kept_to_and_given_back() -> None:
    before = os.sched_getaffinity(0)
    cpu = max(before)
    with RealtimeSetup(_with(cpu=cpu)) as report:
        assert _only(report, "processor").ok
        assert os.sched_getaffinity(0) == {cpu}
    assert os.sched_getaffinity(0) == before
    with RealtimeSetup(_with(cpu=4000)) as report:
        item = _only(report, "processor")
    assert not item.ok
    assert str(sorted(before)) in item.remedy


@pytest.mark.parametrize("priority", [0, -1, 99, 100])
def test_a_priority_that_cannot_be_is_refused(priority: int) -> None:
    with pytest.raises(ValueError, match="1 to 98"):
        RealtimePolicy(priority=priority)


WHOLE = """
import json, os
from pathlib import Path
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup
def state():
    lines = Path("/proc/self/status").read_text().splitlines()
    locked = [line for line in lines if "VmLck" in line]
    slack = Path("/proc/self/timerslack_ns").read_text().strip()
    policy = os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK
    return [policy, locked[0].split()[1] != "0", slack]
before = state()
with RealtimeSetup(RealtimePolicy(priority=10)) as report:
    during = state()
print(json.dumps({"before": before, "during": during, "after": state(),
    "items": {i.item: [i.ok, i.detail, i.remedy] for i in report.items}}))
"""


def test_what_the_report_says_of_this_machine_is_true() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", WHOLE], capture_output=True, timeout=60
    )
    assert done.stderr == b""
    told = json.loads(done.stdout)
    items = told["items"]
    assert list(items) == [
        "garbage collector",
        "memory lock",
        "timer slack",
        "processor sleep",
        "priority",
    ]
    assert told["during"][0] == (os.SCHED_FIFO if items["priority"][0] else told["before"][0])
    assert told["during"][1] is items["memory lock"][0]
    assert told["after"][:2] == told["before"][:2]
    for ok, detail, remedy in items.values():
        assert detail
        assert bool(remedy) is not ok
