"""What docs/world.md says of contacts and integrators left as they are, against closed forms.

The engine's contact is a spring and a damper between accelerations: time constant 0.02 s, damping
1, impedance d(r) from 0.9 to 0.95 within 1 mm (MuJoCo documentation, Computation, "Constraint
model": k = d / (d_max² τ² ζ²), b = 2 / (d_max τ), a + d (b v + k r) = (1 - d) a_0 in rest).
"""

import math
from pathlib import Path

import pytest
from scipy.optimize import brentq
from scipy.special import ellipk

from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.world import World
from sim.world.robots.body import BodyPlace, BodyShape
from sim.world.scenes.model import BodyMotion, Floor, Scene, SceneBody, Stepping

G, TIME_S = 9.81, 0.02
DEFAULT, FINE, RK4 = Stepping(), Stepping(0.0005), Stepping(0.002, "RK4")
SAID = " ".join((Path(__file__).parents[2] / "docs" / "world.md").read_text("utf-8").split())


def said(words: str) -> None:
    """The document has these words with these figures."""
    assert words in SAID, words


def world_of(body: SceneBody, stepping: Stepping, floor: Floor | None = None) -> World:
    return World(scene_text(Scene("test", stepping, floor, bodies=(body,)), {}))


def ball(height_m: float, mass_kg: float = 0.5) -> SceneBody:
    return SceneBody(
        "ball", BodyShape.SPHERE, (0.05,), mass_kg=mass_kg, motion=BodyMotion.FREE,
        position_m=(0.0, 0.0, 0.05 + height_m),
    )  # fmt: skip


def impedance(depth_m: float) -> float:
    return 0.9 + 0.05 * 2.0 * (depth_m / 1e-3) ** 2  # below half of the width


@pytest.mark.parametrize("mass_kg", [0.05, 0.5, 50.0])
def test_whatever_rests_is_as_deep_as_its_own_weight_makes_it(mass_kg):
    def excess(depth_m: float) -> float:
        d = impedance(depth_m)
        return d * d / (0.95 * TIME_S) ** 2 * depth_m - (1.0 - d) * G

    expected_m = float(brentq(excess, 0.0, 5e-4))  # pyright: ignore[reportArgumentType]
    world = world_of(ball(0.0, mass_kg), DEFAULT, Floor())
    world.step(1000)
    depth_m = 0.05 - world.bodies["ball"].coordinates()[2]
    assert depth_m == pytest.approx(expected_m, rel=1e-4)
    said(f"sinks in by {1e3 * expected_m:.2f} mm")


@pytest.mark.parametrize(("stepping", "near"), [(DEFAULT, 0.17), (FINE, 0.02)])
def test_a_fall_goes_as_deep_as_a_spring_of_critical_damping_and_does_not_come_back(stepping, near):
    for height_m in (0.02, 0.1, 0.5):
        world, deepest_m, highest_m = world_of(ball(height_m), stepping, Floor()), 0.0, -1.0
        for _ in range(round(3.0 / stepping.step_s)):
            world.step(1)
            over_m = world.bodies["ball"].coordinates()[2] - 0.05
            deepest_m = max(deepest_m, -over_m)
            highest_m = over_m if deepest_m > 0.0 and highest_m < over_m else highest_m
        speed_m_s = math.sqrt(2.0 * G * height_m)
        assert deepest_m == pytest.approx(speed_m_s * TIME_S / math.e, rel=near)
        assert highest_m < 0.0, "no bounce"
    said(f"{1e3 * speed_m_s * TIME_S / math.e:.0f} mm after a fall of 0.5 m")
    said("within 17 % at the default step")


