"""Bodies and drives of a rig: what follows from them, what is refused, with key and remedy."""

from copy import deepcopy

import numpy as np
import pytest

from hil.config.file_search import find_file
from hil.config.settings import ConfigError, read_toml
from hil.machines.rig.machine import build_rig, check_rig, load_rig
from hil.machines.rig.masses import drive_train_in, machine_in
from hil.machines.rig.settings import Rig
from platform6dof.dynamics.inverse_dynamics import forces
from platform6dof.pose import PlatformSetpoint

TABLE = read_toml(find_file("paper_cabin", folder="rigs", key="rig"))
PAPER = read_toml(find_file("paper", folder="rigs", key="rig"))


def changed(key, value):
    """The rig's table with one value changed; `DROP` takes it away."""
    table = deepcopy(TABLE)
    *path, last = key.split(".")
    place = table
    for part in path:
        place = place[int(part)] if part.isdigit() else place[part]
    place[last] = value
    return table


def refused(table):
    with pytest.raises(ConfigError) as caught:
        check_rig(build_rig(table, "rig.toml"), "rig.toml")
    return str(caught.value)


def test_shares_that_are_left_out_follow_from_the_bodies():
    rig = build_rig(TABLE, "rig.toml")
    machine = machine_in(rig)
    held = forces(machine, PlatformSetpoint.at_rest(rig.neutral.pose())).sum(axis=0)
    np.testing.assert_allclose(rig.cylinders.static_load_n, held, rtol=1e-12)
    assert sum(rig.cylinders.static_load_n) / 6.0 == pytest.approx(722.5, abs=0.1)
    # a sixth of 360 kg by 1 / cos², rod, rotor, and tubes that swing
    bodies_and_rods = 60.0 / (0.935 / 1.0029) ** 2 + 28.0
    assert bodies_and_rods < rig.cylinders.moving_mass_kg[0] < bodies_and_rods + 3.0


def test_a_rig_without_bodies_is_as_it_was():
    rig = build_rig(PAPER, "rig.toml")
    assert rig == Rig.build(PAPER, "rig.toml")
    assert machine_in(rig) is None
    assert drive_train_in(rig) is None
    left_out = deepcopy(PAPER)
    del left_out["cylinders"]["moving_mass_kg"]
    assert "cylinders.moving_mass_kg is left out; it is required" in refused(left_out)


def test_a_built_rig_is_read_back_as_it_is():
    rig = load_rig(find_file("paper_cabin", folder="rigs", key="rig"))
    again = Rig.build(rig.model_dump(), "header")
    assert again == rig
    check_rig(again, "header")


def test_bodies_without_drives_are_enough_for_forces():
    table = deepcopy(TABLE)
    del table["cylinders"]["drive"]
    rig = build_rig(table, "rig.toml")
    check_rig(rig, "rig.toml")
    assert sum(rig.cylinders.static_load_n) / 6.0 == pytest.approx(631.35, abs=0.05)


@pytest.mark.parametrize(("load_n", "mass_kg"), [(650.0, 60.0), (722.5, 98.0), (610.0, 58.0)])
def test_written_shares_with_or_without_the_legs_own_masses_pass(load_n, mass_kg):
    table = changed("body.1.centre_m", [0.0, 0.0, 0.425])
    table["cylinders"] |= {"static_load_n": load_n, "moving_mass_kg": mass_kg}
    rig = build_rig(table, "rig.toml")
    check_rig(rig, "rig.toml")
    assert rig.cylinders.static_load_n == (load_n,) * 6


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("cylinders.static_load_n", 900.0, "cylinders.static_load_n = 900 of leg 1: bodies and"),
        ("cylinders.static_load_n", 500.0, "leave the key out, write"),
        ("cylinders.moving_mass_kg", 20.0, "cylinders.moving_mass_kg = 20 of leg 1"),
        ("cylinders.moving_mass_kg", 150.0, "more than 5% apart"),
        ("body.1.inertia_kg_m2", [48.0, 52.0, 145.0, 0.0, 0.0, 0.0], "above the sum of the others"),
        ("body.1.inertia_kg_m2", [48.0, 52.0, 45.0, 60.0, 0.0, 0.0], "none may be below 0"),
        ("body.1.mass_kg", 0.0, "body.1.inertia_kg_m2 = [48.0, 52.0, 45.0, 0.0, 1.5, 0.0]: body "
         "cabin: inertia_kg_m2: a body of 0 kg has no moments"),
        ("body.1.mass_kg", float("nan"), "body.1.mass_kg = nan: must be a finite number"),
        ("body.1.mass_kg", -1.0, "body.1.mass_kg = -1.0"),
        ("body.1.centre_m", [0.0, float("nan"), 0.0], "body.1.centre_m.1 = nan"),
        ("cylinders.drive.efficiency", 1.2, "cylinders.drive.efficiency = 1.2"),
        ("cylinders.drive.efficiency", 0.0, "cylinders.drive.efficiency = 0.0"),
        ("cylinders.drive.efficiency_back", -0.1, "cylinders.drive.efficiency_back = -0.1"),
        ("cylinders.drive.efficiency_back", 1.5, "cylinders.drive.efficiency_back = 1.5"),
        ("cylinders.drive.lead_m", 0.0, "cylinders.drive.lead_m = 0.0"),
        ("cylinders.drive.torque_peak_nm", 2.0, "below torque_continuous_nm = 5.5"),
        ("cylinders.drive.coulomb_n", float("inf"), "cylinders.drive.coulomb_n = inf"),
        ("cylinders.drive.massa", 1.0, "unknown key"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_key_and_value(key, value, told):
    text = refused(changed(key, value))
    assert text.startswith("rig.toml: ")
    assert told in text


def test_a_drive_weaker_than_its_holding_load_is_refused_with_leg_and_pose():
    """At neutral 1.2 kN hold and stop it; turned by 10° one leg of each pair needs more."""
    table = changed("cylinders.force_max_n", 1350.0)
    text = refused(table)
    assert "cylinders.force_max_n = 1350 of leg 1: at pose_box." in text
    assert "it holds 1363 N, above the 1215 N that the rig permits" in text
    assert "stronger drives are needed" in text
    check_rig(build_rig(changed("cylinders.force_max_n", 1550.0), "rig.toml"), "rig.toml")
