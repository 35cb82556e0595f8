"""What a payload can need of a leg: statics by hand, and the limits that a rig makes of it."""

import numpy as np
import pytest

from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError, read_toml
from hil.machines.rig.machine import gate_limits, geometry_of, lag_max_s, load_rig
from hil.machines.rig.payload import FORCE_SHARE, HEADROOM, LEAN_MAX, expected_forces_n
from hil.machines.rig.settings import Rig
from platform6dof.inverse import leg_lengths

PAPER = configs_dir() / "rigs" / "paper.toml"


def rig_with(**supervision):
    table = read_toml(PAPER)
    table["supervision"] |= supervision
    return Rig.build(table, "test")


def test_a_leg_needs_its_share_its_acceleration_and_some_room():
    rig = load_rig(PAPER)
    expected_n = expected_forces_n(rig, geometry_of(rig))
    own_n = 650.0 + 60.0 * 6.0
    for force_n in expected_n:
        assert type(force_n) is float  # JSON of a violation has no others
        assert HEADROOM * own_n <= force_n <= HEADROOM * LEAN_MAX * own_n
    assert np.allclose(expected_n, expected_n[::-1]), "the rig is its own mirror image"
    assert max(expected_n) < FORCE_SHARE * 4000.0, "a warning comes before the stop"


def test_the_worst_share_is_that_of_virtual_work():
    """A small lift by dz does the work W dz, and each leg its force times what it grows by."""
    rig = load_rig(PAPER)
    geometry = geometry_of(rig)
    shares = []
    for tilt in (0.0, *np.radians(rig.pose_box.beta_deg)):
        at = rig.neutral.coordinates()
        at[4] = tilt
        grown = []
        for axis in range(6):
            ends = []
            for step in (-1e-6, 1e-6):
                moved = at.copy()
                moved[axis] += step
                pose = type(rig.neutral.pose()).from_coordinates(moved)
                ends.append(leg_lengths(geometry, pose))
            grown.append((ends[1] - ends[0]) / 2e-6)
        work = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])  # per unit of each coordinate
        shares.append(np.linalg.solve(np.array(grown), work))
    least = HEADROOM * (650.0 + 360.0) * np.max(np.abs(shares[1:] / shares[0]), axis=0)
    assert np.all(np.array(expected_forces_n(rig, geometry)) >= least * (1 - 1e-6))


def test_what_a_rig_says_nothing_of_has_a_limit_all_the_same():
    limits = gate_limits(load_rig(PAPER), 0.01)
    assert limits.feedback_lag_max_s == pytest.approx(0.025)
    assert limits.feedback_lag_growth_s == pytest.approx(0.015)
    assert limits.force_cycles == 10
    fast = gate_limits(load_rig(PAPER), 0.002)
    assert (fast.feedback_lag_max_s, fast.feedback_lag_growth_s) == (0.010, 0.003)


def test_a_rig_says_otherwise():
    rig = rig_with(feedback_lag_max_s=0.04, force_max_n=3000.0, force_time_s=0.05)
    assert lag_max_s(rig, 0.004) == 0.04
    limits = gate_limits(rig, 0.01)
    assert {leg.force_max_n for leg in limits.legs} == {3000.0}
    assert limits.force_cycles == 5


@pytest.mark.parametrize(
    "wrong",
    [
        {"feedback_lag_max_s": 0.11},
        {"feedback_lag_growth_s": 0.0},
        {"force_time_s": 1.1},
        {"force_max_n": -1.0},
    ],
)
def test_a_limit_that_is_none_is_refused(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        rig_with(**wrong)


def test_a_force_that_no_drive_reaches_is_no_limit(tmp_path):
    text = PAPER.read_text().replace("[supervision]", "[supervision]\nforce_max_n = 4001.0", 1)
    path = tmp_path / "rig.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"supervision\.force_max_n = 4001"):
        load_rig(path)
