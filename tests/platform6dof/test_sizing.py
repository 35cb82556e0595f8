"""Sizing of cylinders: cases computed by hand, and a judge of energies for the forces."""

import math

import numpy as np
import pytest
from hexapods import lopsided, paper

from platform6dof.dynamics.drive_train import DriveTrain
from platform6dof.dynamics.inverse_dynamics import LegLoads
from platform6dof.dynamics.machine import LegBodies, Machine, PlatformBody
from platform6dof.kernels.rotation import setpoints_of_coordinates
from platform6dof.sizing.box_demand import BoxDemand, SingularBoxError
from platform6dof.sizing.demand import Demand, DemandFigures
from platform6dof.sizing.motor_demand import MotorDemand
from platform6dof.sizing.screw import (
    FIXED,
    FIXED_FREE,
    FIXED_PINNED,
    buckling_force_n,
    critical_speed_rpm,
    cubic_mean_force_n,
    life_m,
)
from platform6dof.workspace import PoseBox

TENSOR = np.array([[40.0, 2.0, -1.0], [2.0, 45.0, 3.0], [-1.0, 3.0, 30.0]])
LOAD = PlatformBody("load", 300.0, np.array([0.05, -0.03, 0.35]), TENSOR)


def point(mass_kg):
    """The paper's rig with a mass in the platform's origin."""
    return Machine(paper(), (PlatformBody("point", mass_kg, np.zeros(3), np.zeros((3, 3))),))


def forces_of(mass_kg, setpoints):
    return Demand.of(point(mass_kg), setpoints, 0.01).force_n


def test_cubic_mean_by_hand():
    """1 kN over 0.3 m, 2 kN over 0.1 m: cube root of (0.3 + 0.8) / 0.4 · 10⁹."""
    assert cubic_mean_force_n([1000, -2000], [0.3, 0.1]) == pytest.approx(1401.02, abs=0.01)
    assert cubic_mean_force_n([500, 500], [1.0, 2.0]) == pytest.approx(500.0)
    assert cubic_mean_force_n([500, 900], [0.0, 0.0]) == 0.0


def test_life_by_hand():
    """20 kN on 2 kN: 1000 · 10⁶ turns of 10 mm are 10 000 km."""
    assert life_m(20e3, 2e3, 0.010) == pytest.approx(1e7)
    assert life_m(20e3, 0.0, 0.010) == math.inf


def test_buckling_by_hand():
    """A rod of 20 mm and 1 m: I = 7.854e-9 m⁴, pi² · 206e9 · I = 15.97 kN between pins."""
    assert buckling_force_n(0.020, 1.0) == pytest.approx(15968, abs=1)
    assert buckling_force_n(0.020, 0.5) == pytest.approx(4 * 15968, abs=4)
    assert buckling_force_n(0.020, 1.0, FIXED_FREE) == pytest.approx(3992, abs=1)
    assert buckling_force_n(0.020, 1.0, FIXED) == pytest.approx(63873, abs=2)
    assert buckling_force_n(0.020, 1.0, FIXED_PINNED) == pytest.approx(32667, abs=2)


def test_critical_speed_by_hand():
    """20 mm, 1 m, fixed and supported: 60 · 3.9266² / 2 pi · 5122.7 · 0.005 = 3771."""
    assert critical_speed_rpm(0.020, 1.0) == pytest.approx(3771, abs=1)
    # Makers write 15.1 · d / L² · 10⁷ with d and L in mm, their safety of 0.8 within it.
    assert 0.8 * critical_speed_rpm(0.020, 1.0) == pytest.approx(15.1 * 20 / 1e6 * 1e7, rel=2e-3)
    assert critical_speed_rpm(0.020, 2.0) == pytest.approx(3771 / 4, abs=1)


def loads(speed, thrust, rotor=0.0):
    """Six legs alike, of columns over time."""
    zero, rows = np.zeros((len(speed), 6)), np.zeros((len(speed), 4, 6))
    rows[:, 0] = np.asarray(thrust, float)[:, None]
    rows[:, 3] = np.broadcast_to(np.asarray(rotor, float), len(speed))[:, None]
    return LegLoads(zero, zero + np.asarray(speed, float)[:, None], zero, rows)


