"""Accuracy of a machine: against differences of lengths and a Newton's method of the test's own.

The judge has points only: a rotation is made by Rodrigues' formula here, and no function of the
product is asked for a length.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from campaign import count
from hexapods import lopsided, paper

from hil_common.arrays.pose import Pose
from platform6dof.accuracy.budget import allocate
from platform6dof.accuracy.poses import reachable_poses
from platform6dof.accuracy.propagation import (
    SingularPoseError,
    leg_errors,
    spread_per_length,
    three_sigma,
    variances,
    worst_case,
)
from platform6dof.accuracy.random_machines import _drawn, random_machines
from platform6dof.accuracy.tolerances import KINDS, NAMES, Tolerances
from platform6dof.accuracy.variations import by_half_angle, by_height
from platform6dof.envelope import Envelope
from platform6dof.geometry import HexapodGeometry
from platform6dof.limits import EnvelopeLimits
from platform6dof.workspace import PoseBox

DEG = np.pi / 180.0
POINT = np.array([0.31, -0.12, 1.17])


def turned(w):
    """Rotation by a vector (Rodrigues)."""
    angle = np.linalg.norm(w)
    x, y, z = w / angle if angle else w
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k


def legs_of(base, top, position, rotation):
    return np.sqrt(((position + top @ rotation.T - base) ** 2).sum(axis=1))


def solved(base, top, wanted, position, rotation):
    """Pose of given lengths by Newton's method with differences for derivatives."""
    for _ in range(30):
        missing = wanted - legs_of(base, top, position, rotation)
        if np.abs(missing).max() < 1e-13:
            return position, rotation
        slopes, step = np.empty((6, 6)), 1e-6
        for k, way in enumerate(np.eye(6) * step):
            more = legs_of(base, top, position + way[:3], turned(way[3:]) @ rotation)
            less = legs_of(base, top, position - way[:3], turned(-way[3:]) @ rotation)
            slopes[:, k] = (more - less) / (2.0 * step)
        move = np.linalg.solve(slopes, missing)
        position, rotation = position + move[:3], turned(move[3:]) @ rotation
    raise AssertionError("the judge found no pose")


class Judge:
    """Every part of a machine as one number, and where the point is with it."""

    def __init__(self, geometry, pose, tolerances, point):
        self.base, self.top = np.array(geometry.base_joints_m), np.array(geometry.platform_joints_m)
        self.closed, self.pose, self.point = geometry.closed_length_m, pose, point
        self.tolerances = tolerances
        self.nominal = legs_of(self.base, self.top, pose.position_m, pose.rotation)

    def error(self, kind, number, size):
        """Place and turn of the point if one part errs by a size."""
        base, top, lengths = self.base.copy(), self.top.copy(), self.nominal.copy()
        t = self.tolerances
        match kind:
            case "leg_length" | "play":
                lengths[number] += size
            case "scale":
                lengths[number] += size * (self.nominal[number] - self.closed[number])
            case "base_joint":
                base.flat[number] += size
            case "platform_joint":
                top.flat[number] += size
            case "leg_temperature":
                lengths[number] *= 1.0 + t.leg_expansion_per_k * size
            case "temperature":
                lengths *= 1.0 + t.leg_expansion_per_k * size
                base *= 1.0 + t.plate_expansion_per_k * size
                top *= 1.0 + t.plate_expansion_per_k * size
        return self.moved(*solved(base, top, lengths, self.pose.position_m, self.pose.rotation))

    def moved(self, position, rotation):
        before = self.pose.rotation @ self.point
        by = rotation @ self.pose.rotation.T
        turn = 0.5 * np.array([by[2, 1] - by[1, 2], by[0, 2] - by[2, 0], by[1, 0] - by[0, 1]])
        return np.concatenate(
            [position - self.pose.position_m + rotation @ self.point - before, turn]
        )

    def slopes(self, kind):
        """Derivatives of place and turn by every part of a kind, shape (parts, 6)."""
        parts = {"base_joint": 18, "platform_joint": 18, "temperature": 1}.get(kind, 6)
        step = 1e-2 if "temperature" in kind else 1e-5
        return np.array([
            (self.error(kind, n, step) - self.error(kind, n, -step)) / (2.0 * step)
            for n in range(parts)
        ])  # fmt: skip


