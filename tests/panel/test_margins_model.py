"""Travel left: against limits worked out by hand, for both stations, in a steady order."""

import math

import numpy as np
import pytest
from feed_samples import arm_facts, batch, mode, platform_facts, soft_ranges
from hypothesis import given
from hypothesis import strategies as st
from row_samples import PLATFORM

from hil.panel.live.models.feed import RunFacts
from hil.panel.live.models.margins import RANK_STEP, MarginsModel, ranked
from hil.recording.header import RunHeader
from hil.scene.margins import FAULT_SHARE, FULL_LEASTS, WARN_SHARE, margin_role
from hil.stations.arm.scene.machines import ArmMachines

LOW, HIGH = soft_ranges().T
MIDDLE, HALF = 0.5 * (LOW + HIGH), 0.5 * (HIGH - LOW)


def rows_at(lengths, model=None):
    facts = platform_facts()
    model = model or MarginsModel(facts)
    model.take(batch(facts, measured_length_m=np.asarray(lengths)), 0.0)
    return model.rows


def test_there_is_nothing_before_the_first_frame_and_after_a_seek():
    facts = platform_facts()
    model = MarginsModel(facts)
    assert model.rows == ()
    assert rows_at(MIDDLE, model)
    model.take(batch(facts, restart=True, count=0), 0.0)
    assert model.rows == ()


def test_the_middle_is_the_whole_bar_and_a_limit_is_none_of_it():
    assert [row.share for row in rows_at(MIDDLE)] == pytest.approx([1.0] * 6)
    assert [row.share for row in rows_at(LOW)] == pytest.approx([0.0] * 6, abs=1e-12)
    assert [row.role for row in rows_at(HIGH)] == ["fault"] * 6


def test_each_leg_has_its_own_number_and_the_worst_comes_first():
    lengths = MIDDLE.copy()
    lengths[2] = LOW[2] + 0.004
    lengths[4] = HIGH[4] - 0.03
    lengths[0] = HIGH[0] + 0.002
    worst, second, third, *rest = rows_at(lengths)
    assert (worst.name, worst.left) == ("Leg 1", pytest.approx(-0.002))
    assert worst.words == "2.000 mm BEYOND"
    assert (second.name, second.words) == ("Leg 3", "4.000 mm to the lower end")
    assert (third.name, third.words) == ("Leg 5", "30.00 mm to the upper end")
    assert (worst.role, second.role, third.role) == ("fault", "fault", "warn")
    assert third.share == pytest.approx(0.03 / HALF[4])
    assert {row.role for row in rest} == {"ok"}


def test_what_is_not_measured_comes_last_and_says_so():
    lengths = MIDDLE.copy()
    lengths[1] = math.nan
    last = rows_at(lengths)[-1]
    assert (last.name, last.role, last.words) == ("Leg 2", "unknown", "not known")


def test_rows_do_not_dance_for_a_hair():
    model = MarginsModel(platform_facts())
    lengths = MIDDLE - 0.3 * HALF
    lengths[3] -= 0.1 * HALF[3]
    first = [row.name for row in rows_at(lengths, model)]
    assert first[0] == "Leg 4"
    rng = np.random.default_rng(7)
    for _ in range(20):
        found = rows_at(lengths + 1e-4 * HALF * rng.uniform(-1.0, 1.0, 6), model)
        assert [row.name for row in found] == first
    lengths[5] -= 0.2 * HALF[5]
    assert rows_at(lengths, model)[0].name == "Leg 6"


def test_a_leg_nearer_to_its_limit_than_all_others_comes_first_however_little_it_is():
    model = MarginsModel(platform_facts())
    lengths = LOW + 0.0103
    assert rows_at(lengths, model)[-1].name == "Leg 6"
    lengths[5] = LOW[5] + 0.0094
    worst = rows_at(lengths, model)[0]
    assert (worst.name, worst.words) == ("Leg 6", "9.400 mm to the lower end")
    assert worst.share > rows_at(LOW + 0.0103)[0].share - RANK_STEP, "a hair, and yet the worst"


def test_far_from_all_limits_a_leg_comes_first_only_for_more_than_the_step():
    model = MarginsModel(platform_facts())
    lengths = MIDDLE - 0.3 * HALF
    assert rows_at(lengths, model)[-1].name == "Leg 6"
    lengths[5] -= 0.9 * RANK_STEP * HALF[5]
    assert rows_at(lengths, model)[-1].name == "Leg 6"
    lengths[5] -= 0.2 * RANK_STEP * HALF[5]
    assert rows_at(lengths, model)[0].name == "Leg 6"
    lengths[5] += 1.9 * RANK_STEP * HALF[5]
    assert rows_at(lengths, model)[0].name == "Leg 6", "and goes back as late"


def test_after_a_seek_the_order_is_that_of_the_shares():
    facts = platform_facts()
    model = MarginsModel(facts)
    lengths = MIDDLE - 0.3 * HALF
    rows_at(lengths, model)
    lengths[5] -= 0.5 * RANK_STEP * HALF[5]
    model.take(batch(facts, restart=True, measured_length_m=lengths), 0.0)
    assert model.rows[0].name == "Leg 6"


