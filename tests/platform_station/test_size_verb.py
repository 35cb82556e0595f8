"""`hil platform size`: what motions ask, which cylinders fit, and what is refused."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.machines.rig.cylinders import load_catalogue

ROW = """
[[cylinder]]
maker = "M"
series = "S"
variant = "1"
stroke_max_m = 0.8
dead_length_m = 0.28
speed_max_m_s = 0.6
force_peak_n = 6000.0
force_continuous_n = 2800.0
screw_lead_m = 0.01
screw_root_m = 0.0169
rod_m = 0.028
dynamic_rating_n = 14000.0
efficiency = 0.9
"""
HEAD = 'source = "nobody"\nchecked = true\n'
FORCES = ("--mass", "300", "--centre", "0,0,0.35")


def size(*words, status=0, rig="paper"):
    done = CliRunner().invoke(app, ["platform", "size", str(rig), *map(str, words)])
    assert done.exit_code == status, done.output[:2000] + repr(done.exception)
    return done


def summary(*words, **options):
    return json.loads(size(*words, "--json", **options).stdout)


def catalogue(tmp_path, **changes):
    text = HEAD + ROW
    for key, value in changes.items():
        line = next(one for one in ROW.splitlines() if one.startswith(f"{key} ="))
        text = text.replace(line, f"{key} = {value}")
    file = tmp_path / "mine.toml"
    file.write_text(text)
    return file


def test_all_shipped_cylinders_are_read_and_said_to_be_approximate():
    listed = load_catalogue()
    assert len(listed) >= 8
    assert len({one.name for one in listed}) == len(listed)
    assert not any(one.checked for one in listed)


def test_motions_of_three_kinds_name_what_fits():
    """A record of the ground, a ride with its cueing, and sines."""
    found = summary("--for", "ground_motion,recorded_ride,ship_deck", *FORCES)
    assert [one["motion"] for one in found["motions"]] == [
        "ground_motion", "recorded_ride", "ship_deck",
    ]  # fmt: skip
    assert all(one["force_peak_n"] > 526.0 for one in found["motions"])
    assert found["ok"]
    fits = [one["name"] for one in found["cylinders"] if one["fits"]]
    assert "Parker ETH032 M05" in fits
    assert found["needed"]["force_peak_n"] == max(one["force_peak_n"] for one in found["motions"])
    reserves = [one["margin"] for one in found["cylinders"] if one["fits"]]
    assert reserves == sorted(reserves)
    assert not found["mass_assumed"]


def test_a_hold_bears_the_weight():
    """Six shares of 60 kg at the paper's neutral pose: m g l / 6 z; no path, no wear."""
    found = summary("--for", "hold_neutral")
    assert found["mass_assumed"]
    assert found["mass_kg"] == 360.0
    rest = 360.0 * 9.81 * 1.002901283 / (6.0 * 0.935)
    for key in ("force_peak_n", "force_rms_n", "force_push_n"):
        assert found["needed"][key] == pytest.approx(rest, rel=1e-9)
    assert found["needed"]["force_cubic_mean_n"] == 0.0
    assert found["needed"]["stroke_m"] == pytest.approx(0.010)


def test_what_a_cylinder_lacks_is_said(tmp_path):
    words = "--for", "ship_deck", *FORCES, "--catalogue"
    assert summary(*words, catalogue(tmp_path))["cylinders"][0]["fits"]
    for key, value, lacks in (
        ("stroke_max_m", 0.2, "stroke_m"), ("dead_length_m", 0.8, "closed_length_m"),
        ("speed_max_m_s", 0.1, "speed_m_s"), ("rod_m", 0.0169, None),
        ("force_continuous_n", 500.0, "force_rms_n"), ("dynamic_rating_n", 900.0, "life_m"),
    ):  # fmt: skip
        found = summary(*words, catalogue(tmp_path, **{key: value}), status=1 if lacks else 0)
        (one,) = found["cylinders"]
        assert one["fits"] == (lacks is None), one
        if lacks:
            assert one["binding"] == lacks
            assert one["properties"][lacks]["margin"] == one["margin"] < 0.0
    weak = catalogue(tmp_path, force_peak_n=600.0, force_continuous_n=590.0)
    shown = size(*words, weak, status=1).stdout
    assert "peak force 600, needed 8" in " ".join(shown.split())
    assert "approximate" not in shown, "checked"


