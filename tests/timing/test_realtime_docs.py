"""What docs/real_time.md tells of groups and priorities is what the program asks for and prints."""

import re
from pathlib import Path

import pytest

from hil.stations.arm.run.session import COMPUTING_PRIORITY, READER_PRIORITY
from hil.stations.platform.drives.rack import RACK_PRIORITY
from hil.stations.platform.gate.order import GATE_PRIORITY
from hil.timing import realtime_setup as asked
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup

PAGE = (Path(__file__).parents[2] / "docs" / "real_time.md").read_text(encoding="utf-8")
PRIORITIES = {
    "gate": GATE_PRIORITY,
    "emulated rack, if there is one": RACK_PRIORITY,
    "arm: the thread that answers the robot": READER_PRIORITY,
    "control": RealtimePolicy().priority,
    "arm: the thread that computes waypoints": COMPUTING_PRIORITY,
}


def test_the_table_of_priorities_is_that_of_the_program():
    rows = re.findall(
        r"^\| ([^|]+) \| ([0-9]+) \|", PAGE.partition("## What is asked")[0], re.MULTILINE
    )
    assert {who: int(priority) for who, priority in rows} == PRIORITIES


def test_what_is_to_be_permitted_is_written_as_the_program_writes_it():
    for line in (*asked.LIMITS.values(), asked.LIMITS_FILE, asked.UDEV_RULE):
        assert f"`{line}`" in PAGE
    assert f"`groupadd {asked.GROUP}`" in PAGE
    assert set(re.findall(r"rtprio (\d+)", PAGE)) == {str(asked.PRIORITY_MAX)}
    assert set(re.findall(r"@(\w+) - ", PAGE)) == {asked.GROUP}


def test_what_is_permitted_is_enough_for_all_that_is_asked_for():
    assert max(PRIORITIES.values()) <= asked.PRIORITY_MAX
    RealtimePolicy(priority=asked.PRIORITY_MAX)
    with pytest.raises(ValueError, match=f"1 to {asked.PRIORITY_MAX}"):
        RealtimePolicy(priority=asked.PRIORITY_MAX + 1)


def test_a_machine_that_grants_nothing_is_told_the_same(monkeypatch, tmp_path):
    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(asked.os, "sched_setscheduler", refused)
    monkeypatch.setattr(asked, "_may_lock_everything", lambda: False)
    with RealtimeSetup(RealtimePolicy(freeze_garbage=False), tmp_path / "none" / "x") as report:
        told = {item.item: item.remedy for item in report.items if not item.ok}
    assert set(told) >= {"priority", "memory lock", "processor sleep"}
    for item, line in asked.LIMITS.items():
        assert line in told[item]
        assert asked.LIMITS_FILE in told[item]
        assert f"join the group {asked.GROUP}," in told[item]
    assert asked.UDEV_RULE in told["processor sleep"]
