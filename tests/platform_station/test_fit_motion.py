"""What `hil check` and `hil run` say of a motion that does not fit: a command that makes it fit."""

import json
import re
import shlex

import numpy as np
import pytest
from bench_plans import PAPER, plan
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.settings import ConfigError
from hil.machines.rig.machine import geometry_of
from hil.recording.reader import Recording
from hil.stations.platform.fit.bounds import MotionBounds
from hil.stations.platform.fit.fit_summaries import NOTHING_FITS, TO_PASTE
from hil.stations.platform.fit.search import find_fit
from hil.stations.platform.fit.steps import CUTOFFS_HZ, quarter_turned
from hil.stations.platform.fit.units import likely_units
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.proof.check import check_plan
from platform6dof.inverse import leg_lengths
from platform6dof.pose import PlatformSetpoint

pytestmark = pytest.mark.usefixtures("unpainted")
runner = CliRunner()
RIG = ["--rig", PAPER]
QUICKLY = ["--set", "rate_hz=25", "--set", "motion.fade_s=1"]
for key, value in {"speed_m_s": 0.4, "acceleration_m_s2": 1.0, "jerk_m_s3": 10}.items():
    QUICKLY += ["--set", f"rig_settings.slow_moves.{key}={value}"]
T_S = np.arange(0.0, 3.0, 0.02)


def sine(amplitude, frequency_hz):
    return amplitude * np.sin(2.0 * np.pi * frequency_hz * T_S)


def record(folder, **columns):
    """A CSV file of columns over `T_S`."""
    path = folder / "record.csv"
    names = ["t_s", *columns]
    rows = np.column_stack([T_S, *columns.values()])
    path.write_text("\n".join([",".join(names), *(",".join(map(repr, r)) for r in rows.tolist())]))
    return path


def hil(*arguments, status):
    result = runner.invoke(app, [str(one) for one in arguments])
    assert result.exit_code == status, result.output + repr(result.exception)
    return result.stdout


def as_json(*arguments, status):
    return json.loads(hil(*arguments, "--json", status=status))


def pasted(command, status):
    """Run a command as a person would who copies it."""
    words = shlex.split(command)
    assert words[0] == "hil"
    return hil(*words[1:], status=status)


def larger(command, factor=1.05):
    """The same command with more of the motion."""
    found = re.search(r"motion\.scale=(\S+)", command)
    return command.replace(found[0], f"motion.scale={float(found[1]) * factor!r}")


UNFIT = {
    "too far": {"x_m": sine(0.5, 0.5), "z_m": sine(0.1, 0.7)},
    "too fast": {"y_m": sine(0.05, 3.0)},
    "too steep": {"beta_deg": sine(60.0, 0.4), "gamma_deg": sine(15.0, 0.5)},
}


@pytest.mark.parametrize("name", UNFIT)
def test_the_command_fits_and_a_twentieth_more_does_not(name, tmp_path):
    told = hil("check", *RIG, "--motion", record(tmp_path, **UNFIT[name]), *QUICKLY, status=1)
    lines = told.splitlines()
    assert "refused: replay on paper, 4.98 s of motion" in lines
    command = lines[lines.index(TO_PASTE) + 1]
    assert "lowpass" not in command, "it would take the motion away"
    assert pasted(command, 0).startswith("ok")
    assert pasted(larger(command), 1).startswith("refused")


def recorded(path, *overrides, **columns):
    """A plan that replays a file, quickly."""
    units = {
        axis: {"column": name, "unit": name.rpartition("_")[2]} for axis, name in columns.items()
    }
    table = {"kind": "recorded", "file": str(path), "fade_s": 1.0, "map": units}
    slow = [word for word in QUICKLY if word.startswith("rig_settings")]
    return plan(*slow, "rate_hz=25", *overrides, motion=table)


def fit_of(the_plan):
    found = find_fit(the_plan, motion_of(the_plan))
    assert check_plan(found.plan, motion_of(found.plan)).ok, "what is told has been proved"
    return found


def changed(found):
    return {one.key: one.after for one in found.changes}


