"""A scene without a graphics card: the nearest face at each pixel, by closed forms."""

import math

import numpy as np
import pytest
from scene_samples import platform

from hil.report.scene_figure import DARKEST, faces_of, painted
from hil.scene.camera import Eye
from hil.scene.figure import Build, Camera, Figure, Part, Piece, grid
from hil.scene.solids import Solid, ball, box, matrix

FROM_X = Eye(np.zeros(3), 1.0, 0.0, 0.0)
RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def built(*solids: Solid) -> Build:
    parts = tuple(Part(f"{k}", (Piece(solid, f"{k}"),)) for k, solid in enumerate(solids))
    roles = {f"{k}": "arm" for k in range(len(solids))}
    return Build(parts, roles, grid(1.0, 1.0), (), (), Camera((0.0, 0.0, 0.0), 2.0))


def image_of(build: Build, eye: Eye = FROM_X, pixels: int = 200):
    still = Figure(np.tile(np.eye(4), (len(build.parts), 1, 1)), tuple(build.roles.values()))
    seen = faces_of(build, still, eye)
    colours = np.array([RED, BLUE])[seen.slot]
    return painted(seen.corners_m, colours, pixels)


def share(image, colour) -> float:
    return float((image[..., :3] == np.rint(255 * np.array(colour))).all(axis=2).mean())


def test_of_two_bodies_the_nearer_hides_the_other_wherever_the_order():
    near, far = box((0.1, 1.0, 1.0)).moved(1.0, 0.0, 0.0), box((0.1, 2.0, 2.0))
    for solids, colour in (((near, far), RED), ((far, near), BLUE)):
        image, _ = image_of(built(*solids))
        middle = image[image.shape[0] // 2, image.shape[1] // 2]
        assert middle.tolist() == [*(int(255 * part) for part in colour), 255]
        assert share(image, colour) == pytest.approx(0.25, abs=0.01)


def test_bodies_that_pass_through_each_other_are_each_in_front_on_its_side():
    """Two plates crossed at 45°: seen from +x, one is nearer left of the middle, one right."""
    turn = math.radians(45.0)
    plate = box((0.01, 2.0, 1.0))
    for sign, colour in ((1.0, RED), (-1.0, BLUE)):
        c, s = math.cos(turn), sign * math.sin(turn)
        spin = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        other = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        image, _ = image_of(
            built(plate.placed(spin, np.zeros(3)), plate.placed(other, np.zeros(3)))
        )
        row = image[image.shape[0] // 2, :, :3]
        left = row[len(row) // 4].tolist()
        assert left == [round(255 * part) for part in colour]


def test_a_ball_covers_its_circle_without_a_gap_and_lies_where_it_is():
    image, (left, right, bottom, top) = image_of(built(ball(0.5, 60).moved(0.0, 2.0, 1.0)))
    there = image[..., 3] == 255
    pixel_m = (right - left) / image.shape[1]
    assert there.sum() * pixel_m**2 == pytest.approx(math.pi * 0.25, rel=0.02)
    assert 0.5 * (left + right) == pytest.approx(2.0, abs=pixel_m)
    assert 0.5 * (bottom + top) == pytest.approx(1.0, abs=pixel_m)
    for line in there:  # convex: one run of pixels a row
        assert np.count_nonzero(np.diff(line.astype(int))) <= 2


def test_faces_towards_the_lamp_are_brighter_and_none_is_black_or_looks_away():
    build = built(ball(1.0, 40))
    seen = faces_of(build, Figure(np.eye(4)[None], ("arm",)), FROM_X)
    middles = seen.corners_m.mean(axis=1)
    assert (middles[:, 2] > 0.0).all()
    lamp = FROM_X.axes @ FROM_X.lamp
    towards = middles / np.linalg.norm(middles, axis=1, keepdims=True) @ lamp
    assert np.corrcoef(towards, seen.shade)[0, 1] > 0.95
    assert DARKEST <= seen.shade.min() < 0.8 < 0.95 < seen.shade.max() <= 1.0


def test_what_is_not_seen_is_not_drawn_and_parts_are_where_the_figure_says():
    build = built(box((1.0, 1.0, 1.0)), box((1.0, 1.0, 1.0)))
    placed = np.zeros((2, 4, 4))
    placed[1] = matrix(np.eye(3), np.array([0.0, 3.0, -2.0]))
    seen = faces_of(build, Figure(placed, ("arm", "arm")), FROM_X)
    assert set(seen.slot.tolist()) == {1}
    np.testing.assert_allclose(seen.corners_m[..., :2].mean(axis=(0, 1)), [3.0, -2.0], atol=0.2)


def test_a_ghost_is_left_out():
    scene = platform()
    wanted = np.array([0.3, 0.0, 0.95, 0.0, 0.0, 0.0])
    with_ghost = scene.posed(np.array([0.0, 0.0, 0.95, 0.0, 0.0, 0.0]), wanted=wanted)
    slots = {scene.build.slots[slot] for slot in faces_of(scene.build, with_ghost, FROM_X).slot}
    assert "plate" in slots
    assert "ghost" not in slots
