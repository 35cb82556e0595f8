"""A sensor that is mounted anyhow, with units of its own, is read as the vehicle it is in."""

import itertools
import json
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import MotionError
from hil.machines.cueing.ride_map import read_ride_map
from hil.stations.simulator.cue.axes_finder import find_axes
from hil.stations.simulator.plan.ride_file import read_ride_file

sys.path.append(str(Path(__file__).parents[1] / "hosts"))
from physical_drive import drive

G = 9.80665
STATES = drive(40.0, 50.0, 4)
MOUNTS = [
    np.array([sign * np.eye(3)[at] for at, sign in zip(order, signs, strict=True)])
    for order in itertools.permutations(range(3))
    for signs in itertools.product([1.0, -1.0], repeat=3)
]
MOUNTS = [one for one in MOUNTS if np.linalg.det(one) > 0.0]  # what a sensor can be turned to


def written(path, mount, reads=1.0, force=1.0, rate=1.0, speed=1.0):
    """A record of a sensor whose axes stand so, with its own units; and its true first bend."""
    f = np.array([one.f_m_s2 for one in STATES]) @ mount.T * reads * force
    w = np.array([one.omega_rad_s for one in STATES]) @ mount.T * rate
    v = np.array([one.v_m_s[0] for one in STATES]) * speed
    t = np.array([one.t_s for one in STATES])
    names = "time,acc_x,acc_y,acc_z,gyro_x,gyro_y,gyro_z,gps_speed"
    np.savetxt(path, np.column_stack([t, f, w, v]), delimiter=",", header=names, comments="")
    r = np.array([one.omega_rad_s[2] for one in STATES])
    r = r - r.mean()
    first = r[np.flatnonzero(np.abs(r) > 0.5 * np.abs(r).max())[0]]
    return "right" if first > 0.0 else "left"


@pytest.mark.parametrize("reads", [1.0, -1.0], ids=["force", "gravity"])
@pytest.mark.parametrize("mount", range(0, 24, 5))
def test_any_mount_is_found(tmp_path, mount, reads):
    path = tmp_path / "phone.csv"
    bend = written(path, MOUNTS[mount], reads, force=1 / G, rate=57.29578)
    found = find_axes(path, bend)
    (tmp_path / "map.toml").write_text(found.toml)
    ride = read_ride_file(path, read_ride_map(str(tmp_path / "map.toml"))).motion
    true = np.array([one.f_m_s2 for one in STATES])
    for k in (0, 1):
        true[:, k] -= true[:, k].mean()
    np.testing.assert_allclose(ride.force[:, :2], true[:, :2], atol=1e-3)
    rates = np.array([one.omega_rad_s for one in STATES])
    np.testing.assert_allclose(ride.omega, rates - rates.mean(axis=0), atol=1e-3)
    assert ride.force[:, 2].mean() == pytest.approx(-G)


