"""Contact of a held body with a fixture: closed forms, passivity, and what it refuses."""

import math
from dataclasses import replace
from typing import Any

import campaign
import numpy as np
import pytest
import trace_form
from arms import jacobian, mass_and_bias, shipped
from numpy.typing import NDArray

from sim.world.space_arm.actions import ActionKind, DriveAction
from sim.world.space_arm.arm import Body, SpaceArmError
from sim.world.space_arm.contact import ContactLaw, Face, HeldContact
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.simulator import SpaceArm

Array = NDArray[np.float64]

BKM = shipped("bkm")
ARM, HOME = BKM.arm(), np.array(BKM.home_rad())
SMOOTH = replace(ARM, drives=tuple(replace(d, drag_nm_s=0.0) for d in ARM.drives))
LIGHT = BKM.payloads()["light"]
ROTORS = np.array([d.gear_ratio**2 * d.motor_inertia_kg_m2 for d in ARM.drives])
PLACE = trace_form.gripper_pose(ARM, HOME)
AT_G = np.zeros((1, 3))


def free_arm(contact: HeldContact, q: Array = HOME, body: Body = LIGHT) -> SpaceArm:
    """An arm of linear drives without power or drag: it turns freely, nothing is lost."""
    space = SpaceArm(SMOOTH, DriveModel.A, q, payload=body, contact=contact)
    for joint in range(1, 7):
        space.act(DriveAction(ActionKind.POWER_OFF, joint))
    return space


def set_rates(space: SpaceArm, v: Array) -> None:
    state = space.state
    state[1] = state[2] = v
    space.state = state


def inertia_of(space: SpaceArm) -> Array:
    return mass_and_bias(space.arm, space.state[0], np.zeros(6))[0] + np.diag(ROTORS)


def energy_j(space: SpaceArm) -> float:
    v = space.state[1]
    return 0.5 * float(v @ inertia_of(space) @ v)


def face_at(point_m: Array, normal: Array, gap_m: float = 0.0, radius_m: float = 1.0) -> Face:
    return Face(point_m - gap_m * normal, normal, radius_m)


def restitution(law: ContactLaw, mass_kg: float) -> float:
    """Rate after over rate before of a mass that meets a spring and a damper which never pull."""
    zeta = law.damping_n_s_m / (2.0 * math.sqrt(law.stiffness_n_m * mass_kg))
    root = math.sqrt(1.0 - zeta**2)
    return math.exp(-zeta / root * (math.pi - math.atan2(2.0 * zeta * root, 1.0 - 2.0 * zeta**2)))


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.3, 0.7])
def test_a_free_impact_leaves_the_energy_of_the_closed_form(zeta: float) -> None:
    normal = np.array([-0.6, 0.0, 0.8])
    slope = normal @ jacobian(ARM, HOME)[:3]
    inertia = mass_and_bias(ARM.with_payload(LIGHT), HOME, np.zeros(6))[0] + np.diag(ROTORS)
    mass = 1.0 / float(slope @ np.linalg.solve(inertia, slope))
    law = ContactLaw(50_000.0, 2.0 * zeta * math.sqrt(50_000.0 * mass), 0.0)
    contact = HeldContact(AT_G, (face_at(PLACE[:3, 3], normal, 1e-3),), law)
    space = free_arm(contact)
    set_rates(space, -0.02 * mass * np.linalg.solve(inertia, slope))  # all of it along the normal
    before = energy_j(space)
    assert before == pytest.approx(0.5 * mass * 0.02**2, rel=1e-9)
    space.advance(np.zeros(6), 0.9)
    assert contact.peak_force_n > 1.0
    assert not contact.touching
    expected = restitution(law, mass) ** 2
    assert energy_j(space) / before == pytest.approx(expected, rel=0.01, abs=2e-3)
    assert energy_j(space) <= before * (1.0 + 1e-9)