SHARES = st.lists(
    st.one_of(st.floats(-0.2, 1.0), st.integers(-10, 50).map(lambda k: k * RANK_STEP / 2))
    | st.just(math.inf),
    min_size=15,
    max_size=15,
)


@given(st.lists(SHARES, min_size=1, max_size=6))
def test_the_order_is_right_beyond_the_step_and_steady_within_it(seen):
    order = list(range(15))
    for shares in seen:
        before, order = order, ranked(shares, order)
        assert sorted(order) == sorted(before)
        least = min(shares)
        if least < WARN_SHARE:
            assert shares[order[0]] == least
        for at, first in enumerate(order):
            for second in order[at + 1 :]:
                assert not shares[second] + RANK_STEP < shares[first], "the worse comes first"
                if before.index(second) < before.index(first):
                    assert shares[first] < shares[second], "only the worse moves up"
        assert ranked(shares, order) == order


@given(
    st.lists(st.integers(0, 40), min_size=6, max_size=6),
    st.lists(st.lists(st.floats(0.0, 1e-3), min_size=6, max_size=6), min_size=1, max_size=9),
)
def test_noise_moves_no_row(places, noises):
    shares = [WARN_SHARE + 0.75 * RANK_STEP * place for place in places]
    first = order = ranked(shares, list(range(6)))
    for noise in noises:
        order = ranked([share + hair for share, hair in zip(shares, noise, strict=True)], order)
        assert order == first


def test_a_share_at_the_warning_is_no_warning_yet():
    """Below it the very least comes first, however little it is."""
    hair = 0.4 * RANK_STEP
    assert ranked([WARN_SHARE + hair, WARN_SHARE], [0, 1]) == [0, 1]
    under = math.nextafter(WARN_SHARE, 0.0)
    assert ranked([WARN_SHARE + hair, under], [0, 1]) == [1, 0]


def test_nothing_has_no_order():
    assert ranked([], []) == []


REST = np.full(6, 0.67)
"""Reference lengths of the paper's rig [m], 25 mm above the lower soft limits: 7 % of half."""


def in_modes(lengths, *names, model=None):
    """Rows after frames in these modes, one a turn."""
    facts = platform_facts()
    model = model or MarginsModel(facts)
    for name in names:
        fields = {} if name is None else {"mode": mode(facts, name)}
        model.take(batch(facts, measured_length_m=np.asarray(lengths), **fields), 0.0)
    return model.rows


@pytest.mark.parametrize("name", ["OFF", "IDLE", "HOMING"])
@pytest.mark.parametrize("lengths", [LOW - 0.005, np.zeros(6), MIDDLE, HIGH])
def test_before_homing_nothing_is_known_of_any_length(name, lengths):
    rows = in_modes(lengths, name)
    assert {(row.role, row.words) for row in rows} == {("unknown", "not homed")}
    assert all(math.isnan(row.share) for row in rows)
    assert [row.name for row in rows] == [f"Leg {leg}" for leg in range(1, 7)]


@pytest.mark.parametrize("name", ["STANDBY", "ENGAGING", "PARKING"])
def test_a_platform_at_rest_is_no_warning(name):
    rows = in_modes(REST, name)
    assert {row.role for row in rows} == {"ok"}
    assert {row.words for row in rows} == {"25.00 mm to the lower end, at rest"}
    assert {row.role for row in in_modes(REST, "ENGAGED")} == {"warn"}


def test_at_rest_a_leg_beyond_its_rest_or_at_its_other_end_is_warned_of():
    lengths = REST.copy()
    lengths[0] -= 0.0036
    lengths[1] -= 0.0038
    lengths[2] = LOW[2] + 0.001
    lengths[3] = HIGH[3] - 0.025
    roles = {row.name: row.role for row in in_modes(lengths, "STANDBY")}
    assert list(map(roles.get, (f"Leg {leg}" for leg in range(1, 7)))) == [
        "ok", "warn", "fault", "warn", "ok", "ok",
    ]  # fmt: skip


@pytest.mark.parametrize("stop", ["CSTOP", "HOLD", "QSTOP", "FAULT", "LOCKOUT", None])
@pytest.mark.parametrize(("before", "role"), [("IDLE", "unknown"), ("STANDBY", "ok"),
                                              ("ENGAGED", "warn")])  # fmt: skip
def test_a_stop_leaves_it_as_it_was(stop, before, role):
    assert {row.role for row in in_modes(REST, before, stop, stop)} == {role}


def test_who_comes_when_all_is_over_is_warned_rather_than_not():
    assert {row.role for row in in_modes(REST, "FAULT")} == {"warn"}


def test_after_a_seek_the_modes_begin_anew():
    facts = platform_facts()
    model = MarginsModel(facts)
    in_modes(REST, "IDLE", model=model)
    values = {"measured_length_m": REST, "mode": mode(facts, "FAULT")}
    model.take(batch(facts, restart=True, **values), 0.0)
    assert {row.role for row in model.rows} == {"warn"}


