"""Runs on a coupled body: the scenario's key, the option, and what is refused."""

import re
from pathlib import Path

import numpy as np
import pytest
from rack_bench import CHANCE, repeated, shown

from drives.bank import DriveGoal
from hil.config.errors import ConfigError
from hil.config.file_search import find_file
from hil.config.named_files import GIVEN
from hil.machines.rig.machine import load_rig
from hil.run.station import Request
from hil.stations.platform.bench.bench import run
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.cycle.world import (
    RigWorld,
    _extensions_m,
    _parked_m,
    platform_plant,
    world_of,
)
from hil.stations.platform.drives import rack, rack_setup
from hil.stations.platform.drives.rack import emulated_rack
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.gate.spec import BankSpec, build_bank
from hil.stations.platform.plan.command_line import plan_of
from hil.stations.platform.plan.scenario import plan_from_table
from sim.devices.can import program

STANDS = {"kind": "legs", "to": [{"offsets_m": 0.0, "dwell_s": 0.5}]}


def plan(**keys):
    table = {"name": "tap", "rig": "paper", "motion": STANDS, "rate_hz": 250.0, **keys}
    GIVEN.take(keys)  # as on the command line
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
    wanted_n = 360.0 * 9.81 / (6.0 * cos) + 8.0 * 9.81 * cos + across_n * sin / cos
    np.testing.assert_allclose(np.mean(feedback.force_n), wanted_n, rtol=2e-3)
    # The cabin's centre is 300/360 * 20 mm from the middle: legs 1 and 6, at +x, bear more.
    assert feedback.force_n[0] > wanted_n + 5.0


def test_without_a_world_nothing_is_told_of_one():
    assert "world" not in bank_spec(plan()).settings


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"world": "nowhere"}, "world = 'nowhere': no such file"),
        (
            {"world": "paper_cabin", "clock": "real", "devices": {"drives": "slcan:/dev/x"}},
            "of sim: only; emulated drives have their own, hil drives rack --world",
        ),
    ],
)
def test_what_makes_no_world_is_refused(keys, words):
    with pytest.raises(ConfigError, match=words):
        bank_spec(plan(**keys))


RIG = load_rig(find_file("paper", folder="rigs", key="rig"))


