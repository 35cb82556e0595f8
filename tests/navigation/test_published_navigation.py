"""The classic navigator against an independent reading of the published lines."""

import collections
import math
from typing import Final

import numpy as np
import pytest
from driven import diagram
from published_rules import Numbers, Sensed, navigate

from hil.config.named_files import configs_dir
from hil.diagram.check.diagram import check
from hil.diagram.file.read import read_text
from hil.diagram.run.engine import Engine

MODES = ("wait", "drive", "turn", "follow", "align", "arrived")
FANS = ("left", "front", "right")
SEQUENCES: Final = 10_000
LENGTH: Final = 6
"""Decisions of a sequence."""
LAW = configs_dir() / "diagrams" / "mf4_drive_classic.toml"
NEAR_M = (0.1, 0.2, 0.25, 0.26, 0.4, 0.5, 0.51, 1.0, 3.0, math.inf)
"""Distances from which beams are drawn, the rules' own limits among them."""


def sensed(rng: np.random.Generator, goal, n_d) -> Sensed:
    """One drawn state: near the goal or not, along its direction or not, beams near and far."""
    apart = rng.choice([0.01, 0.059, 0.061, 1.0, 3.0])
    angle, heading = rng.uniform(-math.pi, math.pi, 2)
    p1 = goal[0] - apart * math.cos(angle), goal[1] - apart * math.sin(angle)
    reference = math.atan2(n_d[1], n_d[0]) if apart < 0.06 else angle
    offset = rng.choice([0.0, 0.049, -0.049, 0.051, -0.051, math.pi, math.pi - 0.03, 9.0])
    if offset < 9.0:
        heading = reference + offset
    p2 = p1[0] + 0.3 * math.cos(heading), p1[1] + 0.3 * math.sin(heading)
    fans = []
    for _ in FANS:
        near = rng.choice(NEAR_M)
        others = np.where(rng.random(5) < 0.3, math.inf, near + rng.exponential(1.0, 5))
        others[rng.integers(5)] = near
        fans.append(tuple(others.tolist()))
    return Sensed(p1, p2, *fans)


def feed(engine: Engine, s: Sensed) -> None:
    engine.set_input("p1", (*s.p1, 0.12))
    engine.set_input("p2", (*s.p2, 0.12))
    for fan in FANS:
        beams = np.array(getattr(s, fan))
        seen = np.isfinite(beams)
        engine.set_input(fan, np.where(seen, beams, 0.01))  # what an unseen one says counts nothing
        engine.set_input(f"{fan}_seen", seen)


def first_difference(engine: Engine, sequences: int, seed: int = 36):
    """Numbers of each decision's mode and turn, and the first one that differs; None without."""
    rng, counts = np.random.default_rng(seed), collections.Counter()
    for number in range(sequences):
        turn = rng.uniform(-math.pi, math.pi)
        n_d = math.cos(turn), math.sin(turn)
        goal = tuple(rng.uniform(-3.0, 3.0, 2).tolist())
        engine.set_input("goal", (*goal, 0.12))
        engine.set_input("direction", (*n_d, 0.0))
        engine.set_input("enable", False)
        states = [sensed(rng, goal, n_d) for _ in range(LENGTH)]
        feed(engine, states[0])
        engine.step()
        if engine.output("U").any() or engine.output("mode")[0] != 1:
            return counts, (number, "disabled")
        engine.set_input("enable", True)
        law = navigate(states[0], goal, n_d, Numbers())
        for at, state in enumerate(states):
            feed(engine, state)
            wanted = law.send(state) if at else next(law)
            engine.step()
            mode = MODES[int(engine.output("mode")[0]) - 1]
            found = (mode, *engine.output("U").tolist())
            counts[found] += 1
            if found != wanted or engine.output("arrived")[0] != (wanted[0] == "arrived"):
                return counts, (number, at, found, wanted)
            if engine.output("blocked")[0]:
                return counts, (number, at, "blocked")
    return counts, None


def test_each_decision_is_that_of_the_published_lines():
    counts, difference = first_difference(Engine(diagram("mf4_drive_classic")), SEQUENCES)
    assert difference is None
    assert {mode for mode, *_ in counts} == set(MODES[1:])
    for mode, left, right in counts:
        assert counts[mode, left, right] > 100, (mode, left, right)
    assert len(counts) == 3 + 1 + 1 + 2 + 1


FAULTS = {
    "c > eps, -1": "c > eps, 1",
    "c < -eps, 1": "c < -eps, 0",
    "dot <= -root, -1": "dot <= -root, 0",
    "l <= near or r <= near": "l <= near and r <= near",
    "f <= near and not side": "f <= near",
    "close = l <= wall": "close = l < wall",
    "d <= eps;": "d <= 2*eps;",
    "min(r1, r2)": "max(r1, r2)",
    "if(s3, d3, far)": "if(not s3, d3, far)",
    "left = v - U2*w": "left = v + U2*w",
    "turn -> follow: close 1": "turn -> drive: close 1",
    "follow -> turn: far_turn 3; ": "follow -> align: far_turn 3; ",
    "n_1x*n_cy - n_1y*n_cx": "n_1x*n_cx - n_1y*n_cy",
    "dx*n_cy - dy*n_cx": "dx*n_cx + dy*n_cy",
    '"D_close" = { value = 0.5': '"D_close" = { value = 0.45',
    '"D_near" = { value = 0.25': '"D_near" = { value = 0.27',
    '"to_goal.dot" = "course.dot"': '"to_goal.dot" = "course.c"',
    '"sides.r" = "D_right.distance"': '"sides.r" = "D_front.distance"',
}
"""A text of the file, and a fault in its place."""


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_in_the_law_is_found(text):
    whole = LAW.read_text(encoding="utf-8")
    assert text in whole
    faulty = check(read_text(whole.replace(text, FAULTS[text]), LAW))
    _, difference = first_difference(Engine(faulty), 2000)
    assert difference is not None
