"""Bodies at random places: a seed decides them, none overlap, whatever they are."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.world import World
from sim.world.robots.body import BodyShape
from sim.world.robots.tree import rotation_of
from sim.world.scenes.bodies import placed_body, pose_of_body
from sim.world.scenes.extents import COUNT, are_apart, reach_m
from sim.world.scenes.fields import FieldFullError, all_bodies
from sim.world.scenes.model import BodyField, BodyMotion, Scene, SceneBody

seeds = st.integers(0, 2**32 - 1)
BOX = ((-4.0, -3.0, 0.2), (4.0, 3.0, 0.2))
KINDS = (
    SceneBody("drum", BodyShape.CYLINDER, (0.29, 0.88), motion=BodyMotion.FREE, mass_kg=9.0),
    SceneBody("crate", BodyShape.BOX, (0.9, 0.3, 0.5), motion=BodyMotion.FREE, mass_kg=9.0),
    SceneBody("pipe", BodyShape.CAPSULE, (0.1, 1.0), motion=BodyMotion.FREE, mass_kg=9.0,
              quaternion=(math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)),
    SceneBody("ball", BodyShape.SPHERE, (0.2,), motion=BodyMotion.FREE, mass_kg=9.0),
)  # fmt: skip
WALL = SceneBody("wall", BodyShape.BOX, (8.0, 0.1, 2.0), position_m=(0.0, 0.5, 1.2))


def field(**changed):
    told = {"name": "heap", "count": 12, "box_m": BOX, "kinds": KINDS, "gap_m": 0.05}
    return BodyField(**(told | changed))


def boundary(body, rng, count=3000):
    """Random points of a body's inside in the world, by its shape's definition alone."""
    size = body.size_m
    match body.shape:
        case BodyShape.BOX:
            points = rng.uniform(-0.5, 0.5, (count, 3)) * size
        case BodyShape.CYLINDER:
            angle, radius = rng.uniform(0, math.tau, count), size[0] * np.sqrt(rng.random(count))
            points = np.stack([radius * np.cos(angle), radius * np.sin(angle),
                               size[1] * rng.uniform(-0.5, 0.5, count)], axis=1)  # fmt: skip
        case _:
            points = rng.normal(size=(count, 3))
            points *= (
                size[0]
                * rng.random((count, 1)) ** (1 / 3)
                / np.linalg.norm(points, axis=1, keepdims=True)
            )
            if body.shape is BodyShape.CAPSULE:
                points[:, 2] += size[1] * rng.uniform(-0.5, 0.5, count)
    return points @ rotation_of(body.quaternion).T + body.position_m


def inside(points, body, margin_m):
    """Whether points are in a body that is larger by a margin."""
    own = (points - body.position_m) @ rotation_of(body.quaternion)
    size = body.size_m
    match body.shape:
        case BodyShape.BOX:
            return (np.abs(own) < 0.5 * np.array(size) + margin_m).all(axis=1)
        case BodyShape.CYLINDER:
            near = np.hypot(own[:, 0], own[:, 1]) < size[0] + margin_m
            return near & (np.abs(own[:, 2]) < 0.5 * size[1] + margin_m)
        case _:
            length = size[1] if body.shape is BodyShape.CAPSULE else 0.0
            own[:, 2] -= np.clip(own[:, 2], -0.5 * length, 0.5 * length)
            return np.linalg.norm(own, axis=1) < size[0] + margin_m


@settings(max_examples=15)
@given(seeds)
def test_bodies_do_not_overlap_and_keep_to_their_box(seed):
    scene = Scene("test", bodies=(WALL,), fields=(field(clear_m=((1.0, -1.5, 0.8),)),))
    bodies = all_bodies(scene, seed)
    assert [body.name for body in bodies] == ["wall", *(f"heap_{k}" for k in range(1, 13))]
    rng = np.random.default_rng(seed)
    points = {body.name: boundary(body, rng) for body in bodies}
    for one, two in itertools.permutations(bodies, 2):
        assert not inside(points[one.name], two, 0.03).any()
    for body in bodies[1:]:
        own = points[body.name]
        assert (own[:, :2] > (-4.0, -3.0)).all()
        assert (own[:, :2] < (4.0, 3.0)).all()
        assert own[:, 2].min() == pytest.approx(0.2, abs=0.02)
        assert own[:, 2].min() >= 0.2
        assert (np.hypot(own[:, 0] - 1.0, own[:, 1] + 1.5) > 0.8).all()


@settings(max_examples=5)
@given(seeds)
def test_the_engine_finds_no_contact_between_them(seed):
    scene = Scene("test", bodies=(WALL,), fields=(field(),))
    assert World(scene_text(scene, {}, seed)).contacts() == ()


def test_a_seed_decides_all():
    scene = Scene("test", fields=(field(),))
    own = Scene("test", fields=(field(seed=7),))
    assert all_bodies(scene, 1) == all_bodies(scene, 1)
    assert all_bodies(scene, 1) != all_bodies(scene, 2)
    assert all_bodies(own, 1) == all_bodies(own, 2) == all_bodies(scene, 7)
    text = scene_text(scene, {}, 1).text
    assert text == scene_text(scene, {}, 1).text != scene_text(scene, {}, 2).text


def one_by_one(scene, seed):
    """Bodies of a field, each place drawn and judged before the next one is drawn."""
    (heap,), taken, bodies = scene.fields, [], []
    rng = np.random.default_rng([seed, 0])
    while len(bodies) < heap.count:
        kind = heap.kinds[int(rng.integers(len(heap.kinds)))]
        while True:
            half = 0.5 * float(rng.uniform(-math.pi, math.pi))
            share, (w, x, y, z) = rng.uniform(size=3), kind.quaternion
            cos, sin = math.cos(half), math.sin(half)
            turned = (cos * w - sin * z, cos * x - sin * y, cos * y + sin * x, cos * z + sin * w)
            low, high = reach_m(placed_body(kind), pose_of_body((0, 0, 0), turned))
            axes = [0, COUNT // 2, COUNT]
            least, most = heap.box_m[0] - low[axes], heap.box_m[1] - high[axes]
            most[2] = least[2]
            place_m = least + share * (most - least)
            reach = reach_m(placed_body(kind), pose_of_body(place_m, turned))
            if all(are_apart(reach[None], other[None], heap.gap_m)[0] for other in taken):
                break
        taken.append(reach)
        bodies.append((place_m.tolist(), turned))
    return bodies


@pytest.mark.parametrize("seed", [1, 2])
def test_places_that_are_tried_at_once_are_those_tried_one_by_one(seed):
    scene = Scene("test", fields=(field(count=24, gap_m=0.35),))
    found = all_bodies(scene, seed)
    assert [(list(one.position_m), one.quaternion) for one in found] == one_by_one(scene, seed)


def test_a_second_field_leaves_the_first_where_it_is():
    one = all_bodies(Scene("test", fields=(field(),)), 3)
    both = all_bodies(Scene("test", fields=(field(), field(name="more", count=2))), 3)
    assert both[:12] == one


def test_a_full_field_says_how_many_found_a_place():
    with pytest.raises(FieldFullError, match=r"field heap: \d+ of 300 bodies found a place"):
        all_bodies(Scene("test", fields=(field(count=300),)))
    with pytest.raises(FieldFullError, match="0 of 12"):
        all_bodies(Scene("test", fields=(field(box_m=((0, 0, 0), (0.1, 0.1, 0))),)))