SCREW = DriveTrain(
    lead_m=0.010, rotor_kg_m2=0.001, efficiency=0.9, efficiency_back=0.8, coulomb_n=100.0,
    viscous_n_s_m=500.0, torque_constant_nm_a=2.0, winding_ohm=1.5,
)  # fmt: skip
"""A ball screw with numbers that can be followed by hand."""
BARE = DriveTrain(0.010, 0.0, 0.9, 0.8, 0.0, 0.0, 1.0, 0.0)
"""The same without rotor, friction and windings, as of a row that gives none."""


def test_torque_by_hand():
    """1 kN on a lead of 10 mm is 1.59155 N m: over 0.9 driving, times 0.8 driven, alone at rest.

    Source: driving torque of ball screws, NSK Precision Machine Components: F l / (2 pi eta), and
    F l eta' / (2 pi) for the reverse.
    """
    torque = BARE.motor(loads([0.1, -0.1, 0.0], [1000.0] * 3)).torque_nm[:, 0]
    assert torque == pytest.approx([1.768388, 1.273240, 1.591549], abs=1e-6)


def test_torque_with_rotor_and_friction_by_hand():
    """Outwards at 0.1 m/s against 1 kN, growing by 2 m/s².

    Friction 100 + 500 · 0.1 = 150 N; screw 1150 · 0.01 / (2 pi · 0.9) = 2.033646 N m. The rotor
    turns by 2 · 2 pi / 0.01 = 1256.637 rad/s² more: 1.256637 N m. Both 3.290283 N m. The shaft
    gives it at 62.83185 rad/s, 206.734 W; 3 · 1.5 · (3.290283 / 2)² = 12.17921 W heat the windings.
    """
    rotor_n = 0.001 * (2.0 * math.pi / 0.010) ** 2 * 2.0
    one = SCREW.motor(loads([0.1], [1000.0], rotor_n))
    assert one.torque_nm[0, 0] == pytest.approx(3.290283, abs=1e-6)
    assert one.shaft_w[0, 0] == pytest.approx(206.7346, abs=1e-4)
    assert one.power_w[0, 0] == pytest.approx(206.7346 + 12.17921, abs=1e-4)
    found = MotorDemand.of(one, 0.01)
    assert found.torque_peak_nm == pytest.approx(3.290283, abs=1e-6)
    assert found.power_max_w == pytest.approx(218.9138, abs=1e-4)


def test_a_rotor_of_the_legs_is_in_their_loads():
    """A lift of the level platform: all rods accelerate alike, and the rotor adds J (2 pi/l)² a."""
    at, still = np.array([[0.0, 0.0, 0.935, 0.0, 0.0, 0.0]]), np.zeros((1, 6))
    up = np.array([[0.0, 0.0, 2.0, 0.0, 0.0, 0.0]])
    setpoints = setpoints_of_coordinates(at, still, up)
    body = PlatformBody("point", 60.0, np.zeros(3), np.zeros((3, 3)))
    bare = Demand.of(Machine(paper(), (body,)), setpoints, 0.01)
    geared = Demand.of(
        Machine(paper(), (body,), LegBodies(rotor_kg=SCREW.rotor_kg)), setpoints, 0.01
    )
    slope = 0.935 / 1.002901283  # of a rod's speed to the platform's
    more_n = 0.001 * (2.0 * math.pi / 0.010) ** 2 * 2.0 * slope
    np.testing.assert_allclose(geared.force_n - bare.force_n, more_n, rtol=1e-8)
    np.testing.assert_allclose(
        geared.loads.thrust_n, bare.force_n, rtol=1e-9, err_msg="none of the rod"
    )


