"""Plans as a filter: played in time, played on where there is none, and worth their preview."""

import numpy as np
import pytest

from platform6dof.cueing.head_motion import felt
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.parameters import CueingError, Curve, Scale
from platform6dof.cueing.planner import Outcome, PlanAnswer
from platform6dof.cueing.predictive import InlinePlanning, PredictiveFilter
from platform6dof.cueing.vehicle import GRAVITY_M_S2, REST, VehicleState
from platform6dof.cueing.vestibular import REID_NAHON, sensed
from tests.campaign import SHARE
from tests.cueing.plan_samples import planner
from tests.motion.motion_checks import recording

PERIOD_S = 0.002
BRIEF = MpcParameters(blocks=(1, 1, 2, 3, 5, 8))


class FaultyPlanning:
    """Plans of a planner, some of them withheld or handed over late."""

    def __init__(self, planner, fault):
        self._inline, self._fault = InlinePlanning(planner), fault
        self.requests, self.alive, self.polls, self._held = [], True, 0, []

    def ask(self, request):
        self.requests.append(request)
        if self._fault(len(self.requests)) != "dead":
            self._inline.ask(request)
        else:
            self.alive = False

    def answer(self):
        answer = self._inline.answer()
        if answer is not None and self._fault(len(self.requests)) == "late":
            self._held.append((self.polls + 40, answer))
            answer = None
        self.polls += 1
        if self._held and self._held[0][0] <= self.polls:
            return self._held.pop(0)[1]
        if answer is not None and self._fault(len(self.requests)) == "failed":
            return PlanAnswer(answer.serial, Outcome.UNSOLVED, None)
        return answer


def state(force=(0.0, 0.0, 0.0), rates=(0.0, 0.0, 0.0)):
    x, y, z = force
    return VehicleState(0.0, (x, y, z - GRAVITY_M_S2), rates)


def driven(t):
    return state(
        (4 * np.sin(1.3 * t), 3 * np.sin(0.9 * t + 1), np.sin(3 * t)), (0.1 * np.cos(t), 0, 0.2)
    )


def ride(cue, cycles, course=driven):
    return np.stack([cue.step(course(k * PERIOD_S)) for k in range(cycles)])


def continuous(rows):
    """Largest step of position and speed beyond what the accelerations say."""
    x, v, a = rows[:, 0], rows[:, 1], rows[:, 2]
    speed = np.diff(v, axis=0) - PERIOD_S * (a[1:] + a[:-1]) / 2
    place = np.diff(x, axis=0) - PERIOD_S * v[:-1] - PERIOD_S**2 * (2 * a[:-1] + a[1:]) / 6
    return np.abs(speed).max(), np.abs(place).max()


def test_it_plays_plans_without_a_step_and_repeats_bit_by_bit():
    cue = PredictiveFilter(BRIEF, InlinePlanning(planner(parameters=BRIEF)), PERIOD_S)
    rows = ride(cue, 1500)
    assert max(continuous(rows)) < 1e-9
    assert np.abs(np.diff(rows[:, 2], axis=0)).max() < 0.3  # m/s² a cycle: no step there, either
    assert np.abs(rows[:, 0]).max() > 0.01
    status = cue.status
    assert (status.asked, status.played, status.late, status.failed) == (60, 59, 0, 0)
    assert not (status.resting)
    assert not (status.lost)
    cue.reset()
    assert cue.status.asked == 0
    assert ride(cue, 1500).tobytes() == rows.tobytes()


def test_an_answer_of_before_a_reset_fits_no_request_of_after():
    planning = FaultyPlanning(planner(parameters=BRIEF), lambda k: "")
    cue = PredictiveFilter(BRIEF, planning, PERIOD_S)
    for cycles in (60, 1, 100):
        ride(cue, cycles)
        cue.reset()
    serials = [one.serial for one in planning.requests]
    assert len(serials) == len(set(serials)) == 3 + 1 + 4


def test_a_vehicle_at_rest_moves_nothing():
    cue = PredictiveFilter(BRIEF, InlinePlanning(planner(parameters=BRIEF)), PERIOD_S)
    rows = ride(cue, 400, lambda t: REST)
    assert np.abs(rows).max() < 1e-6