def random_rig(generator):
    """A hexapod on circles with the plate turned, and a pose near its middle."""
    base, top = generator.uniform(0.6, 1.3), generator.uniform(0.3, 0.8)
    geometry = HexapodGeometry.from_circles(
        base, generator.uniform(4, 28) * DEG, top, generator.uniform(35, 58) * DEG, 0.7, 0.7
    )
    away = np.concatenate([generator.uniform(-0.1, 0.1, 3), generator.uniform(-0.15, 0.15, 3)])
    return geometry, Pose.from_coordinates(geometry.neutral_pose.coordinates() + away)


@pytest.mark.parametrize(
    ("half_angle", "place", "turn_deg"), [(0.0, 3.41, 0.175), (60.0, 1.43, 0.101)]
)
def test_plates_as_printed_and_turned(half_angle, place, turn_deg):
    """Error of the place per error of all lengths, of the paper's machine and with paired legs."""
    geometry = HexapodGeometry.from_circles(1.0, 14 * DEG, 0.7, half_angle * DEG, 0.64, 0.74)
    pose = Pose.from_coordinates(np.array([0, 0, 0.935, 0, 0, 0]))
    of_place, of_turn = spread_per_length(geometry, pose, np.zeros(3))
    assert of_place == pytest.approx(place, rel=0.01)
    assert of_turn / DEG / 1000.0 == pytest.approx(turn_deg, rel=0.01)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("machine", [paper, lopsided])
def test_each_kind_of_errors_against_differences(kind, machine):
    geometry = machine()
    pose = Pose.from_coordinates(np.array([0.05, -0.03, 0.93, 0.07, -0.1, 0.13]))
    given = Tolerances(plate_expansion_per_k=23e-6)
    judge = Judge(geometry, pose, given, POINT)
    slopes = judge.slopes(kind)
    tolerance = getattr(given, NAMES[KINDS.index(kind)])
    uniform = kind in ("play", "temperature", "leg_temperature")
    deviation = slopes * tolerance / (np.sqrt(3.0) if uniform else 3.0)
    none = dict.fromkeys(NAMES, 0.0)
    alone = replace(given, **none | {NAMES[KINDS.index(kind)]: tolerance})
    errors = leg_errors(geometry, alone, pose)
    expected = deviation.T @ deviation
    assert variances(errors, alone, POINT).sum(axis=0) == pytest.approx(
        expected, rel=2e-4, abs=1e-6 * np.abs(expected).max()
    )
    linear = three_sigma(errors, alone, POINT)
    assert linear.place_total_m == pytest.approx(3.0 * np.trace(expected[:3, :3]) ** 0.5, rel=1e-4)
    worst = worst_case(errors, alone, POINT)
    assert worst.numbers[:6] == pytest.approx(np.abs(slopes).sum(axis=0) * tolerance, rel=2e-4)
    assert worst.turn_total_rad <= np.linalg.norm(worst.turn_rad) + 1e-15


def test_worst_case_is_the_worst_of_all_signs():
    """All signs of lengths and temperature, tried one by one on the judge's machine."""
    geometry, pose = lopsided(), Pose.from_coordinates(np.array([0.02, 0.04, 0.95, -0.1, 0.1, 0.0]))
    none = dict.fromkeys(NAMES, 0.0)
    given = Tolerances(**none | {"leg_length_m": 2e-5, "temperature_k": 0.9})
    judge = Judge(geometry, pose, given, POINT)
    of_legs, of_warmth = judge.slopes("leg_length") * 2e-5, judge.slopes("temperature") * 0.9
    ways = [
        np.array(signs[:6]) @ of_legs + signs[6] * of_warmth[0]
        for signs in itertools.product((-1, 1), repeat=7)
    ]
    worst = worst_case(leg_errors(geometry, given, pose), given, POINT)
    place = max(np.linalg.norm(way[:3]) for way in ways)
    assert worst.place_total_m == pytest.approx(place, rel=1e-4)
    assert worst.turn_total_rad == pytest.approx(max(np.linalg.norm(w[3:]) for w in ways), rel=1e-4)