def pressed(sideways_n: float, span_s: float) -> tuple[SpaceArm, HeldContact, Array]:
    """A light body pressed onto a face with 40 N, and across it; how far it has gone [m]."""
    law = ContactLaw(4000.0, 3000.0, 0.5)
    contact = HeldContact(AT_G, (face_at(PLACE[:3, 3], np.array([0.0, 0.0, 1.0])),), law)
    space = free_arm(contact)
    space.advance(np.zeros(6), span_s, wrench=[sideways_n, 0.0, -40.0, 0.0, 0.0, 0.0])
    return space, contact, space.snapshot().position_BG_m - PLACE[:3, 3]


def test_a_body_at_rest_on_a_face_is_as_deep_as_its_springs_say() -> None:
    space, contact, moved = pressed(12.0, 8.0)
    assert np.linalg.norm(space.snapshot().velocity_BG_m_s) < 1e-4
    assert moved[2] == pytest.approx(-40.0 / 4000.0, rel=0.005)
    assert moved[0] == pytest.approx(12.0 / 4000.0, rel=0.005)  # the bristle holds
    assert contact.wrench[:3] == pytest.approx([-12.0, 0.0, 40.0], abs=0.3)


def test_beyond_friction_it_slides() -> None:
    _, contact, moved = pressed(30.0, 3.0)
    assert moved[0] > 0.02
    assert np.linalg.norm(contact.wrench[:2]) == pytest.approx(0.5 * contact.wrench[2], rel=1e-9)


def drawn(seed: int) -> tuple[HeldContact, Array, Array, Body]:
    """Any law, body, points, faces about them, posture and rates."""
    rng = np.random.default_rng((39, seed))
    q = HOME + rng.uniform(-0.3, 0.3, 6)
    mass = float(np.exp(rng.uniform(np.log(100.0), np.log(14_500.0))))
    body = Body(mass, rng.uniform(-0.5, 0.5, 3), np.diag(rng.uniform(0.3, 0.5, 3)) * mass)
    points = rng.uniform(-1.0, 1.0, (int(rng.integers(1, 5)), 3))
    pose = trace_form.gripper_pose(ARM, q)
    places = points @ pose[:3, :3].T + pose[:3, 3]
    faces = []
    for _ in range(int(rng.integers(1, 3))):
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        nearest = places[int(np.argmin(places @ normal))]
        gap, radius = rng.uniform(1e-6, 2e-3), rng.uniform(0.05, 3.0)
        if rng.random() < 0.4:  # behind the disc, beside its rim
            aside = np.cross(normal, rng.normal(size=3))
            aside /= np.linalg.norm(aside)
            nearest, gap = nearest + (radius + rng.uniform(1e-4, 5e-3)) * aside, -10.0 * gap
        faces.append(face_at(nearest, normal, gap, radius))
    stiffness = float(np.exp(rng.uniform(np.log(500.0), np.log(1e5))))
    law = ContactLaw(stiffness, stiffness * rng.uniform(0.0, 0.02), rng.uniform(0.0, 1.0))
    return HeldContact(points, tuple(faces), law), q, rng.uniform(-0.01, 0.01, 6), body


@pytest.mark.campaign
@pytest.mark.timeout(1800)
def test_contact_never_gives_what_it_has_not_taken() -> None:
    touched = lost = refused = 0
    cases = campaign.count(10_000, least=60)
    for seed in range(cases):
        contact, q, v, body = drawn(seed)
        try:
            space = free_arm(contact, q, body)
        except ValueError:  # too stiff for its step, or another point begins inside
            refused += 1
            continue
        set_rates(space, v)
        before = most = energy_j(space)
        for _ in range(3):
            space.advance(np.zeros(6), 0.1)
            most = max(most, energy_j(space))
        touched += contact.peak_force_n > 0.0
        lost += most < (1.0 - 1e-4) * before or energy_j(space) < (1.0 - 1e-4) * before
        assert most <= before * (1.0 + 2e-5), (seed, most / before - 1.0)
        assert contact.absorbed_j >= -1e-12, seed
    assert refused < 0.5 * cases
    assert touched > 0.2 * cases
    assert lost > 0.1 * cases


