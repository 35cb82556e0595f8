"""Masses and inertias of simple bodies, judged by sums over their volume."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

from sim.world.robots.body import BodyShape
from sim.world.robots.shapes import SIZES, solid, tensor_of, volume_m3

OF_LENGTH = {
    BodyShape.CYLINDER: lambda size: (lambda z: size[0] ** 2, size[1] / 2),
    BodyShape.CAPSULE: lambda size: (
        lambda z: size[0] ** 2 - max(0.0, abs(z) - size[1] / 2) ** 2, size[1] / 2 + size[0],
    ),
    BodyShape.SPHERE: lambda size: (lambda z: size[0] ** 2 - z**2, size[0]),
}  # fmt: skip
"""Squared radius of the disc at a height, and half the height, of round bodies."""
ROUND = [
    (BodyShape.CYLINDER, (0.3, 0.8)),
    (BodyShape.CAPSULE, (0.2, 0.7)),
    (BodyShape.CAPSULE, (0.2, 0.0)),
    (BodyShape.SPHERE, (0.4,)),
]


@pytest.mark.parametrize(("shape", "size"), ROUND)
def test_round_bodies_are_sums_of_discs(shape, size):
    squared, half = OF_LENGTH[shape](size)

    def total(of_height):
        return 2.0 * quad(lambda z: math.pi * squared(z) * of_height(z), 0.0, half,
                          points=[size[-1] / 2], epsabs=1e-13)[0]  # fmt: skip

    volume = total(lambda z: 1.0)
    assert volume_m3(shape, size) == pytest.approx(volume, rel=1e-9)
    body = solid(shape, size, 5.0)
    across = total(lambda z: squared(z) / 4 + z**2) / volume * 5.0
    along = total(lambda z: squared(z) / 2) / volume * 5.0
    assert np.allclose(body.inertia_kg_m2, np.diag([across, across, along]), rtol=1e-9, atol=0.0)


def test_box_is_a_sum_of_slices():
    size = (0.2, 0.5, 1.1)
    assert volume_m3(BodyShape.BOX, size) == pytest.approx(0.11, rel=1e-15)
    second = [quad(lambda x: x**2, -edge / 2, edge / 2)[0] / edge for edge in size]
    wanted = [3.0 * (sum(second) - one) for one in second]
    body = solid(BodyShape.BOX, size, 3.0)
    assert np.allclose(np.diag(body.inertia_kg_m2), wanted, rtol=1e-9)
    assert np.count_nonzero(body.inertia_kg_m2) == 3


def test_every_shape_has_a_size_and_no_body_has_no_mass():
    assert set(SIZES) == set(BodyShape)
    assert volume_m3(BodyShape.NONE, ()) == 0.0
    assert not solid(BodyShape.NONE, (), 0.0).inertia_kg_m2.any()


def test_a_body_is_seen_from_elsewhere():
    turn = Rotation.from_euler("xyz", [0.3, -1.0, 2.0]).as_matrix()
    place = np.array([1.0, 2.0, -0.5])
    body = solid(BodyShape.BOX, (0.1, 0.2, 0.3), 2.0).seen_from(turn, place)
    assert np.array_equal(body.centre_m, place)
    # Judge: kinetic energy of a spin is the same in both axes.
    spin = np.array([0.2, -0.7, 1.1])
    own = turn.T @ spin
    energy = own @ solid(BodyShape.BOX, (0.1, 0.2, 0.3), 2.0).inertia_kg_m2 @ own
    assert spin @ body.inertia_kg_m2 @ spin == pytest.approx(energy, rel=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        body.centre_m[0] = 0.0


def test_a_tensor_is_symmetric_in_the_order_that_is_said():
    tensor = tensor_of((1.0, 2.0, 3.0, 0.1, 0.2, 0.3))
    assert tensor.tolist() == [[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 3.0]]
