"""`hil cue` from the command line: keys, exit status, refusals, and what its figures mean."""

import json
import math
from pathlib import Path

import numpy as np
import orjson
import pytest
from campaign import rate_hz
from rack_bench import write_quick_rig
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.stations.simulator.plan.scenario import RidePlan

pytestmark = pytest.mark.campaign  # at the full rate
KEYS = [
    "format", "ok", "nrmse", "correlation", "false_cue_share", "over_threshold", "worst_cue",
    "worst_governed", "peak", "margin_min", "governed_share", "gate_stops", "gain", "recording",
]  # fmt: skip
AXES = ["surge", "sway", "heave", "roll", "pitch", "yaw"]
TABLE = "t_s,f_x_m_s2,f_y_m_s2,f_z_m_s2"


def hil_cue(*words):
    return CliRunner().invoke(app, ["cue", *(str(word) for word in words)])


def record(path, seconds=6.0, strength=2.0, rate_hz=50.0):
    """A drive: it pulls and brakes, and sways, from rest to rest."""
    t_s = np.arange(0.0, seconds + 0.5 / rate_hz, 1.0 / rate_hz)
    window = np.sin(np.pi * t_s / seconds) ** 2
    surge = strength * window * np.sin(2 * np.pi * 0.2 * t_s)
    sway = 0.5 * strength * window * np.sin(2 * np.pi * 0.4 * t_s)
    rows = np.stack([t_s, surge, sway, np.full_like(t_s, -9.80665)], axis=1)
    path.write_text(
        TABLE + "\n" + "\n".join(",".join(f"{v:.6f}" for v in row) for row in rows) + "\n"
    )
    return path


def ride_of(csv, preset="tight"):
    """A scenario of a recorded drive as `hil cue` makes it, but for rate and slow moves."""
    write_quick_rig(csv.parent)
    path = csv.with_suffix(".toml")
    path.write_text(
        f'name = "ride"\nstation = "simulator"\nrig = "paper_quick.toml"\nrate_hz = {rate_hz()}\n'
        f'[source]\nkind = "recording"\nfile = "{csv.name}"\n[cueing]\npreset = "{preset}"\n'
    )
    return path


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    return record(tmp_path_factory.mktemp("ride") / "drive.csv")


@pytest.fixture(scope="module")
def told(drive):
    """The drive by the tight preset, as JSON."""
    result = hil_cue(drive, "--json", "--out", drive.parent)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_object_has_exactly_these_keys(told):
    assert list(told) == KEYS
    for key in KEYS[2:6]:
        assert list(told[key]) == AXES
    assert list(told["peak"]) == ["x_m", "y_m", "z_m", "alpha_deg", "beta_deg", "gamma_deg"]


def test_figures_of_a_drive_that_fits(told):
    assert told["gain"] == 0.25
    assert told["gate_stops"] == 0
    assert told["governed_share"] == 0.0
    assert 0.0 < told["margin_min"] < 1.0
    assert 0.0 < told["nrmse"]["surge"] < 1.0
    assert told["correlation"]["surge"] > 0.5
    assert told["nrmse"]["yaw"] is None  # nothing was wanted


def test_the_score_is_that_of_the_recorded_signals(told):
    """Once more from the recording's columns, through SciPy's own simulation of the otolith."""
    from scipy.signal import lsim

    recording = Recording.open(Path(told["recording"]))
    rows = (recording.column("mode") == recording.header.modes.index("ENGAGED")) & (
        recording.column("weight") > 0
    )
    span = slice(np.flatnonzero(rows)[0], np.flatnonzero(rows)[-1] + 1)
    otolith = ([0.4 * 13.2, 0.4], np.polymul([5.33, 1.0], [0.66, 1.0]))
    sensed = []
    for name, share in (("wanted_force_m_s2", 0.25), ("felt_force_m_s2", 1.0)):
        raw = share * recording.column(name)[span, 0]
        _, y, _ = lsim(otolith, raw - raw.mean(), np.arange(len(raw)) * 0.002)
        sensed.append(y)
    error = np.sqrt(np.mean((sensed[0] - sensed[1]) ** 2) / np.mean(sensed[0] ** 2))
    assert told["nrmse"]["surge"] == pytest.approx(error, rel=1e-6)
    correlation = np.corrcoef(*sensed)[0, 1]
    assert told["correlation"]["surge"] == pytest.approx(correlation, rel=1e-6)


