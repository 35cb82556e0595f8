"""Proofs over boxes of poses: the shipped rigs' figures, and no false proof of any limit.

The judge of the campaign (`pose_judge`) shares no code with the product. Limits are put just inside
of what some pose of a box was seen to reach: a proof of such a box is false, by however little.
"""

import math
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pose_judge
import pytest
from campaign import count
from hexapods import lopsided, paper
from tight_boxes import cases, limited, poses_of, random_box, random_rig

from hil.machines.rig.machine import envelope_of, geometry_of, load_rig
from hil_common.arrays.pose import Pose
from platform6dof.inverse import leg_setpoints_batch
from platform6dof.kernels import pose_proof as kernel
from platform6dof.pose import PlatformSetpoint
from platform6dof.workspace import PoseBox, box_search
from platform6dof.workspace.box_search import Budget, search_box, violating_pose
from platform6dof.workspace.leg_extremes import corners
from platform6dof.workspace.pose_proof import largest_box, prove_box, scaled_box

RIGS = Path(__file__).parents[2] / "configs" / "rigs"
FEW = Budget(20_000)


def shipped(name):
    rig = load_rig(RIGS / f"{name}.toml")
    return envelope_of(rig, geometry_of(rig)), rig.pose_box.box()


@pytest.fixture(scope="module")
def of_paper():
    return shipped("paper")


@pytest.fixture(scope="module")
def of_simulator():
    return shipped("training_simulator")


@pytest.mark.parametrize(
    ("name", "shortest", "longest", "least"),
    [("paper", 0.5970, 1.4370, 0.2872), ("training_simulator", 0.8808, 1.9586, 0.7030)],
)
def test_shipped_boxes_are_not_inside_their_own_travel(name, shortest, longest, least):
    envelope, box = shipped(name)
    found = prove_box(envelope, box)
    assert found.search.verdict == "violated"
    ends = {one.violation.value > one.violation.limit for one in found.violating}
    assert ends == {True, False}, "both ends of the travel"
    for one in found.violating:
        assert one.violation.quantity == "length"
        assert (box.lower <= one.coordinates).all()
        assert (one.coordinates <= box.upper).all()
        assert violating_pose(envelope, one.coordinates) is not None
    assert found.worst.lengths.min_m == pytest.approx(shortest, abs=5e-5)
    assert found.worst.lengths.max_m == pytest.approx(longest, abs=5e-5)
    assert found.worst.singular_value.value == pytest.approx(least, abs=5e-4)


def test_the_search_alone_finds_violating_poses_too(of_paper):
    envelope, box = of_paper
    found = search_box(envelope, box)
    assert found.verdict == "violated"
    assert found.violating.violation.quantity == "length"


def test_most_of_the_published_box_holds_with_nothing_undecided(of_paper):
    envelope, box = of_paper
    found = prove_box(envelope, scaled_box(box, 0.85))
    assert found.holds
    assert (found.search.proved_share, found.search.undecided_share) == (1.0, 0.0)
    assert found.violating == ()


@pytest.mark.parametrize(("name", "scale"), [("paper", 0.8601), ("training_simulator", 0.5283)])
def test_the_largest_proved_box(name, scale):
    envelope, box = shipped(name)
    found = largest_box(envelope, box)
    assert found.scale == pytest.approx(scale, abs=1e-3)
    assert found.next_scale - found.scale < 2e-4
    assert found.limited_by.violation.quantity == "length"


def test_a_budget_leaves_a_share_undecided(of_paper):
    envelope, box = of_paper
    few = search_box(envelope, scaled_box(box, 0.85), Budget(5000))
    assert few.verdict == "undecided"
    assert few.boxes == 5000
    assert few.proved_share + few.undecided_share == pytest.approx(1.0, abs=1e-12)
    late = search_box(envelope, scaled_box(box, 0.85), Budget(expired=lambda: True))
    assert (late.verdict, late.undecided_share) == ("undecided", 1.0)


def test_speeds_are_proved_and_refuted_at_wished_rates(of_paper):
    envelope, box = of_paper
    small, slow = scaled_box(box, 0.3), np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    assert search_box(envelope, small, rates=slow).verdict == "holds"
    found = search_box(envelope, small, rates=4.0 * slow)
    assert found.verdict == "violated"
    assert found.violating.violation.quantity == "speed"
    assert found.violating.violation.value > 0.5


@pytest.mark.parametrize("rates", [[np.nan] * 6, [-0.1, 0, 0, 0, 0, 0], [0.1] * 5])
def test_rates_that_are_none_are_refused(of_paper, rates):
    envelope, box = of_paper
    with pytest.raises(ValueError, match="six finite rates"):
        search_box(envelope, box, rates=np.array(rates))


@pytest.mark.parametrize("scale", [np.nan, -0.1, np.inf])
def test_a_scale_that_is_none_is_refused(of_paper, scale):
    with pytest.raises(ValueError, match="scale"):
        scaled_box(of_paper[1], scale)


def test_a_centre_outside_has_no_largest_box(of_paper):
    envelope, box = of_paper
    up = np.array([0.0, 0.0, 3.0, 0.0, 0.0, 0.0])
    found = largest_box(envelope, PoseBox(box.lower + up, box.upper + up))
    assert found.scale == 0.0
    assert found.limited_by.violation.quantity == "length"


