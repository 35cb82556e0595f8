"""Proofs of forces at rest over boxes of poses: no false one, and what a failing box names.

The judge of the campaign (`force_boxes`) knows potential energies and lengths alone.
"""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from campaign import count
from force_boxes import force_cases, forces_by_energy, random_machine
from hexapods import lopsided
from tight_boxes import limited, poses_of, random_box, random_rig

from hil.machines.rig.machine import envelope_of, geometry_of, load_rig
from hil.stations.platform.proof.workspace_quantities import holding_limits
from platform6dof.kernels import pose_proof as kernel
from platform6dof.workspace import PoseBox, box_search
from platform6dof.workspace.box_search import Budget, search_box, violating_pose
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.pose_proof import largest_box, prove_box, scaled_box

RIGS = Path(__file__).parents[2] / "configs" / "rigs"
FEW = Budget(20_000)


@pytest.fixture(scope="module")
def cabin():
    rig = load_rig(RIGS / "paper_cabin.toml")
    geometry = geometry_of(rig)
    return envelope_of(rig, geometry), rig.pose_box.box(), holding_limits(rig, geometry)


def limited_to(holding, newtons):
    return HoldingLimits(holding.machine, np.full(6, newtons))


@pytest.mark.parametrize("number", range(4))
def test_forces_are_those_of_the_judge(number):
    generator = np.random.default_rng(number)
    geometry = random_rig(generator, number)
    machine, legs = random_machine(generator, geometry, number)
    q = geometry.neutral_pose.coordinates() + generator.uniform(-0.1, 0.1, (50, 6))
    found = HoldingLimits(machine, np.ones(6)).forces_n(q)
    np.testing.assert_allclose(forces_by_energy(machine, legs, q), found, rtol=1e-7, atol=1e-5)


def test_most_of_the_cabins_box_holds_with_nothing_undecided(cabin):
    envelope, box, holding = cabin
    found = prove_box(envelope, scaled_box(box, 0.85), holding=holding)
    assert found.holds
    assert (found.search.proved_share, found.search.undecided_share) == (1.0, 0.0)
    worst = found.worst.force
    drawn = np.random.default_rng(1).uniform(found.box.lower, found.box.upper, (10_000, 6))
    assert np.abs(holding.forces_n(drawn)).max() < worst.value < 3600.0
    at = holding.forces_n(worst.coordinates[None])
    assert worst.value == pytest.approx(np.abs(at).max())


def test_a_box_that_fails_by_force_names_pose_leg_force_and_limit(cabin):
    envelope, box, holding = cabin
    small = scaled_box(box, 0.5)
    worst = prove_box(envelope, small, Budget(1), holding=holding).worst.force.value
    weak = limited_to(holding, 0.97 * worst)
    found = prove_box(envelope, small, holding=weak)
    assert not found.holds
    (one,) = found.violating
    forces = np.abs(weak.forces_n(one.coordinates[None]))[0]
    assert (one.violation.quantity, one.violation.unit) == ("holding force", "N")
    assert one.violation.leg == int(np.argmax(forces)) + 1
    assert one.violation.value == pytest.approx(forces.max())
    assert one.violation.limit == pytest.approx(0.97 * worst)
    assert "holding force" in str(one.violation)
    assert (small.lower <= one.coordinates).all()
    assert (one.coordinates <= small.upper).all()
    alone = search_box(envelope, small, holding=weak)
    assert alone.verdict == "violated"
    assert alone.violating.violation.quantity == "holding force"


def test_the_largest_box_is_ended_by_force(cabin):
    envelope, box, holding = cabin
    found = largest_box(envelope, box, holding=limited_to(holding, 1500.0))
    assert 0.1 < found.scale < 0.8
    assert found.limited_by.violation.quantity == "holding force"
    corner = np.abs(holding.forces_n(np.array([found.limited_by.coordinates])))
    assert corner.max() == pytest.approx(1500.0, rel=1e-3)
    held = search_box(envelope, found.box, holding=limited_to(holding, 1500.0))
    assert held.verdict == "holds"


def test_limits_near_the_greatest_force_are_decided(cabin):
    envelope, box, holding = cabin
    half = scaled_box(box, 0.5)
    most = prove_box(envelope, half, Budget(1), holding=holding).worst.force.value
    assert search_box(envelope, half, holding=limited_to(holding, 1.001 * most)).verdict == "holds"
    found = search_box(envelope, half, holding=limited_to(holding, 0.999 * most))
    assert found.verdict == "violated"


def test_a_box_of_one_pose_is_its_pose(cabin):
    envelope, box, holding = cabin
    pose = 0.5 * (box.lower + box.upper)
    most = np.abs(holding.forces_n(pose[None])).max()
    for factor, verdict in ((1.0 + 1e-9, "holds"), (1.0 - 1e-9, "violated")):
        near = limited_to(holding, factor * most)
        assert search_box(envelope, PoseBox(pose, pose), holding=near).verdict == verdict
        assert (violating_pose(envelope, pose, holding=near) is None) == (verdict == "holds")