def test_random_machines_are_where_the_judge_finds_them():
    geometry, pose = lopsided(), Pose.from_coordinates(np.array([0.02, 0.04, 0.95, -0.1, 0.1, 0.0]))
    given = replace(Tolerances(), leg_length_m=3e-3, base_joint_m=5e-3, play_m=1e-3)
    judge = Judge(geometry, pose, given, POINT)
    generator = np.random.Generator(np.random.PCG64(7))
    tables, lengths = _drawn(geometry, given, judge.nominal, 20, generator)
    found = random_machines(geometry, given, pose, POINT, 20, 7)
    assert found.without_pose == 0
    for n in range(20):
        parts = tables[n, :, :3], tables[n, :, 3:6], lengths[n]
        at = judge.moved(*solved(*parts, pose.position_m, pose.rotation))
        assert found.place_m[n] == pytest.approx(at[:3], abs=1e-10)
        assert found.turn_rad[n] == pytest.approx(at[3:], rel=1e-3, abs=1e-7)


@pytest.mark.campaign
def test_three_sigma_and_random_machines_agree():
    """To 5 % on random rigs, of the place and of the turn, of 20 000 machines each."""
    for seed in range(rigs := count(50, least=4)):
        generator = np.random.default_rng(seed)
        geometry, pose = random_rig(generator)
        point = generator.uniform([-0.5, -0.5, 0.0], [0.5, 0.5, 1.5])
        linear = three_sigma(leg_errors(geometry, Tolerances(), pose), Tolerances(), point)
        drawn = random_machines(geometry, Tolerances(), pose, point, 20_000, seed)
        assert drawn.without_pose == 0
        assert drawn.three_sigma.numbers == pytest.approx(linear.numbers, rel=0.05), (seed, rigs)
        worst = worst_case(leg_errors(geometry, Tolerances(), pose), Tolerances(), point)
        assert (linear.numbers < worst.numbers).all()


def test_a_wound_screw_is_in_the_errors():
    """With a screw that winds, random machines and the linear law agree, on other numbers."""
    geometry = lopsided(screw_lead_m=2.0)
    pose = Pose.from_coordinates(np.array([0.02, 0.04, 0.95, -0.1, 0.1, 0.3]))
    linear = three_sigma(leg_errors(geometry, Tolerances(), pose), Tolerances(), POINT)
    drawn = random_machines(geometry, Tolerances(), pose, POINT, 20_000, 3).three_sigma
    assert drawn.numbers == pytest.approx(linear.numbers, rel=0.03)
    plain = three_sigma(leg_errors(lopsided(), Tolerances(), pose), Tolerances(), POINT)
    assert np.abs(plain.numbers / linear.numbers - 1.0).max() > 0.05


def test_a_budget_is_kept_with_equal_effects():
    geometry = paper()
    poses = [Pose.from_coordinates(np.array([x, 0.05, z, 0.1, 0, 0])) for x in (-0.1, 0.1)
             for z in (0.8, 1.0)]  # fmt: skip
    found = allocate(geometry, poses, POINT, 0.2e-3, Tolerances())
    reached = [
        three_sigma(leg_errors(geometry, found.tolerances, pose), found.tolerances, POINT)
        for pose in poses
    ]
    assert max(one.place_total_m for one in reached) == pytest.approx(0.2e-3, rel=1e-9)
    assert int(np.argmax([one.place_total_m for one in reached])) == found.worst
    assert found.reached_m == pytest.approx(0.2e-3, rel=1e-9)
    drawn = random_machines(geometry, found.tolerances, poses[found.worst], POINT, 20_000, 1)
    assert drawn.three_sigma.place_total_m == pytest.approx(0.2e-3, rel=0.03)
    one = allocate(geometry, poses[:1], POINT, 1e-3, Tolerances())
    each = variances(leg_errors(geometry, one.tolerances, poses[0]), one.tolerances, POINT)
    shares = np.trace(each[:, :3, :3], axis1=1, axis2=2)
    assert shares == pytest.approx(np.full(7, shares.mean()), rel=1e-9)
    assert one.unbounded == ()


