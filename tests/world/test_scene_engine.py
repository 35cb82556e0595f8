"""Scenes in the engine, judged by closed forms of mechanics."""

import math
import re
from typing import Any

import mujoco
import numpy as np
import pytest
from campaign import count

from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.world import World
from sim.world.robots.body import BodyPlace, BodyShape
from sim.world.scenes.checks import RATIO_MIN, SceneError
from sim.world.scenes.model import BodyMotion, Floor, Scene, SceneBody, Stepping

G = 9.81
FLOOR, FINE = Floor(), Stepping(0.001)
WEIGHTLESS = Stepping(0.001, gravity_m_s2=(0.0, 0.0, 0.0))


def a_world(*bodies, floor: Floor | None = FLOOR, stepping: Stepping = FINE):
    return World(scene_text(Scene("test", stepping, floor, bodies=bodies), {}))


def cube(**changed):
    told: dict[str, Any] = {
        "name": "cube", "shape": BodyShape.BOX, "size_m": (0.2, 0.2, 0.1), "mass_kg": 3.0,
        "motion": BodyMotion.FREE, "position_m": (0.0, 0.0, 0.05),
    }  # fmt: skip
    return SceneBody(**(told | changed))


def ball(time_s, ratio, height_m=0.5):
    return SceneBody("ball", BodyShape.SPHERE, (0.05,), mass_kg=0.5, motion=BodyMotion.FREE,
                     position_m=(0.0, 0.0, 0.05 + height_m), contact_time_s=time_s,
                     contact_damping=ratio)  # fmt: skip


def given_back(time_s, ratio, height_m, stepping):
    """Speed after the first bounce by that before it, of an engine that is asked by nobody else."""
    text = scene_text(Scene("test", stepping, FLOOR, bodies=(ball(0.1, 1.0),)), {}).text
    text = re.sub(r'solref="[^"]*"', f'solref="{time_s!r} {ratio!r}"', text)
    model = mujoco.MjModel.from_xml_string(text)
    data, touched = mujoco.MjData(model), False
    data.qpos[2] = 0.05 + height_m
    for _ in range(round((2.0 + math.sqrt(2.0 * height_m / G)) / stepping.step_s)):
        mujoco.mj_step(model, data)
        touched = touched or data.ncon > 0
        if touched and not data.ncon and data.qvel[2] > 0.0:
            energy = 0.5 * data.qvel[2] ** 2 + G * (data.qpos[2] - 0.05)
            return math.sqrt(max(energy, 0.0) / (G * height_m))
    return 0.0  # it stays down


TUMBLING = {"box": "0.2 0.12 0.08", "capsule": "0.06 0.2", "cylinder": "0.12 0.2"}