def test_the_recording_is_a_ride_of_the_station(told):
    recording = Recording.open(Path(told["recording"]))
    plan = RidePlan.build(recording.scenario or {}, "header")
    assert plan.scenario.source.model_dump()["kind"] == "recording"
    away = recording.column("wanted_pose")[:, 0] - plan.rig.neutral.coordinates()[0]
    engaged = recording.column("mode") == recording.header.modes.index("ENGAGED")
    assert told["peak"]["x_m"] == pytest.approx(np.nanmax(np.abs(away[engaged])), rel=1e-9)


def test_a_gain_is_the_share_of_the_vehicles_force(drive, told, tmp_path):
    result = hil_cue(ride_of(drive), "--gain", 0.5, "--json", "--out", tmp_path)
    double = json.loads(result.stdout)
    assert double["gain"] == pytest.approx(0.5)
    assert double["peak"]["x_m"] == pytest.approx(2 * told["peak"]["x_m"], rel=0.05)


def test_same_ride_same_recording(drive, tmp_path):
    words = (ride_of(drive), "--json", "--out", tmp_path)
    twice = [json.loads(hil_cue(*words).stdout) for _ in range(2)]
    digests = [Recording.open(Path(one["recording"])).sha256 for one in twice]
    assert digests[0] == digests[1]


def test_too_much_is_governed_or_stopped_by_the_gate(tmp_path):
    wild = ride_of(record(tmp_path / "wild.csv", seconds=4.0, strength=120.0))
    words = (wild, "--gain", 1.0, "--json", "--out", tmp_path)
    governed = hil_cue(*words)
    with_it = json.loads(governed.stdout)
    assert (governed.exit_code, with_it["gate_stops"]) == (0, 0)
    assert with_it["governed_share"] > 0.1
    assert with_it["margin_min"] >= 0.0
    bare = hil_cue(*words, "--no-governor")
    without = json.loads(bare.stdout)
    assert (bare.exit_code, without["gate_stops"], without["ok"]) == (1, 1, False)


def test_fit_finds_the_largest_gain_that_is_left_alone(tmp_path):
    hard = ride_of(record(tmp_path / "hard.csv", seconds=4.0, strength=8.0))
    fitted = json.loads(hil_cue(hard, "--fit", "--json", "--out", tmp_path).stdout)
    assert fitted["governed_share"] == 0.0
    assert fitted["margin_min"] > 0.0
    more = 1.03 * fitted["gain"]
    beyond = json.loads(hil_cue(hard, "--gain", more, "--json", "--out", tmp_path).stdout)
    assert beyond["governed_share"] > 0.0


def test_what_people_read(drive, tmp_path):
    picture = tmp_path / "felt.png"
    result = hil_cue(ride_of(drive), "--out", tmp_path, "--picture", picture)
    assert "gain 0.25 (in a scenario: cueing.gain = 1)" in result.output
    assert "stops by the gate: 0" in result.output
    assert picture.read_bytes().startswith(b"\x89PNG")


def short(tmp_path):
    return record(tmp_path / "short.csv", seconds=1.0), (), "at least 2 s"


def unsorted_times(tmp_path):
    path = record(tmp_path / "back.csv")
    lines = path.read_text().splitlines()
    lines[30], lines[40] = lines[40], lines[30]
    path.write_text("\n".join(lines))
    return path, (), "it must grow"


def gap(tmp_path):
    path = record(tmp_path / "gap.csv")
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:50] + lines[120:]))
    return (
        path,
        (),
        "gap_max_s is 0.25 s (unit 's' right? if it is ms: time.unit = \"ms\" in its map",
    )


def forceless(tmp_path):
    path = tmp_path / "angles.csv"
    rows = [f"{0.02 * k:.2f},0.0" for k in range(200)]
    path.write_text("t_s,p_rad_s\n" + "\n".join(rows))
    return path, (), "force"


def map_file(tmp_path, line):
    path = tmp_path / "own.toml"
    path.write_text(f'name = "own"\n[columns]\nf_x = {line}\n')
    return record(tmp_path / "r.csv"), ("--map", path)


