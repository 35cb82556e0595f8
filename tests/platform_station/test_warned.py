"""Forces that nobody expects and drives that warn: at the terminal, in `--json` and on the page."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import hil.machines.rig.payload
from hil.cli.main import app
from hil.recording.events import EventKind, EventRecord, Level
from hil.stations.platform.cycle.journal import violation_data
from hil.stations.platform.cycle.run_warnings import warnings_of
from safety.modes import Severity
from safety.verdict import Check, Violation

QUICK = ("motion.duration_s=1", "motion.fade_s=0.5", "rate_hz=125")


def run(out, *options):
    changes = [part for one in QUICK for part in ("--set", one)]
    done = CliRunner().invoke(app, ["run", "heave", "--out", str(out), *changes, *options])
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def light(monkeypatch):
    """A rig whose payload is said to need a fifth of what it does."""
    monkeypatch.setattr(
        hil.machines.rig.payload, "HEADROOM", hil.machines.rig.payload.HEADROOM / 5.0
    )


def test_a_force_that_nobody_expects_is_told_while_it_runs_and_at_its_end(tmp_path, light):
    done = run(tmp_path, "--report")
    words = done.output.replace("\n", " ")
    assert "completed" in words
    assert "more than the payload can need); the run goes on" in words
    lines = [line for line in done.stdout.splitlines() if line.startswith("warning: leg ")]
    assert len(lines) == 6, done.stdout
    assert all("more than the payload can need), from " in line for line in lines)
    (page,) = tmp_path.rglob("report.html")
    assert page.read_text("utf-8").count("<td>warned</td>") == 6


def test_and_to_a_program(tmp_path, light):
    told = json.loads(run(tmp_path, "--json").stdout)
    assert (told["ok"], told["verdicts"]) == (True, [])
    warned = [one for one in told["warnings"] if "force" in one]
    assert sorted(one[:5] for one in warned) == [f"leg {leg}" for leg in range(1, 7)]


def violation(check, leg, value, limit=0.0, unit="", note="", severity=Severity.INFORM):
    return Violation(check, leg, value, limit, unit, severity, note=note)


HOT = violation(Check.WARNING, 3, 0x4310, note="warns 0x4310")
LOADED = violation(Check.WARNING, 3, 0x3210, note="warns 0x3210")
FORCE = violation(Check.FORCE, 3, 1600.0, 1500.0, "N")
BRIDGED = violation(Check.MISSING, None, 1, 2, "cycles", "bridged")
STOPPED = replace(FORCE, severity=Severity.STOP)


def event(t_s, one, kind=EventKind.NOTE, who="gate"):
    return EventRecord(t_s, 0, kind, Level.WARNING, who, str(one), violation_data(one))


def test_each_is_told_once_with_its_first_time_and_how_often_it_came():
    events = [event(1.0, HOT), event(2.0, LOADED), event(3.0, HOT), event(4.0, FORCE),
              event(5.0, BRIDGED), event(6.0, STOPPED, EventKind.VIOLATION),
              event(7.0, FORCE, who="world")]  # fmt: skip
    assert [one.line for one in warnings_of(events)] == [
        "leg 3: drive warning: warns 0x4310, from 1.00 s on, 2 times",
        "leg 3: drive warning: warns 0x3210, from 2.00 s on",
        "leg 3: force 1600 N, more than 1500 N, from 4.00 s on",
    ]