def test_an_offset_becomes_the_neutral_pose(tmp_path):
    path = record(tmp_path, z_m=0.9 + sine(0.1, 0.5), heading_deg=83.0 + sine(5.0, 0.5))
    found = fit_of(recorded(path, z="z_m", alpha="heading_deg"))
    assert changed(found) == {"motion.map.z.bias": 0.9, "motion.map.alpha.bias": 83.0}
    assert found.refused_scale is None


def test_noise_is_filtered_by_the_highest_cutoff_that_is_enough(tmp_path):
    noise = np.random.default_rng(1).normal(0.0, 1e-3, T_S.size)
    the_plan = recorded(record(tmp_path, x_m=sine(0.08, 0.5) + noise), x="x_m")
    found = fit_of(the_plan)
    assert set(changed(found)) == {"motion.lowpass_hz"}
    cutoff_hz = changed(found)["motion.lowpass_hz"]
    higher = next(one for one in reversed(CUTOFFS_HZ) if one > cutoff_hz)
    too_high = recorded(the_plan.scenario.motion.file, f"motion.lowpass_hz={higher}", x="x_m")
    assert MotionBounds(too_high).largest(motion_of(too_high)).scale < 0.98


def test_a_lead_that_is_too_quick_becomes_longer(tmp_path):
    the_plan = recorded(record(tmp_path, x_m=0.3 + sine(0.01, 0.5)), "motion.fade_s=0.5", x="x_m")
    biased = changed(fit_of(the_plan))
    assert set(biased) == {"motion.map.x.bias"}, "it need not be led at all"
    sines = {"kind": "multi_sine", "duration_s": 3.0, "fade_s": 0.3}
    sines["terms"] = [{"axis": "x", "amplitude_m": 0.2, "frequency_hz": 0.1, "phase_deg": 90.0}]
    found = fit_of(plan("rate_hz=25", motion=sines))
    assert set(changed(found)) == {"motion.fade_s"}
    assert changed(found)["motion.fade_s"] > 0.3


def test_a_motion_across_the_weak_direction_is_turned(tmp_path):
    weak = "rig_settings.limits.speed_max_m_s=[0.5, 0.5, 0.3, 0.3, 0.5, 0.5]"
    slow = "rig_settings.slow_moves.speed_m_s=0.2"
    found = fit_of(recorded(record(tmp_path, x_m=sine(0.3, 0.5)), weak, slow, x="x_m"))
    assert set(found.plan.scenario.motion.map) == {"y"}
    assert found.share_alone < 0.9


@pytest.mark.parametrize("turning", ["beta", "gamma"])
def test_a_quarter_turn_is_the_same_motion_in_another_direction(turning, tmp_path):
    columns = {"x_m": sine(0.05, 0.4), "y_m": sine(0.03, 0.7), "a_deg": sine(9.0, 0.3)}
    path = record(tmp_path, **columns, b_deg=sine(8.0, 0.6))
    the_plan = recorded(path, x="x_m", y="y_m", alpha="a_deg", **{turning: "b_deg"})
    motion = motion_of(the_plan)
    settings, samples = quarter_turned(the_plan.scenario.motion, motion.samples())
    scenario = the_plan.scenario.model_copy(update={"motion": settings})
    turned = motion_of(the_plan.model_copy(update={"scenario": scenario}))
    assert turned.samples() == pytest.approx(samples, abs=1e-15)
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    for t_s in (0.3, 1.7, 3.1):
        one, other = motion.sample(t_s).X_BP, turned.sample(t_s).X_BP
        assert other.position_m == pytest.approx(quarter @ one.position_m, abs=1e-14)
        assert other.rotation == pytest.approx(quarter @ one.rotation @ quarter.T, abs=1e-14)