def test_a_kind_without_effect_is_named_and_not_bounded():
    stiff = replace(Tolerances(), leg_expansion_per_k=0.0, plate_expansion_per_k=0.0)
    pose = Pose.from_coordinates(np.array([0, 0, 0.9, 0, 0, 0]))
    found = allocate(paper(), [pose], POINT, 1e-3, stiff)
    assert found.unbounded == ("temperature", "leg_temperature")
    assert found.tolerances.temperature_k == 0.0
    with pytest.raises(ValueError, match="at least one pose"):
        allocate(paper(), [], POINT, 1e-3, stiff)
    with pytest.raises(ValueError, match="above 0 m"):
        allocate(paper(), [pose], POINT, float("nan"), stiff)


def test_a_singular_pose_has_no_error():
    """In the printed arrangement all legs lie in one plane at height 0."""
    flat = Pose.from_coordinates(np.zeros(6))
    with pytest.raises(SingularPoseError, match="singular"):
        leg_errors(paper(), Tolerances(), flat)


@pytest.mark.parametrize("value", [-1e-9, float("nan"), float("inf")])
@pytest.mark.parametrize("name", [*NAMES, "leg_expansion_per_k", "plate_expansion_per_k"])
def test_tolerances_are_numbers(name, value):
    with pytest.raises(ValueError, match=f"{name}: .*finite and 0 or more"):
        Tolerances(**{name: value})
    with pytest.raises(ValueError, match="count: 0"):
        random_machines(paper(), Tolerances(), paper().neutral_pose, POINT, 0, 0)


def test_what_half_angle_and_height_do():
    """Joints near each other help with the plate turned, and hurt as printed."""
    angles = np.array([2, 5, 14, 30]) * DEG
    printed = by_half_angle(1.0, 0.7, 0.0, angles, 0.935)
    turned_plate = by_half_angle(1.0, 0.7, 60 * DEG, angles, 0.935)
    assert printed[:, 0] == pytest.approx([23.0, 9.2, 3.41, 1.81], rel=0.01)
    assert printed[:, 1] / DEG / 1000 == pytest.approx([1.12, 0.45, 0.175, 0.108], rel=0.02)
    assert turned_plate[:, 0] == pytest.approx([1.35, 1.36, 1.43, 1.81], rel=0.01)
    assert np.isnan(by_half_angle(1.0, 0.7, 30 * DEG, np.array([30 * DEG]), 0.9)).all()
    heights = np.linspace(0.3, 2.0, 171)
    of_height = by_height(1.0, 0.7, 14 * DEG, 60 * DEG, heights)
    assert heights[np.argmin(of_height[:, 0])] == pytest.approx(0.51, abs=0.02)
    assert heights[np.argmin(of_height[:, 1])] == pytest.approx(1.02, abs=0.02)


def test_poses_of_a_box_are_those_within_limits():
    limits = EnvelopeLimits(0.7, 0.8, 0.08, 0.1, np.ones(6), np.ones(6), 0.005)
    box = PoseBox([-0.1, -0.1, 0.73, -0.17, -0.17, -0.17], [0.1, 0.1, 1.14, 0.17, 0.17, 0.17])
    poses, tried = reachable_poses(Envelope(paper(), limits), box, 500)
    assert tried == 1 + 12 + 64 + 500
    assert 100 < len(poses) < tried
    for pose in poses:
        at = Pose.from_coordinates(pose)
        lengths = legs_of(
            paper().base_joints_m, paper().platform_joints_m, at.position_m, at.rotation
        )
        assert lengths.min() >= 0.645 - 1e-12
        assert lengths.max() <= 1.375 + 1e-12
    again, _ = reachable_poses(Envelope(paper(), limits), box, 500)
    assert (again == poses).all()
