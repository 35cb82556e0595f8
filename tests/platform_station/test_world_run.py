"""Runs on a coupled body: the scenario's key, the option, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from drives.bank import DriveGoal
from hil.config.errors import ConfigError
from hil.config.shipped import find_file
from hil.machines.machine import load_rig
from hil.run.station import Request
from hil.stations.platform.bench import run
from hil.stations.platform.command_line import plan_of
from hil.stations.platform.drives.rack import emulated_rack
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.gate.spec import BankSpec, build_bank
from hil.stations.platform.scenario import plan_from_table
from hil.stations.platform.supervisor import Outcome
from hil.stations.platform.world import SCENES, platform_plant, world_of

STANDS = {"kind": "legs", "to": [{"offsets_m": 0.0, "dwell_s": 0.5}]}


def plan(**keys):
    table = {"name": "tap", "rig": "paper", "motion": STANDS, "rate_hz": 250.0, **keys}
    return plan_from_table(table, Path("test"))


def test_a_dry_run_completes_behind_the_gate(tmp_path):
    result = run(plan(world="paper_cabin"), tmp_path)
    assert result.outcome is Outcome.COMPLETED, result.reason
    assert not result.violations


def test_its_drives_bear_the_weight_that_is_on_them():
    """Told by the rig they would bear its static load, 650 N; homed they lean more than neutral."""
    spec = bank_spec(plan(world="paper_cabin"))
    spec = BankSpec.from_json(spec.to_json())  # as the gate's process gets it
    bank = build_bank(spec, lambda: 0.0)
    bank.configure()
    bank.request(DriveGoal.HOMED)
    while not all(bank.exchange(None).homed):
        pass
    bank.request(DriveGoal.ENABLED)
    for _ in range(400):
        feedback = bank.exchange(None)
    length_m, across_m = 0.67, np.sqrt(1.0029**2 - 0.935**2)
    cos, sin = np.sqrt(length_m**2 - across_m**2) / length_m, across_m / length_m
    across_n = 9.81 * (25.0 * 0.3 + 8.0 * (length_m - 0.3)) * sin / length_m
    wanted_n = 300.0 * 9.81 / (6.0 * cos) + 8.0 * 9.81 * cos + across_n * sin / cos
    np.testing.assert_allclose(feedback.force_n, wanted_n, rtol=2e-3)


def test_without_a_world_nothing_is_told_of_one():
    assert "world" not in bank_spec(plan()).settings


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"world": "nowhere"}, "'nowhere': paper_cabin, or a TOML file, is needed"),
        (
            {"world": "paper_cabin", "clock": "real", "devices": {"drives": "slcan:/dev/x"}},
            "of sim: only; emulated drives have their own, hil drives rack --world",
        ),
    ],
)
def test_what_makes_no_world_is_refused(keys, words):
    with pytest.raises(ConfigError, match=words):
        bank_spec(plan(**keys))


def test_a_scene_is_read_from_its_file(tmp_path):
    file = tmp_path / "heavy.toml"
    file.write_text("payload_kg = 1800.0\npayload_height_m = 0.2\n", encoding="utf-8")
    scene = world_of("heavy.toml", key="world", beside=tmp_path / "scenario.toml")
    assert (scene.payload_kg, scene.payload_height_m) == (1800.0, 0.2)
    rig = load_rig(find_file("paper", folder="rigs", key="rig"))
    with pytest.raises(ConfigError, match=r"payload 1800 kg: .* at most \d+ kg hold"):
        platform_plant(rig, scene)
    assert platform_plant(rig, SCENES["paper_cabin"]).speeds_m_s() == (0.0,) * 6


@pytest.mark.parametrize("protocol", ["canopen", "modbus-tcp"])
def test_a_rack_starts_with_a_world(protocol):
    rig = str(find_file("paper", folder="rigs", key="rig"))
    with emulated_rack(protocol, rig, world="paper_cabin") as url:
        assert url.startswith(("slcan:", "modbus-tcp:"))


def test_the_option_gives_the_scene():
    file = find_file("heave.toml", folder="scenarios", key="SCENARIO")
    assert (
        plan_of(Request(scenario=file, options={"--world": "paper_cabin"})).scenario.world
        == "paper_cabin"
    )
    assert plan_of(Request(scenario=file, options={})).scenario.world == ""


def test_emulated_drives_move_the_body_over_their_wire(tmp_path):
    """A leg is jogged by 5 mm in real time, on a rack with 300 kg that its drives are not told."""
    rig = str(find_file("paper", folder="rigs", key="rig"))
    motion = {
        "kind": "legs",
        "speed": 0.2,
        "to": [{"offsets_m": [0.0, 0.005, 0.0, 0.0, 0.0, 0.0], "dwell_s": 0.2}, {"offsets_m": 0.0}],
    }
    with emulated_rack("canopen", rig, world="paper_cabin") as url:
        keys = {"clock": "real", "devices": {"drives": url}, "motion": motion}
        result = run(plan(**keys), tmp_path)
    assert result.outcome is Outcome.COMPLETED, result.reason
    assert result.drives.simulated