@pytest.mark.campaign
def test_no_box_is_proved_in_which_a_force_is_passed():
    rigs, size = count(100, least=8), count(100_000, least=8_000)
    print(f"seed 36, {rigs} rigs, {size} poses")
    held = number = violated = 0
    for case in force_cases(36, rigs, size // rigs, legs_each=3):
        found = search_box(case.envelope, case.box, FEW, holding=case.tight)
        assert found.verdict != "holds", case
        violated += found.verdict == "violated"
        wide = search_box(case.envelope, case.box, FEW, holding=case.wide)
        held += wide.verdict == "holds"
        number += 1
    assert number == 3 * rigs
    assert violated > 0.1 * number
    assert held > 0.6 * number, "a search that proves nothing is never wrong"


PLANTED = {
    "no second order of the rows": (
        "bend += load[i, _ROW2] * abs(load[i, _BORNE])", "bend = 0.0",
    ),
    "no change of the rows": (
        "load[i, _CHANGE] += load[i, _WOUND] / (1.0 - worst)", "load[i, _CHANGE] += 0.0",
    ),
    "no first order of a force": (
        "load[i, _CHANGE] += abs(slope + load[i, _OWN1]) * h[axis]", "load[i, _CHANGE] += 0.0",
    ),
    "no change of the legs' directions": (
        "slope -= error * load[j, _BORNE]", "slope -= 0.0 * error",
    ),
    "no turn of the bodies": (
        "first = _cross(turn, _turned(m,", "first = _cross((0.0, 0.0, 0.0), _turned(m,",
    ),
    "no change of the tubes' shares": ("mass += kappa * short", "mass += 0.0"),
    "no change of a rod's own weight": ("abs(slope + load[i, _OWN1])", "abs(slope)"),
    "no cross weight": ("mass += share", "mass += 0.0"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bound_proves_a_box_falsely(name, monkeypatch):
    """The campaign's cases are sharp: with a bound that is too small one of them is proved."""
    old, new = PLANTED[name]
    source = Path(kernel.__file__).read_text("utf-8")
    assert source.count(old) == 1
    plain = source.replace(old, new).replace("from numba import njit", "from plain import njit")
    monkeypatch.setitem(sys.modules, "plain", SimpleNamespace(njit=lambda **_: lambda one: one))
    planted = ModuleType("planted")
    with np.errstate(all="ignore"):
        exec(plain, planted.__dict__)
        monkeypatch.setattr(box_search, "kernel", planted)
        monkeypatch.setattr(box_search, "AT_ONCE", 12)
        assert any(
            search_box(case.envelope, case.box, Budget(12), holding=case.tight).verdict == "holds"
            for case in force_cases(37, 60, 200, legs_each=3)
        )


@pytest.mark.campaign
def test_a_lead_is_in_the_bounds():
    """Forces that the inverse dynamics reach with a lead are not proved away."""
    geometry = lopsided(screw_lead_m=0.03)
    generator = np.random.default_rng(8)
    cases, held = count(100, least=8), 0
    for number in range(cases):
        box = random_box(generator, geometry, 3 * number)
        machine, _ = random_machine(generator, geometry, number)
        q = poses_of(generator, box, 500)
        most = np.abs(HoldingLimits(machine, np.ones(6)).forces_n(q)).max()
        for factor, proved in ((1.0 - 1e-7, False), (1.5, True)):
            limits = HoldingLimits(machine, np.full(6, factor * most))
            found = search_box(limited(geometry), box, FEW, holding=limits).verdict == "holds"
            assert proved or not found
            held += found
    assert held > 0.5 * cases, "a search that proves nothing is never wrong"


@pytest.mark.campaign
def test_no_box_about_a_singular_pose_is_proved():
    """Both plates in one plane, and a quarter turn: the legs bear nothing there."""
    generator = np.random.default_rng(9)
    geometry = random_rig(generator, 0)
    machine, _ = random_machine(generator, geometry, 1)
    loose = HoldingLimits(machine, np.full(6, 1e6))
    z = float(geometry.neutral_pose.position_m[2])
    for pose in ([0, 0, z, np.pi / 2, 0, 0], [0.01, 0.02, 1e-9, 0, 0, 0]):
        for _ in range(count(200, least=10)):
            half = 10.0 ** generator.uniform(-4.0, -0.5, 6)
            low, high = pose - half * generator.random(6), pose + half * generator.random(6)
            found = search_box(limited(geometry), PoseBox(low, high), FEW, holding=loose)
            assert found.verdict != "holds"
