"""Maps of the command line: which column is which axis."""

from pathlib import Path

import pytest

from hil.config.settings import ConfigError
from hil.stations.platform.plan.recording_scenario import recorded_table

CSV = Path("record.csv")


def columns(*maps):
    return recorded_table("paper", CSV, list(maps))["motion"]


def test_units_come_from_the_map_or_from_the_name():
    motion = columns("x=disp_north_m,y=sway:mm", "alpha=yaw_deg:deg:1.5:-1", "t=time_ms")
    assert motion["map"] == {
        "x": {"column": "disp_north_m", "unit": "m"},
        "y": {"column": "sway", "unit": "mm"},
        "alpha": {"column": "yaw_deg", "unit": "deg", "bias": 1.5, "scale": -1.0},
    }
    assert columns("x=Surge (mm)", "beta=Nick [\u00b0]::2")["map"] == {
        "x": {"column": "Surge (mm)", "unit": "mm"},
        "beta": {"column": "Nick [\u00b0]", "unit": "deg", "bias": 2.0},
    }
    assert motion["time"] == {"column": "time_ms", "unit": "ms"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x", "expected AXIS=COLUMN"),
        ("w=a_m", "AXIS one of x, y"),
        ("x=", "expected AXIS=COLUMN"),
        ("x=sway", "does not end in a unit"),
        ("x=a:furlong", "furlong"),
        ("x=a:m:one", "bias 'one' is no number"),
        ("x=a:m:1:2:3", "too many parts"),
        ("x=a_m,x=b_m", "mapped twice"),
        ("t=a:m", "not one of s, ms, us"),
    ],
)
def test_wrong_map_is_refused_with_what_would_be_right(text, words):
    with pytest.raises(ConfigError, match=words):
        columns(text)


def test_columns_named_like_axes_need_no_map(tmp_path):
    path = tmp_path / "poses.csv"
    path.write_text("t_s,x_m,beta_deg,speed_m_s\n0,0,0,0\n")
    motion = recorded_table("paper", path, [])["motion"]
    assert motion["map"] == {
        "x": {"column": "x_m", "unit": "m"},
        "beta": {"column": "beta_deg", "unit": "deg"},
    }


def test_no_map_and_no_named_columns_lists_what_there_is(tmp_path):
    path = tmp_path / "poses.csv"
    path.write_text("t_s,disp_north_m\n0,0\n")
    with pytest.raises(ConfigError, match="there are: t_s, disp_north_m"):
        recorded_table("paper", path, [])


def test_accelerations_take_their_unit_from_the_name(tmp_path):
    table = recorded_table("paper", tmp_path / "a.csv", ["x=acc_north_m_s2,y=acc_g,z=up_gal"])
    units = {axis: one["unit"] for axis, one in table["motion"]["map"].items()}
    assert units == {"x": "m_s2", "y": "g", "z": "gal"}


def test_a_body_rate_is_refused_as_what_is_felt(tmp_path):
    with pytest.raises(ConfigError, match=r"is a body rate, .* motion cueing"):
        recorded_table("paper", tmp_path / "a.csv", ["gamma=rollrate_deg_s"])


@pytest.mark.parametrize("number", ["1_0", "١", "nan", "0x1"])
def test_numbers_of_the_map_are_plain(tmp_path, number):
    with pytest.raises(ConfigError, match="is no number, such as"):
        recorded_table("paper", tmp_path / "a.csv", [f"x=x_m:m:{number}"])


def test_an_at2_file_says_which_map_it_needs(tmp_path):
    (tmp_path / "a.AT2").write_text("")
    with pytest.raises(ConfigError, match="perhaps --map x=acc_g"):
        recorded_table("paper", tmp_path / "a.AT2", [])


def test_a_file_that_holds_both_is_replayed_by_its_displacement(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("t_s;x_m_s2;x_m\n0;1;2\n")
    columns = recorded_table("paper", file, [])["motion"]["map"]
    assert columns == {"x": {"column": "x_m", "unit": "m"}}


@pytest.mark.parametrize(
    ("header", "felt"),
    [
        ("t_s,f_x_m_s2,f_z_m_s2,yaw_deg", "f_x_m_s2, f_z_m_s2"),
        ("t_s,acc_up_g,roll_deg,p_deg_s", "acc_up_g"),
    ],
)
def test_a_file_of_specific_force_is_told_so_and_no_map_is_proposed(tmp_path, header, felt):
    file = tmp_path / "ride.csv"
    file.write_text(f"{header}\n0,0,0,0\n")
    with pytest.raises(ConfigError, match=f"; {felt}: this is specific force.*cueing") as told:
        recorded_table("paper", file, [])
    assert "perhaps" not in str(told.value)


@pytest.mark.parametrize("name", ["car_dresden_city.csv", "rocket_jackpot1_flight.csv"])
def test_recordings_of_a_car_and_a_rocket_are_told_so(name):
    file = Path(__file__).resolve().parents[3] / "shared" / "data" / name
    if not file.is_file():
        pytest.skip(f"no recorded data: {file} is not there")
    with pytest.raises(ConfigError, match="this is specific force"):
        recorded_table("paper", file, [])


def components(tmp_path, *directions):
    files = []
    for direction in directions:
        files.append(tmp_path / f"{len(files)}.AT2")
        files[-1].write_text(f"PEER\nQuake, 1/1/2000, Station, {direction}\n")
    return recorded_table("paper", files[0], [], *files[1:])


def test_horizontal_components_stand_at_right_angles(tmp_path, caplog):
    components(tmp_path, "000", "270", "UP")
    assert "mirrored" not in caplog.text  # north, west, up is right-handed
    components(tmp_path, "000", "090", "UP")
    assert "y=COLUMN::0:-1" in caplog.text
    for second in ("000", "180", "045"):
        with pytest.raises(ConfigError, match=f"directions are 000 and {second}: x and y stand at"):
            components(tmp_path, "000", second, "UP")
