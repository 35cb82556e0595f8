"""A motion judged by a rig's masses and drives, and `hil platform forces`."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import find_file
from hil.config.settings import ConfigError, read_toml
from hil.machines.rig.machine import build_rig, load_rig
from hil.machines.rig.masses import machine_in
from hil.stations.platform.motion.fade import setpoints_at
from hil.stations.platform.motion.source import Hold
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.platform.proof.force_report import PoseForces
from hil.stations.platform.proof.machine_check import check_machine
from hil.stations.platform.run.machine_report import add_machine, machine_lines
from platform6dof.dynamics.inverse_dynamics import loads_of_setpoints
from platform6dof.pose import PlatformSetpoint

RIG_FILE = find_file("paper_cabin", folder="rigs", key="rig")
RIG = load_rig(RIG_FILE)
PERIOD_S = 0.002


def plan_of(name, *changes):
    return load_plan(
        find_file(name, folder="scenarios", key="scenario"), ["rig=paper_cabin", *changes]
    )


def proof_of(name, *changes):
    plan = plan_of(name, *changes)
    return check_machine(plan.rig, motion_of(plan), plan.scenario.period_s)


def changed(**drive):
    table = read_toml(RIG_FILE)
    table["cylinders"]["drive"] |= drive
    return build_rig(table, "rig.toml")


def test_figures_are_those_of_the_forces_at_every_cycle():
    plan = plan_of("demo")
    motion = motion_of(plan)
    found = check_machine(plan.rig, motion, PERIOD_S)
    assert found.findings == ()
    times = np.arange(0.0, motion.duration_s, PERIOD_S)
    loads = loads_of_setpoints(machine_in(RIG), setpoints_at(motion, times))
    drive = RIG.cylinders.drive
    speed = np.where(np.abs(loads.speed_m_s) > 1e-6, loads.speed_m_s, 0.0)
    dry = drive.coulomb_n + drive.stribeck_n * np.exp(-((speed / drive.stribeck_m_s) ** 2))
    friction = dry * np.sign(speed) + drive.viscous_n_s_m * loads.speed_m_s
    assert (loads.force_n + friction).max() == pytest.approx(found.figures.force_n.max, rel=1e-9)
    sampled = np.array([motion.sample(t).packed for t in times[::500]])
    np.testing.assert_allclose(setpoints_at(motion, times[::500]), sampled, atol=1e-9)
    drawn, back = found.figures.energy_j, found.figures.resistor_j
    assert drawn > back > 0.0


def test_a_platform_at_rest_holds_and_asks_nothing_else():
    found = check_machine(RIG, Hold(RIG.neutral.pose(), 1.0), PERIOD_S).figures
    held = max(RIG.cylinders.static_load_n)
    for one in (found.force_n, found.hold_n, found.stop_force_n):
        assert one.max == pytest.approx(held)
    assert found.motor_nm.max == pytest.approx(held * 0.02 / (2.0 * np.pi))
    assert found.resistor_j == 0.0


@pytest.mark.parametrize(
    ("drive", "quantity"),
    [
        ({"torque_continuous_nm": 2.0}, "effective motor torque"),
        ({"torque_peak_nm": 5.6}, "motor torque"),
        ({"brake_n": 1000.0}, "holding force"),
        ({"brake_n": 0.0}, "holding force"),
        ({"resistor_w": 1.0}, "mean power to the resistor"),
        ({"resistor_peak_w": 1.0}, "power to the resistor in 10 s"),
        ({"power_max_w": 100.0}, "power"),
    ],
)
def test_what_the_drives_cannot_is_found_with_leg_and_time(drive, quantity):
    found = check_machine(changed(**drive), motion_of(plan_of("demo")), PERIOD_S)
    assert quantity in {one.quantity for one in found.findings}
    for one in found.findings:
        assert 1 <= one.excess.leg <= 6
        assert one.excess.value > one.excess.limit
        assert 0.0 <= one.excess.first_s <= 34.0
        assert "cylinders.drive." in str(one) or "supervision" in str(one)


def test_a_screw_that_locks_itself_needs_no_brake():
    rig = changed(brake_n=0.0, efficiency_back=0.0)
    found = check_machine(rig, motion_of(plan_of("demo")), PERIOD_S)
    assert "holding force" not in {one.quantity for one in found.findings}


def test_weak_cylinders_are_found_by_force():
    table = read_toml(RIG_FILE)
    table["cylinders"]["force_max_n"] = 1900.0
    found = check_machine(build_rig(table, "rig"), motion_of(plan_of("demo")), PERIOD_S)
    forces = [one for one in found.findings if one.quantity == "force"]
    assert 3 in {one.excess.leg for one in forces}
    assert all(one.excess.limit == pytest.approx(1710.0) for one in forces)


def test_a_stop_without_enough_force_goes_further():
    """In the ground's motion surge and sway move 2 t at the rods, by legs that give 4 kN."""
    found = proof_of("ground_motion")
    ways = [one for one in found.findings if "controlled stop" in one.quantity]
    assert found.figures.stop_beyond_m == max(one.excess.value for one in ways)
    assert any("mm further" in line for line in machine_lines(found.figures))
    assert {one.excess.leg for one in ways} == {1, 6}
    assert all(0.004 < one.excess.value < 0.006 for one in ways)
    assert all(one.unit == "m" for one in ways)


