"""A load that the drives cannot bear is refused before power, with statics' figures.

The judge is the equilibrium of a plate on six leaning rods, written here: forces along the rods and
across them sum to the weight, and so do their moments about the platform's origin.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from rack_bench import shown

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir, find_file
from hil.config.named_files import GIVEN
from hil.config.settings import read_toml
from hil.machines.rig.machine import check_rig, load_rig
from hil.machines.rig.settings import Rig
from hil.stations.platform.bench.bench import run
from hil.stations.platform.cycle.world import WorldSettings, platform_plant, settled
from hil.stations.platform.cycle.world_load import check_load
from hil.stations.platform.plan.scenario import plan_from_table

G_M_S2 = 9.81
TUBE_KG, ROD_KG, MIDDLE_M = 25.0, 8.0, 0.51
"""Of a leg: its tube's middle is so far from the base's joint, its rod's from the platform's (from
0.04 m to 0.08 m short of the closed length, 1.06 m)."""
STOP_M_S2 = 5.0
"""limits.stop_deceleration_m_s2 of training_simulator."""
ABLE_N = 0.9 * 14000.0


def joints_m(radius_m, half_deg):
    """Three pairs on a circle, legs 1 to 6, shape (6, 3)."""
    turned = [k * 120.0 + side * half_deg for k in range(3) for side in (1.0, -1.0)]
    order = [0, 3, 2, 5, 4, 1]
    angles = np.radians([turned[index] for index in order])
    return np.stack([radius_m * np.cos(angles), radius_m * np.sin(angles), 0.0 * angles], axis=1)


def rig_with(pose_box=None, **limits):
    table = read_toml(configs_dir() / "rigs" / "training_simulator.toml")
    table["pose_box"] |= pose_box or {}
    table["limits"] |= limits
    return Rig.build(table, "test")


def plant_with(rig, payload_kg):
    return platform_plant(rig, settled(WorldSettings(payload_kg=payload_kg), rig))


def refused(payload_kg, rig):
    """The place, leg and figures that a refusal tells."""
    with pytest.raises(ConfigError, match="bears") as caught:
        plant_with(rig, payload_kg)
    found = re.search(
        r"kg: (.*) leg (\d) bears (\d+) N(?:, and needs (\d+) N more to stop .*: (\d+) N)?, above "
        r"the 12600 N .*: at most (\d+) kg",
        str(caught.value),
    )
    assert found, str(caught.value)
    return found[1], *(int(text or 0) for text in found.groups()[1:])


def borne_n(base_m, top_m, at_m, payload_kg):
    """Forces of the six drives that hold a plate at rest, shape (6,): statics.

    Args:
        top_m: joints of the platform in the base's frame.
        at_m: the plate's centre.
    """
    rods_m = top_m - base_m
    length_m = np.linalg.norm(rods_m, axis=1)[:, None]
    along = rods_m / length_m
    up = np.array([0.0, 0.0, 1.0])
    # A rod leans on the platform across itself: moments of its weights about the base's joint.
    across = up - along * along[:, 2:]
    leaning_n = -G_M_S2 * across * (TUBE_KG * MIDDLE_M + ROD_KG * (length_m - MIDDLE_M)) / length_m
    forces = np.concatenate([along, np.cross(top_m - at_m, along)], axis=1).T
    loads = np.concatenate([leaning_n.sum(axis=0) - payload_kg * G_M_S2 * up,
                            np.cross(top_m - at_m, leaning_n).sum(axis=0)])  # fmt: skip
    return np.linalg.solve(forces, -loads) + ROD_KG * G_M_S2 * along[:, 2]


def test_five_tonnes_on_a_rig_for_one_and_a_half_are_refused_by_statics():
    """Where it parks: all rods lean alike, so each bears m g / 6 sin, and stops m a / 6 sin^2."""
    box = {axis: [-1e-4, 1e-4] for axis in ("x_m", "y_m", "alpha_deg", "beta_deg", "gamma_deg")}
    rig = rig_with({**box, "z_m": [1.1999, 1.2001]})
    place, _, bears_n, stops_n, both_n, most_kg = refused(5000.0, rig)
    assert place == "where it parks"
    low_m, away_m = 1.09, 0.70939  # between the joints' circles, as seen from above
    base_m, top_m = joints_m(1.10, 10.0), joints_m(0.90, 50.0)
    np.testing.assert_allclose(np.linalg.norm(top_m - base_m, axis=1), away_m, atol=1e-4)
    steep = np.sqrt(low_m**2 - away_m**2) / low_m
    at_m = np.array([0.0, 0.0, low_m * steep])
    assert borne_n(base_m, top_m + at_m, at_m, 5000.0) == pytest.approx(bears_n, rel=2e-4)
    assert bears_n == pytest.approx(5000.0 * G_M_S2 / (6.0 * steep), rel=0.03)
    assert stops_n == pytest.approx(5000.0 * STOP_M_S2 / (6.0 * steep**2), rel=0.03)
    assert both_n == pytest.approx(bears_n + stops_n, abs=1)
    assert 5000.0 * ABLE_N / both_n == pytest.approx(most_kg, rel=0.01)
    plant_with(rig, most_kg - 1.0)
    with pytest.raises(ConfigError, match="bears"):
        plant_with(rig, most_kg + 2.0)


def test_the_worst_end_of_the_pose_box_is_the_one_that_statics_finds():
    rig = rig_with(stop_deceleration_m_s2=0.1)  # so that stopping where it parks takes little
    place, leg, bears_n, *_ = refused(5000.0, rig)
    axis, value = re.fullmatch(r"at pose_box\.(\w+) = (.*)", place).groups()
    base_m, top_m = joints_m(1.10, 10.0), joints_m(0.90, 50.0)
    worst_n = {}
    for name, ends in rig.pose_box.model_dump().items():
        for end in ends:
            turn = np.radians(end)
            about = {"alpha_deg": 2, "beta_deg": 1, "gamma_deg": 0}.get(name)
            R = np.eye(3)
            if about is not None:
                i, j = (about + 1) % 3, (about + 2) % 3
                R[i, i] = R[j, j] = np.cos(turn)
                R[i, j], R[j, i] = -np.sin(turn), np.sin(turn)
            at_m = np.array([0.0, 0.0, 1.20])
            if about is None:
                at_m["xyz".index(name[0])] = end
            worst_n[name, f"{end:g}"] = borne_n(base_m, top_m @ R.T + at_m, at_m, 5000.0)
    assert worst_n[axis, value].max() == pytest.approx(
        max(forces_n.max() for forces_n in worst_n.values()), rel=1e-3
    )
    assert worst_n[axis, value][leg - 1] == pytest.approx(bears_n, rel=2e-3)


def test_the_loads_that_rigs_are_made_for_are_borne():
    plant_with(load_rig(find_file("training_simulator", folder="rigs", key="rig")), 1800.0)
    plant_with(load_rig(find_file("paper", folder="rigs", key="rig")), 1080.0)


def test_a_rig_that_hangs_bears_as_much_by_pulling():
    """Its mirror image in the plane of its base: the same forces, with the other sign."""
    table = read_toml(configs_dir() / "rigs" / "training_simulator.toml")
    table["neutral"]["z_m"] = -1.20
    table["pose_box"]["z_m"] = [-1.34, -1.06]
    hanging = Rig.build(table, "test")
    _, _, bears_n, stops_n, _, most_kg = refused(5000.0, hanging)
    _, _, standing_n, stopping_n, _, standing_kg = refused(5000.0, rig_with())
    assert bears_n == pytest.approx(standing_n, rel=0.02)
    assert stops_n == pytest.approx(stopping_n, rel=0.02)
    assert most_kg == pytest.approx(standing_kg, rel=0.02)


def test_it_is_refused_before_power_by_run_and_rack(tmp_path):
    """Without the rule the run begins: what it puts down then is a recording."""
    file, out = tmp_path / "heavy.toml", tmp_path / "runs"
    file.write_text("payload_kg = 5000.0\n", encoding="utf-8")
    out.mkdir()
    motion = {"kind": "legs", "to": [{"offsets_m": 0.0, "dwell_s": 0.5}]}
    table = {"name": "heavy", "rig": "training_simulator", "motion": motion, "rate_hz": 250.0}
    GIVEN.take({"world": str(file)})  # as on the command line
    plan = plan_from_table(table | {"world": str(file)}, Path("test"))
    with pytest.raises(ConfigError, match=r"payload of 5000 kg: .* at most \d+ kg"):
        run(plan, out)
    assert [one for one in out.rglob("*") if one.is_file()] == []
    command = ["drives", "rack", "--rig", "training_simulator", "--world", str(file)]
    told = " ".join(shown(*command, "--end-with-input", status=2).stderr.split())
    assert re.search(r"payload of 5000 kg: .* at most \d+ kg", told)


def test_a_rig_whose_own_numbers_are_too_heavy_is_refused():
    """5000 kg on six legs: 833 kg each, of which each bears 8.9 kN and stops 4.2 kN."""
    table = read_toml(configs_dir() / "rigs" / "training_simulator.toml")
    table["cylinders"] |= {"moving_mass_kg": 833.0, "static_load_n": 8900.0}
    words = r"static_load_n = 8900 of leg 1, and 4165 N .*: 13065 N, above the 12600 N"
    with pytest.raises(ConfigError, match=words):
        check_rig(Rig.build(table, "test"), "test")
    table["supervision"]["force_max_n"] = 13500.0
    check_rig(Rig.build(table, "test"), "test")


def test_what_is_checked_is_the_plant_itself():
    """A plant that bears little is judged by the limits of the rig that is given with it."""
    plant = plant_with(rig_with(), 1800.0)
    table = read_toml(configs_dir() / "rigs" / "training_simulator.toml")
    table["supervision"]["force_max_n"] = 4000.0
    with pytest.raises(ValueError, match=r"payload of 1800 kg: .* above the 4000 N"):
        check_load(Rig.build(table, "test"), plant)
