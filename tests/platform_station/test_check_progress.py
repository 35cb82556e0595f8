"""The proof tells where it is, and finds the same in blocks as one setpoint after the other."""

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from hil.machines.rig.machine import envelope_of, geometry_of
from hil.stations.platform.motion import excerpts
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.recording_scenario import recorded_table
from hil.stations.platform.plan.scenario import plan_from_table
from hil.stations.platform.proof import check
from hil.stations.platform.run import check_report as checked


class Sampled:
    """A motion that tells of one time at once, as those of others do."""

    def __init__(self, motion):
        self.duration_s, self.sample = motion.duration_s, motion.sample


@pytest.fixture
def plan(tmp_path):
    def make(amplitude_m: float):
        t_s = np.arange(200) * 0.02
        x_m = amplitude_m * np.sin(np.pi * t_s / t_s[-1]) ** 2 * np.sin(6.0 * t_s)
        rows = [f"{t:.2f},{x:.6f}" for t, x in zip(t_s, x_m, strict=True)]
        file = tmp_path / "ride.csv"
        file.write_text("\n".join(["t_s,x_m", *rows]))
        return plan_from_table(recorded_table("paper", file, []), tmp_path / "command line")

    return make


@pytest.mark.parametrize("amplitude_m", [0.02, 0.5])
def test_blocks_find_what_single_setpoints_find(plan, monkeypatch, amplitude_m):
    monkeypatch.setattr(excerpts, "BLOCK", 64)
    made = plan(amplitude_m)
    motion, period_s = motion_of(made), made.scenario.period_s
    envelope = envelope_of(made.rig, geometry_of(made.rig))
    told = []
    ways = [
        check._outside(envelope, each, "motion", period_s, lambda *at: told.append(at))
        for each in (motion, Sampled(motion))
    ]
    assert ways[0] == ways[1]
    assert bool(ways[0]) == (amplitude_m > 0.1)
    assert len(told) > 4
    assert told[0] == ("envelope, motion", 0.0, motion.duration_s)
    extents = [
        check._extent(envelope.geometry, each, period_s) for each in (motion, Sampled(motion))
    ]
    assert extents[0] == extents[1]


def test_a_terminal_shows_the_phase_and_its_time(monkeypatch):
    shown = StringIO()
    monkeypatch.setattr(checked, "err", Console(file=shown, force_terminal=True, width=100))
    with checked._progress(68.0, quiet=False) as tell:
        tell("dry run through the gate", 34.0, 80.0)
    assert "dry run through the gate" in shown.getvalue()
    assert "34 of 80 s" in shown.getvalue()