def test_a_rig_without_bodies_is_judged_as_before():
    plan = load_plan(find_file("heave", folder="scenarios", key="scenario"))
    assert check_machine(plan.rig, motion_of(plan), PERIOD_S) is None


def test_the_check_shows_the_figures():
    found = proof_of("heave").figures
    summary = {}
    add_machine(summary, found)
    assert set(summary["force_n"]) == {"min", "max", "rms", "leg", "at_s"}
    more = {"motor_nm", "power_w", "energy_j", "resistor_j"}
    assert {"hold_n", "stop_force_n", "stop_beyond_m"} | more < set(summary)
    text = "\n".join(machine_lines(found))
    for word in ("force", "hold at most", "a stop at most", "motor torque", "resistors"):
        assert word in text


def forces_of(*words):
    result = CliRunner().invoke(app, ["platform", "forces", *words, "--json"])
    return result.exit_code, json.loads(result.stdout)


def test_forces_of_a_pose_are_the_sum_of_their_parts():
    status, found = forces_of(
        "paper_cabin", "--pose", "0.05,0,0.95,3,5,2", "--rates", "0.1,0,0.2,5,0,3",
        "--accel", "1,0.5,2,20,30,10",
    )  # fmt: skip
    assert status == 0
    parts = np.array(list(found["parts_n"].values()))
    np.testing.assert_allclose(parts.sum(axis=0), found["force_n"], rtol=1e-9)
    bodies = np.array([one["force_n"] for one in found["bodies"]]).sum(axis=0)
    np.testing.assert_allclose(bodies, found["parts_n"]["bodies"], rtol=1e-9)
    assert [one["name"] for one in found["bodies"]] == ["platform", "cabin"]
    assert np.abs(found["parts_n"]["friction"]).min() > 100.0
    masses = [one["mass_kg"] for one in found["servo"]["modes"]]
    assert masses == sorted(masses, reverse=True)
    K = np.array(found["stiffness"]["matrix"])
    bent = [*found["stiffness"]["shift_m"], *found["stiffness"]["turn_rad"]]
    np.testing.assert_allclose(K @ bent, found["stiffness"]["wrench"], atol=1e-6)


def test_a_servo_that_would_swing_is_named_with_its_mode():
    """The gains that are stable for a mass a leg, and not for the modes of six."""
    status, found = forces_of("paper_cabin", "--servo", "30,20000,0.03")
    assert status != 0
    assert not found["ok"]
    text = "\n".join(found["problems"])
    assert "would swing in surge" in text
    assert "would swing in sway" in text
    assert "it holds 10 to 1267 kg" in text
    assert not found["servo"]["modes"][0]["held"]
    assert 0.0 < found["servo"]["payload_max_kg"] < 360.0


def test_what_forces_cannot_tell_is_refused(tmp_path):
    setpoint = PlatformSetpoint.at_rest(RIG.neutral.pose())
    paper = load_rig(find_file("paper", folder="rigs", key="rig"))
    with pytest.raises(ConfigError, match=r"\[\[body\]\]"):
        PoseForces.of(paper, "paper.toml", setpoint)
    status, found = forces_of("paper_cabin", "--pose", "0,0,nan,0,0,0")
    assert status != 0
    assert "--pose" in found["error"]
    status, found = forces_of("paper_cabin", "--servo", "0,1,1")
    assert "--servo" in found["error"]


def test_a_picture_of_the_forces_is_written(tmp_path):
    status, found = forces_of("paper_cabin", "--pictures", str(tmp_path / "new"))
    assert status == 0
    (path,) = found["written"]
    assert (tmp_path / "new" / "forces.png").read_bytes()[:4] == b"\x89PNG"
    assert path.endswith("forces.png")