def test_a_wrong_unit_is_named_with_what_mends_it_and_never_guessed(tmp_path):
    arguments = [*RIG, "--motion", record(tmp_path, x_m=sine(60.0, 0.5)), *QUICKLY]
    refused = runner.invoke(
        app, ["run", *map(str, arguments), "--fit", "--json", "--out", str(tmp_path)]
    )
    assert refused.exit_code == 1
    lines = refused.stderr.splitlines()
    assert json.loads(refused.stdout)["command"] in lines
    assert "--map x=x_m:mm, or" in next(one for one in lines if one.startswith("column 'x_m'"))
    mended, as_said = (lines[k + 1] for k, one in enumerate(lines) if one == TO_PASTE)
    assert "--map x=x_m:mm " in mended
    assert "motion.scale=" in as_said, "if the unit is right, it is very small"
    for command in (mended, as_said):
        pasted(command.replace("hil run", "hil check").partition(" --out")[0], 0)


def test_degrees_in_a_column_of_radians_are_seen(tmp_path):
    path = record(tmp_path, pitch_rad=sine(6.0, 0.5), z_m=0.9 + sine(0.01, 0.5))
    found = fit_of(recorded(path, beta="pitch_rad", z="z_m"))
    assert [(one.axis, one.unit, one.likely) for one in found.guesses] == [("beta", "rad", "deg")]
    assert changed(found) == {"motion.map.beta.unit": "deg", "motion.map.z.bias": 0.9}
    assert found.as_said is not None


def test_a_long_way_of_metres_is_no_wrong_unit(tmp_path):
    the_plan = recorded(record(tmp_path, x_m=sine(3.0, 0.5)), x="x_m")
    samples = motion_of(the_plan).samples()
    assert not list(likely_units(the_plan.scenario.motion, samples, np.full(6, 0.6)))
    assert list(likely_units(the_plan.scenario.motion, 10.0 * samples, np.full(6, 0.6)))


def test_a_fitted_run_says_so_in_its_recording(tmp_path):
    arguments = [*RIG, "--motion", record(tmp_path, **UNFIT["too far"]), *QUICKLY]
    told = as_json("run", *arguments, "--fit", "--out", tmp_path, status=0)
    recording = Recording.open(tmp_path / told["recording"])
    played = Plan.build(recording.scenario, "recording")
    assert [one.model_dump() for one in played.fitted] == told["fitted"] != []
    scale = {one["key"]: one["after"] for one in told["fitted"]}["motion.scale"]
    assert played.scenario.motion.scale == scale < 1.0
    assert f"motion.scale: 1.0 -> {scale}" in recording.metadata["run"]["fitted"]
    moved = recording.column("wanted_pose")
    assert np.nanmax(np.abs(moved[:, 0])) == pytest.approx(0.5 * scale, rel=0.01)


def test_a_run_that_its_motion_stops_ends_with_the_command(tmp_path):
    arguments = ["leaves_envelope", *QUICKLY, "--set", "motion.terms.1.frequency_hz=0.2"]
    arguments += ["--set", "motion.duration_s=5", "--out", tmp_path]
    tripped = as_json("run", *arguments, status=1)
    assert tripped["outcome"] == "tripped"
    pasted(tripped["fit"]["command"], 0)
    refused = runner.invoke(app, [*map(str, ["run", *arguments]), "--set", "check_first=true"])
    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[-1].startswith("hil run ")
    assert tripped["fit"]["changes"][0]["key"] in refused.stderr


def test_a_run_with_a_fault_gets_no_advice_about_its_motion(tmp_path):
    fault = 'faults=[{kind="drive_fault", leg=3, start_s=2.0, value=8976}]'
    arguments = ["heave", "--set", "rate_hz=25", "--set", fault, "--out", tmp_path]
    assert as_json("run", *arguments, status=1)["fit"] is None


def test_what_was_set_before_is_set_anew_once(tmp_path):
    path = record(tmp_path, **{"x_m": 1.2 + sine(0.3, 0.5)})
    maps = ["--map", "t=t_s,x=x_m::1.5:2", "--set", "motion.map.x.bias=1.4"]
    given = [*RIG, "--motion", path, *maps, *QUICKLY, "--set", "motion.scale=1.5"]
    command = as_json("check", *given, status=1)["fit"]["command"]
    assert command.count("motion.scale=") == 1
    assert "motion.map" not in command
    assert "--map x=x_m:m:1.2:2.0 " in command
    assert pasted(command, 0).startswith("ok")