def tumbled(rng, pairs):
    """Greatest energy of a body in the air after it struck the floor, by that before, for each.

    Args:
        pairs: of the contact's time in steps and its damping.
    """
    step_s, shape = float(rng.choice([0.001, 0.002, 0.005])), str(rng.choice([*TUMBLING]))
    integrator = rng.choice(["RK4", "implicitfast"])
    scene = f"""<mujoco><option timestep="{step_s}" integrator="{integrator}"
    cone="elliptic" impratio="10"><flag energy="enable"/></option><worldbody>
    <geom type="plane" size="0 0 1" friction="0.8 0 0"/><body pos="0 0 1.5"><freejoint/><geom
    type="{shape}" size="{TUMBLING[shape]}" friction="{rng.uniform(0.4, 1.3)} 0 0" priority="1"/>
    </body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(scene)
    turned, speeds = rng.normal(size=4), rng.normal(size=6) * (2, 2, 2, 4, 4, 4)
    found = []
    for time_steps, ratio in pairs:
        model.geom_solref[1] = time_steps * step_s, ratio
        data = mujoco.MjData(model)
        data.qpos[3:], data.qvel[:] = turned / np.linalg.norm(turned), speeds
        mujoco.mj_forward(model, data)
        before, most, touched = data.energy.sum(), 0.0, False
        for _ in range(round(0.8 / step_s)):
            mujoco.mj_step(model, data)
            touched = touched or data.ncon > 0
            if touched and not data.ncon:
                most = max(most, data.energy.sum())
        found.append(most / before)
    return found


@pytest.mark.campaign
def test_a_body_that_turns_as_it_strikes_gains_nothing_by_a_contact_that_is_taken():
    rng, gained = np.random.default_rng(11), 0.0
    for _ in range(count(500, least=12)):
        steps = math.exp(rng.uniform(0.0, math.log(4.0)))  # of time by damping
        least, most = tumbled(rng, [(steps / 0.03, 0.03), (steps / RATIO_MIN, RATIO_MIN)])
        gained = max(gained, least)
        assert most < 1.05
    assert gained > 1.1, "the judge sees energy that is made"
    with pytest.raises(SceneError, match=r"contact_damping = 0\.03: .*turns.*; 0\.2 or more"):
        a_world(cube(contact_time_s=1.0, contact_damping=0.03))
    a_world(ball(1.0, 0.03))  # it is struck through its middle


@pytest.mark.campaign
def test_a_contact_that_makes_energy_is_refused_and_what_is_told_instead_makes_none():
    rng, refused, made = np.random.default_rng(5), 0, 0.0
    for _ in range(count(600, least=24)):
        stepping = Stepping(float(rng.choice([0.0005, 0.002])), rng.choice(["implicitfast", "RK4"]))
        time_s = stepping.step_s * math.exp(rng.uniform(math.log(1.0), math.log(100.0)))
        ratio = stepping.step_s / time_s * math.exp(rng.uniform(math.log(0.2), math.log(4.0)))
        height_m = float(rng.uniform(0.05, 1.0))
        pairs = [(time_s, ratio)]
        try:
            a_world(ball(time_s, ratio), stepping=stepping)
        except SceneError as error:
            refused += 1
            made = max(made, given_back(time_s, ratio, height_m, stepping))
            (finding,) = error.findings
            told = [float(one) for one in re.findall(r"[0-9][0-9.e-]*", finding.remedy)]
            pairs = [(time_s, told[0]), (told[-1], ratio)]
            if finding.field[-1] == "contact_time_s":
                pairs = [(told[0], 1.0)]
        for pair in pairs:
            a_world(ball(*pair), stepping=stepping)
            assert given_back(*pair, height_m, stepping) < 1.05, (pair, stepping)
    assert refused > 4
    assert made > 3.0, "the judge sees energy that is made"


def test_a_body_at_rest_weighs_on_the_floor():
    world = a_world(cube(name="cube"), cube(name="other", position_m=(1.0, 0.0, 0.05), mass_kg=7.0))
    world.step(1000)
    pressed = {"cube": np.zeros(3), "other": np.zeros(3)}
    for contact in world.contacts():
        assert contact.bodies[0] == "floor"
        pressed[contact.bodies[1]] += contact.force_n
    np.testing.assert_allclose(pressed["cube"], (0.0, 0.0, 3.0 * G), atol=1e-6)
    np.testing.assert_allclose(pressed["other"], (0.0, 0.0, 7.0 * G), atol=1e-6)
    assert all(-1e-3 < contact.depth_m < 1e-3 for contact in world.contacts())


@pytest.mark.parametrize("degrees", [10.0, 20.0, 30.0])
@pytest.mark.parametrize("margin", [0.9, 1.1])
def test_a_box_slides_where_the_slope_is_steeper_than_its_friction(degrees, margin):
    """It rests if tan φ < µ; else its acceleration is g (sin φ - µ cos φ)."""
    angle = math.radians(degrees)
    friction = math.tan(angle) / margin
    turned = (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)
    slope = SceneBody("slope", BodyShape.BOX, (20.0, 2.0, 0.2), quaternion=turned, friction=0.0)
    up = np.array([math.sin(angle), 0.0, math.cos(angle)])
    box = cube(position_m=tuple(0.15 * up), quaternion=turned, friction=friction)
    world = a_world(slope, box, floor=None)
    world.step(200)
    began = np.array(world.bodies["cube"].coordinates()[:3])
    before = np.array(world.bodies["cube"].speeds()[:3])
    world.step(500)
    moved = np.linalg.norm(np.array(world.bodies["cube"].coordinates()[:3]) - began)
    if margin < 1.0:
        assert moved < 1e-3
    else:
        gained = np.linalg.norm(np.array(world.bodies["cube"].speeds()[:3]) - before)
        wanted = G * (math.sin(angle) - friction * math.cos(angle))
        braked = friction * G * math.cos(angle)
        assert gained / 0.5 == pytest.approx(wanted, abs=0.005 * braked)


def test_a_push_gives_its_impulse():
    """Δv = F t / m, also where the time is no whole number of steps; Δω = M t / I."""
    world = a_world(cube(), floor=None, stepping=WEIGHTLESS)
    world.push("cube", (6.0, -3.0, 1.0), 0.1004)
    world.push("cube", (0.0, 0.0, 2.0), 0.05, (0.0, 0.0, 0.4))
    world.step(200)
    wanted = np.array([6.0, -3.0, 1.0]) * 0.1004 / 3.0 + np.array([0.0, 0.0, 2.0]) * 0.05 / 3.0
    speeds = world.bodies["cube"].speeds()
    np.testing.assert_allclose(speeds[:3], wanted, rtol=1e-12)
    inertia = 3.0 * (0.2**2 + 0.2**2) / 12.0
    np.testing.assert_allclose(speeds[3:], (0.0, 0.0, 0.4 * 0.05 / inertia), atol=1e-9)
    world.settle()
    linear, angular = world.bodies["cube"].velocity()
    np.testing.assert_allclose(linear, wanted, rtol=1e-9)
    np.testing.assert_allclose(angular, speeds[3:], atol=1e-12)
    place = world.bodies["cube"].pose()[:3, 3]
    np.testing.assert_allclose(place, world.bodies["cube"].coordinates()[:3], atol=1e-15)


def test_pushes_that_are_none_are_refused():
    world = a_world(cube())
    for force, duration in (((0.0, math.nan, 0.0), 1.0), ((1.0, 0.0, 0.0), -1.0)):
        with pytest.raises(ValueError, match="push of cube"):
            world.push("cube", force, duration)
    with pytest.raises(KeyError):
        world.push("nobody", (1.0, 0.0, 0.0), 1.0)


def test_pushes_and_gravity_go_on_from_a_snapshot():
    world = a_world(cube(), floor=None)
    world.push("cube", (5.0, 0.0, 0.0), 0.1)
    world.pull((0.0, 1.0, 0.0))
    world.step(30)
    found = world.snapshot()
    world.step(200)
    wanted = world.snapshot()
    world.restart()
    world.step(17)
    world.restore(found)
    world.step(200)
    assert world.snapshot() == wanted
    assert world.bodies["cube"].speeds()[1] == pytest.approx(0.230, rel=1e-9)
    world.restart()
    world.step(100)
    np.testing.assert_allclose(world.bodies["cube"].speeds()[:3], (0, 0.1, 0), atol=1e-12)
    with pytest.raises(ValueError, match="three finite numbers"):
        world.pull((0.0, math.nan, 0.0))


def wheel(**changed):
    told: dict[str, Any] = {
        "name": "wheel", "shape": BodyShape.CYLINDER, "size_m": (0.12, 0.02), "mass_kg": 2.0,
        "motion": BodyMotion.HINGE, "axis": (0.0, 0.0, 1.0), "joint_friction": 4.0, "damping": 2.0,
        "position_m": (0.0, 0.0, 1.0),
    }  # fmt: skip
    return SceneBody(**(told | changed))


@pytest.mark.parametrize("moment_nm", [3.9, 4.4, 6.0, 10.0])
def test_a_wheel_turns_with_what_its_friction_leaves(moment_nm):
    """It rests below 4 N m; above, its speed goes to (M - 4) / 2 rad/s."""
    world = a_world(wheel(), floor=None)
    world.push("wheel", (0.0, 0.0, 0.0), 10.0, (0.0, 0.0, moment_nm))
    world.step(500)
    (speed,) = world.bodies["wheel"].speeds()
    if moment_nm < 4.0:
        assert abs(speed) < 1e-4
        assert abs(world.bodies["wheel"].coordinates()[0]) < 1e-4
    else:
        assert speed == pytest.approx((moment_nm - 4.0) / 2.0, rel=1e-3)


def test_a_drawer_stops_at_its_end():
    drawer = cube(name="drawer", motion=BodyMotion.SLIDE, axis=(1.0, 0.0, 0.0), limits=(-0.1, 0.3),
                  start=0.1, damping=5.0)  # fmt: skip
    world = a_world(drawer, floor=None, stepping=WEIGHTLESS)
    assert world.bodies["drawer"].pose()[0, 3] == pytest.approx(0.1, abs=1e-15)
    world.push("drawer", (10.0, 0.0, 0.0), 10.0)
    world.step(3000)
    assert world.bodies["drawer"].coordinates()[0] == pytest.approx(0.3, abs=1e-3)


def test_a_hinge_is_where_the_frame_is_and_the_shape_where_its_place_is():
    """A door of 20 kg whose hinge lies at its edge: angular acceleration M / (m w² / 3 + …)."""
    door = SceneBody("door", BodyShape.BOX, (0.8, 0.04, 2.0), motion=BodyMotion.HINGE, mass_kg=20.0,
                     axis=(0.0, 0.0, 1.0), place=BodyPlace((0.4, 0.0, 0.0)))  # fmt: skip
    world = a_world(door, floor=None, stepping=WEIGHTLESS)
    world.push("door", (0.0, 0.0, 0.0), 0.1, (0.0, 0.0, 1.0))
    world.step(100)
    inertia = 20.0 * ((0.8**2 + 0.04**2) / 12.0 + 0.4**2)
    assert world.bodies["door"].speeds()[0] == pytest.approx(0.1 / inertia, rel=1e-9)


def test_bodies_on_bodies_are_one_body():
    """Two cubes fixed on each other fall and turn as one; a handle's mass counts."""
    handle = cube(name="handle", motion=BodyMotion.FIXED, on="cube", position_m=(0.0, 0.0, 0.5),
                  mass_kg=1.0)  # fmt: skip
    world = a_world(cube(), handle, floor=None, stepping=WEIGHTLESS)
    world.push("handle", (4.0, 0.0, 0.0), 0.001)
    world.push("cube", (0.0, 0.0, 0.0), 0.001, (0.0, -4.0 * 0.375, 0.0))
    world.step(1)
    centre = 0.5 * 1.0 / 4.0
    speed = world.bodies["cube"].speeds()
    moment = 4.0 * (0.5 - centre) - 4.0 * 0.375
    assert moment == pytest.approx(0.0)
    np.testing.assert_allclose(speed[:3], (0.001, 0.0, 0.0), atol=1e-9)


def test_what_stands_on_what_is_not_there_is_refused():
    with pytest.raises(SceneError, match="body cube on = table: nothing of this name"):
        a_world(cube(motion=BodyMotion.FIXED, on="table"))
    loop = (
        cube(motion=BodyMotion.FIXED, on="other"),
        cube(name="other", motion=BodyMotion.FIXED, on="cube"),
    )
    with pytest.raises(SceneError, match="bears itself in the end"):
        a_world(*loop)
