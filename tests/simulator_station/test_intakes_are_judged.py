"""No intake of a vehicle's motion without judgement: each kind of source refuses a wrong force."""

import ast
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from ride_bench import ridden, table_of

from hil.config.errors import ConfigError
from hil.hosts.watch.states import SOUND, Cause, HostState
from hil.stations.simulator.cue.score import _passes
from hil.stations.simulator.plan.scenario import ride_from_table
from hil.stations.simulator.plan.source_registry import installed_sources
from hil.stations.simulator.run.bench import open_ride_source
from hil.stations.simulator.run.rehearsal import rehearse

sys.path.append(str(Path(__file__).parents[1] / "fmu"))
from fmu_vehicles import c_vehicle

SIMULATOR = Path(__file__).parents[2] / "hil" / "stations" / "simulator"
G = 9.80665
OUTPUTS = {name: name for name in ("f_x", "f_y", "f_z", "p", "q", "r")}

pytestmark = pytest.mark.campaign  # at the full rate


def host_of(folder, wrong):
    """An emulated drive through a map whose down axis points up, if it shall be wrong."""
    map_ = folder / "axes.toml"
    signs = '["x", "-y", "-z"]' if wrong else '["x", "y", "z"]'
    map_.write_text(f'kind = "hcu1"\nforce_axes = {signs}\nrate_axes = {signs}\n')
    emulated = {"feed": "drive", "rate_hz": 100.0}
    return {"kind": "host", "map": str(map_), "emulated": emulated}


def recording_of(folder, wrong):
    """A table of a telephone: at rest it tells +g upward."""
    t = np.arange(0.0, 6.0, 0.02)
    up = G if wrong else -G
    rows = "".join(f"{s:.2f},{math.sin(s):.4f},0,{up}\n" for s in t)
    (folder / "ride.csv").write_text("t_s,f_x_m_s2,f_y_m_s2,f_z_m_s2\n" + rows)
    return {"kind": "recording", "file": str(folder / "ride.csv")}


def fmu_of(folder, wrong):
    """A model that tells its force with the other sign."""
    path = c_vehicle(folder, 2, attributes='canHandleVariableCommunicationStepSize="true"')
    f_z = {"variable": "f_z", "sign": -1 if wrong else 1}
    return {"kind": "fmu", "file": str(path), "outputs": OUTPUTS | {"f_z": f_z}}


def scripted_of(folder, wrong):
    """A source of another package."""
    return {"kind": "scripted", "rest_m_s2": (0.0, 0.0, G if wrong else -G)}


SENDERS = {
    "host": host_of, "recording": recording_of, "fmu": fmu_of, "scripted": scripted_of,
}  # fmt: skip
"""By kind of source; the last one stands for all packages of others."""


def plan_by(source, folder=Path()):
    table = table_of(source, rate_hz=100.0, clock="virtual", duration_s=8.0)
    return ride_from_table(table, folder / "ride.toml").model_copy(update={"trusted": True})


def heard_of(plan, seconds=6.0, begin_s=3.0):
    """What a source says until and after it begins; how its opening is refused."""
    now, heard, why = [0.0], [], ""
    with open_ride_source(plan, lambda: now[0]) as source:
        for k in range(round(100 * seconds)):
            now[0] = 0.01 * k
            if k == round(100 * begin_s):
                source.begin(now[0])
            heard.append(source.poll(now[0]))
            why = why or str(getattr(source, "why", ""))
    return heard, why