@pytest.mark.parametrize(
    "case",
    [
        short,
        unsorted_times,
        gap,
        forceless,
        lambda p: (*map_file(p, '{ column = "f_q", unit = "m_s2" }'), "no column 'f_q'"),
        lambda p: (*map_file(p, '{ column = "f_x_m_s2", unit = "mph" }'), "mph"),
        lambda p: (record(p / "r.csv"), ("--preset", "nobody"), "nobody"),
        lambda p: (record(p / "r.csv"), ("--map", "nobody"), "nobody"),
        lambda p: (record(p / "r.csv"), ("--gain", "nan"), "--gain: nan: it must be finite"),
        lambda p: (record(p / "r.csv"), ("--gain", "-1"), "--gain: -1"),
        lambda p: (record(p / "r.csv"), ("--algorithm", "magic"), "magic"),
        lambda p: (record(p / "r.csv"), ("--preview", "2"), "looks at nothing ahead"),
        lambda p: (record(p / "r.csv"), ("--fit", "--gain", "0.3"), "--fit finds it"),
        lambda p: (p / "nothing.csv", (), "nothing.csv"),
        lambda p: (record(p / "r.csv"), ("--picture", p / "no" / "x.png"), "there is no folder"),
        lambda p: (record(p / "r.csv"), ("--rig", "nobody"), "command line: rig = 'nobody'"),
    ],
)
def test_what_cannot_be_ridden_is_refused_and_nothing_runs(tmp_path, case):
    path, options, says = case(tmp_path)
    result = hil_cue(path, *options, "--json", "--out", tmp_path / "runs")
    assert result.exit_code == 2, result.output
    error = json.loads(result.stdout)["error"]
    assert says in error
    assert not (tmp_path / "runs").exists()


def test_check_names_axis_and_slope_of_a_wrong_sign(tmp_path):
    t_s = np.arange(0.0, 20.0, 0.02)
    v = 10.0 + 3.0 * np.sin(0.5 * t_s)
    f_x = -1.5 * np.cos(0.5 * t_s)  # the change of v, with the wrong sign
    rows = [f"{t:.2f},{f:.5f},0,-9.81,{s:.5f}" for t, f, s in zip(t_s, f_x, v, strict=True)]
    path = tmp_path / "wrong.csv"
    path.write_text(TABLE + ",v_x_m_s\n" + "\n".join(rows))
    result = hil_cue("check", path, "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["ok"]) == (1, False)
    (line,) = [one for one in told["lines"] if one["axis"] == "f_x"]
    assert line["verdict"] == "wrong sign"
    assert line["slope"] == pytest.approx(-1.0, abs=0.02)
    assert "f_x: slope -1" in hil_cue("check", path).output


def test_a_record_may_be_a_shipped_name_a_file_or_a_scenario_of_either():
    shipped = configs_dir() / "motions" / "test_drive.csv"
    names = ("test_drive", shipped, "test_drive.csv", "recorded_ride", "recorded_ride.toml")
    told = [hil_cue("check", name, "--json") for name in names]
    assert [one.exit_code for one in told] == [0] * 5
    assert len({one.stdout for one in told}) == 1
    assert json.loads(told[0].stdout)["ok"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("live_demo",), "source.kind = 'host' has no recording"),
        (("recorded_ride", "--map", "car_dresden"), "a scenario names its map itself"),
        (("nobody",), "RECORD = 'nobody': no such file"),
        (("nobody.toml",), "scenarios/nobody.toml"),
        (("no\0body",), "no file name"),
    ],
)
def test_a_record_that_is_none_is_refused_by_name(words, says):
    result = hil_cue("check", *words, "--json")
    assert result.exit_code == 2
    assert says in json.loads(result.stdout)["error"]


def posed(path):
    """Poses that somebody recorded: to and fro by 30 mm, nodding by 2 degrees."""
    t_s = np.arange(0.0, 5.0, 0.02)
    window = np.sin(np.pi * t_s / t_s[-1]) ** 2
    north, pitch = 0.03 * window * np.sin(2.0 * t_s), np.radians(2.0) * window
    rows = [f"{t:.2f},{n:.6f},0,0,0,{p:.6f},0" for t, n, p in zip(t_s, north, pitch, strict=True)]
    path.write_text("t_s,north_m,east_m,down_m,roll_rad,pitch_rad,yaw_rad\n" + "\n".join(rows))
    return path, float(np.abs(north).max())


