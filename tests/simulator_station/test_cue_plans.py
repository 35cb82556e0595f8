"""What a dry run of a ride is made of: its look ahead, and the gain that is fitted to it."""

import pytest
from ride_bench import plan_of, table_of

from hil.config.errors import ConfigError
from hil.stations.simulator.chain.parts import parts_of
from hil.stations.simulator.cue import score as cue
from hil.stations.simulator.cue.score import CueRequest, fit_gain
from platform6dof.cueing.predictive import PredictiveFilter

KNOWN = {"known": True, "surge_m_s2": 3.0, "lasts_s": 0.6}


def test_a_preview_of_the_command_line_goes_before_the_scenarios_own(tmp_path, monkeypatch):
    file = tmp_path / "ride.csv"
    rows = "".join(f"{0.02 * k:.2f},{k % 3},0,-9.8\n" for k in range(120))
    file.write_text("t_s,f_x_m_s2,f_y_m_s2,f_z_m_s2\n" + rows)
    source = {"kind": "recording", "file": str(file)}
    scenario = tmp_path / "ride.toml"
    scenario.write_text(
        'name = "ride"\nstation = "simulator"\nrig = "training_simulator"\n'
        f'source = {{ kind = "{source["kind"]}", file = "{source["file"]}" }}\n'
        'cueing = { preset = "mpc", preview_s = 0.5 }\n'
    )
    kept = []
    own = PredictiveFilter.__init__
    monkeypatch.setattr(
        PredictiveFilter, "__init__",
        lambda self, parameters, *more: kept.append(parameters) or own(self, parameters, *more),
    )  # fmt: skip
    parts_of(cue.plan_of(CueRequest(record=scenario, preview_s=1.5)))
    assert kept[-1].preview_s == 1.5
    with pytest.raises(ConfigError, match=r"--preview 99: preview_s = 99"):
        cue.plan_of(CueRequest(record=scenario, preview_s=99.0))


def test_a_gain_is_fitted_to_a_ride_that_looks_ahead(scripted, monkeypatch):
    told = []
    own = PredictiveFilter.foresee
    monkeypatch.setattr(
        PredictiveFilter, "foresee", lambda self, states: told.append(states) or own(self, states)
    )
    monkeypatch.setattr(cue, "GAIN_STEP", 0.5)
    fit_gain(plan_of(KNOWN, {"preset": "mpc"}))
    assert told
    assert max(map(len, told)) > 20


def test_a_gain_that_all_goes_through_is_told_without_a_bound(scripted):
    weak = table_of({"surge_m_s2": 0.001, "roll_rad_s": 0.0, "lasts_s": 0.3})
    tried = []
    found = fit_gain(plan_of(weak["source"]), lambda gain, whole: tried.append((gain, whole)))
    assert tried == [(2.0, True)]
    assert (found.gain, found.bound) == (2.0, "")