def stopped(
    body_friction: float, stepping: Stepping, contact_time_s: float = 0.0
) -> tuple[float, float, float]:
    """Way of a box that is struck to 1 m/s [m], greatest hop [m], share of time in the air."""
    box = SceneBody(
        "box", BodyShape.BOX, (0.2, 0.2, 0.1), mass_kg=3.0, motion=BodyMotion.FREE,
        position_m=(0.0, 0.0, 0.05), friction=body_friction, contact_time_s=contact_time_s,
    )  # fmt: skip
    world = world_of(box, stepping, Floor())
    world.step(round(0.5 / stepping.step_s))
    body = world.bodies["box"]
    began_m, hop_m, away, count = body.coordinates()[0], 0.0, 0, 0
    world.push("box", (3.0 / stepping.step_s, 0.0, 0.0), stepping.step_s)
    while count == 0 or (body.speeds()[0] > 1e-3 and count < 10_000):
        world.step(1)
        count += 1
        away += not world.contacts()
        hop_m = max(hop_m, body.coordinates()[2] - 0.05)
    return body.coordinates()[0] - began_m, hop_m, away / count


def test_what_slides_hops_and_stops_where_friction_lets_it():
    way_m, hop_m, away = stopped(0.8, DEFAULT)
    assert way_m == pytest.approx(1.0 / (2.0 * 0.8 * G), rel=0.05)
    assert hop_m == pytest.approx(12e-3, abs=1.5e-3)
    assert 0.4 < away < 0.6
    said("hops up to 12 mm and is off the floor for half of the time")
    said("its way is v² / (2 µ g) within 5 %")


def test_the_greater_friction_counts_unless_the_body_has_a_contact_of_its_own():
    ice_m, _, _ = stopped(0.05, DEFAULT)
    assert ice_m == stopped(0.8, DEFAULT)[0], "the floor's 0.8 is the greater one"
    own_m, _, _ = stopped(0.05, DEFAULT, contact_time_s=TIME_S)
    assert own_m == pytest.approx(1.0 / (2.0 * 0.05 * G), rel=0.01)
    said("`friction = 0.05` on a floor of 0.8 slides as on 0.8")
    said("`contact_time_s = 0.02`")


def test_a_fall_is_late_by_half_a_step():
    """Semi-implicit: z = -g h² n (n + 1) / 2, which is g h t / 2 lower than -g t² / 2."""
    for stepping in (DEFAULT, FINE, RK4):
        off_m = 0.0 if stepping is RK4 else 0.5 * G * stepping.step_s * 0.5
        world = world_of(ball(5.0), stepping)
        world.step(round(0.5 / stepping.step_s))
        fallen_m = 5.05 - world.bodies["ball"].coordinates()[2]
        assert fallen_m - 0.5 * G * 0.25 == pytest.approx(off_m, abs=1e-9)
    said("g · step · t / 2 too low, 4.9 mm after 0.5 s")


def period_error(stepping: Stepping, amplitude_rad: float = 1.0) -> float:
    """Of a pendulum over 20 swings, relative to 4 √(I / m g l) K(sin² (a / 2))."""
    rod = SceneBody(
        "rod", BodyShape.SPHERE, (0.05,), motion=BodyMotion.HINGE, mass_kg=1.0,
        axis=(0.0, 1.0, 0.0), place=BodyPlace((0.0, 0.0, -0.5)), start=amplitude_rad,
        position_m=(0.0, 0.0, 2.0),
    )  # fmt: skip
    world = world_of(rod, stepping)
    body, crossed, before, count = world.bodies["rod"], list[float](), amplitude_rad, 0
    while len(crossed) < 21:
        world.step(1)
        count += 1
        angle = body.coordinates()[0]
        if before < 0.0 <= angle:
            crossed.append((count - angle / (angle - before)) * stepping.step_s)
        before = angle
    inertia = 0.25 + 0.4 * 0.05**2
    period_s = 4.0 * math.sqrt(inertia / (G * 0.5)) * ellipk(math.sin(0.5 * amplitude_rad) ** 2)
    return (crossed[-1] - crossed[0]) / 20.0 / period_s - 1.0


def test_a_pendulum_keeps_its_period():
    assert abs(period_error(RK4)) < 1e-7
    assert abs(period_error(DEFAULT)) < 1e-5
    said("a pendulum's period is right to 10⁻⁵")
