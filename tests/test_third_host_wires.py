"""A live host of somebody else's distribution: heard, emulated, ridden; and what fails."""

from pathlib import Path

import numpy as np
import pytest
import third_party
from third_bench import hil, installed

from hil.config.errors import ConfigError
from hil.hosts.maps import load_map
from hil.recording.reader import Recording
from hil.stations.simulator.listening.emulation import EmulateChoice, build_host
from hil.stations.simulator.sources.wire_registry import wires_with
from sim.hosts.feeds import feed_of

SCENARIO = """
name = "theirs"
station = "simulator"
rig = "training_simulator"
rate_hz = 125.0
duration_s = 3.0
[source]
kind = "host"
map = "{map}"
[source.emulated]
feed = "drive"
rate_hz = 100.0
[cueing]
preset = "tight"
head_m = [0.0, 0.0, 0.9]
"""


@pytest.fixture(scope="module", autouse=True)
def parts(tmp_path_factory):
    """The distribution, installed for this module."""
    folder = tmp_path_factory.mktemp("parts")
    with pytest.MonkeyPatch.context() as patch, installed(folder, patch):
        yield folder


def written(folder, kind):
    (folder / "theirs_map.toml").write_text(f'kind = "{kind}"\n')
    path = folder / "theirs.toml"
    path.write_text(SCENARIO.format(map="theirs_map.toml"))
    return path


@pytest.fixture(scope="module")
def ride(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ride")
    path = written(folder, "sway")
    return hil("check", path), hil("run", path, "--out", folder)


def test_an_emulated_one_is_checked_and_ridden(ride):
    (status, checked), (ended, told) = ride
    assert (status, checked["ok"]) == (0, True), checked
    assert (ended, told["outcome"]) == (0, "completed"), told


def test_it_is_followed_all_the_way(ride):
    recording = Recording.open(Path(ride[1][1]["recording"]))
    assert recording.column("packets")[-1] > 250
    engaged = recording.column("mode") == recording.header.modes.index("ENGAGED")
    assert recording.column("dropped")[engaged].max() == 0
    assert np.ptp(recording.column("wanted_force_m_s2")[:, 0]) > 0.01, "the vehicle moves"


def test_the_emulator_of_the_command_line_has_it_too(tmp_path):
    written(tmp_path, "sway")
    choice = EmulateChoice(
        name=str(tmp_path / "theirs_map.toml"), feed="drive", rate_hz=50.0, jitter_s=0.0, loss=0.0,
        order=0.0, version="", seed=0, faults=(), rest_s=0.0,
    )  # fmt: skip
    sent = [data for _, data in build_host(choice).due(1.0)]
    assert len(sent) == 50
    kind, map_ = load_map(tmp_path / "theirs_map.toml")
    codec, feed = kind.codec(map_), feed_of("drive", None)
    for number, data in enumerate(sent):
        packet, truth = codec.decode(data), feed.at(number / 50.0)
        assert packet.sequence == number
        assert packet.state.f_m_s2 == pytest.approx(truth.f_m_s2, abs=1e-9)
        assert packet.state.omega_rad_s == pytest.approx(truth.omega_rad_s, abs=1e-9)
        assert packet.state.attitude == pytest.approx(truth.attitude, abs=1e-9)
        assert packet.state.v_m_s == pytest.approx(truth.v_m_s, abs=1e-9)


def test_hosts_are_listed_with_who_is_emulated_and_what_is_broken():
    _, told = hil("host", "list")
    emulated = {one["name"]: one["emulated"] for one in told["kinds"]}
    assert (emulated["sway"], emulated["still"], emulated["hcu1"]) == (True, False, True)
    assert any("parts_nowhere:EMULATED does not load" in line for line in told["broken"])


def test_one_that_nobody_emulates_is_refused_with_those_that_are(tmp_path):
    status, told = hil("check", written(tmp_path, "still"))
    assert status != 0
    assert "there is none of the kind still; there are flightgear, " in told["error"]


def test_a_wire_that_does_not_load_is_refused_with_the_reason(tmp_path):
    status, told = hil("check", written(tmp_path, "lame"))
    assert status != 0
    assert "'lame' of hil-parts 1.0 cannot be used: parts_nowhere:EMULATED" in told["error"]


def test_two_wires_of_one_name_are_both_named(tmp_path, monkeypatch):
    rival = tmp_path / "rival.toml"
    rival.write_text(
        '[project]\nname = "rival"\nversion = "2"\n'
        '[project.entry-points."hil.emulated_hosts"]\nsway = "own_host:EMULATED"\n'
    )
    third_party.metadata(rival, tmp_path / "rivals")
    monkeypatch.syspath_prepend(str(tmp_path / "rivals"))
    with pytest.raises(ValueError, match=r"hil-parts 1\.0 and rival 2 both have it"):
        wires_with("sway")


def test_a_map_of_nobody_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no kind of host of that name"):
        load_map(written(tmp_path, "swey").with_name("theirs_map.toml"))
