"""What the container's diagram notices of its sensors and of its grip, part by part."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hil.diagram.check.diagram import check
from hil.diagram.file.read import read
from hil.diagram.run.engine import Engine

FILE = Path(__file__).parents[2] / "configs/diagrams/container.toml"
SENSORS = ("places", "beams_left", "beams_front", "beams_right", "hand")
FLAGS = ("driving", "moving", "held", "looking", "docking", "working")
SEEN = ("seen_left", "seen_front", "seen_right")
PLACES_M = np.array([1.0, 2.0, 0.1, 1.3, 2.0, 0.1])
SOON = 80
"""Ticks of 2 ms in which a sensor at fault is to be noticed."""
TICK_S = 0.002


def part(name: str) -> Engine:
    """Sub-diagram of the file as a diagram of its own."""
    file = read(FILE)
    return Engine(check(replace(file, top=file.subs[name])))


class WatchedRobot:
    """Robot that drives, moves its arm and holds something; its sensors live unless they stop."""

    def __init__(self) -> None:
        self.engine = part("Watch")
        self._rng = np.random.default_rng(5)
        self.values: dict[str, np.ndarray] = {"arm": np.full(6, 0.5), "jaws": np.array([0.01])}
        self.working = True
        for name in FLAGS:
            self.engine.set_input(name, name != "working")
        for _ in range(300):  # as in the phase `wait`
            self.step()
        self.engine.set_input("working", True)

    def step(self, *stopped: str, **given: object) -> bool:
        """Compute a tick; returns whether a fault is noticed.

        Args:
            stopped: inputs that stay as they were.
            given: inputs in place of what is measured.
        """
        noise = self._rng.normal
        now = {name: 0.5 + noise(0.0, 0.01, 5) for name in SENSORS}
        now["places"] = PLACES_M + noise(0.0, 0.005, 6)
        now |= {name: 30.0 + noise(0.0, 0.1) for name in ("left", "right")}
        for joint, speed, most in (("arm", "arm_speed", 0.5), ("jaws", "jaws_speed", 0.01)):
            now[speed] = most * noise(0.0, 1.0, len(self.values[joint]))
            now[joint] = self.values[joint] + TICK_S * now[speed]
        now |= {name: np.full(5, True) for name in SEEN}
        self.values |= {name: now[name] for name in ("arm", "jaws")}
        for name, value in {**now, **given}.items():
            if name not in stopped:
                self.engine.set_input(name, value)
        self.engine.step()
        return bool(self.engine.output("fault")[0])


@pytest.mark.parametrize("stopped", [*SENSORS, "left", "right"])
def test_sensor_that_stands_still_is_noticed_soon(stopped: str) -> None:
    robot = WatchedRobot()
    assert not any(robot.step() for _ in range(300))
    noticed = [robot.step(stopped) for _ in range(SOON)]
    assert not any(noticed[:40])  # not for a moment without samples
    assert noticed[-1]


@pytest.mark.parametrize("sensor", ["beams_left", "beams_front", "beams_right"])
@pytest.mark.parametrize("at", range(5))
def test_one_beam_that_stands_still_is_noticed_if_it_sees_something(sensor: str, at: int) -> None:
    for sees in (True, False):
        robot = WatchedRobot()
        seen = {"seen_" + sensor.removeprefix("beams_"): (np.arange(5) != at) | sees}
        noticed = False
        for _ in range(2 * SOON):
            beams = 0.5 + robot._rng.normal(0.0, 0.01, 5)
            beams[at] = 0.6
            noticed |= robot.step(**seen, **{sensor: beams})
        assert noticed == sees


@pytest.mark.parametrize("stopped", [("arm", "arm_speed"), ("arm",), ("arm_speed",)])
def test_joints_that_are_not_known_are_noticed_and_held_otherwise(stopped: tuple[str, ...]) -> None:
    robot = WatchedRobot()
    assert not any(robot.step() for _ in range(100))
    robot.step(arm_speed=np.full(6, 0.3))
    assert any(robot.step(*stopped) for _ in range(SOON))
    assert robot.engine.output("arm_blind")[0]


@pytest.mark.parametrize("joint", range(6))
def test_joint_that_jumps_is_noticed_at_once(joint: int) -> None:
    robot = WatchedRobot()
    robot.step()
    cut = np.where(np.arange(6) == joint, 0.0, robot.values["arm"])
    assert any(robot.step(arm=cut, arm_speed=np.zeros(6)) for _ in range(3))


def test_jaws_and_places_that_jump_are_noticed_at_once() -> None:
    robot = WatchedRobot()
    assert any(robot.step(jaws=[0.0]) for _ in range(3))
    robot = WatchedRobot()
    assert any(robot.step(places=np.zeros(6)) for _ in range(20))
    for at, ticks in ((3, 20), (2, 60), (5, 60)):  # the heights are 10 cm
        robot = WatchedRobot()
        live = PLACES_M + robot._rng.normal(0.0, 0.005, (ticks, 6))
        live[:, at] = 0.0
        assert any(robot.step(places=one) for one in live)


@pytest.mark.parametrize("side", SEEN)
def test_beams_of_a_side_that_go_at_once_are_noticed_and_those_that_go_one_by_one_are_not(
    side: str,
) -> None:
    robot = WatchedRobot()
    robot.engine.set_input("docking", False)
    for count in (4, 3, 2, 1, 0):
        fewer = {side: np.arange(5) < count}
        assert not any(robot.step(**fewer) for _ in range(SOON))
    robot = WatchedRobot()
    assert any(robot.step(**{side: np.full(5, False)}) for _ in range(SOON))


def test_hand_that_sees_nothing_is_noticed() -> None:
    robot = WatchedRobot()
    assert any(robot.step(hand=np.full(5, 0.8)) for _ in range(SOON))


def test_beams_that_never_see_anything_are_noticed() -> None:
    robot = WatchedRobot()
    for count in (2, 0):
        blind = {name: np.arange(5) < count for name in SEEN}
        noticed = [robot.step(**blind) for _ in range(130)]
        assert noticed[-1] == (count == 0)


def test_nothing_is_noticed_of_a_robot_at_rest() -> None:
    robot = WatchedRobot()
    for name in FLAGS:
        robot.engine.set_input(name, False)
    robot.step(arm_speed=np.zeros(6), jaws_speed=np.zeros(1))
    for _ in range(SOON):
        robot.engine.step()
        assert not robot.engine.output("fault")[0]


@pytest.mark.parametrize("name", ["places", "left", "left_pad", "arm", "arm_speed", "jaws"])
def test_what_is_no_number_is_held_and_reported(name: str) -> None:
    received = part("Received")
    shape = received.inputs[name].stop - received.inputs[name].start
    good = np.full(shape, 0.25)
    received.set_input(name, good)
    received.step()
    received.set_input(name, np.full(shape, np.nan))
    faults = []
    for _ in range(25):
        received.step()
        assert np.array_equal(received.output(f"{name}_2"), good)
        faults.append(bool(received.output("fault")[0]))
    assert not any(faults[:5])
    assert faults[-1]


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
    jaws.set_input("close", True)
    grip(jaws, 100, 0.01, 30.0, 30.0)
    assert not jaws.output("lost")[0]
    lost = False
    for tick in range(120):  # the jaws close as what was between them goes
        grip(jaws, 1, half_open_m - 1e-4 * tick, left_n, 30.0)
        lost |= bool(jaws.output("lost")[0])
    assert lost


def test_pads_that_disagree_are_noticed() -> None:
    jaws = part("Jaws")
    grip(jaws, 300, 0.01, 0.0, 30.0)
    assert jaws.output("apart")[0]
    grip(jaws, 100, 0.01, 28.0, 30.0)
    assert not jaws.output("apart")[0]


def test_force_that_vanishes_between_standing_jaws_is_no_loss_of_the_container() -> None:
    jaws = part("Jaws")
    jaws.set_input("close", True)
    grip(jaws, 300, 0.01, 30.0, 30.0)
    grip(jaws, 200, 0.01, 0.0, 0.0)
    assert jaws.output("slack")[0] and not jaws.output("lost")[0]  # noqa: PT018
