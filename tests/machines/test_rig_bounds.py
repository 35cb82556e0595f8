"""Every number of a rig that reaches the gate has an upper bound, in the rig and in the gate.

Which numbers those are is found by trying: whatever changes the gate's limits when it changes.
"""

import math
from dataclasses import fields, replace
from functools import cache

import pytest

from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError, read_toml
from hil.machines.rig.machine import gate_limits, load_rig
from hil.machines.rig.settings import Rig
from safety.bounds import BOUNDS, LEG_BOUNDS
from safety.limits import GateLimits, LegLimits, LimitsError

PERIOD_S = 0.002
FILE = configs_dir() / "rigs" / "paper.toml"
RIG = load_rig(FILE)
LIMITS = gate_limits(RIG, PERIOD_S)
HUGE = (1e4, 1e12, 1e300)


def numbers(table, path=()):
    """Paths of all numbers in the tables of a rig; of six numbers, the third."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from numbers(value, (*path, key))
        elif isinstance(value, list | tuple):
            if len(value) == 6 and all(isinstance(one, int | float) for one in value):
                yield (*path, key)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield (*path, key)


def changed(path, change):
    """The rig with one number changed, without any check."""

    def model_with(model, keys):
        value = getattr(model, keys[0])
        if len(keys) > 1:
            value = model_with(value, keys[1:])
        elif isinstance(value, tuple):
            value = (*value[:2], change(value[2]), *value[3:])
        else:
            value = change(value)
        return model.model_copy(update={keys[0]: value})

    return model_with(RIG, path)


def reaches_the_gate(path):
    for factor in (1.01, 0.99, 2.0):
        rig = changed(path, lambda value, f=factor: type(value)(math.ceil(value * f)
                                                                if isinstance(value, int)
                                                                else value * f))  # fmt: skip
        try:
            if gate_limits(rig, PERIOD_S).digest() != LIMITS.digest():
                return True
        except LimitsError:
            return True
    return False


def enormous(name, value):
    """A number that no limit of this name is: 10 kN are a force of a leg, 10 000 m/s no speed."""
    return max(value, 1e7) if name.endswith(("_n", "_kg")) else value


@cache
def reaching():
    return [path for path in numbers(RIG.model_dump()) if reaches_the_gate(path)]


def test_the_numbers_that_reach_the_gate_are_found():
    names = {path[-1] for path in reaching()}
    assert {"start_tolerance_m", "standstill_time_s", "soft_margin_m", "stroke_m"} <= names
    assert len(reaching()) >= 20
    assert "leg_clearance_m" not in names, "it is checked beforehand, not by the gate"


@pytest.mark.parametrize("value", HUGE)
def test_a_rig_refuses_a_number_that_is_no_limit_and_says_why(value):
    for path in reaching():
        table = read_toml(FILE)
        node = table
        for key in path[:-1]:
            node = node[key]
        whole = isinstance(node.get(path[-1]), int)
        node[path[-1]] = int(min(value, 1e12)) if whole else enormous(path[-1], value)
        with pytest.raises(ConfigError) as refused:
            Rig.build(table, "rig.toml")
        (line,) = str(refused.value).splitlines()
        assert line.startswith(f"rig.toml: {'.'.join(path)} = ")
        assert "at most" in line or "less than or equal to" in line
        reason = line.partition(": must be")[2] or line.rpartition(": ")[2]
        assert len(reason) > 10, f"no reason given: {line}"


def test_what_passed_before_is_refused_by_its_limit_and_reason():
    table = read_toml(FILE)
    table["supervision"] |= {"start_tolerance_m": 1.0, "standstill_time_s": 1e12}
    with pytest.raises(ConfigError) as refused:
        Rig.build(table, "rig.toml")
    assert str(refused.value).splitlines() == [
        "rig.toml: supervision.start_tolerance_m = 1.0: must be at most 0.02 m: a first setpoint "
        "further off is a jump of the leg",
        "rig.toml: supervision.standstill_time_s = 1000000000000.0: must be at most 2 s: power "
        "would stay on that long after a fault, or for ever",
    ]


def test_the_schema_of_a_rig_tells_each_bound():
    definitions = Rig.model_json_schema()["$defs"]
    for path in reaching():
        table = {"cylinders": "Cylinders", "limits": "Limits", "supervision": "Supervision"}
        if path[0] not in table:
            continue  # a length of the geometry, of one kind or another: the test above judges it
        field = definitions[table[path[0]]]["properties"][path[1]]
        leaf = field["anyOf"][0] if "anyOf" in field else field
        assert "maximum" in leaf, path


COUNTED = [f.name for f in fields(GateLimits) if f.name not in ("legs", "estop_fitted")]


def test_the_gate_bounds_every_number_it_has():
    assert set(COUNTED) == set(BOUNDS)
    assert {f.name for f in fields(LegLimits)} == set(LEG_BOUNDS)


@pytest.mark.parametrize("name", COUNTED)
def test_the_gate_refuses_a_number_that_is_no_limit_whoever_hands_it_over(name):
    before = getattr(LIMITS, name)
    for value in HUGE:
        number = int(value) if isinstance(before, int) else value
        with pytest.raises(LimitsError, match=f"limits: {name} = .*; need at most ") as refused:
            replace(LIMITS, **{name: number})
        assert BOUNDS[name].reason in str(refused.value)


@pytest.mark.parametrize("name", [f.name for f in fields(LegLimits)])
def test_the_gate_refuses_a_number_of_a_leg_that_is_no_limit(name):
    for value in (enormous(name, huge) for huge in HUGE):
        legs = (*LIMITS.legs[:5], replace(LIMITS.legs[5], **{name: value}))
        with pytest.raises(LimitsError, match=f"leg 6: {name} = .*; need at most ") as refused:
            replace(LIMITS, legs=legs)
        assert LEG_BOUNDS[name].reason in str(refused.value)


@pytest.mark.parametrize("name", COUNTED)
def test_the_bound_itself_will_do_and_a_little_more_will_not(name):
    bound, period_s = BOUNDS[name], LIMITS.period_s
    most = {"value": bound.most, "duration": round(bound.most / period_s),
            "periods": bound.most * period_s}[bound.of]  # fmt: skip
    more = most + 1 if isinstance(getattr(LIMITS, name), int) else most * 1.001
    kind = type(getattr(LIMITS, name))
    assert bound.within(kind(most), period_s)
    assert not bound.within(kind(more), period_s)


def test_a_time_that_is_no_whole_number_of_cycles_may_be_rounded_up():
    assert gate_limits(changed(("supervision", "standstill_time_s"), lambda _: 2.0), 0.003)
    with pytest.raises(LimitsError, match="standstill_cycles = 668; need at most 2 s of cycles"):
        gate_limits(changed(("supervision", "standstill_time_s"), lambda _: 2.0031), 0.003)


@pytest.mark.parametrize("rate_hz", [10.0, 20.0, 24.0, 1000.0])
def test_every_rate_that_a_scenario_may_have_has_limits(rate_hz):
    """Below 25 Hz, 2.5 cycles are longer than the lag that the gate permits at all."""
    rig = load_rig(configs_dir() / "rigs" / "paper.toml")
    assert gate_limits(rig, 1.0 / rate_hz).feedback_lag_max_s <= 0.1