def test_what_flows_back_and_its_hardest_window_by_hand():
    """20 s against 1 kN at 0.1 m/s, 10 s driven at 0.2 m/s, 30 s more of driving.

    Driven, a shaft takes 1000 · 0.2 · 0.8 = 160 W: 10 of 60 s, 26.667 W in the mean, 160 W in the
    hardest 10 s; of six 160 and 960 W. Torque: 1.768388 N m in 50 s and 1.273240 N m in 10 s, rms
    (5 / 6 · 3.127196 + 1 / 6 · 1.621140)^½ = 1.695933.
    """
    speed = np.repeat([0.1, -0.2, 0.1], [2000, 1000, 3000])
    found = MotorDemand.of(BARE.motor(loads(speed, np.full(6000, 1000.0))), 0.01)
    assert found.resistor_mean_w == pytest.approx(160.0 / 6.0, rel=1e-9)
    assert found.resistor_hardest_w == pytest.approx(160.0, rel=1e-9)
    assert found.returned_mean_w == pytest.approx(160.0, rel=1e-9)
    assert found.returned_hardest_w == pytest.approx(960.0, rel=1e-9)
    assert found.torque_rms_nm == pytest.approx(1.695933, abs=1e-6)
    assert found.torque_hardest_nm == pytest.approx(1.768388, rel=1e-3), "a sample more or less"
    assert found.shaft_max_w == pytest.approx(1000.0 * 0.1 / 0.9, rel=1e-9)


def test_six_resistors_are_hardest_together_where_their_sum_is():
    """Legs that return one after another: each its 100 W, together never more than that."""
    many, back = loads(np.zeros(6000), np.zeros(6000)), np.zeros((6000, 6))
    for leg in range(6):
        back[1000 * leg : 1000 * (leg + 1), leg] = -100.0
    motor = BARE.motor(many)
    object.__setattr__(motor, "shaft_w", back)
    found = MotorDemand.of(motor, 0.01)
    assert found.resistor_hardest_w == pytest.approx(100.0)
    assert found.returned_hardest_w == pytest.approx(100.0, rel=2e-3)
    assert found.resistor_mean_w == pytest.approx(100.0 / 6.0)


def test_rms_and_peak_by_hand():
    """3, -5, 1 kN of a leg: peak 5 kN, push 3 kN, rms (35 / 3)^½ = 3.41565 kN; friction counts."""
    one = loads([0.1, -0.1, 0.1], [3000.0, -5000.0, 1000.0])
    found = Demand(0.5, one, one.force_n)
    assert found.figures().peak_n == 5000.0
    assert found.figures().push_n == 3000.0
    assert found.figures().rms_n == pytest.approx(3415.650, abs=1e-3)
    assert found.figures().mean_speed_m_s == 0.0, "its lengths are all alike"
    rubbed = found.with_friction(np.array([[100.0] * 6, [-100.0] * 6, [100.0] * 6])).figures()
    assert rubbed.peak_n == 5100.0
    assert rubbed.push_n == 3000.0, "a rod knows nothing of its screw's friction"


def test_the_greatest_of_several_demands():
    one = DemandFigures(0.9, 1.1, 0.1, 1.0, 500.0, 400.0, 300.0, 200.0, 0.01)
    two = DemandFigures(0.8, 1.0, 0.2, 0.5, 600.0, 300.0, 350.0, 100.0, 0.02)
    assert DemandFigures.all_of([one, two]) == (
        0.8, 1.1, 0.2, 1.0, 600.0, 400.0, 350.0, 200.0, 0.02,
    )  # fmt: skip


def test_a_mass_at_rest_weighs_on_six_legs():
    """300 kg on the origin of the paper's platform at 0.935 m: m g l / 6 z of each leg."""
    coordinates = np.array([[0.0, 0.0, 0.935, 0.0, 0.0, 0.0]])
    still = setpoints_of_coordinates(coordinates, np.zeros((1, 6)), np.zeros((1, 6)))
    assert forces_of(300.0, still) == pytest.approx(
        300.0 * 9.81 * 1.002901283 / (6.0 * 0.935), rel=1e-9
    )
    flat = setpoints_of_coordinates(np.zeros((1, 6)), np.zeros((1, 6)), np.zeros((1, 6)))
    assert np.isnan(forces_of(300.0, flat)).all()


