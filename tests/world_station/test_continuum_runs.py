"""The robot of thirty universal joints, bent by drives on both axes of some of them."""

import numpy as np
import pytest

from hil.recording.reader import Recording
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.rerun import rerun
from hil.stations.world.run.session import run_world

SCENARIO = """
station = "world"
name = "bent"
robot = "continuum"
control = "voltage"
bandwidth_rad_s = 5.0
settle_s = 0.5

[motion]
kind = "joints"
goal = [{ joint = 1, by_deg = 5.0 }, { joint = 10005, by_deg = -8.0 }]
duration_s = 1.0
"""


@pytest.mark.timeout(240)
def test_it_bends_about_both_axes_and_does_so_again(tmp_path):
    path = tmp_path / "bent.toml"
    path.write_text(SCENARIO)
    result = run_world(load_world_plan(path), tmp_path / "runs")
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    names = next(one for one in recording.header.signals.fields if one.name == "position_rad").parts
    assert len(names) == 60
    assert names[:2] == ("joint1", "joint10001")
    turned = np.degrees(np.ptp(recording.column("position_rad"), axis=0))
    assert turned[names.index("joint1")] == pytest.approx(5.0, abs=0.6)
    assert turned[names.index("joint10005")] == pytest.approx(8.0, abs=0.6)
    assert np.median(turned) < 0.2
    assert rerun(result.recorder.path, tmp_path / "again").same
