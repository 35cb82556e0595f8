"""A station of somebody else's distribution: all works with it, and nothing of ours is edited."""

import csv
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import third_party
from scipy.integrate import solve_ivp

HERE = Path(__file__).parent / "third_station"
LINES_MAX = 250
BOTH = """
station = "together"
name = "both"
part = [
    {{ name = "cabin", scenario = "demo", changes = {changes} }},
    {{ name = "pendulum", scenario = "{swing}" }},
]
"""
QUICK = [
    "rate_hz=100", "motion.duration_s=1.0",
    *(f"rig_settings.slow_moves.{key}"
      for key in ("speed_m_s=0.3", "acceleration_m_s2=1.0", "jerk_m_s3=8.0")),
]  # fmt: skip


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Runs a program with the distribution installed: its metadata lie on the path beside it."""
    place = tmp_path_factory.mktemp("site")
    third_party.metadata(HERE / "pyproject.toml", place)
    environment = third_party.environment(HERE, place)

    def run(*arguments, status=0):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            env=environment, capture_output=True, text=True, cwd=HERE,
        )  # fmt: skip
        assert done.returncode == status, done.stderr + done.stdout
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="module")
def hil(python):
    return lambda *arguments, **wanted: python("-m", "hil.cli", *arguments, **wanted)


@pytest.fixture(scope="module")
def told(hil, tmp_path_factory):
    """What a run says, with its report."""
    out = tmp_path_factory.mktemp("runs")
    return hil("run", "swing.toml", "--report", "--out", out, "--json")


def test_it_is_small():
    files = [*HERE.rglob("*.py"), *HERE.glob("*.toml")]
    assert sum(len(one.read_text().splitlines()) for one in files) <= LINES_MAX


def test_it_is_run_and_exported_to_what_the_pendulum_does(hil, told, tmp_path):
    """The judge is an integrator of somebody else's, for the torque that the scenario asks for."""
    assert (told["ok"], told["outcome"]) == (True, "resting")
    exported = hil("export", told["recording"], "--out", tmp_path, "--json")
    rows = list(csv.DictReader(Path(exported["csv"]).read_text("utf-8").splitlines()))
    assert {row["mode"] for row in rows} == {"swinging", "braking", "resting"}
    swinging = [row for row in rows if row["mode"] == "swinging"]
    t_s, angle_rad, torque_nm = (
        np.array([float(row[name]) for row in swinging])
        for name in ("t_s", "angle_rad", "allowed_torque_nm")
    )
    swing = tomllib.loads((HERE / "swing.toml").read_text())
    wanted_nm = swing["torque_nm"] * np.sin(2.0 * np.pi * swing["frequency_hz"] * t_s)
    assert torque_nm == pytest.approx(wanted_nm, abs=1e-12)
    solved = solve_ivp(
        lambda t, state: (
            state[1],
            swing["torque_nm"] * np.sin(2.0 * np.pi * swing["frequency_hz"] * t)
            - 9.80665 * np.sin(state[0]),
        ),
        (0.0, t_s[-1]), (0.0, 0.0), t_eval=t_s, rtol=1e-9, atol=1e-9,
    )  # fmt: skip
    assert np.abs(angle_rad).max() > 0.3
    assert angle_rad == pytest.approx(solved.y[0], abs=0.02)


def test_its_page_has_its_section_and_what_all_pages_have(told):
    page = Path(told["report"]).read_text("utf-8")
    assert "How it swung" in page
    assert "largest angle" in page
    assert "COMPLETED" in page


def test_it_is_checked_and_its_limit_refuses(hil, told, tmp_path):
    too_far = hil("check", "swing.toml", "--set", "angle_max_deg=10", "--json", status=1)
    assert too_far["angle_rad"] > too_far["limit_rad"] == np.radians(10.0)
    tripped = hil("run", "swing.toml", "--set", "angle_max_deg=10", "--out", tmp_path, "--json",
                  status=1)  # fmt: skip
    assert tripped["outcome"] == "tripped"


def test_its_schema_is_printed_by_the_name_of_the_station(hil):
    assert hil("schema", "pendulum")["properties"]["angle_max_deg"]["unit"] == "°"


def test_it_is_listed_and_an_option_of_another_station_is_refused(hil):
    found = {one["name"]: one for one in hil("stations", "--json")["stations"]}
    assert found["pendulum"]["distribution"] == "hil-pendulum 1.0"
    assert found["pendulum"]["files"] == ["pendulum scenario"]
    refused = hil("run", "swing.toml", "--arm-link", "sim:", "--json", status=2)
    assert "--arm-link means nothing for this pendulum scenario" in refused["error"]


def test_a_panel_shows_its_recording(python, told, tmp_path):
    pytest.importorskip("PySide6")
    program = Path(__file__).with_name("third_panel.py")
    shown = python(program, told["recording"], tmp_path / "panel.ini")
    assert shown["lamps"] == ["swinging", "braking", "resting", "tripped"]
    assert shown["lit"] == [["swinging", "ok", "moves"]]
    assert shown["bodies"] == ["post", "rod", "bob"]
    assert shown["drawn"] == ["Pendulum"]
    assert shown["traces"] == ["angle_rad"]
    assert [name for name, _ in shown["margins"]] == ["Pendulum"]
    assert "compare" in shown["docks"]


def test_it_runs_together_with_a_platform(hil, tmp_path):
    scenario = tmp_path / "both.toml"
    scenario.write_text(BOTH.format(swing=HERE / "swing.toml", changes=json.dumps(QUICK)))
    both = hil("run", scenario, "--out", tmp_path, "--json")
    assert both["ok"], both
    assert set(both["parts"]) == {"cabin", "pendulum"}
