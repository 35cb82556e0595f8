"""`hil platform size`: what motions ask, which cylinders fit, and what is refused."""

import json
import math
import shutil

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir, find_file
from hil.machines.rig.cylinders import load_catalogue
from hil.machines.rig.machine import load_rig
from hil.stations.platform.commands.rig_model import POSE_KEYS
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.platform.proof.machine_check import check_machine
from hil.stations.platform.proof.sizing_report import fit_row

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


def test_all_shipped_cylinders_are_read_and_say_how_sure_they_are():
    listed = load_catalogue()
    assert len(listed) >= 8
    assert len({one.name for one in listed}) == len(listed)
    assert {one.cylinder.maker for one in listed if one.checked} == {"Bosch Rexroth"}
    for one in listed:
        assert bool(one.cylinder.estimated) == one.checked, "the others are estimates throughout"


def test_a_checked_row_is_one_with_itself():
    """The sheet's greatest force, lead and torque at the journal agree with the efficiency."""
    for one in load_catalogue():
        if one.cylinder.torque_peak_nm is not None:
            ideal_nm = one.cylinder.force_peak_n * one.cylinder.screw_lead_m / (2.0 * math.pi)
            share = ideal_nm / one.cylinder.torque_peak_nm
            assert share == pytest.approx(one.cylinder.efficiency, rel=0.01)


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


CABIN = "paper_cabin"


def test_of_the_shipped_catalogue_some_fit_the_cabin_and_some_do_not():
    """Issue 34: what fits is named, and of the others by what they do not."""
    found = summary("--for", "ground_motion,recorded_ride,ship_deck", rig=CABIN)
    lacks = {
        one["name"]: {key for key, got in one["properties"].items() if got["margin"] < 0.0}
        for one in found["cylinders"]
    }
    assert sum(not keys for keys in lacks.values()) == 13
    assert lacks["Parker ETH032 M16"] == {"force_peak_n", "force_stop_n"}
    assert lacks["Parker ETH032 M05"] == {"force_stop_n"}
    assert lacks["Bosch Rexroth EMC-50 20x10"] == {"force_stop_n"}
    assert lacks["Festo ESBF 50 lead 10"] == set()
    assert found["legs_assumed"] == ["tube_kg", "rod_kg"]


def test_a_stop_that_goes_too_far_is_said(tmp_path):
    weak = catalogue(tmp_path, force_peak_n=4000.0)
    words = "--for", "ground_motion", "--catalogue", weak
    found = summary(*words, rig=CABIN, status=1)
    (one,) = found["cylinders"]
    beyond = f"a leg goes {1e3 * one['stop_beyond_m']:.3g} mm beyond a stop, 4 allowed"
    assert fit_row(one, 0.004)[:4] == ("M S 1", "no", f"{one['margin']:+.0%}", beyond)
    assert one["margin"] == pytest.approx(0.004 / one["stop_beyond_m"] - 1.0)
    shown = size(*words, rig=CABIN, status=1).stdout
    assert "tubes and rods of the rig's legs" in shown
    assert "tube_kg, rod_kg: not given by 1 of 1 rows" in shown


def as_cabin(tmp_path, **changes):
    """A row that says of its screw and motor what the rig `paper_cabin` says of its own."""
    drive = load_rig(find_file(CABIN, folder="rigs", key="RIG")).cylinders.drive
    own = (
        "rotor_kg_m2", "efficiency_back", "coulomb_n", "viscous_n_s_m", "torque_constant_nm_a",
        "winding_ohm", "torque_continuous_nm", "torque_peak_nm",
    )  # fmt: skip
    more = {key: getattr(drive, key) for key in own} | changes
    return catalogue(
        tmp_path, screw_lead_m=drive.lead_m, force_peak_n=4000.0,
        efficiency="0.9\n" + "\n".join(f"{key} = {value}" for key, value in more.items()),
    )  # fmt: skip


def checked_cabin(tmp_path, scenario):
    """What `hil check` finds of a motion on `paper_cabin` without Stribeck friction."""
    text = find_file(CABIN, folder="rigs", key="RIG").read_text()
    rig = tmp_path / "cabin.toml"
    rig.write_text(text.replace("stribeck_n = 60.0", "stribeck_n = 0.0"))
    plan = load_plan(find_file(scenario, folder="scenarios", key="scenario"), [f"rig={rig}"])
    return check_machine(plan.rig, motion_of(plan), plan.scenario.period_s)


