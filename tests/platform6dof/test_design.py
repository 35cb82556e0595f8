"""Design of hexapods: figures against numpy of the test's own, and fronts that are fronts."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hexapods import paper

from hil_common.arrays.pose import Pose
from platform6dof.design.problem import CONSTRAINTS, DesignLimits, DesignProblem, offsets_m
from platform6dof.design.search import NoDesignError, _not_dominated, find_front
from platform6dof.envelope import Envelope
from platform6dof.geometry import HexapodGeometry
from platform6dof.kernels import design as kernel
from platform6dof.limits import EnvelopeLimits

DEG = np.pi / 180.0
HALF = np.array([0.1, 0.1, 0.205, 10 * DEG, 10 * DEG, 10 * DEG])
LIMITS = DesignLimits(0.25, 0.005, 0.1, 40 * DEG, 45 * DEG, 0.08)
LOAD = np.array([300.0, 0.0, 0.0, 0.35, 3.0, 3.0, 12.8])
LOWER = np.array([0.4, 3 * DEG, 0.3, 0.0, -60 * DEG, 0.6])
UPPER = np.array([1.2, 57 * DEG, 0.8, 60 * DEG, 60 * DEG, 1.9])
THREE = ("stroke_m", "error", "force_n")
PAPER = np.array([1.0, 14 * DEG, 0.7, 0.0, 0.0, 0.935])


def problem(**changes):
    given = DesignProblem(LOWER, UPPER, -HALF, HALF, LOAD, LIMITS, THREE)
    return replace(given, **changes)


@pytest.mark.parametrize(
    ("sizes", "stroke", "error", "force"),
    [
        (PAPER, 0.840, 4.24, 4056),
        ([1.2, 24.4 * DEG, 0.4, 60 * DEG, 0.0, 1.038], 0.681, 1.94, 3378),
        ([1.2, 24.4 * DEG, 0.4, 60 * DEG, 0.0, 1.525], 0.694, 2.38, 2770),
        ([1.2, 3 * DEG, 0.8, 60 * DEG, 0.0, 1.374], 0.972, 1.62, 1938),
    ],
)
def test_figures_of_known_machines(sizes, stroke, error, force):
    """Machines whose figures another program found."""
    found = problem().figures(sizes).objectives[0]
    assert found[0] - 0.010 == pytest.approx(stroke, abs=1e-3)
    assert found[1] == pytest.approx(error, rel=3e-3)
    assert found[2] == pytest.approx(force, rel=1e-3)


def test_figures_against_the_bench_own_mathematics():
    """Random machines: lengths, Jacobian, cones and clearance of the envelope, forces of numpy."""
    generator = np.random.default_rng(5)
    load = np.array([250.0, 0.1, -0.05, 0.4, 2.0, 1.0, 11.0])
    for _ in range(8):
        sizes = generator.uniform(LOWER + 0.05, UPPER)
        task = problem(load=load)
        row = task.figures(sizes).raw[0]
        geometry = HexapodGeometry.from_circles(
            sizes[0], sizes[1], sizes[2], sizes[3], 0.05, 8.0, sizes[4]
        )
        legs = geometry.platform_joints_m + np.array([0.0, 0.0, sizes[5]]) - geometry.base_joints_m
        geometry = replace(geometry, base_axes=legs, platform_axes=legs)
        wide = EnvelopeLimits(3.0, 3.0, LIMITS.clearance_m, 0.0, np.ones(6), np.ones(6), 0.0)
        envelope = Envelope(geometry, wide)
        worst = {"low": np.inf, "high": 0.0, "error": 0.0, "force": 0.0, "base": 0.0, "top": 0.0,
                 "clear": np.inf, "sigma": np.inf}  # fmt: skip
        for pose in task.poses:
            at = Pose.from_coordinates(pose + sizes[5] * np.eye(6)[2])
            state = envelope.state(at)
            c = geometry.platform_joints_m @ at.rotation.T
            u = at.position_m + c - geometry.base_joints_m
            u /= np.linalg.norm(u, axis=1)[:, None]
            inverse = np.linalg.inv(np.hstack([u, np.cross(c, u)]))
            arm = at.rotation @ load[1:4]
            most = 0.0
            for x, y in itertools.product((-1, 1), repeat=2):
                push = load[0] * np.array([x * load[4], y * load[5], load[6]])
                wrench = np.concatenate([push, np.cross(arm, push)])
                most = max(most, float(np.abs(inverse.T @ wrench).max()))
            worst["low"] = min(worst["low"], state.length_m.min())
            worst["high"] = max(worst["high"], state.length_m.max())
            worst["error"] = max(worst["error"], np.linalg.norm(inverse[:3]))
            worst["force"] = max(worst["force"], most)
            worst["base"] = max(worst["base"], state.base_angle_rad.max())
            worst["top"] = max(worst["top"], state.platform_angle_rad.max())
            worst["clear"] = min(worst["clear"], state.clearance_m)
            worst["sigma"] = min(worst["sigma"], state.smallest_singular_value)
        expected = [worst[key] for key in ("low", "high", "error", "force")]
        assert row[:4] == pytest.approx(expected, rel=1e-9)
        assert row[kernel.SINGULAR] <= worst["sigma"] <= np.sqrt(6.0) * row[kernel.SINGULAR]
        assert row[kernel.BASE_CONE] == pytest.approx(worst["base"], abs=1e-7)
        assert row[kernel.PLATFORM_CONE] == pytest.approx(worst["top"], abs=1e-7)
        assert row[kernel.CLEARANCE] == pytest.approx(min(worst["clear"], kernel.APART), rel=1e-9)


def test_all_four_objectives_in_the_order_that_is_asked():
    """The footprint is the greater circle, whichever that is."""
    task = problem(objectives=("footprint_m", "force_n", "error", "stroke_m"))
    three = problem().figures(PAPER).objectives[0]
    assert task.figures(PAPER).objectives[0].tolist() == [1.0, three[2], three[1], three[0]]
    wide = [0.6, 0.3, 0.9, 0.8, 0.5, 0.9]
    assert task.figures(wide).objectives[0, 0] == 0.9
    front = find_front(task, 1, 8, generations=3)
    assert front.figures.objectives.shape[1] == 4
    assert (front.figures.objectives[:, 0] == front.figures.sizes[:, [0, 2]].max(axis=1)).all()


def test_legs_that_cross_bind_a_design():
    sizes = np.array([1.1, 0.5, 0.75, 0.8, 0.87, 0.77])
    tight = replace(LIMITS, clearance_m=0.3, base_cone_rad=1.5, platform_cone_rad=1.5)
    tight = replace(tight, dead_length_m=0.0, singular_value_min=0.0)
    crossed = problem(lower=sizes - 1e-3, upper=sizes + 1e-3, limits=tight)
    with pytest.raises(NoDesignError, match=r"\d+ mm nearer to each other than leg_clearance_m"):
        find_front(crossed, 1, 5, generations=3)


def test_a_singular_machine_breaks_its_constraint():
    """Similar plates: no pose holds."""
    found = problem().figures([1.0, 14 * DEG, 0.7, 14 * DEG, 0.0, 0.9])
    assert not found.kept[0]
    assert found.violations[0, CONSTRAINTS.index("singular_value")] > 0.0


def test_cones_and_clearance_are_broken_by_what_is_beyond_them():
    tight = replace(LIMITS, base_cone_rad=5 * DEG, platform_cone_rad=6 * DEG, clearance_m=0.3)
    sizes = [1.1, 0.5, 0.75, 0.8, 0.87, 0.77]  # legs that cross
    found = problem(limits=tight).figures(sizes)
    raw, broken = found.raw[0], dict(zip(CONSTRAINTS, found.violations[0], strict=True))
    assert broken["base_cone_rad"] == pytest.approx(raw[kernel.BASE_CONE] - 5 * DEG)
    assert broken["platform_cone_rad"] == pytest.approx(raw[kernel.PLATFORM_CONE] - 6 * DEG)
    assert 0.0 < raw[kernel.CLEARANCE] < 0.3
    assert broken["clearance_m"] == pytest.approx(0.3 - raw[kernel.CLEARANCE])
    assert broken["base_cone_rad"] > 0.0 < broken["platform_cone_rad"]


def test_the_paper_lacks_a_closed_length():
    """A stroke of 0.85 m in a leg of 0.59 m."""
    found = problem().figures(PAPER)
    (lacks,) = np.flatnonzero(found.violations[0])
    assert CONSTRAINTS[lacks] == "closed_length_m"
    stroke = 0.85002
    assert found.violations[0, lacks] == pytest.approx(stroke + 0.25 - (0.59695 - 0.005), abs=1e-4)
    legs = paper().platform_joints_m - paper().base_joints_m
    assert offsets_m(PAPER[None])[0] == pytest.approx(np.linalg.norm(legs, axis=1).mean())


def dominates(one, other):
    return bool((one <= other).all() and (one < other).any())


def test_a_front_keeps_all_constraints_and_is_the_same_again():
    task = problem()
    front = find_front(task, 1, 24, generations=12)
    values = front.figures.objectives
    assert 20 <= len(values) <= 24
    assert front.figures.kept.all()
    assert not any(dominates(one, other) for one in values for other in values)
    assert (front.figures.sizes >= LOWER).all()
    assert (front.figures.sizes <= UPPER).all()
    assert (np.diff(values[:, 0]) >= 0.0).all()
    assert (find_front(task, 1, 24, generations=12).figures.sizes == front.figures.sizes).all()
    before, best = task.figures(PAPER).objectives[0], values[front.balanced]
    assert (best / before < [0.9, 0.7, 0.75]).all(), "better than the paper's in all at once"


def test_not_dominated_rows_by_hand():
    rows = np.array([[1, 5], [2, 2], [2, 2], [3, 1], [3, 3], [1, 6], [0, 9]], dtype=float)
    assert sorted(map(tuple, rows[_not_dominated(rows)])) == [(0, 9), (1, 5), (2, 2), (3, 1)]


def test_one_objective_and_fixed_sizes():
    fixed = LOWER.copy(), UPPER.copy()
    fixed[0][0] = fixed[1][0] = 1.0
    found = find_front(problem(lower=fixed[0], upper=fixed[1], objectives=("error",)), 0, 5, 8)
    assert len(found.figures.sizes) == 1
    assert found.figures.sizes[0, 0] == 1.0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"limits": replace(LIMITS, dead_length_m=3.0)}, r"closed length is \d+ mm shorter"),
        ({"limits": replace(LIMITS, singular_value_min=0.9)}, r"singular value is 0\.\d+ below"),
        (
            {"limits": replace(LIMITS, base_cone_rad=1 * DEG)},
            r"lean [\d.]+° beyond joint_cone_base",
        ),
        ({"limits": replace(LIMITS, platform_cone_rad=2 * DEG)}, "beyond joint_cone_platform_deg"),
    ],
)
def test_a_design_without_solution_says_what_binds(changes, said):
    with pytest.raises(NoDesignError, match=f"no machine within the ranges.*{said}"):
        find_front(problem(**changes), 1, 5, generations=6)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lower": UPPER + 0.1}, "base_radius_m: from 1.3 to 1.2"),
        ({"box_lower": HALF * 2}, "box"),
        ({"objectives": ()}, "objectives"),
        ({"objectives": ("beauty",)}, "objectives"),
        ({"load": LOAD * 0.0}, "mass 0 kg"),
        ({"load": LOAD * np.nan}, "load"),
    ],
)
def test_problems_that_cannot_be_are_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        problem(**changes)