def test_late_plans_are_told_and_thrown_away():
    lates = {5, 6, 20}
    planning = FaultyPlanning(planner(parameters=BRIEF), lambda k: "late" if k in lates else "")
    cue = PredictiveFilter(BRIEF, planning, PERIOD_S)
    rows = ride(cue, 1000)
    assert max(continuous(rows)) < 1e-9
    assert (cue.status.late, cue.status.failed) == (3, 0)
    assert cue.status.played == 39 - 3


def test_failed_plans_are_told():
    planning = FaultyPlanning(planner(parameters=BRIEF), lambda k: "failed" if 10 <= k < 14 else "")
    cue = PredictiveFilter(BRIEF, planning, PERIOD_S)
    rows = ride(cue, 1000)
    assert max(continuous(rows)) < 1e-9
    assert (cue.status.late, cue.status.failed) == (0, 4)
    # Each of them began from the plan that was played on.
    serials = [one.playing.serial for one in planning.requests]
    assert len(set(serials[9:13])) == 1


def test_a_dead_planner_ends_in_rest():
    cue = PredictiveFilter(
        BRIEF, FaultyPlanning(planner(parameters=BRIEF), lambda k: "dead" if k > 20 else ""),
        PERIOD_S,
    )  # fmt: skip
    alive = PredictiveFilter(BRIEF, InlinePlanning(planner(parameters=BRIEF)), PERIOD_S)
    rows, beside = ride(cue, 2500), ride(alive, 2500)
    assert max(continuous(rows)) < 1e-9
    assert rows[:500].tobytes() == beside[:500].tobytes()
    assert np.abs(rows[500:1000, 1]).max() > 0.01  # it was under way
    ended = 25 * 20 + int(BRIEF.horizon_s / PERIOD_S) + 1
    assert not rows[ended:, 1:].any()
    assert np.abs(beside[ended:, 1]).max() > 0.01  # and would have gone on
    assert cue.status.lost
    assert cue.status.resting
    assert cue.status.late == 99 - 20


def test_the_preview_of_a_step_is_acted_on_before_it_comes():
    def course(t):
        return state((3.0 if t >= 1.0 else 0.0, 0.0, 0.0))

    moved = {}
    for known in (False, True):
        cue = PredictiveFilter(BRIEF, InlinePlanning(planner(parameters=BRIEF)), PERIOD_S)
        rows = []
        for k in range(600):
            if cue.due and known:
                ahead = k * PERIOD_S + BRIEF.step_s * np.arange(21)
                cue.foresee([course(t) for t in ahead])
            rows.append(cue.step(course(k * PERIOD_S)))
        moved[known] = np.abs(np.array(rows)[:500, 0]).max()
    assert moved[False] < 1e-6
    assert moved[True] > 1e-3


def test_a_forecast_decays():
    planning = FaultyPlanning(planner(parameters=BRIEF), lambda k: "")
    cue = PredictiveFilter(BRIEF, planning, PERIOD_S)
    cue.step(state((2.0, -1.0, 0.5), (0.1, 0.2, -0.3)), 0.5)
    wanted = planning.requests[0].wanted
    now = 0.5 * 0.3 * np.array([2.0, 1.0, -0.5, 0.1, -0.2, 0.3])
    after = BRIEF.period_s + BRIEF.step_s * np.arange(len(wanted))
    assert wanted == pytest.approx(np.exp(-after / BRIEF.forecast_s)[:, None] * now)


def test_a_preview_that_is_too_short_decays_from_its_end():
    planning = FaultyPlanning(planner(parameters=BRIEF), lambda k: "")
    cue = PredictiveFilter(BRIEF, planning, PERIOD_S)
    cue.foresee([state((x, 0.0, 0.0)) for x in (0.0, 1.0, 2.0, 4.0)])
    cue.step(state())
    force = planning.requests[0].wanted[:, 0] / 0.3
    assert force[:3] == pytest.approx([1.0, 2.0, 4.0])
    assert force[3:5] == pytest.approx([4 * np.exp(-0.05 / 0.3), 4 * np.exp(-0.1 / 0.3)])


