"""What a simulation leaves out, judged by numpy and by RK4, and what the brakes hold."""

from dataclasses import replace

import numpy as np
import pytest
from arms import shipped
from scipy.spatial.transform import Rotation

from sim.world.space_arm.arm import Body, SpaceArmError
from sim.world.space_arm.brake_hold import brake_load, heaviest_kg, scaled
from sim.world.space_arm.drive import DriveEffects, DriveModel
from sim.world.space_arm.integrators import Accuracy
from sim.world.space_arm.integrators_1993 import Rk4
from sim.world.space_arm.kernels.dynamics import make_scratch, mass_matrix
from sim.world.space_arm.omissions import (
    DYNAMICS,
    Omission,
    ReducedModel,
    historical_omission,
    omissions_of,
)
from sim.world.space_arm.simulator import SpaceArm

# one worker: RK4 is compiled once
pytestmark = pytest.mark.xdist_group("classic integrators")

BKM = shipped("bkm")
ARM, HOME, PAYLOADS = BKM.arm(), BKM.home_rad(), BKM.payloads()
LIGHT = PAYLOADS["light"]
A, B, E = DriveModel.A, DriveModel.B, DriveModel.E
TURN = np.array([0.02, -0.015, 0.025, 0.03, -0.03, 0.04])
Q = np.array([0.3, 0.9, -1.4, 0.4, 0.5, -0.6])


def reduced(effects, *omitted):
    return ReducedModel.of(effects, omitted)


def frames(arm, q_rad):
    """Axes, places and rotations of the links by rotation vectors, from the base on."""
    turned, place, found = np.eye(3), np.zeros(3), []
    for link, angle in zip(arm.links, q_rad, strict=True):
        place = place + turned @ link.offset_m
        turned = turned @ link.rotation
        axis = turned @ link.axis
        turned = turned @ Rotation.from_rotvec(angle * link.axis).as_matrix()
        found.append((axis, place, turned))
    return found


def matrix_of(arm, q_rad, *, points=False, massless=False, payload=None):
    """Sum of m JᵀJ and JᵀIJ over bodies: D without any recursion."""
    links = frames(arm, q_rad)
    bodies = []
    for n, (link, (_, place, turned)) in enumerate(zip(arm.links, links, strict=True)):
        point = points and n < len(arm.links) - 1
        inertia = np.zeros((3, 3)) if point else link.inertia_kg_m2
        if not massless:
            bodies.append((n, link.mass_kg, place + turned @ link.com_m, turned, inertia))
    if payload is not None:
        _, place, turned = links[-1]
        grip = turned @ arm.tool_rotation
        com = place + turned @ arm.tool_offset_m + grip @ payload.com_m
        mass = payload.mass_kg + (arm.mass_kg if massless else 0.0)
        bodies.append((len(links) - 1, mass, com, grip, payload.inertia_kg_m2))
    total = np.zeros((len(links), len(links)))
    for last, mass, com, turned, inertia in bodies:
        linear, angular = np.zeros((3, len(links))), np.zeros((3, len(links)))
        for j in range(last + 1):
            axis, place, _ = links[j]
            linear[:, j], angular[:, j] = np.cross(axis, com - place), axis
        world = turned @ inertia @ turned.T
        total += mass * linear.T @ linear + angular.T @ world @ angular
    return total


def kernel_matrix(arm):
    found = np.zeros((len(arm.links), len(arm.links)))
    mass_matrix(arm.arrays(), Q.copy(), make_scratch(), found)
    return found


@pytest.mark.parametrize(
    ("omitted", "changes"),
    [
        ((), {}),
        ((Omission.POINT_MASSES,), {"points": True}),
        ((Omission.MASSLESS_LINKS,), {"massless": True}),
    ],
)
def test_masses_that_are_left_out_are_not_in_the_mass_matrix(omitted, changes):
    loaded = reduced(A.effects, *omitted).loaded(ARM, LIGHT)
    expected = matrix_of(ARM, Q, payload=LIGHT, **changes)
    assert kernel_matrix(loaded) == pytest.approx(expected, rel=1e-9, abs=1e-9 * expected.max())


def test_points_and_massless_links_exclude_each_other():
    with pytest.raises(ValueError, match="not both"):
        reduced(A.effects, Omission.POINT_MASSES, Omission.MASSLESS_LINKS)


def test_massless_links_need_a_payload():
    with pytest.raises(SpaceArmError, match="payload"):
        reduced(A.effects, Omission.MASSLESS_LINKS).loaded(ARM, None)


def test_historical_omission_changes_at_three_arm_masses():
    assert historical_omission(ARM, None) is Omission.POINT_MASSES
    limit = 3.0 * sum(link.mass_kg for link in ARM.links)
    assert historical_omission(ARM, scaled(LIGHT, limit - 1.0)) is Omission.POINT_MASSES
    assert historical_omission(ARM, scaled(LIGHT, limit + 1.0)) is Omission.MASSLESS_LINKS


