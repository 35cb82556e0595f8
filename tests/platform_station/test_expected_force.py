"""The force that a rig's masses need, recorded beside the one that the world's drives measured."""

import numpy as np
import pytest
from bench_plans import QUICK

from hil.config.file_search import find_file
from hil.config.named_files import GIVEN
from hil.config.settings import read_toml
from hil.recording.reader import Recording
from hil.report.phases import phases_of, times_s
from hil.stations.platform.bench.bench import run
from hil.stations.platform.cycle.expected_force import signals_for
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.plan.scenario import plan_from_table
from hil.stations.platform.report.machine_figure import machine
from hil.stations.platform.report.view import RunView
from hil.stations.platform.signals import SIGNALS

FRICTIONLESS = {
    "coulomb_n": 0.0, "viscous_n_s_m": 0.0, "stribeck_n": 0.0, "efficiency": 1.0,
    "efficiency_back": 1.0, "tube_inertia_kg_m2": 0.5789583, "rod_inertia_kg_m2": 0.1820667,
    "spin_inertia_kg_m2": 0.03485, "rotor_kg_m2": 20.0 * (0.02 / (2.0 * np.pi)) ** 2,
}  # fmt: skip
"""What the world's legs are: ordinary cylinders of 33 kg, without friction."""
SECONDS = 8.0


def world_rig(folder, load_kg=300.0):
    """The rig with a plate, as a file, and a world of the same plate."""
    text = find_file("paper_cabin", folder="rigs", key="rig").read_text()
    text = text[: text.index("[[body]]")]
    across = load_kg * (3.0 * 0.7**2 + 0.05**2) / 12.0
    tensor = [across, across, 0.5 * load_kg * 0.7**2, 0.0, 0.0, 0.0]
    text += f'[[body]]\nname = "plate"\nmass_kg = {load_kg}\ninertia_kg_m2 = {tensor}\n'
    for key, value in FRICTIONLESS.items():
        begin = text.index(f"\n{key} = ") + 1
        end = text.index("\n", begin)
        text = f"{text[:begin]}{key} = {value!r}{text[end:]}"
    rig, world = folder / "rig.toml", folder / "world.toml"
    rig.write_text(text)
    world.write_text(f"payload_kg = {load_kg}\n")
    return rig, world


def plan(name, folder, *overrides, **keys):
    file = find_file(name, folder="scenarios", key="SCENARIO")
    GIVEN.take(keys)
    return plan_from_table(read_toml(file) | keys, folder / "scenario.toml", overrides)


def engaged(recording):
    """Rows of the motion, its begin and end left out."""
    times = times_s(recording)
    (phase,) = [one for one in phases_of(recording, times) if one.mode == "ENGAGED"]
    begin = times[phase.first]
    return (times > begin + 0.5) & (times < begin + phase.duration_s - 0.5)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    rig, world = world_rig(folder)
    made = plan(
        "demo", folder, *QUICK, f"motion.duration_s={SECONDS}", rig=str(rig), world=str(world)
    )
    result = run(made, folder / "run")
    assert result.outcome is Outcome.COMPLETED, result.reason
    return Recording.open(result.recorder.path)


def test_demo_with_300_kg_needs_what_the_worlds_drives_measure(demo):
    """Within 2 % of the greatest force, in the same cycle."""
    moving = engaged(demo)
    measured = demo.column("measured_force_n")[moving]
    gap = measured - demo.column("expected_force_n")[moving]
    assert np.abs(measured).max() > 1200.0
    assert np.abs(gap).max() < 0.02 * np.abs(measured).max()
    assert np.ptp(measured, axis=0).min() > 500.0  # a constant would not do


def test_rows_before_a_setpoint_have_no_force(demo):
    expected = demo.column("expected_force_n")
    assert np.isnan(expected[0]).all()
    assert np.isfinite(expected[engaged(demo)]).all()


def test_a_page_shows_the_machine(demo):
    view = RunView.of(demo)
    picture = machine(view)
    assert picture is not None
    assert picture.name == "machine"
    assert "plate 300 kg" in picture.caption


def test_rows_of_a_rig_without_bodies_are_as_they_were(tmp_path):
    made = plan("hold_neutral", tmp_path, *QUICK)
    result = run(made, tmp_path / "run")
    recording = Recording.open(result.recorder.path)
    names = [signal.name for signal in recording.signals.fields]
    assert names == [signal.name for signal in SIGNALS.fields]
    assert signals_for(made.rig, SIGNALS) is SIGNALS
    assert machine(RunView.of(recording)) is None