def test_recorded_poses_are_followed_by_the_direct_algorithm(tmp_path):
    path, most_m = posed(tmp_path / "poses.csv")
    words = (ride_of(path, "direct"), "--json", "--out", tmp_path)
    told = json.loads(hil_cue(*words).stdout)
    assert told["peak"]["x_m"] == pytest.approx(most_m, rel=0.02)
    assert told["peak"]["beta_deg"] == pytest.approx(2.0, rel=0.02)
    assert told["gate_stops"] == 0


def test_the_direct_algorithm_is_refused_where_no_pose_is_told(drive, tmp_path):
    result = hil_cue(drive, "--algorithm", "direct", "--json", "--out", tmp_path)
    assert result.exit_code == 2
    assert "follows poses, and this source tells none" in json.loads(result.stdout)["error"]
    assert not list(tmp_path.rglob("*.mcap"))


def test_tune_writes_a_preset_that_cue_takes(drive, tmp_path):
    preset = tmp_path / "mine.toml"
    words = ("--travel", 0.05, "--trials", 100, "--gain", 0.3, "-o", preset, "--json")
    result = hil_cue("tune", drive, *words)
    told = json.loads(result.stdout)
    assert result.exit_code == 0
    assert told["best"]["error"] < told["start"]["error"]
    assert told["best"]["travel_m"] <= 0.05
    assert told["trials"] == 100
    ridden = hil_cue(ride_of(drive), "--preset", preset, "--json", "--out", tmp_path)
    scored = json.loads(ridden.stdout)
    assert scored["gain"] == pytest.approx(0.3)
    assert scored["nrmse"]["surge"] == pytest.approx(told["best"]["parts"][0], abs=0.03)
    assert max(scored["peak"]["x_m"], scored["peak"]["y_m"]) <= 0.053


def test_tune_to_the_cueing_test_needs_no_record(tmp_path):
    words = ("--objective", "omct", "--travel", 0.155, "--tilt", 3, "--json")
    told = json.loads(hil_cue("tune", *words).stdout)
    assert min(told["start"]["parts"]) == pytest.approx(0.4203, abs=1e-3)
    assert min(told["best"]["parts"]) >= 0.55


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--objective", "omct", "--travel", "nan"), "--travel nan m"),
        (("--objective", "omct", "--tilt", "0"), "--tilt 0 deg/s"),
        (("--objective", "fun"), "--objective fun"),
        ((), "a RECORD is needed"),
        (("--objective", "omct", "--trials", "3"), "64 to"),
    ],
)
def test_a_tuning_that_cannot_be_is_refused(words, says):
    result = hil_cue("tune", *words, "--json")
    assert result.exit_code == 2
    assert says in json.loads(result.stdout)["error"]


def test_omct_tells_each_point_and_never_passes():
    words = ("--tests", "6,7", "--frequencies", "3.981", "--no-drives")
    result = hil_cue("omct", *words, "--json")
    told = orjson.loads(result.stdout)
    assert [one["name"] for one in told["points"]] == ["surge to surge", "surge to pitch"]
    assert set(told["points"][0]) == {
        "test", "name", "rad_s", "amplitude", "modulus", "phase_deg", "coherence", "limited_share",
    }  # fmt: skip
    assert all(math.isfinite(one["modulus"]) for one in told["points"])
    assert "pass" not in hil_cue("omct", *words).output.lower()
    assert hil_cue("omct", "--tests", "11", "--json").exit_code == 2
    assert hil_cue("omct", "--frequencies", "0", "--json").exit_code == 2


def test_compare_says_who_was_best(drive):
    words = ("--algorithms", "classical:tight,classical:base", "--json")
    told = json.loads(hil_cue("compare", drive, *words).stdout)
    assert [one["preset"] for one in told["rows"]] == ["tight", "base"]
    means = [one["mean"] for one in told["rows"]]
    best = told["rows"][int(np.argmin(means))]
    assert (told["best"], told["best_algorithm"]) == (best["preset"], "classical")
    assert told["gain"] == 0.25
    assert means[0] != means[1]
    people = hil_cue("compare", drive, *words[:-1]).output
    assert f"best: {best['preset']} by classical" in people
    assert "the simple one" in people
