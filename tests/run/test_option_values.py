"""An option sets a value: what was typed arrives as it is, whatever characters are in it."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil import service
from hil.config.errors import ConfigError
from hil.config.settings import apply_overrides
from hil.run import registry
from hil.run.station import Option, Request

SETTING = [
    pytest.param(one, id=f"{station.name} {one.flag}")
    for station in registry.stations()
    for one in station.options
    if one.key
]
TEXTS = [
    'my "scene".toml',
    "back\\slash",
    "a = 1",
    "[1, 2]",
    "true",
    "3",
    "'",
    "#",
    "tab\t",
    "ä€\U0001f600",
]
SCENARIOS = Path(__file__).parents[2] / "configs" / "scenarios"
NAMES_A_FILE = [
    ("platform", "heave", "--world"),
    ("arm", "bkm_on_rm01", "--world"),
    ("world", "straight_line", "--robot"),
    ("simulator", "recorded_ride", "--preset"),
]


def placed(option, value, **asked):
    request = Request(scenario=None, options={option.flag: value}, **asked)
    table = apply_overrides({}, request.changes((option,)))
    for key in option.key.split("."):
        table = table[key]
    return table


@pytest.mark.parametrize("option", SETTING)
@given(text=st.sampled_from(TEXTS) | st.text(min_size=1, max_size=20))
def test_a_text_arrives_as_it_was_typed(option, text):
    if not option.number:
        assert placed(option, text) == text


@pytest.mark.parametrize(
    ("typed", "value"), [("2", 2), ("0.5", 0.5), ("1e-3", 0.001), ("a", "a"), ('"1"', '"1"')]
)
def test_a_number_is_read_and_what_is_none_is_left_for_the_scenario_to_refuse(typed, value):
    found = placed(Option(flag="--gain", help="", key="cueing.gain", number=True), typed)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("station", "scenario", "flag"), NAMES_A_FILE)
@pytest.mark.parametrize("text", ['my "scene".toml', "back\\slash"])
def test_a_refusal_names_what_was_typed(station, scenario, flag, text):
    asked = Request(scenario=SCENARIOS / f"{scenario}.toml", options={flag: text}, as_json=True)
    with pytest.raises(ConfigError, match=re.escape(repr(text))):
        service.check(registry.station_named(station, "test"), asked)


@pytest.mark.parametrize(
    ("url", "clock", "set_clock"),
    [("sim:", None, None), ("slcan:/dev/ttyACM0", None, "real"), ("slcan:x", "virtual", "virtual")],
)
def test_a_device_on_a_wire_takes_the_real_clock_unless_another_is_asked_for(url, clock, set_clock):
    drives = Option(flag="--drives", help="", key="devices.drives", device=True)
    request = Request(scenario=None, options={"--drives": url}, clock=clock, fallback="sim")
    found = apply_overrides({}, request.changes((drives,)))
    assert found["devices"] == {"drives": url, "fallback": "sim"}
    assert found.get("clock") == set_clock
    overridden = Request(
        scenario=None, options={"--drives": "slcan:x"}, overrides=('clock="virtual"',)
    )
    assert apply_overrides({}, overridden.changes((drives,)))["clock"] == "virtual"