def test_standing_outside_has_no_remedy():
    told = hil("check", "hold_neutral", "--set", "motion.neutral.z_m=1.9", *QUICKLY[:2], status=1)
    assert told.splitlines()[-1] == NOTHING_FITS


def test_a_rise_that_is_refused_has_no_remedy_in_the_motion(tmp_path):
    slower = "rig_settings.limits.speed_max_m_s=0.1"
    the_plan = recorded(record(tmp_path, x_m=sine(0.1, 0.5)), slower, x="x_m")
    assert find_fit(the_plan, motion_of(the_plan)) is None


SCALED = {
    "multi_sine": {
        "duration_s": 3.0,
        "terms": [{"axis": "x", "amplitude_m": 0.1, "frequency_hz": 0.5}],
    },
    "moves": {"to": [{"pose": {"z_m": 0.9, "x_m": 0.1, "beta_deg": 5.0}}]},
    "legs": {"to": [{"offsets_m": [0.05, 0.02, 0.03, 0.04, 0.05, 0.01]}]},
}


@pytest.mark.parametrize("kind", SCALED)
def test_a_scale_keeps_the_shape(kind):
    table = {"kind": kind} | SCALED[kind]
    full, half = (motion_of(plan(motion=table | scale)) for scale in ({}, {"scale": 0.5}))
    rest = full.sample(0.0).X_BP
    where = 0.5 if kind == "multi_sine" else 1.0
    ends = [one.sample(where * one.duration_s - 0.3 * (where < 1.0)).X_BP for one in (full, half)]
    if kind == "legs":
        geometry = geometry_of(plan().rig)
        start, far, near = (leg_lengths(geometry, X) for X in (rest, *ends))
        assert near - start == pytest.approx(0.5 * (far - start), abs=1e-12)
    else:
        start = plan().rig.neutral.coordinates()
        far, near = (X.coordinates() - start for X in ends)
        assert np.abs(far).max() > 0.01
        assert near == pytest.approx(0.5 * far, abs=1e-12)


def test_rows_are_what_is_sampled(tmp_path):
    sines = {"kind": "multi_sine"} | SCALED["multi_sine"]
    path = record(tmp_path, x_m=0.02 + sine(0.05, 0.4), a_deg=sine(4.0, 0.9))
    for motion in (
        motion_of(plan(motion=sines)), motion_of(recorded(path, x="x_m", gamma="a_deg")),
    ):  # fmt: skip
        times_s = np.linspace(0.0, motion.duration_s, 23)
        for t_s, rows in zip(times_s, motion.rows(times_s), strict=True):
            assert np.array_equal(
                PlatformSetpoint.from_rows(rows).packed, motion.sample(t_s).packed
            )


def test_a_map_is_proposed_for_columns_with_well_known_names(tmp_path):
    path = tmp_path / "quake.csv"
    path.write_text("time_ms,acc_north_m_s2,disp_north_m,disp_up_m,roll_deg\n0,0,0,0,0\n")
    told = runner.invoke(app, ["check", *RIG, "--motion", str(path)])
    assert told.exit_code == 2
    assert "--map t=time_ms,x=disp_north_m,z=disp_up_m,gamma=roll_deg " in told.stderr


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"x_m": sine(1600.0, 0.5)}, "--map x=x_m:mm"),
        ({"t_s": T_S * 1e3, "x_m": sine(0.1, 0.5)}, "--map t=t_s:ms"),
    ],
)
def test_what_cannot_be_read_in_its_unit_names_the_likely_one(columns, words, tmp_path):
    path = record(tmp_path, **{name: one for name, one in columns.items() if name != "t_s"})
    if "t_s" in columns:
        lines = path.read_text().splitlines()
        rows = zip(columns["t_s"].tolist(), lines[1:], strict=True)
        stamped = [f"{t!r},{one.split(',')[1]}" for t, one in rows]
        path.write_text("\n".join([lines[0], *stamped]))
    with pytest.raises(ConfigError, match=words):
        motion_of(recorded(path, x="x_m"))
