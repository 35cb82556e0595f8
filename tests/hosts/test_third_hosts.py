"""Hosts of somebody else's distribution: found by their entry points, or refused by name."""

import sys

import pytest
import third_party

from hil.config.errors import ConfigError
from hil.hosts.kind import Packet
from hil.hosts.maps import installed_hosts, load_map

CODE = """
from dataclasses import replace
from hil.hosts.wires.hcu1 import KIND as HCU1
from hil.hosts.maps import MapSettings

class TheirSettings(MapSettings):
    scale: float = 1.0
    \"\"\"Of the force.\"\"\"

class TheirCodec:
    def __init__(self, settings):
        self.scale = settings.scale
    def decode(self, datagram):
        from hil.hosts.kind import Packet
        from platform6dof.cueing.vehicle import REST
        x = self.scale * len(datagram)
        return Packet(replace(REST, f_m_s2=(x, 0.0, -9.8)))
    def requests(self, now_s):
        return ()

KIND = replace(HCU1, name="theirs", settings=lambda: TheirSettings, codec=TheirCodec)
MISNAMED = KIND
TEXT = "no host"
PLAIN = replace(KIND, name="plain", settings=lambda: dict)
"""
PROJECT = """
[project]
name = "hil-their-hosts"
version = "2.0"
requires-python = ">=3.11"
dependencies = ["hil-bench"]

[project.entry-points."hil.hosts"]
theirs = "their_hosts:KIND"
misnamed = "their_hosts:MISNAMED"
text = "their_hosts:TEXT"
plain = "their_hosts:PLAIN"
absent = "their_hosts:NOWHERE"
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    (tmp_path / "their_hosts.py").write_text(CODE)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    third_party.metadata(tmp_path / "pyproject.toml", tmp_path / "site")
    for folder in (tmp_path, tmp_path / "site"):
        monkeypatch.syspath_prepend(str(folder))
    yield tmp_path
    sys.modules.pop("their_hosts", None)


def map_of(folder, text):
    path = folder / "own.toml"
    path.write_text(text)
    return load_map(path)


def test_their_host_is_used_with_its_own_settings(installed):
    kind, settings = map_of(installed, 'kind = "theirs"\nscale = 2.0\n')
    told = kind.codec(settings).decode(b"abc")
    assert isinstance(told, Packet)
    assert told.state.f_m_s2[0] == 6.0
    with pytest.raises(ConfigError, match=r"scael = 2\.0: unknown key"):
        map_of(installed, 'kind = "theirs"\nscael = 2.0\n')


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("misnamed", "calls itself 'theirs'; it must be 'misnamed'"),
        ("text", "is a str; it must be a hil.hosts.kind.HostKind"),
        ("plain", "they must be a hil.hosts.maps.MapSettings"),
        ("absent", "does not load"),
    ],
)
def test_a_broken_one_is_refused_by_name_and_costs_nobody_else(installed, name, words):
    with pytest.raises(ConfigError, match=r"of hil-their-hosts 2\.0 cannot be used") as caught:
        map_of(installed, f'kind = "{name}"\n')
    assert words in str(caught.value)
    assert {one.name for one in installed_hosts() if not one.broken} >= {"theirs", "hcu1", "beamng"}
