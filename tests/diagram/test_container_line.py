"""Poses that the hand of the task `container` follows: eqs. (5) and (6), against scipy."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hil.diagram.check.diagram import check
from hil.diagram.file.read import read
from hil.diagram.run.engine import Engine

FILE = Path(__file__).parents[2] / "configs/diagrams/container.toml"
ANGLES = st.tuples(st.floats(-3.0, 3.0), st.floats(-1.4, 1.4), st.floats(-3.0, 3.0))
PLACES = st.tuples(*(st.floats(-0.4, 0.4),) * 3)
STEP_M, TURN_RAD = 0.01, 0.05


def line(**changes: float) -> Engine:
    """Sub-diagram `Line` as a diagram of its own."""
    file = read(FILE)
    named = {("", key): value for key, value in {"turn_step": TURN_RAD, **changes}.items()}
    return Engine(check(replace(file, top=file.subs["Line"]), named))


def aim(engine: Engine, start: np.ndarray, goal: np.ndarray, turn: Rotation) -> None:
    """Set the goal, and compute the tick in which the line begins at a pose of 12 numbers."""
    engine.set_input("goal", goal)
    engine.set_input("goal_rotation", turn.as_matrix())
    engine.set_input("step", STEP_M)
    engine.set_input("on", True)
    engine.set_input("pose", start)
    engine.set_input("start", True)
    engine.step()
    engine.set_input("start", False)


@settings(max_examples=12, phases=[Phase.generate])
@given(ANGLES, ANGLES, PLACES, PLACES)
def test_points_and_turns_are_those_of_the_equations(
    begun: tuple[float, ...], angles: tuple[float, ...], start: tuple[float, ...],
    goal: tuple[float, ...],
) -> None:  # fmt: skip
    first = Rotation.from_euler("xyz", begun)
    last = Rotation.from_euler("xyz", angles) * first  # about the fixed x, then y, then z
    pose = np.concatenate([first.as_matrix().ravel(), start])
    engine = line()
    aim(engine, pose, np.array(goal), last)
    count = int(engine.output("points")[0])
    way = np.linalg.norm(np.subtract(goal, start))
    least = max(3, way / STEP_M, sum(map(abs, angles)) / TURN_RAD)
    assert least - 1e-6 <= count < least + 1 + 1e-6
    seen = set[int]()
    for _ in range(4 * count):
        k = int(engine.output("point")[0])
        seen.add(k)
        found = engine.output("line_pose")
        assert found[:9] == pytest.approx(turned(k / count, angles, first), abs=1e-7)
        wanted = np.add(start, k / count * np.subtract(goal, start))
        assert found[9:] == pytest.approx(wanted, abs=1e-9)
        engine.set_input("pose", found)  # the hand is exactly there
        engine.step()
        assert not engine.output("there")[0] or engine.output("point")[0] == count
    assert seen == set(range(count + 1))
    assert engine.output("there")[0]


def turned(share: float, angles: tuple[float, ...], first: Rotation) -> np.ndarray:
    """Nine numbers of R_k by eq. (6) with k_1 and k_2 at thirds of the points."""
    parts = zip("xyz", angles, (0.0, 1.0, 2.0), strict=True)
    found = first
    for axis, angle, begin in parts:
        found = Rotation.from_euler(axis, angle * min(max(3.0 * share - begin, 0.0), 1.0)) * found
    return found.as_matrix().ravel()


@pytest.mark.parametrize(("off_m", "off_rad", "goes_on"), [
    (0.005, 0.02, True), (0.007, 0.0, False), (0.0, 0.05, False),
])  # fmt: skip
def test_next_point_waits_for_place_and_turn(off_m: float, off_rad: float, goes_on: bool) -> None:
    engine = line()
    pose = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
    aim(engine, pose, np.array([0.1, 0.0, 0.0]), Rotation.identity())
    turn = Rotation.from_euler("y", off_rad).as_matrix().ravel()
    for _ in range(6):
        place = np.add(engine.output("line_pose")[9:], (0.0, off_m, 0.0))
        engine.set_input("pose", np.concatenate([turn, place]))
        engine.step()
    assert (engine.output("point")[0] > 1) == goes_on


def test_start_is_frozen_as_measured() -> None:
    engine = line()
    pose = np.concatenate([np.eye(3).ravel(), [0.1, 0.2, 0.3]])
    aim(engine, pose, np.array([0.3, 0.2, 0.3]), Rotation.identity())
    engine.set_input("pose", pose + np.eye(12)[9] * 1.0)
    engine.set_input("goal", np.zeros(3))
    engine.step()
    assert engine.output("line_pose")[9:] == pytest.approx([0.11, 0.2, 0.3], abs=1e-12)