def test_only_effects_that_are_simulated_can_be_left_out():
    assert omissions_of(A.effects) == DYNAMICS
    assert set(omissions_of(E.effects)) - set(DYNAMICS) == {
        Omission.LIMITS, Omission.BACKLASH, Omission.ELASTICITY, Omission.FRICTION,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("omitted", "letter"),
    [
        ((Omission.FRICTION,), "d"),
        ((Omission.FRICTION, Omission.ELASTICITY), "c"),
        ((Omission.FRICTION, Omission.ELASTICITY, Omission.BACKLASH), "b"),
        ((Omission.FRICTION, Omission.ELASTICITY, Omission.BACKLASH, Omission.LIMITS), "a"),
    ],
)
def test_without_effects_one_model_becomes_another(omitted, letter):
    assert reduced(E.effects, *omitted).drive_effects() == DriveModel(letter).effects
    assert reduced(E.effects).drive_effects() == E.effects


def test_an_effect_that_is_not_there_stays_away():
    assert reduced(A.effects, Omission.FRICTION).drive_effects() == DriveEffects()


def moved(space, ticks=8):
    return np.array([space.advance(TURN).position_BG_m for _ in range(ticks)])


@pytest.mark.parametrize("payload", [None, LIGHT], ids=["none", "light"])
def test_no_coriolis_is_what_another_integrator_leaves_out(payload):
    mine = moved(reduced(B.effects, Omission.CORIOLIS).space_arm(ARM, HOME, payload))
    by_rk4, whole = (
        moved(SpaceArm(ARM, B, HOME, payload=payload, integrator=Rk4(1e-3, coriolis=kept)))
        for kept in (False, True)
    )
    assert np.abs(mine - by_rk4).max() < 2e-5
    assert np.abs(mine - whole).max() > 3.0 * np.abs(mine - by_rk4).max()


def test_held_coefficients_are_computed_less_often():
    usual, held = (
        reduced(A.effects, *omitted).accuracy(Accuracy())
        for omitted in ((), (Omission.COEFFICIENTS,))
    )
    assert usual == Accuracy()
    assert held == replace(usual, refresh_s=0.35)


class TestBrakes:
    RATES = np.full(len(ARM.links), 0.004)

    def test_the_energy_of_a_turn_in_orbit(self):
        """A heavy point: ½ m r² ω² for each joint, over what its brake takes up."""
        heavy = Body(1e6, np.array([2.0, 0.0, 0.0]), 1e-6 * np.eye(3))
        _, place, turned = frames(ARM, HOME)[-1]
        com = place + turned @ (ARM.tool_offset_m + ARM.tool_rotation @ heavy.com_m)
        shares = {}
        for link, drive, (axis, at, _), q, rate in zip(
            ARM.links, ARM.drives, frames(ARM, HOME), HOME, self.RATES, strict=True
        ):
            energy = 0.5 * heavy.mass_kg * np.sum(np.cross(axis, com - at) ** 2) * rate**2
            left = min(q - link.position_min_rad, link.position_max_rad - q)
            shares[link.name] = energy / (drive.brake_nm * left)
        worst = max(shares, key=shares.__getitem__)
        found = brake_load(ARM, heavy, HOME, self.RATES)
        assert found.joint == worst
        assert found.share == pytest.approx(shares[worst], rel=0.01)

    def test_weight_on_the_ground(self):
        """Moments of all weights about each axis, by numpy."""
        puma = shipped("puma560")
        arm, home, rated = puma.arm(), puma.home_rad(), puma.payloads()["rated"]
        heavy = scaled(rated, 40.0)
        found = brake_load(arm, heavy, home, np.zeros(len(arm.links)))
        links = frames(arm, home)
        _, place, turned = links[-1]
        held = place + turned @ (arm.tool_offset_m + arm.tool_rotation @ heavy.com_m)
        shares = []
        for j, (axis, at, _) in enumerate(links):
            moment = heavy.mass_kg * np.cross(held - at, arm.gravity_m_s2)
            for link, (_, its, turn) in list(zip(arm.links, links, strict=True))[j:]:
                com = its + turn @ link.com_m
                moment = moment + link.mass_kg * np.cross(com - at, arm.gravity_m_s2)
            shares.append(abs(moment @ axis) / min(arm.drives[j].brake_nm, arm.drives[j].clutch_nm))
        assert found.share == pytest.approx(max(shares), rel=1e-9)
        assert found.joint == arm.links[int(np.argmax(shares))].name
        assert found.share > 1.0

    def test_the_heaviest_is_just_held(self):
        shape = PAYLOADS["heavy"]
        most = heaviest_kg(ARM, shape, HOME, self.RATES, 1e8)
        assert brake_load(ARM, scaled(shape, most), HOME, self.RATES).share <= 1.0
        assert brake_load(ARM, scaled(shape, 1.002 * most), HOME, self.RATES).share > 1.0
        assert heaviest_kg(ARM, shape, HOME, self.RATES, 1000.0) == 1000.0
