"""The table of the predictive algorithm: its keys reach the planner, wrong ones are refused."""

import math

import pytest

from hil.config.errors import ConfigError
from hil.machines.cueing.preset import preset_from, read_preset
from platform6dof.cueing.mpc_parameters import MpcParameters

LEAST = {"name": "mine", "algorithm": "mpc"}


def test_left_out_it_has_the_values_of_the_library():
    got, own = preset_from(LEAST, "mine.toml").predictive(), MpcParameters()
    for name in MpcParameters.__dataclass_fields__:
        if name in ("force", "rates"):
            continue
        assert getattr(got, name) == pytest.approx(getattr(own, name), rel=6e-3), name


def test_keys_reach_the_parameters():
    table = {
        "preview_s": 1.5, "forecast_s": 0.4, "period_s": 0.04, "step_s": 0.02, "blocks": [1, 2, 4],
        "travel_m": [0.1, 0.2, 0.3], "turn_deg": [1.0, 2.0, 3.0], "acceleration_m_s2": 4.0,
        "turn_acceleration_deg_s2": 90.0, "tilt_rate_deg_s": 5.0, "force_weight": 2.0,
        "rate_weight": [1.0, 2.0, 3.0], "position_weight": 4.0, "angle_weight": 5.0,
        "speed_weight": 6.0, "turning_weight": 7.0, "effort_weight": 0.5, "turn_effort_weight": 0.6,
    }  # fmt: skip
    scales = {"force": {"gain": 0.4}, "rates": {"gain": [0.1, 0.2, 0.3], "most_deg_s": 30.0}}
    preset = preset_from(LEAST | scales | {"mpc": table}, "mine.toml")
    got = preset.predictive()
    assert (got.preview_s, got.forecast_s, got.period_s, got.step_s) == (1.5, 0.4, 0.04, 0.02)
    assert (got.blocks, got.travel_m) == ((1, 2, 4), (0.1, 0.2, 0.3))
    assert got.turn_rad == pytest.approx([math.radians(one) for one in (1, 2, 3)])
    assert got.acceleration_m_s2 == 4.0
    assert got.turn_acceleration_rad_s2 == pytest.approx(math.pi / 2)
    assert got.beyond_rad_s == pytest.approx(math.radians(5.0))
    assert (got.force_weight, got.rate_weight) == ((2.0,) * 3, (1.0, 2.0, 3.0))
    assert (got.position_weight, got.angle_weight) == ((4.0,) * 3, (5.0,) * 3)
    assert (got.speed_weight, got.turning_weight) == ((6.0,) * 3, (7.0,) * 3)
    assert (got.effort_weight, got.turn_effort_weight) == (0.5, 0.6)
    assert [one.gain for one in (*got.force, *got.rates)] == [0.4, 0.4, 0.4, 0.1, 0.2, 0.3]
    assert got.rates[2].most == pytest.approx(math.radians(30.0))
    assert preset.predictive(0.0).preview_s == 0.0


def test_the_shipped_one_looks_ahead():
    got = read_preset("mpc").predictive()
    assert got.preview_s == pytest.approx(got.horizon_s)


@pytest.mark.parametrize(
    ("table", "parts"),
    [
        ({"blocks": [1, 2]}, ("mpc.blocks", "3")),
        ({"blocks": [100, 100, 100]}, ("mpc.blocks", "[100, 100, 100]", "together at most 200")),
        ({"blocks": [1, 0, 2]}, ("mpc.blocks.1", "0")),
        ({"step_s": 0.03}, ("mpc.step_s is 0.03 s", "whole multiple")),
        ({"travel_m": [0.1, 0.1]}, ("mpc.travel_m", "one per axis")),
        ({"travel_m": math.nan}, ("mpc.travel_m", "nan")),
        ({"turn_deg": 45.0}, ("mpc.turn_deg", "45", "30")),
        ({"preview_s": -1.0}, ("mpc.preview_s", "-1")),
        ({"effort_weight": 0.0}, ("mpc.effort_weight", "0")),
        ({"horizon_s": 2.0}, ("mpc.horizon_s", "unknown key")),
    ],
)
def test_wrong_values_are_refused_with_file_key_and_limit(table, parts):
    with pytest.raises(ConfigError) as refused:
        preset_from(LEAST | {"mpc": table}, "mine.toml")
    for part in ("mine.toml: ", *parts):
        assert part in str(refused.value)
