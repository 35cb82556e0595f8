"""How a verb ends that leaves drives which did not prove to be off.

The bank's end is a stand-in; from it on everything is the program's own.
"""

import dataclasses

import pytest
from rack_bench import shown, told, write_quick_rig

from drives.sim.bank import SimulatedBank
from hil.recording.reader import Recording

SEEN = "leg 4 (node 4): it is operation enabled (statusword 6041h: 0x0237)"
WORDS = f"NOT PROVED TO BE OFF, take its power: {SEEN}"
SHORT = """\
name = "short"
rig = "{rig}"
[motion]
kind = "hold"
duration_s = 0.2
"""


@pytest.fixture
def run(tmp_path):
    """The words of a short run on a quick rig."""
    path = tmp_path / "short.toml"
    path.write_text(SHORT.format(rig=write_quick_rig(tmp_path)), encoding="utf-8")
    return ("run", path, "--clock", "virtual", "--out", tmp_path / "runs")


@pytest.fixture
def under_power(monkeypatch):
    honest = SimulatedBank.close

    def close(self):
        return dataclasses.replace(honest(self), powered=(SEEN,))

    monkeypatch.setattr(SimulatedBank, "close", close)


def test_a_run_names_the_drive_in_its_last_line_and_fails(under_power, run, tmp_path):
    ran = shown(*run, status=1)
    last = ran.output.strip().splitlines()[-1]
    assert last == f"exit status 1: {WORDS}"
    (file,) = tmp_path.glob("runs/*/recording.mcap")
    recording = Recording.open(file)
    errors = [each.message for each in recording.events if each.level.name == "ERROR"]
    assert errors == [WORDS]


def test_programs_are_told_the_same(under_power, run):
    ran = told(*run, status=1)
    assert (ran["powered"], ran["outcome"]) == ([SEEN], "failed")
    assert WORDS in ran["reason"]