@pytest.mark.parametrize(("force", "wanted"), [(1.0, 0.5), (3.0, 1.5), (-8.0, -2.0), (2.0, 1.0)])
def test_a_scale_limits(force, wanted):
    one = Scale(0.5, 2.0)
    cue = PredictiveFilter(
        MpcParameters(force=(one, one, one)), planning := FaultyPlanning(planner(), lambda k: ""),
        PERIOD_S,
    )  # fmt: skip
    cue.foresee([state((force, 0.0, 0.0))] * 3)
    cue.step(state())
    assert planning.requests[0].wanted[0, 0] == pytest.approx(wanted)


def test_a_cubic_scale_bends():
    one = Scale(0.5, 2.0, Curve.CUBIC, input_most=6.0)
    parameters = MpcParameters(force=(one, one, one))
    cue = PredictiveFilter(parameters, planning := FaultyPlanning(planner(), lambda k: ""), 0.01)
    cue.foresee([state((-3.0, 0.0, 0.0))] * 3)
    cue.step(state())
    c2, c3 = one.cubic()
    assert planning.requests[0].wanted[0, 0] == pytest.approx(-(1.5 + 9 * c2 + 27 * c3))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_finite_is_refused_and_moves_nothing(bad):
    cue = PredictiveFilter(BRIEF, InlinePlanning(planner(parameters=BRIEF)), PERIOD_S)
    for call in (
        lambda: cue.step(state((bad, 0.0, 0.0))),
        lambda: cue.step(state(), bad),
        lambda: cue.foresee([state(), state((0.0, 0.0, 0.0), (0.0, bad, 0.0))]),
    ):
        with pytest.raises(CueingError, match="finite"):
            call()
    assert cue.status.asked == 0


def test_a_period_that_does_not_go_into_the_plans_is_refused():
    with pytest.raises(ValueError, match="whole multiple of the loop's period"):
        PredictiveFilter(BRIEF, InlinePlanning(planner(parameters=BRIEF)), 0.003)


def dresden():
    """The drive in vehicle axes less its means: times, forces and rates, shape (N, 6)."""
    table = np.genfromtxt(recording("car_dresden_city.csv"), delimiter=",", names=True)
    columns = [
        -table["f_x_m_s2"], table["f_y_m_s2"], table["f_z_m_s2"],
        *(np.radians(table[f"{axis}rate_deg_s"]) for axis in ("roll", "pitch")),
        -np.radians(table["yawrate_deg_s"]),
    ]  # fmt: skip
    values = np.stack(columns, axis=1)
    return table["t_s"], values - values.mean(axis=0)


@pytest.mark.campaign
def test_two_seconds_of_preview_are_worth_their_price():
    """On the drive, at gain 0.3: 0.75 times the tuned classical filter's .376 and .400."""
    t_s, values = dresden()
    parameters, period_s = MpcParameters(preview_s=2.0), 0.005
    cue = PredictiveFilter(parameters, InlinePlanning(planner(head_m=(0, 0, 0))), period_s)
    times = np.arange(0.0, t_s[-1] if SHARE >= 1.0 else 60.0, period_s)

    def at(moments):
        rows = np.stack([np.interp(moments, t_s, column) for column in values.T], axis=1)
        return [state(row[:3], tuple(row[3:])) for row in rows]

    rows, driven_by = np.empty((len(times), 3, 6)), at(times)
    ahead = parameters.step_s * np.arange(41)
    for k, now in enumerate(times):
        if cue.due:
            cue.foresee(at(now + ahead))
        rows[k] = cue.step(driven_by[k])
    assert np.abs(rows[:, 0, :2]).max() <= 0.09
    assert cue.status.late == cue.status.failed == 0
    seen = felt(rows)
    many = len(times) // 10 * 10
    errors = []
    for axis in (0, 1):
        wanted = 0.3 * np.array([one.f_m_s2[axis] for one in driven_by])
        means = [x[:many].reshape(-1, 10).mean(axis=1) for x in (wanted, seen[:, axis])]
        reference, found = (sensed(REID_NAHON.organs[axis], x, 0.05) for x in means)
        errors.append(np.sqrt(np.sum((reference - found) ** 2) / np.sum(reference**2)))
    assert np.mean(errors) <= 0.75 * np.mean([0.376, 0.400])
