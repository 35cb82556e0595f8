"""The memory of points, and directions that are free among points, against plain geometry."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hil.diagram.check.diagram import check
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.run.engine import Engine

WIDTH_M, STEP_RAD = 0.4, 0.1
SEARCH_INPUTS = {"points": (6, 2), "place": (3,), "wanted": (), "hand": (), "length": ()}
LENGTHS = {"points", "place", "length", "left", "right"}
coordinate = st.integers(-3000, 3000).map(lambda mm: mm / 1000.0)
points = st.lists(st.tuples(coordinate, coordinate), min_size=6, max_size=6)


def alone(kind, inputs, outputs, **parameters):
    """An engine of one block whose ports are those of the diagram."""
    blocks = {"b": DrawnBlock(kind, parameters)}
    wires = {}
    for name, shape in inputs.items():
        type_ = "boolean" if name.endswith("_seen") else "real"
        unit = {"unit": "m" if name in LENGTHS else "1"} if type_ == "real" else {}
        blocks[name] = DrawnBlock("In", {"shape": shape, "type": type_, **unit})
        wires[f"b.{name}"] = f"{name}.y"
    for name in outputs:
        blocks[f"{name}_out"] = DrawnBlock("Out")
        wires[f"{name}_out.u"] = f"b.{name}"
    return Engine(check(DiagramFile(Diagram(blocks, wires))))


def free_m(known, at, angle, most, width_m=WIDTH_M):
    """Least root of |at + t u - p| = w over all points; 0 where it goes deeper into a disc."""
    apart = known - at
    ahead = apart @ np.array([math.cos(angle), math.sin(angle)])
    inside = (apart**2).sum(axis=1) - width_m**2
    roots = ahead - np.sqrt(np.maximum(ahead**2 - inside, 0.0))
    met = (ahead > 0.0) & (ahead**2 > inside)
    return min(most, np.maximum(np.where(met, roots, most), 0.0).min())


def is_free_length(found, known, at, angle, most):
    """Whether a length is right for a disc that is wider or narrower by a hair."""
    wide, narrow = (free_m(known, at, angle, most, WIDTH_M + d) for d in (1e-9, -1e-9))
    return wide - 1e-4 <= found <= narrow + 1e-4


@given(points, coordinate, coordinate, st.floats(-7.0, 7.0), st.sampled_from([-1.0, 0.0, 1.0]),
       st.floats(0.05, 2.0))  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_a_direction_is_the_first_one_in_which_a_disc_goes_the_length(known, x, y, wanted, hand, m):
    names = ("direction", "free")
    engine = alone("FreeDirection", SEARCH_INPUTS, names, points=6, half_width_m=WIDTH_M,
                   step_rad=STEP_RAD)  # fmt: skip
    known, at = np.array(known), np.array([x, y])
    angles = wanted + STEP_RAD * np.array(in_order(hand))
    sides = (known - at) @ np.array([np.cos(angles), np.sin(angles)])
    assume((np.abs(sides) > 1e-6).all())  # beside the disc's middle it is a matter of a hair
    for name, value in {"points": known, "place": (x, y, 9.0), "wanted": wanted, "hand": hand,
                        "length": m}.items():  # fmt: skip
        engine.set_input(name, value)
    engine.step()
    direction, free = (engine.output(f"{one}_out")[0] for one in names)
    assert is_free_length(free, known, at, direction, m)
    turn = (direction - wanted) / STEP_RAD
    assert turn == pytest.approx(round(turn), abs=1e-6)
    turn = round(turn)
    assert turn * hand >= 0
    tried = [wanted + STEP_RAD * n for n in in_order(hand)]
    if free >= m:
        tried = tried[: in_order(hand).index(turn)]
        assert all(free_m(known, at, angle, m, WIDTH_M + 1e-9) < m for angle in tried)
    else:
        assert all(free_m(known, at, angle, m, WIDTH_M + 1e-9) <= free + 1e-4 for angle in tried)


def in_order(hand):
    """Steps from the wanted direction, as they are tried."""
    count = int(2.0 * math.pi / STEP_RAD)
    if hand:
        return [int(hand) * n for n in range(count)]
    return sorted(range(-(count - 1) // 2, count // 2 + 1), key=lambda n: (abs(n), -n))[:count]


@given(points, coordinate, coordinate, st.floats(-7.0, 7.0), st.floats(0.05, 2.0))
@settings(max_examples=100, deadline=None)
def test_a_free_length_ends_where_the_disc_touches(known, x, y, direction, m):
    inputs = {"points": (6, 2), "place": (3,), "direction": (), "length": ()}
    engine = alone("FreeLength", inputs, ("free",), points=6, half_width_m=WIDTH_M)
    known, at = np.array(known), np.array([x, y])
    sides = (known - at) @ np.array([math.cos(direction), math.sin(direction)])
    assume((np.abs(sides) > 1e-6).all())
    values = {"points": known, "place": (x, y, 9.0), "direction": direction, "length": m}
    for name, value in values.items():
        engine.set_input(name, value)
    engine.step()
    assert is_free_length(engine.output("free_out")[0], known, at, direction, m)


BEAMS = ((0.3, 0.1, 0.0), (0.3, 0.0, 0.5), (0.0, -0.3, -1.5), (-0.1, -0.3, -2.0))
MEMORY_INPUTS = {"place": (3,), "ahead": (3,), "left": (2,), "left_seen": (2,), "right": (2,),
                 "right_seen": (2,)}  # fmt: skip


def test_a_memory_holds_what_beams_met_within_reach_and_gives_up_the_oldest():
    rng = np.random.default_rng(5)
    engine = alone("BeamMemory", MEMORY_INPUTS, ("points",), fans="left right", beams=BEAMS,
                   points=5, spacing_m=0.3, reach_m=1.5)  # fmt: skip
    kept: list[np.ndarray] = []
    for _ in range(300):
        engine.step()
        found = engine.output("points_out").reshape(5, 2)
        wanted = np.array(kept[-5:]).reshape(-1, 2)
        near = found[(found < 1e5).all(axis=1)]
        key = np.lexsort(near.T[::-1])
        np.testing.assert_allclose(near[key], wanted[np.lexsort(wanted.T[::-1])], atol=1e-12)
        place, turn = rng.uniform(-1.0, 1.0, 3), rng.uniform(-3.0, 3.0)
        distances, seen = rng.uniform(0.0, 2.0, 4), rng.random(4) < 0.7
        engine.set_input("place", place)
        engine.set_input("ahead", (math.cos(turn), math.sin(turn), 0.0))
        for k, fan in enumerate(("left", "right")):
            engine.set_input(fan, distances[2 * k : 2 * k + 2])
            engine.set_input(f"{fan}_seen", seen[2 * k : 2 * k + 2])
        engine.step()  # the states follow the inputs of this tick
        engine.set_input("left_seen", (False, False))
        engine.set_input("right_seen", (False, False))
        for (x, y, angle), distance, is_seen in zip(BEAMS, distances, seen, strict=True):
            end = complex(place[0], place[1]) + np.exp(1j * turn) * (
                complex(x, y) + distance * np.exp(1j * angle)
            )
            point = np.array([end.real, end.imag])
            if is_seen and distance <= 1.5 and all(
                np.linalg.norm(point - one) >= 0.3 for one in kept[-5:]
            ):  # fmt: skip
                kept.append(point)