def test_a_world_of_ones_own_is_read_from_its_file(tmp_path):
    """With a payload alone, with a scene besides, and as a scene itself."""
    file, beside = tmp_path / "heavy.toml", tmp_path / "scenario.toml"
    file.write_text("payload_kg = 1800.0\n", encoding="utf-8")
    world = world_of("heavy.toml", RIG, key="world", beside=beside)
    with pytest.raises(ConfigError, match=r"payload of 1800 kg: .* at most \d+ kg hold"):
        platform_plant(RIG, world)
    file.write_text(
        'document = "beam_over_platform"\npayload_kg = 80.0\nservo = { integral_time_s = 0.05 }\n',
        encoding="utf-8",
    )
    world = world_of("heavy.toml", RIG, key="world", beside=beside)
    assert world.servo.integral_time_s == 0.05
    assert load_kg(world) == pytest.approx(80.0 + 300.0, rel=1e-12)
    assert load_kg(RigWorld.from_json(world.to_json())) == load_kg(world)
    shipped = find_file("paper_cabin", folder="world/scenes", key="world")
    file.write_text(shipped.read_text(encoding="utf-8").replace("= 60", "= 61"), encoding="utf-8")
    assert load_kg(world_of("heavy.toml", RIG, key="world", beside=beside)) == 361.0
    file.write_text("servo = {}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="document = a scene's, or payload_kg is needed"):
        world_of("heavy.toml", RIG, key="world", beside=beside)


def test_robots_that_nobody_moves_are_left_out_and_told(tmp_path):
    shipped = find_file("paper_cabin", folder="world/scenes", key="world")
    arm = '\n[[robot]]\nname = "arm"\ndocument = "robot_a"\non = "rig"\nlink = 1\n'
    file = tmp_path / "with_arm.toml"
    file.write_text(shipped.read_text(encoding="utf-8") + arm, encoding="utf-8")
    bank = build_bank(bank_spec(plan(world=str(file))), lambda: 0.0)
    assert bank.configure().notes == ("world paper_cabin: without arm; only the rig moves",)


def test_too_heavy_a_world_is_refused_before_anything_moves(tmp_path):
    """By a dry run before it has a recording, by a rack before it has a wire."""
    file, out = tmp_path / "heavy.toml", tmp_path / "runs"
    file.write_text("payload_kg = 1800.0\n", encoding="utf-8")
    out.mkdir()
    with pytest.raises(ConfigError, match=r"s\w+ has a modal mass of .* at most \d+ kg hold"):
        run(plan(world=str(file)), out)
    assert [one for one in out.rglob("*") if one.is_file()] == []
    command = ["drives", "rack", "--rig", "paper", "--world", str(file), "--end-with-input"]
    refused = shown(*command, status=2)
    assert refused.stdout == ""
    assert re.search(r"s\w+ has a modal mass of \d+ kg", " ".join(refused.stderr.split()))


@pytest.mark.parametrize(
    ("rig", "scene"),
    [
        ("paper", "paper_cabin"),
        ("paper", "beam_over_platform"),
        ("training_simulator", "paper_cabin"),
    ],
)
def test_shipped_rigs_stand_in_their_scenes(rig, scene):
    """Where they park and at neutral nothing touches them, not even the floor they stand on."""
    machine = load_rig(find_file(rig, folder="rigs", key="rig"))
    plant = platform_plant(machine, world_of(scene, machine, key="world"))
    for reached_m in (_parked_m(machine), _extensions_m(machine, machine.neutral.z_m)):
        plant.begin(reached_m)
        plant.advance([0.0] * 6, [True] * 6, 0.1)
        assert plant.touches() == ()


def test_what_is_in_the_way_where_rods_park_is_refused_before_power(tmp_path):
    shipped = find_file("beam_over_platform", folder="world/scenes", key="world")
    text, file = shipped.read_text(encoding="utf-8"), tmp_path / "low.toml"
    file.write_text(text.replace("[0.62, 0, 1.1]", "[0.62, 0, 0.6]"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"beam is \d+.* mm inside rig/platform"):
        run(plan(world=str(file)), tmp_path / "runs")


def load_kg(world):
    return platform_plant(RIG, world).inertia().load_kg


def test_a_scene_without_a_rig_gets_it_in_its_origin():
    world = world_of("table", RIG, key="world")
    assert [one.document for one in world.place.scene.robots] == ["rig:paper"]
    assert load_kg(world) == sum(RIG.cylinders.moving_mass_kg)


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


def test_a_rack_tells_what_was_touched_when_it_ends(monkeypatch, capsys):
    """Whatever its wire; here nobody uses it."""
    plant = platform_plant(RIG, world_of("paper_cabin", RIG, key="world"))
    plant._touched.note(1.25, {("beam", "rig/platform"): 812.5})
    monkeypatch.setattr(rack_setup, "platform_plant", lambda *_: plant)
    monkeypatch.setattr(program, "run_can_rack", lambda *_, **__: None)
    rack.serve_rack(
        "paper", "canopen", port=0, any_user=False, pty=False, buses=1, script=None, baud=115200,
        seed=1, paced=False, world="paper_cabin",
    )  # fmt: skip
    assert "beam on rig/platform: up to 812 N from 1.25 to 1.26 s" in capsys.readouterr().err


@pytest.mark.real_time
def test_emulated_drives_move_the_body_over_their_wire(tmp_path):
    """A leg is jogged by 5 mm in real time, on a rack with 300 kg that its drives are not told.

    At a rate whose patience is longer than what a busy machine stands still now and then.
    """
    rig = str(find_file("paper", folder="rigs", key="rig"))
    motion = {
        "kind": "legs",
        "speed": 0.2,
        "to": [{"offsets_m": [0.0, 0.005, 0.0, 0.0, 0.0, 0.0], "dwell_s": 0.2}, {"offsets_m": 0.0}],
    }

    def jogged():
        with emulated_rack("canopen", rig, world="paper_cabin") as url:
            keys = {"clock": "real", "devices": {"drives": url}, "motion": motion, "rate_hz": 62.5}
            return run(plan(**keys), tmp_path)

    result = repeated(jogged, lambda one: CHANCE.search(one.reason or ""))
    assert result.outcome is Outcome.COMPLETED, result.reason
    assert result.drives.simulated