def motion(t):
    """Coordinates and both derivatives of a motion in six axes."""
    middle = np.array([0.01, -0.02, 0.95, 0.0, 0.02, -0.01])
    size = np.array([0.06, 0.05, 0.07, 0.12, 0.1, 0.15])
    w = 2.0 * np.pi * np.array([0.7, 0.9, 1.1, 0.8, 1.3, 0.6])
    phase = w * t[:, None] + np.arange(6)
    return (
        middle + size * np.sin(phase), size * w * np.cos(phase), -size * w * w * np.sin(phase)
    )  # fmt: skip


def energy(coordinates, rates):
    """Kinetic and potential energy of the load, by points that make its mass and tensor."""
    (z, a, b, c), (*v, da, db, dc) = coordinates[2:], rates
    turns = [
        np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]),
        np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]]),
        np.array([[1, 0, 0], [0, np.cos(c), -np.sin(c)], [0, np.sin(c), np.cos(c)]]),
    ]
    m = turns[0] @ turns[1] @ turns[2]
    omega = np.array([0, 0, da]) + turns[0] @ [0, db, 0] + turns[0] @ turns[1] @ [dc, 0, 0]
    arm = m @ LOAD.centre_m
    own = m.T @ omega
    speed = np.array(v) + np.cross(omega, arm)
    kinetic = 0.5 * LOAD.mass_kg * speed @ speed + 0.5 * own @ TENSOR @ own
    return kinetic + LOAD.mass_kg * 9.81 * (z + arm[2])


@pytest.mark.parametrize("geometry", [paper, lopsided])
def test_power_of_the_legs_is_the_growth_of_energy(geometry):
    step, t = 1e-5, np.linspace(0.0, 3.0, 40)
    at, rates, second = motion(t)
    found = Demand.of(
        Machine(geometry(), (LOAD,)), setpoints_of_coordinates(at, rates, second), 3.0 / 39
    )
    power = (found.force_n * found.speed_m_s).sum(axis=1)
    later, before = motion(t + step), motion(t - step)
    growth = [
        (energy(later[0][n], later[1][n]) - energy(before[0][n], before[1][n])) / (2 * step)
        for n in range(len(t))
    ]
    assert power == pytest.approx(np.array(growth), rel=1e-5, abs=1e-3)


def test_demand_of_a_simple_lift():
    """The paper's platform is lifted by 0.2 m at 0.1 m/s: the rods do the work of the weight."""
    z = np.linspace(0.9, 1.1, 201)
    coordinates, rates = np.zeros((201, 6)), np.zeros((201, 6))
    coordinates[:, 2], rates[:, 2] = z, 0.1
    still = setpoints_of_coordinates(coordinates, rates, np.zeros((201, 6)))
    found = Demand.of(point(60.0), still, 0.01)
    assert found.duration_s == pytest.approx(2.0)
    work = (0.5 * (found.force_n[1:] + found.force_n[:-1]) * found.path_m).sum()
    assert work == pytest.approx(60.0 * 9.81 * 0.2, rel=1e-5)
    figures = found.figures()
    assert figures.push_n == pytest.approx(figures.peak_n)
    assert figures.rms_n < figures.cubic_mean_n * 1.01 < figures.peak_n * 1.01
    assert figures.mean_speed_m_s == pytest.approx(found.path_m.sum(axis=0).max() / 2.0)


def test_the_hardest_window_may_lie_anywhere():
    """Ten or five hard seconds anywhere in a minute; the window moves on by a fiftieth of itself.

    Five of them are half of a window of 10 s: 80 W, and not 160.
    """
    for begin_s, hard_s, mean_w in ((0.0, 10.0, 160.0), (13.7, 10.0, 160.0), (50.0, 5.0, 80.0)):
        speed = np.full(6000, 0.1)
        first = round(begin_s / 0.01)
        speed[first : first + round(hard_s / 0.01)] = -0.2
        found = MotorDemand.of(BARE.motor(loads(speed, np.full(6000, 1000.0))), 0.01)
        assert found.resistor_hardest_w == pytest.approx(mean_w, rel=0.02)


