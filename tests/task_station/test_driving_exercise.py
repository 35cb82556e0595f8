"""Hangars of the exercise `mobile`, and what is judged in them, with a geometry of its own."""

import math

import pytest

from hil.diagram.exercises.exercise import draw_of
from hil.stations.task.exercises.hangar_draw import draw_hangar
from hil.stations.task.exercises.hangar_plant import HangarPlant, chassis
from sim.world.robots.body import BodyShape

TURNING_M = 0.42
"""Radius of the robot as it turns on the spot."""
BODY_M = 0.54
"""Width of the robot over its wheels."""


def goods(course):
    """Place, heading and half sizes of all that stands on the floor; a radius has two alike."""
    for one in course.scene.bodies:
        if one.on:
            continue
        turn = 2.0 * math.atan2(one.quaternion[3], one.quaternion[0])
        if one.shape is BodyShape.BOX:
            yield one.name, one.position_m[:2], turn, (one.size_m[0] / 2, one.size_m[1] / 2)
        else:
            yield one.name, one.position_m[:2], None, (one.size_m[0],) * 2


def away_m(place, at, turn, half):
    """Distance of a place from one of them."""
    x, y = place[0] - at[0], place[1] - at[1]
    if turn is None:
        return math.hypot(x, y) - half[0]
    c, s = math.cos(turn), math.sin(turn)
    along, across = abs(c * x + s * y) - half[0], abs(c * y - s * x) - half[1]
    return math.hypot(max(along, 0.0), max(across, 0.0))


@pytest.mark.parametrize("seed", range(20))
def test_start_and_goal_are_clear_and_the_straight_way_is_not(seed):
    course = draw_hangar(draw_of("hangar", seed))
    found = list(goods(course))
    for place in (course.start, course.goal):
        assert min(away_m(place, *one[1:]) for one in found) > TURNING_M
    crossed = set()
    for step in range(201):
        share = step / 200
        place = tuple(
            a + share * (b - a) for a, b in zip(course.start, course.goal, strict=True)
        )  # fmt: skip
        near = [one[0] for one in found if away_m(place, *one[1:]) < BODY_M / 2]
        crossed |= {"first" if share < 0.5 else "second" for _ in near}
    assert crossed == {"first", "second"}


def test_a_hangar_hangs_on_its_draw_alone():
    one, other, again = (draw_hangar(draw_of("hangar", seed)) for seed in (1, 2, 1))
    assert one == again
    assert one.scene != other.scene
    hands = {draw_hangar(draw_of("hangar", seed)).scene.bodies[-1].position_m[1] > 0
             for seed in range(12)}  # fmt: skip
    assert hands == {True, False}


def play(plant, seconds, voltages):
    for tick in range(round(100 * seconds)):
        time_s = tick / 100
        inputs = plant.inputs(time_s)
        plant.step(time_s, {"voltages": voltages})
    return inputs, {one.name: one for one in plant.measures()}


def test_a_robot_that_stands_still_is_at_its_start_and_too_late():
    plant = HangarPlant(draw_of("plant", 1))
    inputs, measures = play(plant, 1.0, [0.0, 0.0])
    off_m = math.dist(inputs["p1"][:2], inputs["goal"][:2])
    assert measures["distance from the goal at the end"].value == pytest.approx(off_m, abs=0.02)
    assert measures["bodies that the robot has touched"].value == 0
    assert not measures["time until it stays at the goal"].ok
    front = [b - a for a, b in zip(inputs["p1"], inputs["p2"], strict=True)]
    turned = math.atan2(inputs["direction"][1], inputs["direction"][0]) - math.atan2(*front[1::-1])
    askew_deg = abs(math.degrees(math.remainder(turned, math.tau)))
    found = measures["heading from the wanted one at the end"].value
    assert found == pytest.approx(askew_deg, abs=3.0)


def test_a_touch_is_counted_and_ends_the_motion():
    plant = HangarPlant(draw_of("plant", 2))
    _, measures = play(plant, 12.0, [0.6, 0.6])
    assert measures["bodies that the robot has touched"].value >= 1
    assert not measures["bodies that the robot has touched"].ok
    before = plant.place
    play(plant, 0.5, [-0.6, -0.6])
    assert plant.place == before


def test_beams_that_meet_nothing_say_so():
    plant = HangarPlant(draw_of("plant", 3))
    seen = set()
    for _ in range(30):
        inputs, _ = play(plant, 0.2, [0.2, -0.2])
        for fan in ("left", "front", "right"):
            for distance, met in zip(inputs[fan], inputs[f"{fan}_seen"], strict=True):
                seen.add(bool(met))
                assert met or distance == 3.0
                assert 0.0 < distance < 3.1
    assert seen == {True, False}


def test_the_chassis_has_no_arm():
    from hil.machines.world.robot_documents import robot_of

    robot = chassis(robot_of("mf4_wheels")[0])
    assert {one.name for one in robot.links} == {
        "chassis", "left_wheel", "right_wheel", "front_ball", "rear_ball",
    }  # fmt: skip
    assert [one.joint for one in robot.drives] == [1, 2]
    assert all(one.defects for one in robot.sensors)
