"""The report of a motion that was integrated from accelerations."""

from types import SimpleNamespace

import numpy as np
import pytest

from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.recording_scenario import recorded_table
from hil.stations.platform.plan.scenario import plan_from_table
from hil.stations.platform.report.acceleration_figure import (
    _along,
    _motion,
    _recorded,
    acceleration,
)

RATE_HZ = 100.0


@pytest.fixture
def run(tmp_path):
    """A run that reached what it was asked for, times a gain."""
    file = tmp_path / "quake.csv"
    t_s = np.arange(2000) / RATE_HZ
    a = np.sin(np.pi * t_s / t_s[-1]) ** 2 * np.sin(2.0 * np.pi * 1.5 * t_s)
    rows = [f"{t:.2f},{value:.8f}" for t, value in zip(t_s, a, strict=True)]
    file.write_text("\n".join(["t_s,acc_m_s2", *rows]))

    def make(gain: float = 1.0, column: str = "acc_m_s2"):
        table = recorded_table("paper", file, [f"x={column}:m_s2"])
        plan = plan_from_table(table, tmp_path / "command line", [f"rate_hz={RATE_HZ}"])
        motion = motion_of(plan)
        times = np.arange(0.0, motion.duration_s, 1.0 / RATE_HZ)
        poses = np.array([motion.sample(t).X_BP.coordinates() for t in times])
        reached = poses.copy()
        reached[:, 0] = poses[0, 0] + gain * (poses[:, 0] - poses[0, 0])
        view = SimpleNamespace(
            plan=plan,
            moving=np.ones(len(times), dtype=bool),
            times=times,
            reached=reached,
            recording=SimpleNamespace(column=lambda _: poses),
            file=file,
        )
        view.pieces = lambda: [SimpleNamespace(run=view, first=0, before=0)]
        return view

    return make


@pytest.mark.parametrize(("gain", "apart"), [(1.0, 0.0), (1.1, 0.1), (0.8, 0.2)])
def test_the_spectrum_reached_is_compared_with_the_record(run, gain, apart):
    view = run(gain)
    settings = view.plan.scenario.motion
    recorded = _recorded(settings, view.file, RATE_HZ)
    one = _along(_motion(view), "x", recorded, 1.0 / RATE_HZ)
    assert one.apart(settings.highpass_hz) == pytest.approx(apart, abs=0.03)


def test_the_picture_tells_the_high_pass_and_a_record_that_is_gone(run):
    view = run()
    picture = acceleration(view)
    assert picture.png.startswith(b"\x89PNG")
    assert "highpass_hz = 0.15 Hz" in picture.caption
    view.file.unlink()
    assert "is not beside the recording" in acceleration(view).caption


def test_a_motion_of_displacements_has_no_such_picture(run):
    view = run()
    maps = {"x": view.plan.scenario.motion.map["x"].model_copy(update={"unit": "m"})}
    motion = view.plan.scenario.motion.model_copy(update={"map": maps})
    scenario = view.plan.scenario.model_copy(update={"motion": motion})
    view.plan = view.plan.model_copy(update={"scenario": scenario})
    assert acceleration(view) is None