def holding_n(machine, pose):
    """Forces that hold a load in a pose, by moments about the platform's origin; own numpy."""
    x, y, z, a, b, c = pose
    turn = (
        np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
        @ np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
        @ np.array([[1, 0, 0], [0, np.cos(c), -np.sin(c)], [0, np.sin(c), np.cos(c)]])
    )
    arms = machine.geometry.platform_joints_m @ turn.T
    legs = np.array([x, y, z]) + arms - machine.geometry.base_joints_m
    along = legs / np.linalg.norm(legs, axis=1)[:, None]
    weight = np.array([0.0, 0.0, -LOAD.mass_kg * 9.81])
    wrench = np.concatenate([weight, np.cross(turn @ LOAD.centre_m, weight)])
    return np.linalg.solve(np.vstack([along.T, np.cross(arms, along).T]), -wrench)


BOX = PoseBox(
    np.array([-0.08, -0.02, 0.85, -0.1, -0.15, -0.02]),
    np.array([0.02, 0.1, 1.05, 0.05, 0.02, 0.12]),
)


def test_the_hold_of_a_box_is_the_worst_of_its_poses():
    """Attained at its pose, and of 3 000 random poses none asks for more."""
    machine = Machine(lopsided(), (LOAD,))
    found, box = BoxDemand.of(machine, BOX), BOX
    at = np.abs(holding_n(machine, found.hold_pose))
    assert at.max() == pytest.approx(found.hold_n, rel=1e-9)
    rng = np.random.default_rng(8)
    poses = box.lower + (box.upper - box.lower) * rng.random((3_000, 6))
    every = np.array([holding_n(machine, pose) for pose in poses])
    assert np.abs(every).max() <= found.hold_n * (1.0 + 1e-9)
    assert found.push.value >= every.max()
    assert found.pull.value <= every.min()
    figures = found.figures()
    assert (figures.peak_n, figures.rms_n) == (found.hold_n, found.hold_n), "held all the time"
    assert (figures.shortest_m, figures.longest_m) == (found.lengths.min_m, found.lengths.max_m)


def test_a_short_leg_of_a_box_is_not_at_a_corner():
    """A box wide in x and y over the base: a leg is shortest where it stands upright.

    The paper's first leg goes from its base joint to its platform joint; level, it is shortest
    where both are over each other, and there as long as the platform is high.
    """
    machine = Machine(paper(), (LOAD,))
    across = machine.geometry.base_joints_m[0] - machine.geometry.platform_joints_m[0]
    box = PoseBox(
        np.array([across[0] - 0.3, across[1] - 0.2, 0.9, 0.0, 0.0, 0.0]),
        np.array([across[0] + 0.1, across[1] + 0.3, 0.9, 0.0, 0.0, 0.0]),
    )
    found = BoxDemand.of(machine, box)
    assert found.lengths.leg_min_m[0] == pytest.approx(0.9 + across[2], abs=1e-6)


def test_a_box_with_a_singular_pose_is_refused():
    flat = PoseBox(np.array([0.0, 0.0, 0.0, 0, 0, 0]), np.array([0.0, 0.0, 0.9, 0, 0, 0]))
    with pytest.raises(SingularBoxError) as refused:
        BoxDemand.of(Machine(paper(), (LOAD,)), flat)
    assert refused.value.coordinates[2] == 0.0


def test_a_box_is_searched_inside_its_corners():
    """All 64 corners of it hold with less than 1 MN; between them the legs lose their hold."""
    machine = Machine(paper(), (LOAD,))
    box = PoseBox(
        np.array([-0.104, -0.160, 0.878, -0.558, -0.407, -0.621]),
        np.array([0.275, 0.209, 0.881, 0.249, 0.380, 0.294]),
    )
    ends = np.array(np.meshgrid(*zip(box.lower, box.upper, strict=True))).reshape(6, -1).T
    assert np.abs([holding_n(machine, pose) for pose in ends]).max() < 1e6
    with pytest.raises(SingularBoxError) as refused:
        BoxDemand.of(machine, box)
    assert np.abs(holding_n(machine, refused.value.coordinates)).max() > 1e6
