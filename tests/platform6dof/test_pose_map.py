"""Maps of poses: the same verdicts as the envelope, hold, limits by name, singular poses."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pose_judge
import pytest
from hexapods import DEG, lopsided, paper

from hil.machines.rig.machine import envelope_of, geometry_of, load_rig
from platform6dof.envelope import Envelope
from platform6dof.geometry import HexapodGeometry
from platform6dof.limits import EnvelopeLimits
from platform6dof.workspace.grid import PLACES, TURNS, PoseGrid
from platform6dof.workspace.map_figures import GRID_END, find_range, map_figures
from platform6dof.workspace.pose_map import BEYOND, KINDS, NOT_A_NUMBER, SINGULAR_POSE, map_poses
from platform6dof.workspace.quantities import SIGMA, SPEED, TRAVEL, Quantity

RIGS = Path(__file__).parents[2] / "configs" / "rigs"
RATES = np.array([0.1, 0.05, 0.08, 0.1, 0.15, 0.12])


def limits(**changes):
    given = {
        "joint_cone_base_rad": 40 * DEG,
        "joint_cone_platform_rad": 45 * DEG,
        "leg_clearance_m": 0.08,
        "singular_value_min": 0.10,
        "speed_max_m_s": np.full(6, 0.5),
        "acceleration_max_m_s2": np.full(6, 6.0),
        "soft_margin_m": 0.005,
    }
    return EnvelopeLimits(**(given | changes))


CASES = [
    (paper(), PLACES, [-0.8, -0.8, 0.4], [0.8, 0.8, 1.5]),
    (paper(), TURNS, [-1.0, -0.7, -0.7], [1.0, 0.7, 0.7]),
    (lopsided(), PLACES, [-0.5, -0.6, 0.5], [0.6, 0.5, 1.4]),
    (lopsided(0.025), TURNS, [-0.8, -0.6, -0.7], [0.9, 0.7, 0.6]),
]


def poses_of(grid):
    return np.concatenate([poses for _, poses in grid.blocks()])


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_inside_of_a_map_is_the_envelope(number):
    geometry, free, lower, upper = CASES[number]
    envelope = Envelope(geometry, limits())
    reference = np.array([0.02, 0.01, 0.935, 0.05, 0.02, -0.03])
    grid = PoseGrid(free, reference, lower, upper, 24)
    found = map_poses(envelope, grid, reference, SIGMA)
    inside = envelope.inside(poses_of(grid)).reshape(grid.shape)
    np.testing.assert_array_equal(found.inside, inside)
    assert 0.02 < inside.mean() < 0.98
    assert (np.isfinite(found.values) == inside).all()
    np.testing.assert_array_equal(found.share >= 0.0, inside)
    exact = envelope.quantities(poses_of(grid))[:, 45].reshape(grid.shape)
    np.testing.assert_allclose(found.singular_value, exact, atol=1e-9)


def test_limits_are_named_as_the_judge_finds_them():
    geometry = lopsided()
    reference = np.array([0.0, 0.0, 0.95, 0.1, 0.05, -0.1])
    grid = PoseGrid(PLACES, reference, [-0.9, -0.9, 0.3], [0.9, 0.9, 1.6], 20)
    envelope = Envelope(geometry, limits(leg_clearance_m=0.3))
    found = map_poses(envelope, grid, reference, SPEED, RATES)
    q = poses_of(grid)
    base, top = np.array(geometry.base_joints_m), np.array(geometry.platform_joints_m)
    m, arms, legs = pose_judge.legs_of(base, top, q)
    lengths = np.linalg.norm(legs, axis=2)
    low, high = (np.array(one[:6]) for one in envelope.bounds)
    turned = np.einsum("nij,kj->nki", m, geometry.neutral_axes[1])
    speeds = pose_judge.speeds(base, top, q, RATES)
    apart = pose_judge.clearances(base, legs)
    counts = np.isfinite(envelope.bounds[0][30:45])
    assert 0 < counts.sum() < 15
    apart[:, ~counts] = np.inf
    rows = pose_judge.jacobians(arms, legs, geometry.length_scale_m)
    hold = np.linalg.svd(rows, compute_uv=False)[:, 5]
    shares = np.column_stack(
        [
            (lengths - low) / (0.5 * (high - low)), (high - lengths) / (0.5 * (high - low)),
            1 - speeds / 0.5, 1 - pose_judge.angles(legs, geometry.neutral_axes[0]) / (40 * DEG),
            1 - pose_judge.angles(legs, turned) / (45 * DEG), apart / 0.3 - 1, hold / 0.1 - 1,
        ]
    )  # fmt: skip
    kinds = np.repeat([0, 1, 2, 3, 4, 5, 6], [6, 6, 6, 6, 6, 15, 1])
    flat = found.limit.reshape(-1)
    plain = flat < SINGULAR_POSE
    assert plain.mean() > 0.9
    expected = shares.argmin(axis=1)
    sorted_shares = np.sort(shares, axis=1)
    clear = plain & (sorted_shares[:, 1] - sorted_shares[:, 0] > 1e-6)
    np.testing.assert_array_equal(flat[clear], kinds[expected[clear]])
    np.testing.assert_allclose(found.share.reshape(-1), sorted_shares[:, 0], atol=1e-7)
    legs_of = np.concatenate([np.tile(np.arange(1, 7), 5), np.triu_indices(6, 1)[0] + 1, [0]])
    np.testing.assert_array_equal(found.leg.reshape(-1)[clear], legs_of[expected[clear]])
    inside = found.inside.reshape(-1)
    np.testing.assert_allclose(
        found.values.reshape(-1)[inside], speeds.max(axis=1)[inside], atol=1e-7
    )
    named = {KINDS[one] for one in np.unique(flat)}
    assert len(named) >= 5, named


def test_singular_poses_are_marked_and_have_no_value():
    """The published plates lose hold at a quarter turn about z, and beyond it stand reversed."""
    geometry = HexapodGeometry.from_circles(1.0, 14 * DEG, 0.70, 0.0, 0.64, 1.5)
    wide = limits(
        joint_cone_base_rad=math.pi, joint_cone_platform_rad=math.pi, leg_clearance_m=0.0,
        singular_value_min=0.0,
    )  # fmt: skip
    envelope = Envelope(geometry, wide)
    reference = np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0])
    grid = PoseGrid(TURNS, reference, [0.0, -0.1, -0.1], [2.4, 0.1, 0.1], 24)
    found = map_poses(envelope, grid, reference, SIGMA)
    singular = found.limit == SINGULAR_POSE
    alpha = grid.axis(0)
    middle = singular[:, 11, 11]
    assert middle.any()
    assert np.abs(np.degrees(alpha[middle]) - 90.0).max() < 7.0
    assert np.isnan(found.values[singular]).all()
    assert not found.inside[singular].any()
    beyond = found.limit == BEYOND
    assert beyond.any()
    assert np.degrees(alpha[np.argwhere(beyond)[:, 0].min()]) > 85.0
    assert not found.inside[beyond].any()
    figures = map_figures(found)
    assert figures.singular_cells == singular.sum()
    assert figures.least < figures.greatest < np.inf


def test_a_pose_at_a_singular_one_exactly_is_marked():
    envelope = Envelope(paper(), limits(singular_value_min=0.0))
    pose = np.array([0.0, 0.0, 0.935, math.pi / 2, 0.0, 0.0])
    grid = PoseGrid(TURNS, pose, [math.pi / 2 - 1e-9, -1e-9, -1e-9], pose[3:] + 1e-9, 2)
    found = map_poses(envelope, grid, np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0]))
    assert (found.limit == SINGULAR_POSE).all()


def test_a_quantity_of_others_is_asked_for_the_poses_inside_only():
    envelope = Envelope(paper(), limits())
    reference = np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0])
    asked = []

    def values(geometry, poses):
        assert geometry is envelope.geometry
        asked.append(poses)
        return np.where(poses[:, 0] > 0.1, np.inf, poses[:, 2])

    grid = PoseGrid(PLACES, reference, [-0.8, -0.8, 0.4], [0.8, 0.8, 1.5], 20)
    found = map_poses(envelope, grid, reference, Quantity("height", "height", "m", "least", values))
    poses = np.concatenate(asked)
    np.testing.assert_array_equal(poses, poses_of(grid)[found.inside.reshape(-1)])
    x, _, z = np.meshgrid(*(grid.axis(k) for k in range(3)), indexing="ij")
    shown = found.inside & (x <= 0.1)
    np.testing.assert_array_equal(np.isfinite(found.values), shown)
    np.testing.assert_allclose(found.values[shown], z[shown])


def test_volume_extents_and_rim_of_a_ball():
    """Legs that all but meet, without other limits: places within one length of a point."""
    geometry = replace_joints(paper(), 0.02)
    wide = limits(
        joint_cone_base_rad=math.pi, joint_cone_platform_rad=math.pi, leg_clearance_m=0.0,
        singular_value_min=0.0, soft_margin_m=0.0,
    )  # fmt: skip
    envelope = Envelope(geometry, wide)
    for end, value in ((0, 0.0), (1, 1.0)):
        bounds = np.array(envelope.bounds[end])
        bounds[:6] = value
        object.__setattr__(envelope, ("_low", "_high")[end], bounds)
    reference = np.array([0.0, 0.0, 0.7, 0.0, 0.0, 0.0])
    grid = PoseGrid(PLACES, reference, [-1.2, -1.2, -1.2], [1.2, 1.2, 1.2], 48)
    found = map_poses(envelope, grid, reference, TRAVEL)
    ball = found.share >= 0.0
    size = ball.sum() * np.prod(grid.steps)
    assert size == pytest.approx(4.0 / 3.0 * math.pi, rel=0.03)
    figures = map_figures(replace(found, inside=ball))
    assert figures.volume == pytest.approx(size)
    np.testing.assert_allclose(figures.upper, 1.0, atol=0.05)
    np.testing.assert_allclose(figures.lower, -1.0, atol=0.05)
    assert figures.parts == 1
    assert next(iter(figures.bound_by)) == "leg too long"


def replace_joints(geometry, size):
    return HexapodGeometry(
        size * geometry.base_joints_m, size * geometry.platform_joints_m,
        np.full(6, 0.4), np.full(6, 0.6),
    )  # fmt: skip


def test_a_grid_that_is_too_small_says_so():
    envelope = Envelope(paper(), limits())
    reference = np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0])
    grid = PoseGrid(PLACES, reference, [-0.05, -0.05, 0.9], [0.05, 0.05, 0.97], 8)
    figures = map_figures(map_poses(envelope, grid, reference))
    assert figures.share_inside == 1.0
    assert figures.bound_by == {GRID_END: 1.0}
    assert figures.outside_by == {}


@pytest.mark.parametrize("name", ["paper", "training_simulator"])
@pytest.mark.parametrize("free", [PLACES, TURNS])
def test_the_range_found_holds_all_that_is_inside(name, free):
    rig = load_rig(RIGS / f"{name}.toml")
    envelope, reference = envelope_of(rig, geometry_of(rig)), rig.neutral.coordinates()
    found = find_range(envelope, free, reference)
    assert found.nearest is None
    width = found.upper - found.lower
    grid = PoseGrid(free, reference, found.lower - width, found.upper + width, 36)
    cells = np.argwhere(map_poses(envelope, grid, reference).inside)
    middles = grid.lower + grid.steps * (cells + 0.5)
    assert (middles >= found.lower - grid.steps).all()
    assert (middles <= found.upper + grid.steps).all()
    assert len(cells) > 300


def test_where_nothing_is_inside_the_nearest_pose_and_its_limit_are_named():
    envelope = Envelope(paper(), limits())
    found = find_range(envelope, TURNS, np.array([0.0, 0.0, 2.5, 0.0, 0.0, 0.0]))
    assert found.nearest.violation.quantity == "length"
    assert found.nearest.violation.value > 1.375
    nowhere = find_range(envelope, PLACES, np.array([0.0, 0.0, 0.9, math.pi, 0.0, 0.0]))
    assert nowhere.nearest is not None


def test_what_is_no_number_is_none():
    envelope = Envelope(paper(), limits())
    reference = np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0])
    grid = PoseGrid(PLACES, reference, [-1e300] * 3, [1e300] * 3, 3)
    found = map_poses(envelope, grid, reference)
    assert not found.inside.any()
    assert (found.limit[0, 0, 0] == NOT_A_NUMBER) or found.limit[0, 0, 0] < SINGULAR_POSE
    for bad in ({"lower": [np.nan, 0, 0]}, {"points": 1}, {"free": (0, 1, 3)}, {"upper": [-2] * 3}):
        given = {"free": PLACES, "fixed": reference, "lower": [-1] * 3, "upper": [1] * 3,
                 "points": 4} | bad  # fmt: skip
        with pytest.raises(ValueError, match=r"lower|points|free|grid"):
            PoseGrid(**given)


def test_work_can_be_ended():
    class EndedError(Exception):
        pass

    def end(share):
        raise EndedError(share)

    envelope = Envelope(paper(), limits())
    reference = np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0])
    grid = PoseGrid(PLACES, reference, [-1] * 3, [1] * 3, 4)
    with pytest.raises(EndedError):
        map_poses(envelope, grid, reference, go_on=end)
