"""Presets: every shipped one makes a filter; every wrong one is refused by key and value."""

import math
import tomllib

import numpy as np
import pytest
from cueing_samples import BASE, TIGHT, T, state

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.machines.cueing.preset import CueingPreset, filter_of, preset_from, read_preset
from hil.machines.kinds import CUEING_PRESET
from platform6dof.cueing.parameters import Curve, TiltBy

SHIPPED = sorted(path.stem for path in (configs_dir() / "cueing").glob("*.toml"))
LEAST = {"name": "mine", "algorithm": "classical"}


def refusal(table):
    with pytest.raises(ConfigError) as refused:
        preset_from(LEAST | table, "mine.toml")
    return str(refused.value)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_presets_make_filters(name):
    preset = read_preset(name)
    assert preset.name == name
    assert preset.about
    if preset.algorithm != "mpc":
        rows = filter_of(preset, T).step(state((1.0, 0.5, -9.0), (0.1, 0.0, -0.1)))
        assert rows.shape == (3, 6)
        assert np.isfinite(rows).all()


def test_base_and_tight_have_the_numbers_of_the_literature():
    for name, wanted in (("base", BASE), ("tight", TIGHT)):
        got = read_preset(name).classical()
        assert got.translation == wanted.translation
        assert got.rotation == wanted.rotation
        assert got.force == wanted.force
        assert [one.gain for one in got.rates] == [0.5, 0.5, 0.3]
        tilt = got.tilt
        assert (tilt.wl_rad_s, tilt.rate_rad_s) == (wanted.tilt.wl_rad_s, wanted.tilt.rate_rad_s)


@pytest.mark.parametrize(("table", "parts"), [
    ({"algorithm": "clasical"}, ("algorithm", "clasical", "classical")),
    ({"algorithms": "classical"}, ("algorithms", "unknown key", "algorithm?")),
    ({"tilt": {"wl": 5.0}}, ("tilt.wl", "unknown key")),
    ({"force": {"gain": -0.5}}, ("force.gain", "-0.5", "0")),
    ({"force": {"gain": [0.5, 0.5]}}, ("force.gain", "one per axis")),
    ({"force": {"gain": math.inf}}, ("force.gain", "inf", "finite")),
    ({"force": {"gain": [0.5, math.nan, 0.5]}}, ("force.gain.1", "nan", "finite")),
    ({"force": {"most_m_s2": math.nan}}, ("force.most_m_s2", "nan")),
    ({"rates": {"most_deg_s": -1.0}}, ("rates.most_deg_s", "-1", "0.1")),
    ({"rates": {"most_deg_s": 200.0}}, ("rates.most_deg_s", "200 deg/s", "80")),
    ({"translation": {"wn_rad_s": 0.0}}, ("translation.wn_rad_s", "0.02")),
    ({"tilt": {"rate_deg_s": 0.0}}, ("tilt.rate_deg_s", "0.1")),
    ({"tilt": {"most_deg": 60.0}}, ("tilt.most_deg", "45")),
    ({"rotation": {"order": 3}}, ("rotation.order", "3", "2")),
    ({"force": {"curve": "cubic"}}, ("force.curve", "input_most")),
    ({"force": {"input_most_m_s2": 9.0}}, ("force.input_most_m_s2", "cubic")),
    (
        {"force": {"curve": "cubic", "input_most_m_s2": 30.0, "most_m_s2": 1.0, "gain": 1.0}},
        ("force", "turns back"),
    ),
    ({"name": ""}, ("name",)),
    (
        {"adaptive": {"tilt_gain_rad_s_per_m_s2": [0.06, 0.05, 0.07]}},
        ("adaptive.tilt_gain_rad_s_per_m_s2", "0.05", "[least, start, most]"),
    ),
    (
        {"algorithm": "optimal", "optimal": {"rate_most_deg_s": 200.0},
         "rates": {"most_deg_s": 200.0}, "rotation": {"wr_rad_s": 5.0}},
        ("optimal its largest", "deg, 80 at most", "rate_most_deg_s"),
    ),
])  # fmt: skip
def test_wrong_values_are_refused_with_file_key_and_limit(table, parts):
    text = refusal(table)
    assert text.startswith("mine.toml: ")
    for part in parts:
        assert part in text


def test_a_missing_algorithm_is_told():
    with pytest.raises(ConfigError, match="algorithm is left out"):
        preset_from({"name": "mine"}, "mine.toml")


def test_keys_reach_the_parameters():
    table = {
        "force": {"curve": "cubic", "input_most_m_s2": 12.0, "most_m_s2": 4.0, "end_slope": 0.1},
        "rates": {"gain": [0.4, 0.3, 0.2], "most_deg_s": 20.0},
        "tilt": {"by": "frequency", "rate_deg_s": 2.0, "force_m_s2": 1.5, "acceleration_deg_s2": 8},
        "rotation": {"wr_rad_s": [1.0, 1.1, 1.2], "order": 2, "damping": 0.8},
        "tilt_turns_force": True,
    }
    table["tilt"]["acceleration_deg_s2"] = 8.0
    got = preset_from(LEAST | table, "mine.toml").classical()
    assert got.force[1].curve is Curve.CUBIC
    assert got.force[1].input_most == 12.0
    assert [one.gain for one in got.rates] == [0.4, 0.3, 0.2]
    assert got.rates[0].most == pytest.approx(math.radians(20.0))
    assert got.tilt.by is TiltBy.FREQUENCY
    assert got.tilt.acceleration_rad_s2 == pytest.approx(math.radians(8.0))
    assert [one.wr_rad_s for one in got.rotation] == [1.0, 1.1, 1.2]
    assert got.rotation[2].order == 2
    assert got.tilt_turns_force


def test_a_preset_nobody_has_names_where_it_was_sought():
    with pytest.raises(ConfigError, match=r"no-such.*configs/cueing"):
        read_preset("no-such")


def test_the_kind_checks_a_file_and_has_a_model(tmp_path):
    assert CUEING_PRESET.model() is CueingPreset
    path = configs_dir() / "cueing" / "tight.toml"
    CUEING_PRESET.check(tomllib.loads(path.read_text()), path)
    with pytest.raises(ConfigError, match=r"mine\.toml"):
        CUEING_PRESET.check(LEAST | {"rates": {"most_deg_s": 200.0}}, tmp_path / "mine.toml")
    properties = CueingPreset.model_json_schema()["properties"]
    assert all(one.get("description") for one in properties.values())


def test_every_key_of_a_number_bears_its_unit():
    bare = {"gain", "end_slope", "damping", "order", "blocks"}  # numbers without a unit
    units = (
        "_m_s2",
        "_deg_s",
        "_deg_s2",
        "_rad_s",
        "_deg",
        "_m",
        "_s",
        "_per_s",
        "_rad",
        "_weight",
        "_gain",
        "_step",
    )
    for table in CueingPreset.model_json_schema()["$defs"].values():
        for key, one in table["properties"].items():
            if "number" in str(one) or "integer" in str(one):
                assert key in bare or key.endswith(units), key


def test_an_impossible_period_is_refused():
    with pytest.raises(ConfigError, match="period_s is 2"):
        filter_of(read_preset("tight"), 2.0)
