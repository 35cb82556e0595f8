"""A plan plays what its accelerations say, and ends at rest."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from platform6dof.cueing.plan import Plan, integrated

KNOTS = np.array([0.0, 0.05, 0.1, 0.3, 0.7, 1.2])


def some_plan(seed=3, start_s=4.0):
    random = np.random.default_rng(seed)
    begin = random.normal(size=(3, 6)) * 0.05
    pushes = random.normal(size=(len(KNOTS), 6))
    pushes[0], pushes[-1] = begin[2], 0.0
    pushes[-2] -= 2.0 * integrated(KNOTS, begin, pushes)[-1, 1] / (KNOTS[-1] - KNOTS[-3])
    return Plan.of_accelerations(start_s, KNOTS, begin, pushes, 7), begin, pushes


def test_an_integrator_of_others_gets_the_same():
    plan, begin, pushes = some_plan()
    times = np.linspace(0.0, 1.2, 101)

    def slope(t, state):
        return np.concatenate([state[6:], [np.interp(t, KNOTS, column) for column in pushes.T]])

    first = np.concatenate([begin[0], begin[1]])
    found = solve_ivp(slope, (0.0, 1.2), first, t_eval=times, rtol=1e-10, atol=1e-12, max_step=0.01)
    rows = plan.samples(4.0 + times)
    assert np.abs(rows[:, 0] - found.y[:6].T).max() < 1e-8
    assert np.abs(rows[:, 1] - found.y[6:].T).max() < 1e-8
    assert np.abs(rows[:, 2] - [slope(t, found.y[:, 0])[6:] for t in times]).max() < 1e-9


def test_accelerations_stay_between_those_of_the_knots():
    plan, _, pushes = some_plan()
    rows = plan.samples(np.linspace(3.0, 6.0, 3001))
    assert np.abs(rows[:, 2]).max() <= np.abs(pushes).max() + 1e-12


def test_it_rests_from_its_end_on_and_stands_before_its_beginning():
    plan, begin, _ = some_plan()
    assert plan.end_s == pytest.approx(5.2)
    for t in (plan.end_s, plan.end_s + 1e-9, 1e6):
        rows = plan.sample(t)
        assert not rows[1:].any()
        assert rows[0].tolist() == plan.course[-1, 0].tolist()
    assert np.abs(plan.sample(plan.end_s - 1e-6) - plan.sample(plan.end_s)).max() < 1e-4
    assert plan.sample(0.0) == pytest.approx(begin)


def test_one_moment_is_as_many():
    plan, _, _ = some_plan()
    times = np.linspace(3.5, 5.5, 41)
    assert all(
        (plan.sample(t) == row).all() for t, row in zip(times, plan.samples(times), strict=True)
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda k, c: (k[::-1], c), "must rise"),
        (lambda k, c: (k + 0.1, c), "must rise"),
        (lambda k, c: (k[:-1], c), "knots"),
        (lambda k, c: (k, np.where(c == c[2, 0, 1], np.nan, c)), "not finite"),
        (lambda k, c: (k, c + np.eye(6)[None, :3] * 1e-6), "rest|follow"),
        (lambda k, c: (k, np.concatenate([c[:-1], c[-2:-1]])), "rest"),
    ],
)
def test_what_is_no_plan_is_refused(change, said):
    plan, _, _ = some_plan()
    knots, course = change(plan.knots_s, plan.course)
    with pytest.raises(ValueError, match=said):
        Plan(0.0, knots, course)


def test_one_that_would_not_end_at_rest_is_refused():
    plan, begin, pushes = some_plan()
    pushes[1] += 0.1
    with pytest.raises(ValueError, match="ends with"):
        Plan.of_accelerations(0.0, KNOTS, begin, pushes, 1)
    with pytest.raises(ValueError, match="read-only"):
        plan.course[0, 0, 0] = 1.0
