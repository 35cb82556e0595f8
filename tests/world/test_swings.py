"""Energy of pendulums that swing without friction, worked out here from angles and speeds."""

import math

import numpy as np
import pytest
from shipped_worlds import a_world

from sim.world.robots.text import read_text

G = 9.81
FIRST_M, SECOND_M = 0.5, 0.7
MASS_KG = (2.0, 3.0)
"""Of two boxes of 0.04 by 0.06 m that reach from joint to joint, and from the second joint on."""
SPAN_M = 0.06
DENSITIES = [mass / (0.04 * SPAN_M * length)
             for mass, length in zip(MASS_KG, (FIRST_M, SECOND_M), strict=True)]  # fmt: skip
DOUBLE = f"""units m rad kg/m3
link  [0, (-1.5707963267948966, 0, 0, 0), 0, (1), none, (), (0, 0, 0), 0]
link  [1, (0, 0, 1.5707963267948966, 0), 1, (2), box, (0.04, {SPAN_M}), (0, 0, 0), {DENSITIES[0]!r}]
link  [2, (0, {FIRST_M}, 0, 0), 2, (3), box, (0.04, {SPAN_M}), (0, 0, 0), {DENSITIES[1]!r}]
joint [0, fixed, (), -1, 0]
joint [1, hinge, (0, 0, 1), 0, 1]
joint [2, hinge, (0, 0, 1), 1, 2]
joint [3, end, (0, 0, 1), 2, -1, ({SECOND_M}, 0, 0)]
"""


def energy_j(q, v, masses_kg):
    """Kinetic and potential, of bars that hang down at zero (any textbook's double pendulum)."""
    (a, b), (da, db) = (q[0], q[0] + q[1]), (v[0], v[0] + v[1])
    kinetic, height = 0.0, 0.0
    lengths = FIRST_M, SECOND_M
    for index, (mass, length) in enumerate(zip(masses_kg, lengths, strict=True)):
        about_centre = mass * (length**2 + SPAN_M**2) / 12.0
        half = 0.5 * length
        if index == 0:
            speed2, turning, up = (half * da) ** 2, da, -half * math.cos(a)
        else:
            mixed = 2.0 * FIRST_M * half * da * db * math.cos(a - b)
            speed2 = (FIRST_M * da) ** 2 + (half * db) ** 2 + mixed
            turning, up = db, -FIRST_M * math.cos(a) - half * math.cos(b)
        kinetic += 0.5 * (mass * speed2 + about_centre * turning**2)
        height += mass * up
    return kinetic, G * height


@pytest.mark.parametrize("start", [(2.0, 1.0), (0.4, 0.0), (3.0, -1.5)])
def test_a_double_pendulum_keeps_the_energy_of_the_textbook_for_ten_seconds(start):
    """1e-5 of the peak of its kinetic energy, by RK4 at 1 ms; no energy is asked of the engine."""
    world = a_world(read_text(DOUBLE, "double.txt"), step_s=0.001, integrator="RK4")
    (one,) = world.robots
    one.move_to({1: start[:1], 2: start[1:]})
    world.settle()
    kinetic_j, potential_j = energy_j(start, (0.0, 0.0), MASS_KG)
    first_j, worst_j, peak_j = kinetic_j + potential_j, 0.0, 0.0
    for _ in range(2000):
        world.step(5)
        q, v = world._data.qpos.copy(), world._data.qvel.copy()
        kinetic_j, potential_j = energy_j(q, v, MASS_KG)
        worst_j = max(worst_j, abs(kinetic_j + potential_j - first_j))
        peak_j = max(peak_j, kinetic_j)
    assert world.time_s == pytest.approx(10.0)
    assert peak_j > 0.5
    assert worst_j / peak_j < 1e-5, f"{worst_j / peak_j:.2e}"


def test_the_engines_energy_is_that_of_the_textbook():
    """Which other tests of swings ask it for."""
    world, rng = a_world(read_text(DOUBLE, "double.txt")), np.random.default_rng(5)
    for _ in range(20):
        q, v = rng.uniform(-3.0, 3.0, 2), rng.uniform(-5.0, 5.0, 2)
        world._data.qpos[:], world._data.qvel[:] = q, v
        world.settle()
        kinetic_j, potential_j = energy_j(q, v, MASS_KG)
        np.testing.assert_allclose(world.energy_j(), (potential_j, kinetic_j), rtol=1e-12,
                                   atol=1e-12)  # fmt: skip