def test_the_verb_prints_and_writes_the_map(tmp_path):
    path, made = tmp_path / "phone.csv", tmp_path / "phone.toml"
    bend = written(path, MOUNTS[7])
    words = ["cue", "axes", str(path), "--first-bend", bend, "--out", str(made)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "[columns]" in result.output
    assert read_ride_map(str(made)).columns["v_x"].unit == "m_s"
    assert CliRunner().invoke(app, ["cue", "check", str(path), "--map", str(made)]).exit_code == 0
    assert CliRunner().invoke(app, [*words[:4], "up"]).exit_code == 2


def test_the_object_says_what_the_map_says(tmp_path):
    path, made = tmp_path / "phone.csv", tmp_path / "phone.toml"
    bend = written(path, MOUNTS[7], force=1 / G)
    words = ["cue", "axes", str(path), "--first-bend", bend, "--json"]
    told = json.loads(CliRunner().invoke(app, words).stdout)
    assert told["ok"]
    assert told["file"] is None
    assert told["time"] == {"column": "time", "unit": "s", "sign": 1}
    table = tomllib.loads(told["map"])["columns"]
    signs = {key: one | {"sign": one.get("sign", 1)} for key, one in table.items()}
    for one in signs.values():
        one.pop("bias", None)
    assert told["columns"] == signs
    assert {told["columns"][f"f_{axis}"]["unit"] for axis in "xyz"} == {"g"}
    true = {f"f_{axis}": MOUNTS[7][:, k] for k, axis in enumerate("xyz")}
    for key, one in told["columns"].items():
        if key in true:  # the mount's own matrix says which axis it is, and its sign
            assert true[key]["xyz".index(one["column"][-1])] == one["sign"]
    told = json.loads(CliRunner().invoke(app, [*words, "--out", str(made)]).stdout)
    assert told["file"] == str(made)
    assert made.read_text() == told["map"]


def test_what_cannot_be_told_is_refused(tmp_path):
    path = tmp_path / "phone.csv"
    bend = written(path, MOUNTS[0], speed=3.6)
    with pytest.raises(MotionError, match="--speed-unit km_h"):
        find_axes(path, bend)  # km/h and ft/s are 10 % apart
    assert 'unit = "km_h"' in find_axes(path, bend, "km_h").toml
    with pytest.raises(MotionError, match="about 1 is right"):
        find_axes(path, bend, "m_s")
    half = np.sqrt(0.5)
    written(path, np.array([[half, 0.0, -half], [0.0, 1.0, 0.0], [half, 0.0, half]]))
    with pytest.raises(MotionError, match="the sensor is askew"):
        find_axes(path, bend)
    path.write_text(path.read_text().replace("gps_speed", "other"))
    with pytest.raises(MotionError, match="no column of speed"):
        find_axes(path, bend)


def test_stamps_of_iso_8601_are_times_as_well(tmp_path):
    path = tmp_path / "phone.csv"
    bend = written(path, MOUNTS[5])
    numbers = find_axes(path, bend).toml
    head, *rows = path.read_text().splitlines()
    day = np.datetime64("2026-02-28T23:59:50", "us")
    for k, row in enumerate(rows):
        t, _, rest = row.partition(",")
        rows[k] = f"{day + np.timedelta64(round(1e6 * float(t)), 'us')}Z,{rest}"
    path.write_text("\n".join([head, *rows]))
    wanted = numbers.replace('unit = "s"', 'unit = "iso"').replace("time in s;", "time in iso;")
    assert find_axes(path, bend).toml == wanted


@pytest.mark.parametrize("said", ["time_us", "Time [us]", "row"])
def test_the_unit_of_time_is_the_one_that_the_file_says(tmp_path, said):
    """1250 rows a second, 800 us apart: by their step alone they would be ms."""
    path = tmp_path / "phone.csv"
    bend = written(path, MOUNTS[5])
    plain = find_axes(path, bend)
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    t_us = np.arange(0, int(1e6 * table[-1, 0]), 800)
    columns = [np.interp(1e-6 * t_us, table[:, 0], one) for one in table.T[1:]]
    name = "time" if said == "row" else said
    head = f"{name},acc_x,acc_y,acc_z,gyro_x,gyro_y,gyro_z,gps_speed"
    head += "\nus,m/s2,m/s2,m/s2,rad/s,rad/s,rad/s,m/s" if said == "row" else ""
    np.savetxt(path, np.column_stack([t_us, *columns]), "%.9g", ",", header=head, comments="")
    found = find_axes(path, bend)
    assert found.time == (name, "us")
    assert found.columns == plain.columns


def test_a_drive_without_a_bend_is_refused(tmp_path):
    path = tmp_path / "phone.csv"
    bend = written(path, MOUNTS[0])
    head, *rows = path.read_text().splitlines()
    straight = [",".join([*cells[:6], "0", cells[7]]) for cells in (r.split(",") for r in rows)]
    path.write_text("\n".join([head, *straight]))
    with pytest.raises(MotionError, match="gyro_z never changes: a drive with bends is needed"):
        find_axes(path, bend)