def test_a_motion_out_of_reach_is_sized_all_the_same():
    """No cylinder has a stroke of 0.74 m and a closed length of 0.64 m, as the paper's would."""
    found = summary("--for", "leaves_envelope", *FORCES, status=1)
    assert {one["binding"] for one in found["cylinders"]} == {"closed_length_m"}
    (one,) = found["motions"]
    assert one["outside_share"] > 0.0
    assert "limit" in one["outside"]
    assert "this rig cannot reach it" in size("--for", "leaves_envelope", *FORCES, status=1).stdout


def test_a_recorded_motion_is_read(tmp_path):
    file = tmp_path / "ride.csv"
    text = "t_s,z_m\n" + "\n".join(f"{0.01 * n},{0.0001 * min(n, 200 - n)}" for n in range(201))
    file.write_text(text + "\n")
    found = summary("--for", file, *FORCES)
    assert found["motions"][0]["duration_s"] > 2.0


def test_pictures_are_written(tmp_path):
    found = summary("--for", "heave", "--pictures", tmp_path / "p")
    assert {path.name for path in (tmp_path / "p").iterdir()} == {
        "size_force_and_speed.png", "size_reserves.png",
    }  # fmt: skip
    assert len(found["written"]) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--for", " , "], "at least one scenario or file is needed"),
        (["--for", "dmeo"], "--for = 'dmeo': no such file"),
        (["--for", "circle_on_rm01"], "moves no platform"),
        (["--for", "paper"], "is a rig"),
        (["--for", "heave", "--mass", "0"], "0 kg: must be above 0 kg"),
        (["--for", "heave", "--mass", "nan"], "nan kg: must be above 0 kg"),
        (["--for", "heave", "--centre", "0,0,350"], "positions are in metres"),
        (["--for", "heave", "--centre", "0,0"], "2 numbers; 3 are needed"),
        (["--for", "heave", "--moments", "1,1,9"], "above the sum of the others"),
        (["--for", "heave", "--catalogue", "nowhere.toml"], "nowhere.toml: cannot be read"),
    ],
)
def test_bad_input_is_refused(words, said):
    assert said in " ".join(size(*words, status=2).output.split())


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("stroke_max_m = 0.8", "stroke = 800", "unknown key (did you mean stroke_max_m?)"),
        ("stroke_max_m = 0.8", "stroke_max_m = 800.0", "is the value in millimetres?"),
        ("force_peak_n = 6000.0", "force_peak_n = nan", "must be a finite number"),
        ("force_peak_n = 6000.0", "", "force_peak_n is left out"),
        ("efficiency = 0.9", "efficiency = 1.1", "efficiency = 1.1"),
        ("efficiency = 0.9", "efficiency = 0.0", "efficiency = 0"),
        ("force_continuous_n = 2800.0", "force_continuous_n = 7000.0", "no force can last"),
        ("screw_root_m = 0.0169", "screw_root_m = 0.05", "the screw goes into the rod"),
        ('source = "nobody"', "", "source is left out"),
    ],
)
def test_rows_that_cannot_be_are_refused(tmp_path, before, after, said):
    file = tmp_path / "mine.toml"
    file.write_text((HEAD + ROW).replace(before, after))
    with pytest.raises(ConfigError) as refused:
        load_catalogue([file])
    assert said in str(refused.value)
    assert str(file) in str(refused.value)


def test_shipped_catalogues_are_of_their_kind(tmp_path):
    from hil.machines.kinds import CYLINDERS
    from hil.run.file_kinds import find_kind

    copied = shutil.copy(configs_dir() / "cylinders" / "parker_eth.toml", tmp_path / "x.toml")
    assert find_kind(str(copied), CYLINDERS, key="CATALOGUE")[1] is CYLINDERS