@pytest.mark.usefixtures("scripted")
def test_every_kind_of_source_has_its_case():
    """A new kind fails here until somebody says how a wrong force comes in by it."""
    assert {one.name for one in installed_sources()} == set(SENDERS)


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize("kind", SENDERS)
def test_a_force_that_is_upside_down_is_never_followed(kind, tmp_path):
    plan = plan_by(SENDERS[kind](tmp_path, wrong=True), tmp_path)
    if kind == "recording":  # it is read before it is opened
        with pytest.raises(ConfigError, match="its down axis points up"):
            heard_of(plan)
        return
    heard, why = heard_of(plan)
    assert not any(one.host in SOUND or one.weight > 0.0 for one in heard)
    assert heard[-1].cause is Cause.FORCE
    assert "its down axis points up" in why


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize("kind", SENDERS)
def test_one_that_is_right_is_followed(kind, tmp_path):
    heard, why = heard_of(plan_by(SENDERS[kind](tmp_path, wrong=False), tmp_path))
    assert heard[-1].host is HostState.LIVE
    assert not why


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize(
    ("rest", "says"),
    [
        ((0.0, 0.0, 0.0), "no gravity|nothing to tell"),
        ((G, 0.0, 0.0), "gravity is on another axis"),
        ((0.0, 0.0, -1.0), "its unit is another"),
        ((0.0, -G, 0.0), "gravity is on another axis"),
    ],
)
@pytest.mark.parametrize("posed", [False, True])  # a flag is no way round
def test_a_source_of_others_is_held_against_gravity(rest, says, posed):
    still = {"kind": "scripted", "surge_m_s2": 0.0, "roll_rad_s": 0.0, "posed": posed}
    plan = plan_by(still | {"rest_m_s2": rest, "lasts_s": 4.0})
    with pytest.raises(ConfigError, match=rf"not live within.*({says})"):
        rehearse(plan)


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize(("share", "lost"), [(1.0, False), (-1.0, True)])
def test_a_source_whose_speed_falls_when_its_force_rises_fades(share, lost):
    heard, why = heard_of(plan_by({"kind": "scripted", "speed_share": share}), 16.0, 1.0)
    assert (heard[-1].host is HostState.LOST) == lost
    assert ("f_x: slope -0.99" in why) == lost
    weights = np.array([one.weight for one in heard])
    assert np.abs(np.diff(weights)[100:]).max() < 0.05


@pytest.mark.usefixtures("scripted")
def test_a_ride_on_a_wrong_source_is_given_up_before_it_engages(tmp_path):
    result, recording = ridden(
        tmp_path, {"rest_m_s2": (0.0, 0.0, G)}, {"governor": False}, rate_hz=100.0, duration_s=4.0
    )
    assert result.outcome.value != "completed"
    assert float(np.nanmax(recording.column("weight"))) == 0.0


@pytest.mark.usefixtures("scripted")
def test_the_fit_of_a_gain_hears_what_was_found():
    plan = plan_by({"kind": "scripted", "rest_m_s2": (0.0, 0.0, G), "lasts_s": 4.0})
    with pytest.raises(ConfigError, match="its down axis points up"):
        _passes(plan)


def test_a_model_is_told_what_to_write_into_its_outputs(tmp_path):
    source = fmu_of(tmp_path, wrong=True)
    _, why = heard_of(plan_by(source, tmp_path))
    assert '[source.outputs]: f_y = { variable = "f_y", sign = -1 }' in why
    assert 'f_z = { variable = "f_z" }' in why


def calls(name):
    """Files of the station in which something is called that bears a name."""
    found = set()
    for path in SIMULATOR.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            if name in (getattr(called, "id", ""), getattr(called, "attr", "")):
                found.add(path.relative_to(SIMULATOR).as_posix())
    return found


def test_no_other_way_leads_in():
    """What opens sources, decodes packets, or completes records is known, and who judges it."""
    assert calls("source_kind") == {
        "run/bench.py",  # opens: JudgedSource
        "plan/source_registry.py", "run/rehearsal.py",
        "run/ride_proof.py", "plan/scenario.py",  # ask, open nothing
    }  # fmt: skip
    assert calls("mapped") == {
        "sources/host_source.py",  # HostWatch with Physics
        "listening/host_receiver.py",  # HostFigures, likewise
    }
    assert calls("completed") == {"plan/ride_file.py"}  # after `agreements`
    assert calls("JudgedSource") == {"run/bench.py"}
