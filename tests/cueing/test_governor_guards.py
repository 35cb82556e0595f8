"""Each guard of the governor, left out, is found by the judges; with it they find nothing.

A limit is left out by taking it from the tables that the kernels are given; a step of the
kernels by running the function that takes it without compiling, with that step replaced.
"""

from types import FunctionType

import numpy as np
import pytest
from governor_bench import NEUTRAL, adversarial, governor, multisine, ride, wide_box

from platform6dof.cueing import governor_judge as judging
from platform6dof.cueing.governor_stop import GOOD

JOINTS, LEGS, POSE, NUMBERS = 1, 2, 3, 6
HERTZ = (0.5, 0.7, 0.9, 0.6, 0.8, 0.4)
WILD = 12 * np.array([0.02, 0.02, 0.02, 0.03, 0.03, 0.03])
HEAVE = np.array([0.0, 0.0, 0.4, 0.0, 0.0, 0.0])
"""Slow enough for the legs, and further than they go."""


def without(guard, table, change):
    """The governor with one of its tables changed."""
    given = list(guard._given)
    value = np.array(given[table])
    change(value)
    value.setflags(write=False)
    given[table] = value
    guard._given = tuple(given)
    return guard


def put(rows, columns, value):
    def change(table):
        table[rows, columns] = value

    return change


def both_ends(table):
    table[:, 0], table[:, 1] = 0.0, 9.0


def no_box(table):
    table[28:34, 1], table[34:, 1] = -9.0, 9.0


def no_window(numbers):
    numbers[1] = numbers[2] = 0.0


CONES = {"joint_cone_base_rad": 0.12, "joint_cone_platform_rad": 0.9}
PLATFORM_CONES = {"joint_cone_base_rad": 0.9, "joint_cone_platform_rad": 0.15}
LIMITS = {
    "speed": ("paper", 0.002, False, {}, LEGS, put(slice(None), 2, 1e3)),
    "acceleration": ("paper", 0.002, False, {}, LEGS, put(slice(None), 3, 1e3)),
    "ends of the stroke": ("training_simulator", 0.002, True, {}, LEGS, both_ends),
    "room for a stop": ("training_simulator", 0.002, True, {}, LEGS, put(slice(None), 4, 1.0)),
    "following window": ("training_simulator", 0.002, True, {}, NUMBERS, no_window),
    "first set-point": ("paper", 0.01, False, {}, NUMBERS, put(slice(5, 6), None, 1.0)),
    "base cones": ("paper", 0.002, True, CONES, POSE, put(slice(0, 6), 1, np.pi)),
    "platform cones": ("paper", 0.002, True, PLATFORM_CONES, POSE, put(slice(6, 12), 1, np.pi)),
    "clearance": (
        "paper", 0.002, True, {"leg_clearance_m": 1.2}, POSE,
        put(slice(12, 27), 1, -np.inf),
    ),
    "singular value": (
        "paper", 0.002, True, {"singular_value_min": 0.36}, POSE, put(slice(27, 28), 1, -9.0),
    ),
    "box": ("paper", 0.002, False, {}, POSE, no_box),
}  # fmt: skip


def sequences(name, period_s, box):
    """Hard ones, the hardest first."""
    q = NEUTRAL[name]
    yield multisine(int(2.0 / period_s), period_s, q, WILD, HERTZ)
    yield multisine(int(2.0 / period_s), period_s, q, HEAVE, np.full(6, 0.2))
    for seed in (0, 1, 6, 3, 12, 7):
        yield adversarial(seed, int(1.0 / period_s), period_s, q, box)


def wrong(name, period_s, guard):
    """Whether the judges find anything in the sequences."""
    for wanted in sequences(name, period_s, guard.tables.box):
        found = ride(name, wanted, NEUTRAL[name], period_s, guard, stop_at={len(wanted) - 1})
        if found.wrong:
            return found.wrong[0]
    return None


def made(name, period_s, wide, limits):
    return governor(name, period_s, wide_box(name) if wide else None, **limits)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_left_out_is_found(limit):
    name, period_s, wide, limits, table, change = LIMITS[limit]
    assert wrong(name, period_s, made(name, period_s, wide, limits)) is None
    found = wrong(name, period_s, without(made(name, period_s, wide, limits), table, change))
    print(limit, found)
    assert found is not None


def python(function, **others):
    """A kernel uncompiled, with some of what it calls replaced."""
    code = function.py_func
    made = FunctionType(code.__code__, {**code.__globals__, **others}, code.__name__)

    def called(*given):
        with np.errstate(all="ignore"):  # as compiled
            return made(*given)

    return called


def always_good(*given):
    """Judge, and pass what is wrong."""
    judging.judge(*given)
    return GOOD


def blind_to_the_way():
    judge = python(judging.judge, is_far=lambda *_: True)
    return {name: python(getattr(judging, name), judge=judge) for name in KERNELS}


def blind_to_the_end():
    judge = python(judging.judge, _stop_ends=lambda *_: GOOD)
    return {name: python(getattr(judging, name), judge=judge) for name in KERNELS}


KERNELS = ("pass_through", "advance")
STEPS = {
    "wanted rows are judged": lambda: {
        "pass_through": python(judging.pass_through, judge=always_good)
    },
    "governed rows are judged": lambda: {"advance": python(judging.advance, judge=always_good)},
    "the end of a stop is judged": blind_to_the_end,
    "the way of a stop is looked along": blind_to_the_way,
}
NARROW = {"joint_cone_base_rad": 0.08, "joint_cone_platform_rad": 0.08}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_left_out_is_found(step, monkeypatch):
    for name, kernel in STEPS[step]().items():
        monkeypatch.setattr(judging, name, kernel)
    found = None
    for wide, limits in ((True, {}), (False, {}), (True, NARROW)):
        for rig in ("training_simulator", "paper"):
            found = found or wrong(rig, 0.002, made(rig, 0.002, wide, limits))
    print(step, found)
    assert found is not None


def lost(table, target, q, packed, jac):
    """A search for a pose that ends nowhere."""
    q[:] = np.nan
    return False, np.zeros((7, 6))


def test_a_brake_that_finds_no_pose_gives_no_other_number(monkeypatch):
    """What cannot be is still finite: the next cycle begins where the platform was."""
    guard = governor("paper")
    guard.reset(NEUTRAL["paper"])
    wanted = multisine(400, 0.002, NEUTRAL["paper"], WILD / 12, HERTZ)
    last = [guard.step(rows).rows for rows in wanted][-1]
    monkeypatch.setattr(judging, "brake", python(judging.brake, pose_of=lost))
    out = guard.brake()
    assert np.isfinite(out.rows).all()
    assert out.rows[0].tobytes() == last[0].tobytes()
    assert (out.rows[1:] == 0.0).all()
