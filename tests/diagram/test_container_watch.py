"""What the container's diagram notices of its sensors and of its grip, part by part."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hil.diagram.check.diagram import check
from hil.diagram.file.read import read
from hil.diagram.run.engine import Engine

FILE = Path(__file__).parents[2] / "configs/diagrams/container.toml"
SENSORS = {"places": 6, "beams_left": 5, "beams_front": 5, "beams_right": 5}
SEEN = ("seen_left", "seen_front", "seen_right")
SOON = 130
"""Ticks of 2 ms in which a sensor that stands still is to be noticed."""


def part(name: str) -> Engine:
    """Sub-diagram of the file as a diagram of its own."""
    file = read(FILE)
    return Engine(check(replace(file, top=file.subs[name])))


class WatchedRobot:
    """Robot that drives, moves its arm and holds something; its sensors live unless they stop."""

    def __init__(self) -> None:
        self.engine = part("Watch")
        self._rng = np.random.default_rng(5)
        for name in ("driving", "moving", "held"):
            self.engine.set_input(name, True)

    def step(self, stopped: str = "", blind: bool = False) -> bool:
        """Compute a tick; returns whether a fault is noticed."""
        for name, count in {**SENSORS, "arm": 6, "left": 1, "right": 1}.items():
            if name != stopped:
                values = 2.0 + self._rng.normal(0.0, 0.01, count)
                self.engine.set_input(name, values[0] if count == 1 else values)
        for name in SEEN:
            self.engine.set_input(name, np.full(5, not blind))
        self.engine.step()
        return bool(self.engine.output("fault")[0])


@pytest.mark.parametrize("stopped", [*SENSORS, "arm", "left", "right"])
def test_sensor_that_stands_still_is_noticed_soon(stopped: str) -> None:
    robot = WatchedRobot()
    assert not any(robot.step() for _ in range(300))
    noticed = [robot.step(stopped) for _ in range(SOON)]
    assert not any(noticed[:100])  # not for a moment without samples
    assert noticed[-1]


def test_beams_that_all_see_nothing_are_noticed_and_those_of_one_side_are_not() -> None:
    robot = WatchedRobot()
    assert any(robot.step(blind=True) for _ in range(SOON))
    robot = WatchedRobot()
    robot.step()
    robot.engine.set_input("seen_left", np.full(5, False))
    assert not any(robot.step() for _ in range(SOON))


def test_nothing_is_noticed_of_a_robot_at_rest() -> None:
    robot = WatchedRobot()
    for name in ("driving", "moving", "held"):
        robot.engine.set_input(name, False)
    robot.step()
    for _ in range(SOON):
        robot.engine.step()
        assert not robot.engine.output("fault")[0]


def grip(engine: Engine, ticks: int, half_open_m: float, left_n: float, right_n: float) -> None:
    """Compute ticks of the jaws."""
    engine.set_input("position", [half_open_m])
    engine.set_input("left", left_n)
    engine.set_input("right", right_n)
    for _ in range(ticks):
        engine.step()


def test_voltage_closes_until_release_and_both_pads_must_feel_the_force() -> None:
    jaws = part("Jaws")
    jaws.set_input("close", True)
    grip(jaws, 100, 0.01, 30.0, 15.0)
    jaws.set_input("close", False)
    assert jaws.output("U")[0] == pytest.approx(-0.9)
    assert not jaws.output("gripped")[0]
    grip(jaws, 100, 0.01, 30.0, 25.0)
    assert jaws.output("gripped")[0] and not jaws.output("lost")[0]  # noqa: PT018
    assert jaws.output("U")[0] == pytest.approx(-0.9)
    jaws.set_input("open", True)
    grip(jaws, 1, 0.01, 30.0, 25.0)
    assert jaws.output("U")[0] > 0.0


@pytest.mark.parametrize(("half_open_m", "left_n"), [(0.002, 30.0), (0.01, 0.0)])
def test_jaws_that_shut_or_a_pad_without_force_have_lost_it(
    half_open_m: float, left_n: float
) -> None:
    jaws = part("Jaws")
    grip(jaws, 100, 0.01, 30.0, 30.0)
    assert not jaws.output("lost")[0]
    grip(jaws, 120, half_open_m, left_n, 30.0)
    assert jaws.output("lost")[0]


def test_pads_that_disagree_are_noticed() -> None:
    jaws = part("Jaws")
    grip(jaws, 300, 0.01, 0.0, 30.0)
    assert jaws.output("apart")[0]
    grip(jaws, 100, 0.01, 28.0, 30.0)
    assert not jaws.output("apart")[0]