@pytest.mark.parametrize("scenario", ["ground_motion", "ship_deck"])
def test_a_row_like_the_rigs_drive_needs_what_the_check_says(tmp_path, scenario):
    """Two ways to the same numbers: a rig with this drive, and this drive from a catalogue."""
    proof = checked_cabin(tmp_path, scenario)
    said, words = proof.figures, ("--for", scenario, "--catalogue", as_cabin(tmp_path))
    found = summary(*words, rig=CABIN, status=1 if proof.findings else 0)
    (one,) = found["cylinders"]
    needed = {key: got["needed"] for key, got in one["properties"].items()}
    near = {"rel": 1e-6}
    assert needed["force_peak_n"] == pytest.approx(max(said.force_n.max, -said.force_n.min), **near)
    assert needed["force_rms_n"] == pytest.approx(said.force_n.rms, **near)
    assert needed["force_stop_n"] == pytest.approx(
        max(said.stop_force_n.max, -said.stop_force_n.min), **near
    )
    assert one["stop_beyond_m"] == pytest.approx(said.stop_beyond_m, **near)
    assert one["torque_peak_nm"] == pytest.approx(said.motor_nm.max, **near)
    assert one["torque_rms_nm"] == pytest.approx(said.motor_nm.rms, **near)
    assert one["power_max_w"] == pytest.approx(said.power_w.max, **near)
    seconds = found["motions"][0]["duration_s"]
    assert one["returned_mean_w"] * seconds == pytest.approx(said.resistor_j, rel=1e-3)
    assert one["not_given"] == []
    assert one["assumed"] == ["tube_kg", "rod_kg"]


def test_what_a_row_does_not_give_is_said_and_not_guessed(tmp_path):
    (one,) = summary("--for", "ship_deck", "--catalogue", catalogue(tmp_path), rig=CABIN)[
        "cylinders"
    ]
    assert one["power_max_w"] is None
    assert "torque_peak_nm" not in one["properties"]
    assert one["not_given"] == [
        "rotor_kg_m2", "coulomb_n", "viscous_n_s_m", "torque_constant_nm_a", "winding_ohm",
        "torque_continuous_nm", "torque_peak_nm",
    ]  # fmt: skip
    assert one["shaft_power_max_w"] > 0.0


def test_a_motor_that_is_too_weak_is_named(tmp_path):
    words = "--for", "ship_deck", "--catalogue"
    weak = as_cabin(tmp_path, torque_peak_nm=4.0, torque_continuous_nm=2.0)
    found = summary(*words, weak, rig=CABIN, status=1)["cylinders"][0]["properties"]
    assert found["torque_peak_nm"]["margin"] < 0.0
    assert found["torque_rms_nm"]["margin"] < 0.0
    assert found["force_stop_n"]["offered"] == pytest.approx(4.0 * 2.0 * math.pi / 0.020)


def test_own_masses_of_a_cylinder_are_in_its_own_loads(tmp_path):
    """A tube and a rod hang on the platform: 18 N of a rod and more, each cylinder with its own."""
    text = catalogue(tmp_path).read_text()
    row = text[text.index("[[cylinder]]") :]
    heavy = row.replace('"1"', '"heavy"') + "tube_kg = 30.0\nrod_kg = 20.0\n"
    file = tmp_path / "two.toml"
    file.write_text(text + heavy)
    found = summary("--for", "hold_neutral", "--catalogue", file, "--mass", "300")
    light, laden = sorted(
        found["cylinders"], key=lambda one: one["properties"]["force_peak_n"]["needed"]
    )
    assert (light["name"], laden["name"]) == ("M S 1", "M S heavy")
    rest = 300.0 * 9.81 * 1.002901283 / (6.0 * 0.935)
    assert light["properties"]["force_peak_n"]["needed"] == pytest.approx(rest, rel=1e-9)
    assert found["needed"]["force_peak_n"] == pytest.approx(rest, rel=1e-9)
    own_n = 20.0 * 9.81 * 0.935 / 1.002901283  # the rod along its leg; tube and rod lean besides
    assert laden["properties"]["force_peak_n"]["needed"] > rest + 0.99 * own_n


