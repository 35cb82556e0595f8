"""Plans keep what the machine allows, by judges of their own; and no better one is found."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from hil_common.arrays.pose import Pose
from platform6dof import EnvelopeLimits
from platform6dof.cueing.head_motion import felt
from platform6dof.cueing.horizon import Horizon
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.parameters import CueingError
from platform6dof.cueing.plan import Plan
from platform6dof.cueing.planner import Outcome, Planner
from platform6dof.cueing.vestibular import REID_NAHON, TELBAN_CARDULLO, sensed
from platform6dof.envelope import Envelope
from tests.campaign import count
from tests.cueing.plan_samples import (
    HEAD_M,
    SMALL,
    head_to_platform,
    legs_of,
    machine,
    planner,
    request,
)

TURNED = np.array([1, -1, -1, 1, -1, -1])
WIDE = MpcParameters(
    travel_m=(0.5, 0.5, 0.4),
    turn_rad=(0.5, 0.5, 0.5),
    beyond_rad_s=0.6,
    acceleration_m_s2=9.0,
    turn_acceleration_rad_s2=4.0,
)
"""So wide that only the legs bound it."""


def reference(kind, random, times):
    """Force and rates beyond all that a vehicle does, shape (N, 6)."""
    size = np.array([9, 9, 9, 1, 1, 1])
    if kind == "sine":
        phase, speed = random.uniform(0, 6, 6), random.uniform(0.5, 6.0, 6)
        return size * np.sin(times[:, None] * speed + phase)
    values = random.normal(size=(60, 6)) * size
    if kind == "bang":
        values = 2.0 * size * np.sign(values)
    width = 0.05 if kind == "noise" else random.uniform(0.2, 1.2)
    return values[(times / width).astype(int) % 60]


def chain(maker, kind, random, plans):
    """Plan after plan, each from where the one before has come; yields request and answer."""
    playing, period = Plan.at_rest(), maker.parameters.period_s
    for k in range(plans):
        start = k * period
        wanted = reference(kind, random, start + maker.horizon.times_s)
        organs = random.normal(size=(6, 3)) * 0.1
        asked = request(maker, wanted, playing, start, organs, k + 1)
        answer = maker.plan(asked)
        yield asked, answer
        playing = answer.plan or playing


@pytest.mark.campaign
@pytest.mark.parametrize("rig", ["paper", "training_simulator"])
@pytest.mark.parametrize("parameters", [MpcParameters(), WIDE], ids=["usual", "wide"])
@pytest.mark.parametrize("kind", ["sine", "noise", "steps", "bang"])
def test_every_plan_keeps_the_legs_and_ends_at_rest(rig, parameters, kind):
    geometry, envelope, neutral = machine(rig)
    maker = Planner(parameters, envelope, neutral, HEAD_M)
    limits: EnvelopeLimits = envelope.limits
    low = geometry.closed_length_m + limits.soft_margin_m
    high = geometry.open_length_m - limits.soft_margin_m
    room = np.array(parameters.travel_m + parameters.turn_rad[::-1])
    random = np.random.default_rng([ord(letter) for letter in rig + kind])
    made, moved = 0, 0.0
    for asked, answer in chain(maker, kind, random, count(400, 12)):
        if answer.plan is None:
            assert answer.outcome in (Outcome.UNSOLVED, Outcome.UNPROVED)
            continue
        made += 1
        plan = answer.plan
        times = np.arange(plan.start_s, plan.end_s + 0.1, 0.004)
        rows = plan.samples(times)
        platform = maker.frame.platform_rows(rows)
        lengths, speeds = legs_of(geometry, platform)
        assert ((lengths >= low) & (lengths <= high)).all()
        assert (np.abs(speeds) <= limits.speed_max_m_s).all()
        assert envelope.inside(platform[:, 0], platform[:, 1], platform[:, 2]).all()
        assert (np.abs(rows[:, 0]) <= room + 1e-4).all()
        assert not rows[times >= plan.end_s, 1:].any()
        # It continues what was played, in position, speed and acceleration.
        assert plan.sample(plan.start_s) == pytest.approx(
            asked.playing.sample(plan.start_s), abs=1e-12
        )
        moved = max(moved, float(np.abs(rows[:, 0]).max()))
    assert made >= 3
    assert moved > 0.02


def test_without_its_proof_it_hands_over_what_leaves_the_envelope(monkeypatch):
    """Positive control of the test above: solutions of the program alone do not keep it."""
    _, envelope, _ = machine()
    maker = planner(parameters=WIDE)
    monkeypatch.setattr(maker, "proved", lambda plan, playing=None: True)
    outside = 0
    for _, answer in chain(maker, "bang", np.random.default_rng(5), 12):
        assert answer.plan is not None
        rows = maker.frame.platform_rows(answer.plan.samples(np.arange(0.0, 4.0, 0.01)))
        outside += not envelope.inside(rows[:, 0], rows[:, 1], rows[:, 2]).all()
    assert outside


def test_the_platform_follows_the_head():
    maker, (_, _, neutral) = planner(), machine()
    rows = np.random.default_rng(1).normal(size=(20, 3, 6)) * 0.2
    expected = head_to_platform(rows, neutral, np.array(HEAD_M))
    found = maker.frame.platform_rows(rows)
    assert np.abs(found[:, :2] - expected[:, :2]).max() < 1e-7
    assert np.abs(found[:, 2] - expected[:, 2]).max() < 1e-5


def test_the_rows_of_the_legs_are_their_derivatives():
    """G by finite differences of the public inverse along each unknown."""
    maker, (geometry, _, _) = planner(parameters=SMALL), machine()
    random = np.random.default_rng(2)
    playing = next(chain(maker, "sine", random, 1))[1].plan
    asked = request(maker, np.zeros(6), playing, playing.start_s + 0.1)  # pyright: ignore[reportOptionalMemberAccess]
    kept = maker.kept(asked)
    program = maker.program(asked, kept, asked.playing)
    matrix, n = program.matrix.copy(), maker.horizon.unknowns
    step = 1e-4

    def lengths(added):
        at_knots = np.zeros((n + 2, 6))
        at_knots[1:-1] = added.reshape(6, n).T
        moved = kept + np.einsum("kdj,jc->kdc", maker.horizon.moves, at_knots[1:-1])
        return legs_of(geometry, maker.frame.platform_rows(moved[maker.programs.at]))[0]

    for column in range(6 * n):
        one = np.zeros(6 * n)
        one[column] = step
        slope = (lengths(one) - lengths(-one)) / (2 * step)
        rows = matrix[: maker.programs.leg_rows, column].reshape(len(maker.programs.at), 3, 6)[:, 0]
        assert np.abs(rows - slope).max() < 1e-6


def test_the_cost_is_what_the_models_of_the_inner_ear_say():
    """Of a small motion from rest, against the scoring's models; efforts left out."""
    nothing = (0.0,) * 3
    parameters = replace(
        MpcParameters(),
        position_weight=nothing, angle_weight=nothing, speed_weight=nothing,
        turning_weight=nothing, effort_weight=1e-6, turn_effort_weight=1e-6,
        force_weight=(1.0, 2.0, 3.0), rate_weight=(4.0, 5.0, 6.0),
    )  # fmt: skip
    horizon, step = Horizon(parameters, REID_NAHON), parameters.step_s
    random = np.random.default_rng(8)
    added = 1e-3 * random.normal(size=(6, horizon.unknowns))
    wanted = 1e-3 * random.normal(size=(horizon.steps + 1, 6))
    constant = horizon.constant(np.zeros((horizon.steps + 1, 3, 6)), wanted, np.zeros((6, 3)))
    rows = np.einsum("kdj,cj->kdc", horizon.moves, added)
    seen = felt(rows) * TURNED - [0, 0, 9.80665, 0, 0, 0]
    weights = parameters.force_weight + parameters.rate_weight
    cost = 0.0
    for axis, weight in enumerate(weights):
        error = sensed(REID_NAHON.organs[axis], wanted[:, axis] - seen[:, axis], step)
        cost += 0.5 * weight * step * float(error[1:] @ error[1:])
    assert horizon.cost(constant, added.ravel()) == pytest.approx(cost, rel=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_another_solver_finds_no_better_one(seed):
    """SLSQP of scipy on a program whose bounds are touched."""
    maker = planner(parameters=replace(SMALL, beyond_rad_s=0.02, travel_m=(0.01, 0.01, 0.01)))
    random = np.random.default_rng(seed)
    asked = request(maker, reference("steps", random, maker.horizon.times_s))
    kept = maker.kept(asked)
    program = maker.program(asked, kept, asked.playing)
    found = maker.programs.solved(program)
    assert found is not None
    G, bounds = program.matrix.copy(), (program.lower, program.upper)
    P, c = program.hessian, program.gradient

    def cost(x):
        return 0.5 * x @ P @ x + c @ x

    judged = minimize(
        cost, np.zeros_like(c), jac=lambda x: P @ x + c, method="SLSQP",
        bounds=list(zip(program.least, program.most, strict=True)),
        constraints=[
            {"type": "eq", "fun": lambda x: program.ends @ x - program.end_values,
             "jac": lambda x: program.ends},
            {"type": "ineq", "fun": lambda x: G @ x - bounds[0], "jac": lambda x: G},
            {"type": "ineq", "fun": lambda x: bounds[1] - G @ x, "jac": lambda x: -G},
        ],
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert judged.success
    assert cost(found) == pytest.approx(judged.fun, rel=1e-5, abs=1e-9)
    assert found == pytest.approx(judged.x, abs=2e-3)
    slack = np.minimum(G @ found - bounds[0], bounds[1] - G @ found)
    assert slack.min() > -1e-6
    assert (slack < 1e-5).any() or (np.abs(found) > 0.99 * program.most.max()).any()


@pytest.mark.parametrize("axis", [3, 4, 5])
def test_a_turn_is_no_faster_than_wanted_and_a_little_beyond(axis):
    """Roll, pitch, yaw are gamma, beta, alpha: of the coordinates the last one is the first."""
    maker = planner()
    beyond, wanted = maker.parameters.beyond_rad_s, np.array([-3.0, 3.0, 0, 0, 0, 0])
    wanted[axis] = 0.25
    answer = maker.plan(request(maker, wanted))
    assert answer.outcome is Outcome.PLANNED
    rates = answer.plan.samples(np.arange(0.0, 2.1, 0.005))[:, 1, :2:-1]  # gamma, beta, alpha  # pyright: ignore[reportOptionalMemberAccess]
    for turn in range(3):
        most = beyond + (0.25 if turn == axis - 3 else 0.0)
        assert rates[:, turn].max() <= most + 1e-5
        assert rates[:, turn].min() >= -beyond - 1e-5
    assert rates[:, axis - 3].max() > 0.1
    tilting = [turn for turn in (0, 1) if turn != axis - 3]
    assert np.abs(rates[:, tilting]).max() > 0.9 * beyond  # the bound is met


def test_rows_of_legs_that_are_far_from_their_limits_change_nothing():
    maker = planner()
    asked = request(maker, reference("sine", np.random.default_rng(1), maker.horizon.times_s) / 30)
    program = maker.program(asked, maker.kept(asked), asked.playing)
    whole, near = maker.programs.solved(program), maker.programs.solved(program, only_near=True)
    assert np.abs(whole).max() > 0.1  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert near == pytest.approx(whole, abs=1e-4)


def test_the_same_request_gives_the_same_plan_bit_by_bit():
    first, second = planner(), planner()
    asked = list(chain(first, "sine", np.random.default_rng(3), 6))
    for one, answer in reversed(asked):
        again = second.plan(one)
        assert again.outcome == answer.outcome
        assert again.cost == answer.cost
        assert again.plan.course.tobytes() == answer.plan.course.tobytes()  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_requests_that_cannot_be_are_refused(bad):
    maker = planner(parameters=SMALL)
    with pytest.raises(ValueError, match="finite"):
        maker.plan(request(maker, [0, 0, bad, 0, 0, 0]))
    with pytest.raises(ValueError, match="must be"):
        maker.plan(replace(request(maker, np.zeros(6)), wanted=np.zeros((3, 6))))


def test_a_neutral_pose_without_room_is_refused():
    _, envelope, neutral = machine()
    low = Pose(neutral.position_m - [0, 0, 0.5], neutral.rotation)
    with pytest.raises(ValueError, match="neutral pose"):
        Planner(MpcParameters(), envelope, low)


def test_a_machine_too_tight_for_the_reserves_is_refused():
    geometry, envelope, neutral = machine()
    tight = replace(envelope.limits, singular_value_min=0.5)
    with pytest.raises(ValueError, match="neutral pose"):
        Planner(MpcParameters(), Envelope(geometry, tight), neutral)


def test_organs_that_it_cannot_plan_for_are_refused():
    _, envelope, neutral = machine()
    with pytest.raises(ValueError, match="feed-through"):
        Planner(MpcParameters(), envelope, neutral, model=TELBAN_CARDULLO)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"blocks": (1, 2)}, "blocks"),
        ({"blocks": (1, 0, 2)}, "blocks"),
        ({"blocks": (100, 100, 100)}, "blocks"),
        ({"step_s": 0.04}, "whole multiple"),
        ({"travel_m": (0.1, float("nan"), 0.1)}, "travel_m"),
        ({"turn_rad": (1.0, 0.1, 0.1)}, "turn_rad"),
        ({"force_weight": (1.0, -1.0, 1.0)}, "force_weight"),
        ({"effort_weight": 0.0}, "effort_weight"),
        ({"preview_s": float("inf")}, "preview_s"),
    ],
)
def test_parameters_that_cannot_be_are_refused(change, said):
    with pytest.raises(CueingError, match=said):
        replace(MpcParameters(), **change)
