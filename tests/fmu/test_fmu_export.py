"""Our own models as FMUs: they run without us and say what we say, or are not handed out."""

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from fmu_vehicles import needs_gcc

from drives.sim import cylinder
from drives.sim.cylinder import advance
from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import configs_dir, find_file
from hil.fmu import export as exporting
from hil.fmu import shared_library as compiled
from hil.fmu.cueing import cueing_program
from hil.fmu.export import export, judged
from hil.fmu.twin import twin_program
from hil.machines.cueing.preset import filter_of, read_preset
from hil.machines.rig.machine import cylinder_model, envelope_of, geometry_of, load_rig
from hil.stations.simulator.plan.scenario import load_ride
from hil.stations.simulator.run.rehearsal import rehearse
from hil_common.arrays.pose import Pose
from platform6dof.forward import forward
from platform6dof.inverse import leg_setpoint
from platform6dof.pose import PlatformSetpoint

PERIOD_S = 0.002
ALONE = Path(__file__).parent / "play_alone.py"
ENTRY, OBJECT = compiled._entry, compiled._object


def rig_and_file(name):
    file = find_file(name, folder="rigs", key="RIG")
    return load_rig(file), file


@pytest.fixture(scope="module", autouse=True)
def compiled_once():
    """Code that does not differ is compiled once: numbers of a machine are not in it."""
    entries = {}

    def entry_of(program):
        sizes = (program.inputs, program.outputs, program.constants)
        key = (program.function, *map(len, sizes), program.memory)
        if key not in entries:
            entries[key] = ENTRY(program)
        return entries[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_entry", entry_of)
        patch.setattr(compiled, "_object", cache(OBJECT))
        yield


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    needs_gcc()
    folder = tmp_path_factory.mktemp("twins")
    made = {}
    for rig in ("paper", "training_simulator"):
        program = twin_program(*rig_and_file(rig), PERIOD_S)
        for major in (2, 3):
            made[rig, major] = folder / f"{rig}{major}.fmu"
            export(program, major, made[rig, major], "0")
    return made


@pytest.fixture(scope="module")
def rides(tmp_path_factory):
    needs_gcc()
    folder = tmp_path_factory.mktemp("rides")
    rig, _ = rig_and_file("paper")
    made = {}
    for preset in ("base", "tight"):
        program = cueing_program(rig, read_preset(preset), preset, PERIOD_S)
        for major in (2, 3):
            made[preset, major] = folder / f"{preset}{major}.fmu"
            export(program, major, made[preset, major], "0")
    return made


@pytest.fixture(scope="module")
def alone():
    """What an FMU says in a process that has neither numba nor this project."""
    site = Path(fmpy.__file__).parents[1]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    player = subprocess.Popen(
        [sys.executable, "-I", "-S", str(ALONE), str(site)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd="/",
    )  # fmt: skip

    def played(path, names_in, rows, names_out, step_s=PERIOD_S, **how):
        assert player.stdin is not None
        assert player.stdout is not None
        order = {
            "path": str(path), "inputs": names_in, "rows": np.asarray(rows).tolist(),
            "outputs": names_out, "step_s": step_s, **how,
        }  # fmt: skip
        player.stdin.write(json.dumps(order) + "\n")
        player.stdin.flush()
        (said,) = islice((one for one in player.stdout if one.startswith("SAID ")), 1)
        said = json.loads(said.removeprefix("SAID "))  # beside it stands what models log
        assert "broken" not in said, said["broken"]
        return said

    with player:
        yield played


def poses(rig, count, seed):
    """Random coordinates with derivatives in the rig's box, shape (count, 18)."""
    random = np.random.default_rng(seed)
    box = rig.pose_box.box()
    q = random.uniform(box.lower, box.upper, (count, 6))
    return np.hstack([q, random.normal(0.0, 0.2, (count, 6)), random.normal(0.0, 1.0, (count, 6))])


def names(program):
    return [port.name for port in program.inputs], [port.name for port in program.outputs]


@pytest.mark.parametrize("major", [2, 3])
@pytest.mark.parametrize("rig", ["paper", "training_simulator"])
def test_the_twin_alone_says_what_the_public_calls_say(twins, rig, major, alone):
    parsed, file = rig_and_file(rig)
    geometry = geometry_of(parsed)
    low, high = envelope_of(parsed, geometry).bounds
    envelope = envelope_of(parsed, geometry)
    inputs, outputs = names(twin_program(parsed, file, PERIOD_S))
    rows = poses(parsed, 60, 7)
    told = np.array(alone(twins[rig, major], inputs, rows, outputs)["told"])[1:]
    for row, said in zip(rows, told, strict=True):
        setpoint = PlatformSetpoint.from_coordinates(row[:6], row[6:12], row[12:])
        legs = leg_setpoint(geometry, setpoint)
        assert np.abs(said[:6] - legs.length_m).max() <= 1e-12
        assert np.abs(said[6:12] - legs.speed_m_s).max() <= 1e-12
        assert np.abs(said[12:18] - legs.acceleration_m_s2).max() <= 1e-11
        inside = envelope.check(setpoint) == ()
        assert inside == bool((said[43:] >= 0.0).all())
        state = envelope.state(Pose.from_coordinates(row[:6]))
        stroke = np.minimum(legs.length_m - low[:6], high[:6] - legs.length_m).min()
        assert said[43] == pytest.approx(stroke, abs=1e-12)
        assert said[49] == pytest.approx(state.smallest_singular_value - low[45], abs=1e-9)


@pytest.mark.parametrize("major", [2, 3])
def test_the_twins_drives_are_the_simulated_ones(twins, major, alone):
    rig, file = rig_and_file("paper")
    geometry, model = geometry_of(rig), cylinder_model(rig, PERIOD_S)
    inputs, outputs = names(twin_program(rig, file, PERIOD_S))
    start = rig.neutral.coordinates()
    t = np.arange(1, 301)[:, None] * PERIOD_S
    shape = np.array([0.05, 0.03, 0.04, 0.05, 0.06, 0.04])
    w = 2.0 * np.pi * np.array([0.5, 0.7, 0.9, 0.6, 0.8, 1.1])
    q = start + shape * (1.0 - np.cos(w * t))
    rows = np.hstack([q, shape * w * np.sin(w * t), shape * w * w * np.cos(w * t)])
    told = np.array(alone(twins["paper", major], inputs, rows, outputs)["told"])
    rods = np.zeros((6, cylinder.STATE_COLUMNS))
    at_rest = leg_setpoint(geometry, PlatformSetpoint.at_rest(Pose.from_coordinates(start)))
    rods[:, cylinder.X] = rods[:, cylinder.REF] = at_rest.length_m
    frame, guess = np.zeros((3, 6)), Pose.from_coordinates(start)
    furthest = 0.0
    for row, said in zip(rows, told[1:], strict=True):
        setpoint = PlatformSetpoint.from_coordinates(row[:6], row[6:12], row[12:])
        legs = leg_setpoint(geometry, setpoint)
        advance(
            rods, np.ones(6, np.int64), model.parameters(), tuple(legs.length_m),
            tuple(legs.speed_m_s), np.zeros(6, np.int64), frame, PERIOD_S, model.substeps(PERIOD_S),
        )  # fmt: skip
        found = forward(geometry, frame[0], guess)
        guess = found.X_BP
        assert np.abs(said[18:36] - frame.ravel()).max() <= 1e-9
        assert np.abs(said[18:30] - frame[:2].ravel()).max() <= 1e-12
        assert np.abs(said[36:42] - found.X_BP.coordinates()).max() <= 1e-9
        assert said[42] == 1.0
        furthest = max(furthest, float(np.abs(said[36:42] - row[:6]).max()))
    assert furthest > 3e-5  # the drives do lag: what is measured is not what was asked
    assert told[0][30:36].tolist() == list(rig.cylinders.static_load_n)  # at rest


def test_the_twin_says_whose_its_forces_are():
    program = twin_program(*rig_and_file("paper"), PERIOD_S)
    forces = {port.name: port.about for port in program.outputs if port.name.startswith("force_")}
    assert list(forces) == [f"force_{leg}" for leg in range(1, 7)]
    for leg, about in enumerate(forces.values(), 1):
        assert f"simulated drive of leg {leg}, not of a load" in about
        assert "moving_mass_kg" in about
        assert "static_load_n" in about


@pytest.mark.parametrize("major", [2, 3])
@pytest.mark.parametrize("preset", ["base", "tight"])
def test_the_ride_alone_is_the_filters(rides, preset, major, alone):
    rig, _ = rig_and_file("paper")
    random = np.random.default_rng(3)
    count = 1500
    f = np.cumsum(random.normal(0.0, 0.1, (count, 3)), axis=0)
    f[:, 2] -= 9.80665
    omega = random.normal(0.0, 0.2, (count, 3))
    program = cueing_program(rig, read_preset(preset), preset, PERIOD_S)
    inputs, outputs = names(program)
    told = np.array(alone(rides[preset, major], inputs, np.hstack([f, omega]), outputs)["told"])
    wanted = filter_of(read_preset(preset), PERIOD_S).ride(f, omega)  # pyright: ignore[reportAttributeAccessIssue]
    wanted[:, 0] += rig.neutral.coordinates()
    assert np.abs(told[1:] - wanted.reshape(count, 18)).max() <= 1e-9
    assert np.abs(wanted[:, 0, :2]).max() > 0.01  # and it did move
    assert told[0].tolist() == [*rig.neutral.coordinates(), *[0.0] * 12]


@pytest.mark.parametrize("major", [2, 3])
def test_reset_and_several_instances(twins, rides, major, alone):
    rig, file = rig_and_file("paper")
    for path, program in (
        (twins["paper", major], twin_program(rig, file, PERIOD_S)),
        (rides["base", major], cueing_program(rig, read_preset("base"), "base", PERIOD_S)),
    ):
        inputs, outputs = names(program)
        rows = program.start() + 0.02 * np.random.default_rng(5).normal(size=(50, len(inputs)))
        once = alone(path, inputs, rows, outputs)["told"]
        both = alone(path, inputs, rows, outputs, twice=True)
        assert both["told"] == once  # while another one went another way beside it
        assert both["beside"] != once
        assert both["again"] == once  # after a reset


@pytest.mark.parametrize("major", [2, 3])
def test_whole_periods_are_steps_of_the_filter_and_others_are_refused(rides, major, alone):
    rows = [[1.0, 0.5, -9.0, 0.1, 0.0, 0.0]] * 4
    inputs = ["f_x", "f_y", "f_z", "p", "q", "r"]
    single = alone(rides["base", major], inputs, [rows[0]] * 12, ["x", "gamma"])["told"]
    threefold = alone(rides["base", major], inputs, rows, ["x", "gamma"], step_s=0.006)["told"]
    assert threefold == single[::3]
    for step_s in (0.003, 0.001, -0.002, 0.0):
        refused = alone(rides["base", major], inputs, rows, ["x"], step_s=step_s)
        assert f"fmi{major}DoStep" in refused["failed"]


@pytest.mark.parametrize("major", [2, 3])
def test_the_twin_takes_any_step_that_its_drives_can(twins, major, alone):
    for step_s, good in ((0.0005, True), (0.6, True), (0.7, False), (1e9, False)):
        said = alone(twins["paper", major], ["x"], [[0.01]] * 3, ["measured_x"], step_s=step_s)
        assert ("failed" not in said) is good


@pytest.mark.parametrize("major", [2, 3])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_an_input_that_is_not_finite_is_refused_and_changes_nothing(twins, major, value, alone):
    rig, file = rig_and_file("paper")
    inputs, outputs = names(twin_program(rig, file, PERIOD_S))
    rows = poses(rig, 4, 1).tolist()
    bad = alone(twins["paper", major], inputs, rows, outputs, poison=[2, value])
    assert "Set" in bad["failed"]
    assert bad["told"] == alone(twins["paper", major], inputs, rows, outputs)["told"][:3]


def test_what_stands_in_the_files_is_valid_and_complete(twins, rides):
    for path in (*twins.values(), *rides.values()):
        assert list(validate_fmu(str(path))) == []
        model = fmpy.read_model_description(str(path))
        assert all(one.unit for one in model.modelVariables)
        known = {unit.name for unit in model.unitDefinitions}
        assert {one.unit for one in model.modelVariables} <= known
        outputs = {one.name for one in model.modelVariables if one.causality == "output"}
        assert {one.variable.name for one in model.initialUnknowns} == outputs  # pyright: ignore[reportOptionalMemberAccess]


def test_the_library_needs_libc_and_libm_only(twins, rides, tmp_path):
    for path in (*twins.values(), *rides.values()):
        with zipfile.ZipFile(path) as archive:
            (name,) = [one for one in archive.namelist() if one.endswith(".so")]
            library = Path(archive.extract(name, tmp_path))
        said = subprocess.run(
            ["readelf", "-d", "--wide", library], capture_output=True, text=True, check=True
        ).stdout
        needed = {
            line.split("[")[1].split("]")[0] for line in said.splitlines() if "NEEDED" in line
        }
        assert needed <= {"libc.so.6", "libm.so.6"}
        symbols = subprocess.run(
            ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
        ).stdout.split("\n")
        assert all(line.split()[-1].startswith("fmi") for line in symbols if line)


def test_the_same_program_gives_the_same_bytes(rides, tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "_entry", ENTRY)
    monkeypatch.setattr(compiled, "_object", OBJECT)
    rig, _ = rig_and_file("paper")
    program = cueing_program(rig, read_preset("base"), "base", PERIOD_S)
    export(program, 2, tmp_path / "again.fmu", "0")
    assert (tmp_path / "again.fmu").read_bytes() == rides["base", 2].read_bytes()


def test_a_model_that_says_something_else_is_not_handed_out(rides, tmp_path, monkeypatch):
    rig, _ = rig_and_file("paper")
    program = cueing_program(rig, read_preset("base"), "base", PERIOD_S)
    shifted = program.constants.copy()
    shifted[-6] += 1e-9
    other = replace(program, constants=shifted)
    with pytest.raises(RefusedError, match=r"x differs by 1e-09, at most 1e-12"):
        judged(other, rides["base", 2])
    monkeypatch.setattr(exporting, "library", lambda p, *rest: compiled.library(other, *rest))
    with pytest.raises(RefusedError, match="does not say what the kernels say"):
        export(program, 2, tmp_path / "never.fmu", "0")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    rig, _ = rig_and_file("paper")
    program = cueing_program(rig, read_preset("base"), "base", PERIOD_S)
    (tmp_path / "taken.fmu").mkdir()
    with pytest.raises(ConfigError, match=r"taken\.fmu: cannot be written"):
        export(program, 2, tmp_path / "taken.fmu", "0")
    assert [one.name for one in tmp_path.iterdir()] == ["taken.fmu"]


def test_another_numba_is_refused(monkeypatch, tmp_path):
    import numba

    monkeypatch.setattr(numba, "__version__", "0.69.0")
    rig, _ = rig_and_file("paper")
    program = cueing_program(rig, read_preset("base"), "base", PERIOD_S)
    with pytest.raises(RefusedError, match=r"tested with numba 0\.68, and this is numba 0\.69\.0"):
        export(program, 2, tmp_path / "x.fmu", "0")


def test_a_missing_compiler_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RefusedError, match="needs gcc, which is not there"):
        compiled.require_compilers()


def test_another_algorithm_is_refused():
    rig, _ = rig_and_file("paper")
    preset = read_preset("base").model_copy(update={"algorithm": "mpc"})
    with pytest.raises(ConfigError, match=r"only a classical filter can be exported: .*\bbase\b"):
        cueing_program(rig, preset, "base", PERIOD_S)


@pytest.fixture(scope="module")
def recorded():
    """A recorded ride without a governor: plan and rehearsal."""
    needs_gcc()
    changes = ["cueing.governor=false", "cueing.head_m=[0.0, 0.0, 0.0]", "duration_s=8.0"]
    plan = load_ride(configs_dir() / "scenarios" / "recorded_ride.toml", changes)
    return plan, rehearse(plan)


@pytest.mark.parametrize("major", [2, 3])
def test_a_recorded_ride_without_governor_is_the_exported_filters(recorded, tmp_path, major, alone):
    plan, ridden = recorded
    program = cueing_program(plan.rig, plan.presets[0], "preset", plan.scenario.period_s)
    path = tmp_path / "ride.fmu"
    export(program, major, path, "0")
    inputs, outputs = names(program)
    following = int(np.flatnonzero(ridden.weight > 0.0)[-1]) + 1
    first = int(np.flatnonzero(ridden.weight > 0.0)[0])
    wanted = ridden.wanted[first:following]
    told = np.array(alone(path, inputs, wanted, outputs, plan.scenario.period_s)["told"])[1:]
    rows = ridden.rows[first:following].reshape(-1, 18)
    assert len(rows) > 3000
    assert np.abs(told[:, :6] - rows[:, :6]).max() <= 1e-9
    assert np.ptp(rows[:, :6], axis=0).max() > 0.01
