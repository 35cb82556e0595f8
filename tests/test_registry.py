"""Stations as they are installed: found, broken, twice there, and named by who has them not."""

import json
import sys
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.settings import ConfigError
from hil.run import registry
from hil.stations.platform.station import STATION

ENTRY = "[hil.stations]\n{}\n"
METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: 1.2\n"


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """Installs a distribution that offers stations, as a folder on the path."""

    def install(name, lines, **modules):
        folder = tmp_path / name
        told = folder / f"{name}-1.2.dist-info"
        told.mkdir(parents=True)
        (told / "METADATA").write_text(METADATA.format(name))
        (told / "entry_points.txt").write_text(ENTRY.format(lines))
        for module, text in modules.items():
            (folder / f"{module}.py").write_text(text)
        monkeypatch.syspath_prepend(str(folder))
        registry.installed.cache_clear()

    yield install
    registry.installed.cache_clear()
    for module in [one for one in sys.modules if one.startswith("foreign_")]:
        del sys.modules[module]


STATIONS = ["arm", "platform", "simulator", "task", "world"]


def found(name):
    return next(one for one in registry.installed() if one.name == name)


def test_the_shipped_stations_are_there():
    assert [one.name for one in registry.stations()] == STATIONS
    assert not any(one.broken for one in registry.installed())


def test_a_foreign_station_is_used(distribution):
    text = "from dataclasses import replace\n"
    text += "from hil.stations.platform.station import STATION as ONE\n"
    text += "SIGNALS = replace(ONE.signals, station='swing')\n"
    text += "STATION = replace(ONE, name='swing', signals=SIGNALS)\n"
    distribution("pendulum", "swing = foreign_swing:STATION", foreign_swing=text)
    assert found("swing").distribution == "pendulum 1.2"
    signals = replace(STATION.signals, station="swing")
    assert registry.station_named("swing", "here") == replace(
        STATION, name="swing", signals=signals
    )


def test_what_one_distribution_says_twice_over_is_one(distribution):
    line = "swing = foreign_swing:STATION"
    text = "from dataclasses import replace\n"
    text += "from hil.stations.platform.station import STATION as ONE\n"
    text += "SIGNALS = replace(ONE.signals, station='swing')\n"
    text += "STATION = replace(ONE, name='swing', signals=SIGNALS)\n"
    distribution("pendulum", f"{line}\n{line}", foreign_swing=text)
    assert [one.broken for one in registry.installed() if one.name == "swing"] == [""]


NAMED_ODD = """
from dataclasses import replace
from hil.stations.platform.station import STATION as ONE
STATION = replace(ONE, name='odd')
"""
ROWS = """
from hil.recording.signals import Signal, Signals
SIGNALS = Signals('odd', (Signal('index', 'u8'), Signal('t_s', 'f8', unit='s'), {}))
"""


@pytest.mark.parametrize(
    ("line", "text", "why"),
    [
        ("foreign_none:STATION", "", "AttributeError"),
        ("foreign_none:STATION", "raise OSError('no device')", "no device"),
        ("foreign_none:STATION", "STATION = 3", "is a int"),
        ("foreign_nowhere:STATION", "", "foreign_nowhere"),
        ("hil.stations.platform.station:STATION", "", "is station 'platform'"),
        ("foreign_none:STATION", NAMED_ODD, "signals are of station 'platform'"),
        ("foreign_none:STATION", ROWS.format("Signal('t_s', 'f8')"), "'t_s' is there twice"),
        ("foreign_none:STATION", ROWS.format("Signal('x', 'f8', unit='')"), "'x': no unit"),
        (
            "foreign_none:STATION",
            ROWS.format("Signal('mode', 'u1', unit='code', codes=('off', ''))"),
            "'mode': code 1 has no name",
        ),
    ],
)
def test_one_that_does_not_load_is_listed_with_its_reason_and_the_others_work(
    distribution, line, text, why
):
    distribution("broken", f"odd = {line}", foreign_none=text)
    assert why in found("odd").broken
    assert [one.name for one in registry.stations()] == STATIONS
    told = CliRunner().invoke(app, ["stations", "--json"])
    assert told.exit_code == 1
    odd = next(one for one in json.loads(told.stdout)["stations"] if one["name"] == "odd")
    assert why in odd["broken"]
    with pytest.raises(ConfigError, match="cannot be used"):
        registry.station_named("odd", "here")


def test_two_strangers_of_one_name_are_both_named_and_neither_is_used(distribution):
    distribution("first", "swing = foreign_none:STATION", foreign_none="")
    distribution("other", "swing = foreign_none:STATION")
    assert all("first 1.2" in one.broken and "other 1.2" in one.broken
               for one in registry.installed() if one.name == "swing")  # fmt: skip
    assert [one.name for one in registry.stations()] == STATIONS


def test_a_name_of_the_bench_is_refused_to_others_and_its_own_goes_on(distribution):
    distribution("other", "platform = hil.stations.platform.station:STATION")
    ours, theirs = [one for one in registry.installed() if one.name == "platform"]
    assert (ours.broken, ours.distribution.partition(" ")[0]) == ("", "hil-bench")
    assert theirs.distribution == "other 1.2"
    assert "'platform' is a name of the bench itself" in theirs.broken
    assert registry.station_named("platform", "here") is ours.station


def test_one_that_is_not_installed_is_refused_with_those_that_are():
    with pytest.raises(
        ConfigError, match=r"'submarine' is not installed; .*'arm', 'platform', 'simulator', 'task"
    ):
        registry.station_named("submarine", "swim.toml")


def test_stations_are_listed_with_their_files():
    told = json.loads(CliRunner().invoke(app, ["stations", "--json"]).stdout)
    assert told["ok"]
    by_name = {one["name"]: one for one in told["stations"]}
    assert by_name["arm"]["files"] == ["arm scenario", "robot", "space arm"]
    assert by_name["platform"]["distribution"].startswith("hil-bench ")
    assert "rig" in CliRunner().invoke(app, ["stations"]).stdout
