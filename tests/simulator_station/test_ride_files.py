"""Recorded rides from files: what is read, and what is refused with its place."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from hil.config.errors import ConfigError, MotionError
from hil.config.file_search import configs_dir
from hil.machines.cueing.ride_map import QUANTITIES, RideMap, read_ride_map
from hil.stations.simulator.plan.ride_file import read_ride, read_ride_file
from platform6dof.cueing.agreement import Judgement
from platform6dof.cueing.vehicle import GRAVITY_M_S2 as G

sys.path.append(str(Path(__file__).parents[1] / "motion"))
from motion_checks import recording

SHIPPED = sorted(path.stem for path in (configs_dir() / "rides").glob("*.toml"))
T = np.arange(0.0, 4.0, 0.02)


def written(tmp_path, columns, name="ride.csv"):
    rows = np.stack(list(columns.values()), axis=1)
    path = tmp_path / name
    np.savetxt(path, rows, delimiter=",", header=",".join(columns), comments="")
    return path


def mapped(**columns):
    return RideMap.build({"name": "mine", "columns": columns}, "mine.toml")


def one(column, unit, **others):
    return {"column": column, "unit": unit} | others


def plain(tmp_path, t=T, **others):
    columns = {"t_s": t, "f_x_m_s2": np.sin(t), "f_y_m_s2": 0 * t, "f_z_m_s2": 0 * t - G}
    return written(tmp_path, columns | others)


def test_columns_with_our_names_need_no_map(tmp_path):
    ride = read_ride(plain(tmp_path, r_rad_s=0.1 * np.cos(T), v_x_m_s=5 + 0 * T))
    assert len(ride) == len(T)
    assert ride.step_s == pytest.approx(0.02)
    assert ride.f_m_s2[:, 0] == pytest.approx(np.sin(T))
    assert ride.omega_rad_s[:, 2] == pytest.approx(0.1 * np.cos(T))
    assert ride.omega_rad_s[:, 0] == pytest.approx(0 * T)
    assert ride.state(10).f_m_s2[0] == pytest.approx(math.sin(0.2))
    assert [state.t_s for state in ride.states()] == pytest.approx(T)
    assert ride.state(0).v_m_s == pytest.approx((5.0, 0.0, 0.0))


def test_signs_units_and_biases_are_applied(tmp_path):
    path = written(tmp_path, {
        "ms": 1000 * T, "back": 0.2 - 0.1 * np.sin(T), "side": 50 + 100 * np.cos(T),
        "yaw": -np.degrees(0.1 * np.cos(T)), "down": -1 + 0.01 * T, "kmh": 36 + 0 * T,
    })  # fmt: skip
    map_ = RideMap.build({
        "name": "mine",
        "time": {"column": "ms", "unit": "ms"},
        "columns": {
            "f_x": one("back", "g", sign=-1, bias=0.2),
            "f_y": one("side", "gal", bias=50.0),
            "f_z": one("down", "g", bias="mean"),
            "r": one("yaw", "deg_s", sign=-1),
            "v_x": one("kmh", "km_h"),
        },
    }, "mine.toml")  # fmt: skip
    ride = read_ride(path, map_)
    assert ride.f_m_s2[:, 0] == pytest.approx(0.1 * G * np.sin(T))
    assert ride.f_m_s2[:, 1] == pytest.approx(np.cos(T))
    assert ride.f_m_s2[:, 2].mean() == pytest.approx(-G)
    assert ride.omega_rad_s[:, 2] == pytest.approx(0.1 * np.cos(T))
    assert ride.v_m_s[:, 0] == pytest.approx(10.0)


def test_uneven_stamps_are_put_on_a_grid_and_angles_go_round(tmp_path):
    rng = np.random.default_rng(1)
    t = np.cumsum(rng.uniform(0.008, 0.012, 600))
    heading = np.degrees(1.5 * t)
    told = (heading + 180.0) % 360.0 - 180.0
    path = plain(tmp_path, t, roll_rad=0 * t, pitch_rad=0 * t, heading=told)
    map_ = mapped(
        f_x=one("f_x_m_s2", "m_s2"), roll=one("roll_rad", "rad"), pitch=one("pitch_rad", "rad"),
        yaw=one("heading", "deg"),
    )  # fmt: skip
    ride = read_ride(path, map_)
    assert ride.omega_rad_s[2:-2, 2] == pytest.approx(1.5, abs=1e-6)
    assert ride.f_m_s2[:, 0] == pytest.approx(np.sin(ride.time_s + t[0]), abs=1e-5)


def test_level_turns_the_sensor_until_it_stands(tmp_path):
    from scipy.spatial.transform import Rotation as Turn

    mount = Turn.from_euler("zyx", [0.4, 0.3, 2.5])
    up = np.zeros((len(T), 3))
    up[:, 2] = -G
    up[T > 2.0, 0] = 3.0
    raw = mount.apply(up)
    path = written(tmp_path, {"t_s": T, "a": raw[:, 0], "b": raw[:, 1], "c": raw[:, 2]})
    columns = {f"f_{k}": one(name, "m_s2") for k, name in zip("xyz", "abc", strict=True)}
    table = {"name": "mine", "level_s": 1.0, "columns": columns}
    ride = read_ride(path, RideMap.build(table, "mine.toml"))
    assert ride.f_m_s2[:50] == pytest.approx(up[:50], abs=1e-9)
    assert np.hypot(ride.f_m_s2[-1, 0], ride.f_m_s2[-1, 1]) == pytest.approx(3.0)
    assert ride.f_m_s2[-1, 2] == pytest.approx(-G)


def test_a_low_pass_leaves_out_what_is_faster_and_delays_nothing(tmp_path):
    """Butterworth forth and back: a half at the corner, 1 / (1 + (f / corner)^(2 n)) elsewhere."""
    slow, fast = (np.sin(2.0 * np.pi * hz * T) for hz in (0.5, 20.0))
    path = written(tmp_path, {"t_s": T, "a": slow + fast, "r": 0.2 * (slow + fast), "v": 9 + fast})
    columns = {
        "f_x": one("a", "m_s2"), "r": one("r", "rad_s"), "v_x": one("v", "m_s"),
    }  # fmt: skip
    table = {"name": "mine", "lowpass_hz": 5.0, "columns": columns}
    ride = read_ride(path, RideMap.build(table, "mine.toml"))
    inner = slice(50, -50)
    assert ride.f_m_s2[inner, 0] == pytest.approx(slow[inner], abs=0.005)
    assert ride.omega_rad_s[inner, 2] == pytest.approx(0.2 * slow[inner], abs=0.001)
    assert ride.v_m_s[inner, 0] == pytest.approx(9.0, abs=0.005)


def test_a_low_pass_of_an_attitude_goes_round_with_it(tmp_path):
    """A quaternion that changes its sign is the same attitude: no step, and none is made of it."""
    heading = 1.5 * T
    signs = np.where(np.arange(len(T)) % 7 < 3, -1.0, 1.0)
    zero = np.zeros(len(T))
    columns = {
        "t_s": T, "f_x_m_s2": zero, "qw": signs * np.cos(heading / 2), "qx": zero, "qy": zero,
        "qz": signs * np.sin(heading / 2),
    }  # fmt: skip
    table = {
        "name": "mine", "lowpass_hz": 5.0,
        "columns": {"f_x": one("f_x_m_s2", "m_s2")} | {k: one(k, "1") for k in
                                                      ("qw", "qx", "qy", "qz")},
    }  # fmt: skip
    ride = read_ride(written(tmp_path, columns), RideMap.build(table, "mine.toml"))
    assert ride.omega_rad_s[50:-50, 2] == pytest.approx(1.5, abs=1e-4)


def test_a_low_pass_beyond_half_the_rate_is_refused_with_what_would_be_right(tmp_path):
    table = {"name": "mine", "lowpass_hz": 25.0, "columns": {"f_x": one("f_x_m_s2", "m_s2")}}
    with pytest.raises(MotionError) as refused:
        read_ride(plain(tmp_path, T), RideMap.build(table, "mine.toml"))
    for part in ("ride", "lowpass_hz is 25.0 Hz", "below half the sample rate, 25 Hz"):
        assert part in str(refused.value)
    for bad in (0.0, -1.0, math.nan, 2000.0):
        with pytest.raises(ConfigError, match="lowpass_hz"):
            RideMap.build(table | {"lowpass_hz": bad}, "mine.toml")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_maps_can_be_read(name):
    map_ = read_ride_map(name)
    assert map_.name == name
    assert map_.about
    assert map_.source


def test_the_car_of_dresden_agrees_with_itself_and_a_wrong_sign_does_not():
    path = recording("car_dresden_city.csv")
    file = read_ride_file(path, "car_dresden")
    found = {each.axis: each for each in file.agreements()}
    assert found["f_x"].slope == pytest.approx(0.69, abs=0.1)
    assert found["f_y"].slope == pytest.approx(0.97, abs=0.03)
    assert {each.judgement for each in found.values()} == {Judgement.AGREES}
    table = file.map.model_dump()
    table["columns"] = dict(table["columns"].items())
    table["columns"]["f_x"]["sign"] = 1
    wrong = read_ride_file(path, RideMap.build(table, "wrong.toml")).agreements()
    assert wrong[0].judgement is Judgement.WRONG_SIGN
    assert "f_x" in wrong[0].text


@pytest.mark.parametrize(("file", "name"), [
    ("quake_coalinga1983_3axis.csv", "quake_coalinga"),
    ("rocket_jackpot1_flight.csv", "rocket_jackpot"),
    ("car_dresden_city.csv", "car_dresden"),
])  # fmt: skip
def test_recordings_are_read_whole_and_finite(file, name):
    ride = read_ride(recording(file), name)
    for values in (ride.f_m_s2, ride.omega_rad_s, ride.domega_rad_s2, ride.attitude):
        assert np.isfinite(values).all()
        assert not values.flags.writeable
    fine = ride.at_rate(0.002)
    assert fine.duration_s == pytest.approx(ride.duration_s, abs=0.002)
    assert fine.f_m_s2[0] == pytest.approx(ride.f_m_s2[0])
    back = fine.f_m_s2[np.round(ride.time_s[:-1] / 0.002).astype(int)]
    assert np.median(np.abs(back - ride.f_m_s2[:-1])) < 0.05


@pytest.mark.parametrize(("t", "parts"), [
    (T[:50], ("0.98 s", "at least 2 s", "t_s")),
    (np.r_[T[:100], T[90:]], ("goes back to 1.8", "t_s", "line 102")),
    (np.r_[T[:100], T[99:]], ("repeats", "t_s")),
    (np.r_[T[:100], T[100:] + 0.5], ("0.52 s have passed", "gap_max_s is 0.25 s", "t_s")),
    (T[:4], ("4 rows",)),
])  # fmt: skip
def test_impossible_times_are_refused_with_the_place(tmp_path, t, parts):
    with pytest.raises(MotionError) as refused:
        read_ride(plain(tmp_path, t))
    for part in parts:
        assert part in str(refused.value)


@pytest.mark.parametrize(("columns", "parts"), [
    ({"f_w": one("a", "m_s2")}, ("columns.f_w", "no such quantity", "f_x")),
    ({"f_x": one("a", "mph")}, ("columns.f_x.unit", "mph", "m_s2")),
    ({"f_x": one("a", "m_s2", sign=2)}, ("columns.f_x.sign", "2")),
    ({"f_x": one("a", "m_s2", bias=math.inf)}, ("columns.f_x.bias", "inf")),
    ({"r": one("a", "rad_s")}, ("gives no force", "f_x")),
    ({"f_x": one("a", "m_s2"), "yaw": one("b", "deg")}, ("yaw", "attitude needs roll, pitch, yaw")),
    ({}, ("columns",)),
])  # fmt: skip
def test_impossible_maps_are_refused(columns, parts):
    with pytest.raises(ConfigError) as refused:
        mapped(**columns)
    for part in ("mine.toml", *parts):
        assert part in str(refused.value)


def test_a_column_that_is_not_there_is_told(tmp_path):
    with pytest.raises(MotionError, match=r"no column 'f_x_m_s'.*closest is 'f_x_m_s2'"):
        read_ride(plain(tmp_path), mapped(f_x=one("f_x_m_s", "m_s2")))


def test_a_file_without_known_columns_asks_for_a_map(tmp_path):
    with pytest.raises(ConfigError, match="no column tells a force"):
        read_ride(written(tmp_path, {"t_s": T, "a": T}))


def test_a_value_beyond_all_vehicles_names_its_place(tmp_path):
    huge = np.where(T[7] == T, 5000.0, 0.0)
    path = written(tmp_path, {"t_s": T, "a": huge})
    with pytest.raises(MotionError, match=r"line 9, column 'a': f_x is 5000 m_s2"):
        read_ride(path, mapped(f_x=one("a", "m_s2")))


def test_every_quantity_has_a_column_of_its_own():
    names = [each.column for each in QUANTITIES.values()]
    assert len(set(names)) == len(names)
