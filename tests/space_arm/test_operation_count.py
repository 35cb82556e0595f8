"""Operations counted by running the kernels, against counts by hand and against the documents."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from arms import random_states, shipped, skew_arm
from numba import njit

from sim.world.space_arm.cost import kernel_costs, simplified_costs, tick_cost
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.kernels.trigonometry import sine_cosine
from sim.world.space_arm.operation_count import OperationCounter, Operations, count

BKM = shipped("bkm")
DOCS = Path(__file__).parents[2] / "docs" / "space_arm.md"


@njit
def _second_row(coupling: float, outer: float) -> tuple[float, float]:
    return outer + coupling, outer  # 1 addition


@njit
def _two_joints(masses, lengths, q, v, mass_out, bias_out):
    """Mass matrix and bias of a planar arm of two joints with point masses at the links' ends."""
    s, c = sine_cosine(q[1])  # 2 sines and cosines
    inner = masses[0] * lengths[0] * lengths[0]  # 2 multiplications
    outer = masses[1] * lengths[1] * lengths[1]  # 2
    across = masses[1] * lengths[0] * lengths[1]  # 2
    coupling = across * c  # 1
    carried = masses[1] * lengths[0] * lengths[0]  # 2
    mass_out[0, 0] = inner + carried + outer + 2.0 * coupling  # 1, 3 additions
    mass_out[1, 0], mass_out[1, 1] = _second_row(coupling, outer)  # 1 addition
    mass_out[0, 1] = mass_out[1, 0]
    h = across * s  # 1
    bias_out[0] = -h * v[1] * (2.0 * v[0] + v[1])  # 3, 1 addition
    bias_out[1] = h * v[0] * v[0]  # 2


def test_a_count_by_hand_on_two_joints() -> None:
    masses, lengths = np.array([3.1, 2.3]), np.array([0.6, 0.7])
    q, v = np.array([0.3, 0.9]), np.array([0.2, -0.3])
    found, needed = count(_two_joints, masses, lengths, q, v, np.zeros((2, 2)), np.zeros(2))
    expected = Operations(
        additions=5, multiplications=16, divisions=0, roots=0, trigonometric=2
    )  # fmt: skip
    assert found == needed == expected
    special = count(_two_joints, np.array([1.0, 2.0]), np.array([1.0, 0.7]), q, 0.0 * v,
                      np.zeros((2, 2)), np.zeros(2))[1]  # fmt: skip
    assert special.multiplications == 6  # 2 of outer, 1 of across, 3 with angle or twice; rates 0
    assert special.additions == 4


LAY_OUT = np.array([12 + 4 * 9, 6 + 4 * 6])
"""Of a joint: two axes turned about the third, then the lever and three axes seen in the base."""
TURN = np.array([9 + 3 * 9 + 6 * 3, 6 + 3 * 6 + 6 * 2])
"""A vector and a tensor seen in the base."""
CROSS, DOT, TIMES, ADD, SCALED = (np.array(one) for one in ((6, 3), (3, 2), (9, 6), (0, 3), (3, 0)))
BESIDE = np.array([2 * 3 + 6 + 6 + 3, 3 + 6 + 6 + 3])
"""The parallel axis theorem: half levers, squares, products and the new first moment."""
COMPOSITE = np.array([0, 1 + 3 + 6]) + CROSS + TIMES + DOT + BESIDE
PAIR = ADD + CROSS + DOT
SWEPT = 3 * CROSS + ADD
SWING = SWEPT + ADD + SCALED + CROSS + ADD + ADD
PUSH = SCALED + SWEPT + ADD + 2 * TIMES + CROSS + ADD + CROSS + ADD
GATHER = ADD + ADD + DOT + CROSS + ADD
ACCELERATE = CROSS + ADD + SCALED + ADD + ADD + ADD
MATRIX = 6 * (LAY_OUT + TURN + COMPOSITE) + 15 * PAIR
BY_HAND = {
    "D": MATRIX,
    "D and h": MATRIX + 6 * (SWING + PUSH + GATHER),
    "inverse dynamics": 6 * (LAY_OUT + TURN + SWING + ACCELERATE + PUSH + GATHER),
}
"""Multiplications and additions, from reading the kernels' loops over six joints."""


@pytest.mark.parametrize("what", BY_HAND)
def test_a_count_by_hand_on_six_joints(what: str) -> None:
    for arm in (BKM.arm(), skew_arm()):
        found = next(row for row in kernel_costs(arm) if row.what == what).operations
        assert [found.multiplications, found.additions] == BY_HAND[what].tolist()
        assert (found.divisions, found.roots, found.trigonometric) == (0, 0, 12)


