"""The table from variables to quantities: units, signs, bias; what is wrong is told by key."""

import dataclasses
import math

import pytest
from fmu_vehicles import c_vehicle

from hil.config.errors import ConfigError
from hil.fmu.description import read_description
from hil.fmu.variable_map import Mapped, map_variables

QUANTITIES = {"f_x": "acceleration", "f_y": "acceleration", "r": "rate", "steering": "angle"}


@pytest.fixture
def model(tmp_path):
    return read_description(c_vehicle(tmp_path, 3))


def made(model, table, causality="output"):
    return map_variables(model, table, QUANTITIES, "source.outputs", causality)


def test_units_signs_and_bias(model):
    table = {
        "f_x": Mapped(variable="f_x", unit="g", sign=-1, bias=0.5),
        "r": Mapped(variable="r", unit="deg/s"),
        "f_y": "f_y",
    }
    x, r, y = made(model, table)
    assert x.si(1.5) == -9.80665
    assert x.own(x.si(0.7)) == pytest.approx(0.7, abs=1e-15)
    assert r.si(180.0) == pytest.approx(math.pi, rel=1e-15)
    assert y.si(2.0) == 2.0


def test_a_unit_that_neither_says_is_si(model):
    (channel,) = made(model, {"f_x": "steps"})
    assert channel.factor == 1.0


def test_a_load_factor_is_no_acceleration(model):
    """A variable whose unit is 1 is g, most likely, and never m/s² unseen."""
    pure = [
        dataclasses.replace(one, unit="1") if one.name == "steps" else one
        for one in model.variables
    ]
    told = dataclasses.replace(model, variables=tuple(pure))
    with pytest.raises(ConfigError, match=r"unit '1' of 'steps' is no .* unit = \"m/s2\" }"):
        made(told, {"f_x": "steps"})
    (channel,) = made(told, {"f_x": Mapped(variable="steps", unit="g")})
    assert channel.factor == 9.80665


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"f_q": "f_x"}, r"source.outputs.f_q: unknown \(did you mean f_[xy]\?\)"),
        ({"f_x": "f_xx"}, r"source.outputs.f_x = 'f_xx': no such variable; near ones: .*f_x"),
        ({"f_x": "r"}, r"unit 'rad/s' of 'r' is no unit of acceleration; .*m/s2, g, ft/s2"),
        ({"f_x": Mapped(variable="f_x", unit="mph")}, r"unit 'mph' of 'f_x'"),
        ({"f_x": "steer"}, r"source.outputs.f_x = 'steer': is an input; an output is needed"),
        ({"f_x": "fault"}, r"is a parameter; an output is needed"),
        ({"f_x": "force"}, r"is an array; one element is needed: force\[1\] to force\[3\]"),
    ],
)
def test_what_is_wrong_is_told(model, table, says):
    with pytest.raises(ConfigError, match=says):
        made(model, table)


def test_all_that_is_wrong_is_told_at_once(model):
    with pytest.raises(ConfigError) as caught:
        made(model, {"f_q": "f_x", "f_x": "nothing", "r": "f_x"})
    assert len(caught.value.problems) == 3


def test_inputs_must_be_inputs(model):
    (channel,) = made(model, {"steering": "steer"}, "input")
    assert channel.own(0.25) == 0.25
    with pytest.raises(ConfigError, match="is an output; an input is needed"):
        made(model, {"steering": "echo"}, "input")