def test_every_mode_of_many_frames_counts_in_its_order():
    facts = platform_facts()
    model = MarginsModel(facts)
    codes = np.array([mode(facts, name) for name in ("ENGAGED", "IDLE", "FAULT")], float)
    model.take(batch(facts, count=3, measured_length_m=np.tile(REST, (3, 1)), mode=codes), 0.0)
    assert {row.role for row in model.rows} == {"unknown"}


def test_the_thresholds_are_those_of_the_picture_in_space():
    assert margin_role(WARN_SHARE) == "ok"
    assert margin_role(WARN_SHARE - 1e-9) == "warn"
    assert margin_role(FAULT_SHARE - 1e-9) == "fault"
    assert margin_role(math.nan) == "unknown"


def test_joints_of_both_arms_and_singularities():
    facts = arm_facts()
    machines = ArmMachines.from_scenario(facts.header.scenario)
    robot_low, robot_high = machines.robot.position_min_rad, machines.robot.position_max_rad
    space = machines.joints()[0]
    space_low, space_high = space.low_rad, space.high_rad
    least = np.array(machines.least_margins)
    robot_q = 0.5 * (robot_low + robot_high)
    space_q = 0.5 * (space_low + space_high)
    robot_q[4] = robot_high[4] - 0.01
    space_q[1] = space_low[1] - 0.02
    model = MarginsModel(facts)
    assert model.problem == ""
    distances = least * [1.5, 1.0 + FULL_LEASTS, 30.0]
    model.take(batch(facts, robot_q=robot_q, space_q=space_q, margins=distances), 0.0)
    rows = [row for row in model.rows if row.name not in WINDOWS]
    assert len(rows) == 15
    worst, second, third = rows[:3]
    assert (worst.name, worst.words) == ("Space arm, joint 2", "1.146° BEYOND")
    assert (second.name, second.words) == ("Robot, joint 5", "0.5730° to the upper end")
    assert third.name == "Robot, from wrist singularity"
    assert third.left == pytest.approx(0.5 * least[0])
    assert third.share == pytest.approx(0.05)
    elbow = next(row for row in rows if "elbow" in row.name)
    assert elbow.share == pytest.approx(1.0)
    assert elbow.unit == "m"


WINDOWS = {
    "Robot, off its path": (1.0, 100.0, "%", "not following"),
    "Robot, too early": (0.15, 1e3, " ms", "off its period"),
    "Robot, too late": (0.3, 1e3, " ms", "off its period"),
    "Robot, silent": (1.05, 1e3, " ms", "link lost"),
    "Robot, tells no place": (2.0, 1.0, "", "not following"),
}
"""Edges of the standard windows, factor and unit of what is shown, result beyond them."""


def watched_rows(used, **changes):
    """The supervision's bars with such shares of their windows used."""
    facts = arm_facts()
    facts.header.scenario["robot"]["supervision"] |= changes
    model = MarginsModel(facts)
    edges = np.array([edge for edge, *_ in WINDOWS.values()])
    model.take(batch(facts, watched=np.asarray(used) * edges), 0.0)
    assert model.problem == ""
    return {row.name: row for row in model.rows if row.name in WINDOWS}


@pytest.mark.parametrize(
    ("used", "role"), [(0.0, "ok"), (0.49, "ok"), (0.51, "warn"), (0.9, "warn"), (0.96, "fault")]
)
def test_windows_of_the_supervision_are_margins_warned_from_half_on(used, role):
    rows = watched_rows([used] * 5)
    assert list(rows) == list(WINDOWS) or used
    for name, (edge, factor, unit, result) in WINDOWS.items():
        row = rows[name]
        assert (row.share, row.role) == (pytest.approx(1.0 - used), role)
        assert row.left == pytest.approx((1.0 - used) * edge * factor)
        assert row.words.endswith(f", then {result}")
        assert unit in row.words


def test_the_window_that_is_nearest_to_its_end_comes_first_and_beyond_it_is_said():
    rows = watched_rows([0.2, 0.7, 0.0, 0.3, math.nan])
    assert next(iter(rows)) == "Robot, too early"
    assert rows["Robot, too early"].words == "45 ms, then off its period"
    assert rows["Robot, tells no place"].role == "unknown"
    assert watched_rows([1.2] * 5)["Robot, off its path"].words == "20.00 % BEYOND"


def test_the_windows_are_those_of_the_run():
    row = watched_rows([0.0, 0.5, 0.0, 0.0, 0.0], ahead_s=0.3)["Robot, too early"]
    assert row.share == pytest.approx(0.75)


def test_a_run_of_before_the_supervision_has_no_such_rows():
    facts = arm_facts()
    del facts.header.scenario["robot"]["supervision"]
    model = MarginsModel(facts)
    model.take(batch(facts, watched=np.zeros(5)), 0.0)
    assert model.problem == ""
    assert len(model.rows) == 15


def test_a_run_without_its_machines_says_so():
    header = RunHeader(PLATFORM)
    model = MarginsModel(RunFacts(header, 0.001, "old"))
    model.take(batch(platform_facts(), measured_length_m=MIDDLE), 0.0)
    assert model.rows == ()
    assert "rig" in model.problem