@pytest.mark.campaign
def test_no_box_is_proved_in_which_a_pose_violates():
    rigs, size = count(50, least=12), count(1_000_000, least=24_000)
    print(f"seed 34, {rigs} rigs, {size} poses")
    held = number = 0
    for case in cases(34, rigs, size // rigs):
        found = search_box(case.tight, case.box, FEW, **case.more)
        assert found.verdict != "holds", case
        held += search_box(case.wide, case.box, FEW, **case.more).verdict == "holds"
        number += 1
    assert number > 12 * rigs
    assert held > 0.5 * number, "a search that proves nothing is never wrong"


PLANTED = {
    "half of the second order of a length": ("leg[i, _E] = 0.5 * (", "leg[i, _E] = 0.25 * ("),
    "no second order of a length": ("leg[i, _E] = 0.5 * (", "leg[i, _E] = 0.0 * ("),
    "no Frobenius loss": ("(limit + loss + wound)", "(limit + 0.0 * loss + wound)"),
    "no first order of a length": ("change += abs(leg[i, _GRADIENT + j]) * h[j]", "change += 0.0"),
    "no first order of a cone": ("value - fall - curve", "value - curve"),
    "no change of a clearance": (
        "feet - one - leg[i, _D], feet + two - leg[j, _D])", "feet - one, feet + two)",
    ),
    "no change of a speed": (
        "leg[i, _T] * rate_place + leg[i, _M] * rate_turn + wound", "wound",
    ),
    "no turn of a speed": (" + leg[i, _M] * rate_turn + wound", " + wound"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bound_proves_a_box_falsely(name, monkeypatch):
    """The campaign's cases are sharp: with a bound that is too small one of them is proved."""
    old, new = PLANTED[name]
    source = Path(kernel.__file__).read_text("utf-8")
    assert source.count(old) >= 1
    plain = source.replace(old, new).replace("from numba import njit", "from plain import njit")
    monkeypatch.setitem(sys.modules, "plain", SimpleNamespace(njit=lambda **_: lambda one: one))
    planted = ModuleType("planted")
    with np.errstate(all="ignore"):
        exec(plain, planted.__dict__)
        monkeypatch.setattr(box_search, "kernel", planted)
        monkeypatch.setattr(box_search, "AT_ONCE", 20)
        assert any(
            search_box(case.tight, case.box, Budget(20), **case.more).verdict == "holds"
            for case in cases(35, 60, 200)
        )


def singular_poses():
    """Boxes about poses in which a rig loses hold: a quarter turn, and both plates in one plane."""
    for geometry in (paper(), random_rig(np.random.default_rng(1), 0)):
        z = float(geometry.neutral_pose.position_m[2])
        yield geometry, np.array([0.0, 0.0, z, math.pi / 2, 0.0, 0.0])
        yield geometry, np.array([0.0, 0.0, z, -math.pi / 2, 0.0, 0.0])
        yield geometry, np.array([0.01, 0.02, 1e-9, 0.0, 0.0, 0.0])


@pytest.mark.campaign
@pytest.mark.parametrize("number", range(6))
def test_singular_poses_are_in_no_proved_box(number):
    geometry, pose = list(singular_poses())[number]
    generator = np.random.default_rng(number)
    envelope = limited(geometry, singular_value_min=1e-6)
    base, top = np.array(geometry.base_joints_m), np.array(geometry.platform_joints_m)
    _, arms, legs = pose_judge.legs_of(base, top, pose[None, :])
    rows = pose_judge.jacobians(arms, legs, geometry.length_scale_m)
    assert np.linalg.svd(rows, compute_uv=False)[0, 5] < 1e-6
    for _ in range(count(500, least=10)):
        half = 10.0 ** generator.uniform(-4.0, -0.5, 6)
        box = PoseBox(pose - half * generator.random(6), pose + half * generator.random(6))
        assert search_box(envelope, box, FEW).verdict != "holds"


@pytest.mark.campaign
def test_a_lead_is_in_the_bounds():
    """Lengths that its own inverse kinematics reach with a lead are not proved away."""
    geometry = lopsided(screw_lead_m=0.05)
    generator = np.random.default_rng(5)
    cases, held = count(200, least=12), 0
    for number in range(cases):
        box = random_box(generator, geometry, 3 * number)
        q = poses_of(generator, box, 500)
        lengths = leg_setpoints_batch(geometry, q, np.zeros_like(q))[0]
        assert search_box(limited(geometry, high=lengths.max() - 1e-7), box, FEW).verdict != "holds"
        assert search_box(limited(geometry, low=lengths.min() + 1e-7), box, FEW).verdict != "holds"
        wide = limited(geometry, low=lengths.min() - 0.2, high=lengths.max() + 0.2)
        held += search_box(wide, box, FEW).verdict == "holds"
    assert held > 0.6 * cases, "a search that proves nothing is never wrong"


def test_a_box_of_one_pose_is_its_pose(of_paper):
    envelope, box = of_paper
    middle = 0.5 * (box.lower + box.upper)
    found = search_box(envelope, PoseBox(middle, middle))
    assert (found.verdict, found.boxes) == ("holds", 1)
    verdicts = set()
    for corner in corners(box):
        holds = not envelope.check(PlatformSetpoint.at_rest(Pose.from_coordinates(corner)))
        found = search_box(envelope, PoseBox(corner, corner))
        assert (found.verdict, found.boxes) == ("holds" if holds else "violated", 1)
        verdicts.add(found.verdict)
    assert verdicts == {"holds", "violated"}