def test_counting_numbers_compute_the_same_to_the_last_bit() -> None:
    arm = skew_arm()
    for q, v in random_states(5):
        mass, bias = np.zeros((6, 6)), np.zeros(6)
        dynamics.mass_and_bias(arm.arrays(), q, v, dynamics.make_scratch(), mass, bias)
        counter = OperationCounter()
        counted = [counter.array(np.zeros((6, 6))), counter.array(np.zeros(6))]
        counter.kernel(dynamics.mass_and_bias)(
            counter.tuple_of(arm.arrays()), counter.array(q), counter.array(v),
            counter.array(dynamics.make_scratch()), *counted,
        )  # fmt: skip
        assert np.array_equal(counted[0].astype(float), mass)
        assert np.array_equal(counted[1].astype(float), bias)


@pytest.mark.parametrize("model", DriveModel)
@pytest.mark.parametrize("payload", [None, "light"])
def test_a_counted_tick_is_the_compiled_tick(model: DriveModel, payload: str | None) -> None:
    body = None if payload is None else BKM.payloads()[payload]
    found = tick_cost(BKM.arm(), BKM.home_rad(), model, body)
    assert np.array_equal(found.state, found.call())
    assert found.steps > 5
    assert found.operations.trigonometric == 12 * found.refreshed
    assert found.operations.total > 1503 * found.refreshed


def test_an_arm_without_symmetry_needs_more() -> None:
    ours, any_arm = kernel_costs(BKM.arm()), kernel_costs(skew_arm())
    for one, other in zip(ours, any_arm, strict=True):
        assert one.operations == other.operations
        assert one.needed.total < other.needed.total <= other.operations.total


def test_simplified_arms_need_less_and_cost_the_same() -> None:
    rows = simplified_costs(BKM.arm(), BKM.payloads())
    assert [row.published_1993 for row in rows] == ["837", "1269", "951"]
    full = next(row for row in kernel_costs(BKM.arm()) if row.what == "D")
    for row in rows:
        assert row.operations == full.operations
        assert row.needed.total < full.needed.total


def test_division_by_zero_and_roots_are_those_of_the_compiled_code() -> None:
    counter = OperationCounter()
    one, none = counter.number(1.0), counter.number(0.0)
    assert one / none == math.inf
    assert math.isnan(none / none)
    assert -1.0 / none == -math.inf
    assert counter.operations.divisions == 3


def test_every_operation_is_counted_once_whichever_side_counts() -> None:
    counter = OperationCounter()
    x = counter.number(3.0)
    results = [
        2.0 + x,
        x + 2.0,
        2.0 - x,
        x - 2.0,
        2 * x,
        x * 2,
        6.0 / x,
        x / 2.0,
        x**2.0,
        -x,
        abs(x),
    ]
    assert results == [5.0, 5.0, -1.0, 1.0, 6.0, 6.0, 2.0, 1.5, 9.0, -3.0, 3.0]
    assert counter.operations == Operations(4, 2, 2, 1, 0)


def documented() -> dict[str, list[int]]:
    """Rows of the document's table of operations: the numbers after the first column."""
    text = DOCS.read_text("utf-8").split("## What it costs")[1].split("\n## ")[0]
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and re.fullmatch(r"\d+", cells[1]):
            rows[cells[0]] = [int(cell) for cell in cells[1:] if re.fullmatch(r"\d+", cell)]
    return rows


def test_the_document_has_the_counts_of_the_verb() -> None:
    """By the program, whose libraries compute alike on every processor: model c is chaotic."""
    command = [sys.executable, "-m", "hil.cli", "arm", "cost", "bkm", "--json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    rows = documented()
    for row in found["kernels"]:
        every, needed = row["operations"], row["needed"]
        expected = [
            every["multiplications"], every["additions"], every["trigonometric"],
            needed["multiplications"], needed["additions"],
        ]  # fmt: skip
        assert rows[row["what"]][:5] == expected, row["what"]
    for row in found["models"]:
        assert rows[row["model"]] == [
            *(row[key] for key in ("steps", "rejected", "refreshed", "iterations", "hits")),
            *row["operations"].values(), round(row["per_step"]),
        ]  # fmt: skip
    assert len(rows) == len(found["kernels"]) + len(found["models"])
