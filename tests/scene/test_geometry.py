"""Bodies, lines and the eye of a scene, judged by SciPy's rotations and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hil.scene.camera import FAR, NEAR, Eye
from hil.scene.figure import Build, Camera, Ground, Part, Piece, grid
from hil.scene.margins import FULL_LEASTS, WARN_SHARE, MarginGroup, RestState, above
from hil.scene.solids import ball, bar, box
from hil.scene.track import rotation_of

EYE = Eye(np.array([0.3, -0.4, 0.5]), 2.5, 30.0, 20.0)
seeds = st.integers(0, 2**32 - 1)


@given(seeds)
def test_a_quaternion_turns_as_scipys_does(seed):
    x, y, z, w = (turn := Rotation.random(random_state=seed)).as_quat()
    np.testing.assert_allclose(rotation_of(np.array([w, x, y, z])), turn.as_matrix(), atol=1e-12)


@given(seeds)
def test_a_bar_goes_from_one_point_to_the_other(seed):
    start, end = np.random.default_rng(seed).uniform(-2.0, 2.0, (2, 3))
    solid = bar(start, end, 0.01)
    along = (end - start) / np.linalg.norm(end - start)
    way = (solid.vertices_m - start) @ along
    off = np.linalg.norm(solid.vertices_m - start - np.outer(way, along), axis=1)
    np.testing.assert_allclose(
        [way.min(), way.max()], [0.0, np.linalg.norm(end - start)], atol=1e-9
    )
    np.testing.assert_allclose(off, 0.01, atol=1e-9)


@given(seeds)
def test_a_solid_elsewhere_is_turned_and_then_shifted(seed):
    rng = np.random.default_rng(seed)
    turn, to_m = Rotation.random(random_state=seed), rng.uniform(-1.0, 1.0, 3)
    solid = box((0.1, 0.2, 0.3))
    placed = solid.placed(turn.as_matrix(), to_m)
    turned = turn.apply(solid.vertices_m.copy())
    np.testing.assert_allclose(placed.vertices_m, turned + to_m, atol=1e-12)
    np.testing.assert_allclose(placed.normals, turn.apply(solid.normals.copy()), atol=1e-12)


@pytest.mark.parametrize("sides", [4, 6, 10, 16])
def test_a_ball_is_closed_and_none_of_its_faces_is_flat(sides):
    solid = ball(0.3, sides)
    corners = np.unique(np.round(solid.vertices_m, 9), axis=0, return_inverse=True)[1].ravel()
    faces = corners[solid.faces]
    assert all(len(set(face)) == 3 for face in faces.tolist())
    edges = [tuple(face[[k, (k + 1) % 3]]) for face in faces for k in range(3)]
    assert len(edges) == len(set(edges))
    assert {(b, a) for a, b in edges} == set(edges)


def test_the_floor_lies_on_whole_steps_about_its_middle():
    found = grid(0.55, 0.25, 0.1, (0.3, -0.61)).lines_m
    assert (found[:, 2] == 0.1).all()
    np.testing.assert_allclose([found[:, 0].min(), found[:, 0].max()], [0.25 - 0.75, 0.25 + 0.75])
    np.testing.assert_allclose([found[:, 1].min(), found[:, 1].max()], [-0.5 - 0.75, -0.5 + 0.75])
    across = found[::2][np.isclose(found[::2, 1], found[1::2, 1])]
    np.testing.assert_allclose(sorted(across[:, 1]), np.arange(-1.25, 0.26, 0.25), atol=1e-12)


def test_packed_faces_are_those_of_each_piece():
    pieces = [Piece(box((0.1, 0.2, 0.3 + k)), role) for k, role in enumerate(("rod", "leg", "rod"))]
    parts = (Part("one", tuple(pieces[:2])), Part("two", (pieces[2],)))
    camera = Camera((0.0, 0.0, 0.0), 1.0)
    ground = Ground(np.zeros((2, 3)), 1.0)
    packed = Build(parts, {"rod": "metal", "leg": "metal"}, ground, (), (), camera).packed
    counts = [len(one.solid.vertices_m) for one in pieces]
    starts = np.cumsum([0, *counts]).tolist()
    wanted = [(starts[k], starts[k + 1], part, slot)
              for k, (part, slot) in enumerate([(0, 0), (0, 1), (1, 0)])]  # fmt: skip
    assert packed.pieces.tolist() == [list(row) for row in wanted]
    corners = packed.corners[packed.solid_faces.astype(int).ravel(), :3]
    drawn = np.vstack([one.solid.vertices_m[one.solid.faces.ravel()] for one in pieces])
    np.testing.assert_allclose(corners, drawn, atol=1e-6)


def test_the_eye_goes_nearer_without_turning():
    nearer = EYE.at(0.7)
    assert nearer.distance_m == 0.7
    assert (nearer.azimuth_deg, nearer.elevation_deg) == (30.0, 20.0)
    np.testing.assert_array_equal(nearer.middle_m, EYE.middle_m)


@pytest.mark.parametrize(("width", "height"), [(800, 600), (300, 900)])
def test_a_pixel_is_as_large_as_it_is_seen(width, height):
    size_m = EYE.pixel_m(width, height)
    point = EYE.middle_m + size_m * EYE.axes[0]
    clip = EYE.view(width, height) @ [*point, 1.0]
    assert clip[0] / clip[3] == pytest.approx(2.0 / width)


@pytest.mark.parametrize(("share", "depth"), [(NEAR, -1.0), (FAR, 1.0)])
def test_what_is_drawn_lies_between_the_near_plane_and_the_far_one(share, depth):
    point = EYE.middle_m + (1.0 - share) * EYE.distance_m * EYE.axes[2]
    clip = EYE.view(800, 600) @ [*point, 1.0]
    assert clip[2] / clip[3] == pytest.approx(depth, abs=1e-9)


def test_people_are_warned_below_the_share_and_not_at_it():
    group = MarginGroup(("a", "b"), ("m", "m"), "x", above(np.array([0.5, 0.5])), warn_share=0.5)
    free = RestState.FREE
    half, less = 0.5 + 0.25 * FULL_LEASTS, 0.5 + 0.24 * FULL_LEASTS
    assert group.of(np.array([half, 0.5]))[1].tolist() == [0.5, 0.0]
    assert group.roles(np.array([half, less]), free) == ["ok", "warn"]
    at_warning = 0.5 + 0.5 * WARN_SHARE * FULL_LEASTS
    assert replace(group, warn_share=0.9).roles(np.array([at_warning, half]), free) == ["warn"] * 2