@pytest.mark.parametrize("model", list(DriveModel))
def test_berthing_is_felt_in_every_model(model: DriveModel) -> None:
    turn, normal = PLACE[:3, :3], -PLACE[:3, 0]
    corners = np.array([[2.0, y, z] for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    middle = PLACE[:3, 3] + turn @ [2.005, 0.0, 0.0]
    contact = HeldContact(corners, (Face(middle, normal, 2.0),))
    space = SpaceArm(ARM, model, HOME, payload=LIGHT, contact=contact)
    alone = SpaceArm(ARM, model, HOME, payload=LIGHT)
    rates = np.linalg.solve(jacobian(ARM, HOME), np.r_[-0.02 * normal, 0.0, 0.0, 0.0])
    for _ in range(3):
        felt, free = space.advance(rates), alone.advance(rates)
    assert contact.touching
    assert contact.wrench[:3] @ normal > 100.0
    assert normal @ (felt.position_BG_m - free.position_BG_m) > 2e-3
    assert np.abs(felt.torque_nm - free.torque_nm).max() > 50.0


def test_the_same_berthing_is_the_same_to_the_last_bit() -> None:
    states = []
    for _ in range(2):
        contact, q, v, body = drawn(1)
        space = SpaceArm(ARM, DriveModel.E, q, payload=body, contact=contact)
        set_rates(space, v)
        space.advance(np.zeros(6))
        states.append(space.state)
    assert np.array_equal(*states)


def test_a_body_that_is_let_go_touches_nothing_more() -> None:
    space, contact, _ = pressed(0.0, 1.0)
    assert contact.touching
    space.release()
    assert not contact.touching
    assert np.array_equal(contact.wrench, np.zeros(6))


def test_a_body_inside_the_fixture_is_refused() -> None:
    face = face_at(PLACE[:3, 3], np.array([0.0, 0.0, 1.0]), -3e-3)
    with pytest.raises(ValueError, match="3 mm inside the fixture"):
        free_arm(HeldContact(AT_G, (face,)))
    beside = Face(face.centre_m + np.array([2.0, 0.0, 0.0]), face.normal, 1.0)
    free_arm(HeldContact(AT_G, (beside,)))


def test_a_law_too_stiff_for_its_step_is_refused_with_what_is_not() -> None:
    face = face_at(PLACE[:3, 3], np.array([0.0, 0.0, 1.0]))
    with pytest.raises(SpaceArmError, match=r"at most (\S+) N/m") as refused:
        free_arm(HeldContact(AT_G, (face,), ContactLaw(1e12, 0.0, 0.0)))
    most = float(str(refused.value).split("at most ")[1].split(" N/m")[0])
    free_arm(HeldContact(AT_G, (face,), ContactLaw(0.99 * most, 0.0, 0.0)))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ContactLaw(0.0), "stiffness_n_m"),
        (lambda: ContactLaw(damping_n_s_m=math.nan), "damping_n_s_m"),
        (lambda: ContactLaw(friction=-0.1), "friction"),
        (lambda: Face(np.zeros(3), np.array([0.0, 0.0, 2.0])), "length 2"),
        (lambda: Face(np.full(3, np.inf), np.array([0.0, 0.0, 1.0])), "centre_m"),
        (lambda: Face(np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.0), "radius_m"),
        (lambda: HeldContact(AT_G, ()), "0 faces"),
        (lambda: HeldContact(np.nan * AT_G, (face_at(np.zeros(3), PLACE[:3, 0]),)), "points"),
    ],
)  # fmt: skip
def test_numbers_that_are_no_contact_are_refused(make: Any, says: str) -> None:
    with pytest.raises(SpaceArmError, match=says):
        make()