def test_a_box_joins_motions():
    """Its extremes are those of `hil platform extremes`, and hold is the greatest force at rest."""
    found = summary("--for", "ship_deck", "--scale", "0.5", rig=CABIN)
    box, (deck,), needed = found["box"], found["motions"], found["needed"]
    assert needed["length_min_m"] == box["length_min_m"] < deck["length_min_m"]
    assert needed["length_max_m"] == box["length_max_m"] > deck["length_max_m"]
    assert needed["force_rms_n"] == box["force_hold_n"] > deck["force_peak_n"]
    assert needed["force_stop_n"] == deck["force_stop_n"]
    rest = [box["force_hold_pose"][key] for key in POSE_KEYS]
    done = CliRunner().invoke(
        app, ["platform", "forces", CABIN, "--json", "--pose", ",".join(map(str, rest))]
    )
    hold = [abs(value) for value in json.loads(done.stdout)["hold_n"]]
    # The rig's own rods and tubes are the same; rest knows no rotor.
    assert max(hold) == pytest.approx(box["force_hold_n"], rel=1e-9)
    shown = size("--for", "ship_deck", "--scale", "0.5", rig=CABIN).stdout
    assert [line.split()[0] for line in shown.splitlines()[2:5]] == ["ship_deck", "box", "all"]


def test_a_box_alone_and_the_whole_one_of_the_rig():
    found = summary("--scale", "1", rig=CABIN, status=1)
    assert found["motions"] == []
    assert found["box"]["length_min_m"] == pytest.approx(0.5970, abs=1e-4)
    assert found["box"]["length_max_m"] == pytest.approx(1.4370, abs=1e-4)
    assert all(one["properties"]["closed_length_m"]["margin"] < 0 for one in found["cylinders"])
    same = summary("--box", "-0.1,0.1,-0.1,0.1,0.73,1.14,-10,10,-10,10,-10,10", rig=CABIN, status=1)
    assert same["box"] == found["box"]


def test_stops_are_not_judged_where_nothing_has_moments():
    found = summary("--for", "ship_deck", *FORCES)
    assert {one["stop_beyond_m"] for one in found["cylinders"]} == {None}
    assert "stops are not judged" in size("--for", "ship_deck", *FORCES).stdout
    found = summary("--for", "ship_deck", *FORCES, "--moments", "48,52,45")
    assert None not in {one["stop_beyond_m"] for one in found["cylinders"]}


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
        ([], "at least one scenario or file is needed, or a box alone"),
        (["--box", "0,1"], "2 numbers; 12 are needed"),
        (["--box", "-50,50,0,0,0.8,0.9,0,0,0,0,0,0"], "positions are in metres"),
        (["--box", "0.1,0,0,0,0.8,0.9,0,0,0,0,0,0"], "lower ends come first"),
        (["--box", "0,0,0,0,0,0.9,0,0,0,0,0,0"], "the pose is singular"),
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
        ("rod_m = 0.028", "rod = 28", "unknown key (did you mean rod_m?)"),
        ("rod_m = 0.028", "rod_m = 28.0", "rod_m = 28.0"),
        ("rod_m = 0.028", "rod_m = inf", "must be a finite number"),
        ("rod_m = 0.028", "rod_m = 0.028\nrotor_kg_m2 = nan", "must be a finite number"),
        (
            "rod_m = 0.028",
            "rod_m = 0.028\nrotor = 0.001",
            "unknown key (did you mean rotor_kg_m2?)",
        ),
        ("rod_m = 0.028", "rod_m = 0.028\nrod_kg = -1.0", "rod_kg = -1.0"),
        ("rod_m = 0.028", "rod_m = 0.028\nefficiency_back = 1.5", "efficiency_back = 1.5"),
        ("rod_m = 0.028", "rod_m = 0.028\nwinding_ohm = 1.0", "give both, or neither"),
        (
            "rod_m = 0.028",
            "rod_m = 0.028\ntorque_continuous_nm = 9.0\ntorque_peak_nm = 8.0",
            "no torque can last that cannot be reached",
        ),
        ("rod_m = 0.028", 'rod_m = 0.028\nestimated = ["rod_kg"]', "is no key of this row"),
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
    text = str(refused.value)
    assert said in text
    assert str(file) in text
    assert "source" in text or "cylinder.0" in text, "the row"


def test_shipped_catalogues_are_of_their_kind(tmp_path):
    from hil.machines.kinds import CYLINDERS
    from hil.run.file_kinds import find_kind

    copied = shutil.copy(configs_dir() / "cylinders" / "parker_eth.toml", tmp_path / "x.toml")
    assert find_kind(str(copied), CYLINDERS, key="CATALOGUE")[1] is CYLINDERS
