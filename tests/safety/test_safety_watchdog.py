"""Counters: silence, lateness, standstill, and what the drives report."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from safety_samples import DT, NO, START, YES, ZERO, changed, feedback, make_limits

from safety.feedback import FeedbackWatch
from safety.modes import Mode, Severity
from safety.verdict import Check, Setpoint
from safety.watchdog import CycleWatch, SetpointWatch, StandstillWatch, is_newer
from safety.watches import WATCHED

LEGS = range(1, 7)
LIMITS = make_limits()


class TestCycle:
    def started(self):
        watch = CycleWatch(LIMITS)
        assert watch.step(100, 0.0, 0.0) == []
        return watch

    def test_punctual_cycles_pass_for_ever(self):
        watch = self.started()
        assert [watch.step(101 + i, DT, 0.0) for i in range(20_000)] == [[]] * 20_000

    @pytest.mark.parametrize("elapsed", [0.0, -DT, -1e-9, math.nan, math.inf, 3.0001 * DT])
    def test_invariant_18_a_cycle_time_that_cannot_be_is_never_ignored(self, elapsed):
        violation = self.started().step(101, elapsed, 0.0)[0]
        assert (violation.check, violation.leg) == (Check.PERIOD, None)
        assert violation.severity is Severity.STOP
        assert violation.value == elapsed or math.isnan(elapsed)
        assert (violation.low, violation.limit, violation.unit) == (0.0, 3.0 * DT, "s")

    @pytest.mark.parametrize("elapsed", [1e-9, 0.5 * DT, 3.0 * DT])
    def test_invariant_18_permitted_cycle_times(self, elapsed):
        assert self.started().step(101, elapsed, 0.0) == []

    @pytest.mark.parametrize("index", [99, 100, 102, 110])
    def test_invariant_18_every_cycle_comes_once(self, index):
        (violation,) = self.started().step(index, DT, 0.0)
        assert violation.check is Check.PERIOD
        assert (violation.value, violation.low, violation.limit) == (index - 100, 1.0, 1.0)
        assert f"cycle {index} came after cycle 100" in str(violation)

    def test_after_a_gap_counting_goes_on_from_there(self):
        watch = self.started()
        watch.step(105, DT, 0.0)
        assert watch.step(106, DT, 0.0) == []

    @pytest.mark.parametrize("late", [3.0001 * DT, math.inf, math.nan])
    def test_lateness(self, late):
        (violation,) = self.started().step(101, DT, late)
        assert (violation.check, violation.limit) == (Check.LATE, 3.0 * DT)
        (violation,) = CycleWatch(LIMITS).step(0, DT, late)
        assert violation.check is Check.LATE

    @pytest.mark.parametrize("late", [-1.0, 0.0, 3.0 * DT])
    def test_permitted_lateness(self, late):
        assert self.started().step(101, DT, late) == []

    def test_one_short_cycle_after_a_late_one_is_normal(self):
        watch = self.started()
        index = 100
        for _ in range(1000):
            for elapsed in (1.9 * DT, 0.1 * DT, DT):
                index += 1
                assert watch.step(index, elapsed, 0.0) == []

    def test_invariant_14_many_short_cycles_are_not(self):
        """Half the cycle time is twice the speed: it trips after two cycles gained on time."""
        watch = self.started()
        assert [bool(watch.step(101 + i, 0.5 * DT, 0.0)) for i in range(6)] == [
            False, False, True, False, False, True,
        ]  # fmt: skip
        (violation,) = [v for i in range(3) for v in watch.step(107 + i, 0.5 * DT, 0.0)]
        assert violation.value == pytest.approx(1.5 * DT)
        assert (violation.limit, violation.low) == (DT, None)

    def test_exactly_one_period_ahead_is_permitted(self):
        watch = self.started()
        assert watch.step(101, 0.5 * DT, 0.0) == watch.step(102, 0.5 * DT, 0.0) == []
        assert watch.step(103, DT, 0.0) == []


class TestSetpoint:
    def take(self, watch, sequence, age=0.0):
        found = []
        asked = None if sequence is None else Setpoint(sequence, START, ZERO)
        return watch.take(asked, age, found) is not None, [v.check for v in found]

    def test_a_new_one_is_taken_and_an_old_one_is_left_aside(self):
        watch = SetpointWatch(LIMITS)
        assert self.take(watch, 5) == (True, [])
        assert self.take(watch, 5) == (False, [Check.SEQUENCE])
        assert self.take(watch, 4) == (False, [Check.SEQUENCE])
        assert watch.missed == 2
        assert self.take(watch, 9) == (True, [])
        assert watch.missed == 0

    def test_none_is_counted(self):
        watch = SetpointWatch(LIMITS)
        assert self.take(watch, None) == (False, [])
        assert self.take(watch, None) == (False, [])
        assert watch.missed == 2

    @pytest.mark.parametrize("age", [0.00600001, math.nan, math.inf, -1e-9])
    def test_invariant_13_a_stale_one_changes_nothing_but_the_count(self, age):
        watch = SetpointWatch(LIMITS)
        assert self.take(watch, 5) == (True, [])
        found = []
        assert watch.take(Setpoint(100, START, ZERO), age, found) is None
        (violation,) = found
        assert (violation.check, violation.severity) == (Check.STALE, Severity.INFORM)
        assert (violation.low, violation.limit, violation.unit) == (0.0, 0.006, "s")
        assert self.take(watch, 6) == (True, [])

    def test_the_age_limit_itself_is_young_enough(self):
        assert self.take(SetpointWatch(LIMITS), 1, 0.006) == (True, [])

    def test_the_counter_wraps(self):
        watch = SetpointWatch(LIMITS)
        for sequence in (2**32 - 2, 2**32 - 1, 0, 1):
            assert self.take(watch, sequence) == (True, [])
        assert self.take(watch, 2**32 - 1) == (False, [Check.SEQUENCE])

    def test_a_new_stream_may_begin_anywhere(self):
        watch = SetpointWatch(LIMITS)
        self.take(watch, 500)
        self.take(watch, None)
        watch.forget()
        assert watch.missed == 0
        assert self.take(watch, 1) == (True, [])

    def test_newer_means_ahead_by_less_than_half_the_range(self):
        assert is_newer(1, 0)
        assert not is_newer(0, 0)
        assert is_newer(2**31 - 1, 0)
        assert not is_newer(2**31, 0)
        assert not is_newer(0, 1)


class TestStandstill:
    def states(self, *inputs):
        watch = StandstillWatch(LIMITS)
        result = []
        for item in inputs:
            watch.step(item)
            result.append((watch.all_legs, watch.reporting_legs))
        return result

    def test_it_takes_the_given_number_of_cycles(self):
        assert self.states(*[feedback()] * 5) == [(False, False)] * 3 + [(True, True)] * 2

    @pytest.mark.parametrize("leg", LEGS)
    @pytest.mark.parametrize("speed", [0.00401, -0.00401, math.nan, math.inf])
    def test_one_moving_leg_begins_the_count_anew(self, leg, speed):
        still, moving = feedback(), feedback(speed_m_s=changed(ZERO, leg, speed))
        states = self.states(*[still] * 4, moving, *[still] * 4)
        assert states[3:] == [(True, True)] + [(False, False)] * 4 + [(True, True)]

    def test_the_limit_itself_stands_still(self):
        edge = feedback(speed_m_s=(0.004, -0.004, 0.0, 0.0, 0.0, 0.0))
        assert self.states(*[edge] * 4)[-1] == (True, True)

    @pytest.mark.parametrize("leg", LEGS)
    def test_a_silent_leg_is_not_waited_for_but_does_not_count_as_standing(self, leg):
        silent = feedback(speed_m_s=changed(ZERO, leg, 0.3), fresh=changed(YES, leg, False))
        assert self.states(*[silent] * 4)[-1] == (False, True)
        assert self.states(*[silent] * 4, feedback())[-1] == (False, True)

    @given(
        leg=st.sampled_from(LEGS),
        speed=st.floats(0.00401, 0.5),
        sign=st.sampled_from([-1.0, 1.0]),
        told=st.floats(-0.004, 0.004),
        before=st.integers(0, 9),
        lost=st.integers(0, 60),
    )
    def test_a_frozen_speed_does_not_hide_a_leg_that_moves(
        self, leg, speed, sign, told, before, lost
    ):
        """From the first whole stretch of the movement on, whatever frame of it is lost."""
        watch = StandstillWatch(LIMITS)
        for _ in range(before):
            watch.step(feedback())
        for cycle in range(1, 60):
            length = changed(START, leg, START[leg - 1] + sign * speed * DT * cycle)
            fresh = changed(YES, leg, cycle != lost)
            watch.step(feedback(length, changed(ZERO, leg, told), fresh=fresh))
            if cycle >= 2 * LIMITS.standstill_cycles:
                assert not watch.all_legs

    @given(speed=st.floats(0.0, 0.004), leg=st.sampled_from(LEGS))
    def test_creeping_up_to_the_limit_is_standing(self, speed, leg):
        watch = StandstillWatch(LIMITS)
        for cycle in range(60):
            length = changed(START, leg, START[leg - 1] + speed * DT * cycle)
            watch.step(feedback(length, changed(ZERO, leg, speed)))
            assert watch.all_legs is (cycle >= LIMITS.standstill_cycles - 1)

    def test_a_standstill_of_one_cycle_still_needs_a_movement_to_judge(self):
        watch = StandstillWatch(make_limits(standstill_cycles=1))
        for cycle in range(9):
            watch.step(feedback(changed(START, 3, 1.0 + 0.01 * cycle)))
            assert not watch.all_legs
        watch.step(feedback(changed(START, 3, 1.08)))
        watch.step(feedback(changed(START, 3, 1.08)))
        assert watch.all_legs

    def test_a_length_that_is_no_number_is_no_standstill(self):
        assert self.states(*[feedback(changed(START, 2, math.nan))] * 9)[-1] == (False, False)

    @pytest.mark.parametrize("nothing", [None, feedback(fresh=NO)])
    def test_silence_is_no_standstill(self, nothing):
        assert self.states(*[nothing] * 9)[-1] == (False, False)
        assert self.states(*[feedback()] * 4, nothing)[-1] == (False, False)


class TestFeedback:
    def watch(self, *inputs, homed=True, commanded=START, movement=ZERO):
        watch = FeedbackWatch(LIMITS)
        watched = WATCHED[Mode.ENGAGED]._replace(homed=homed)
        return [watch.step(item, watched, commanded, movement) for item in inputs]

    def test_good_feedback_passes(self):
        assert self.watch(feedback()) == [[]]

    @pytest.mark.parametrize("leg", LEGS)
    def test_two_missing_frames_are_tolerated_the_third_is_not(self, leg):
        lost = feedback(fresh=changed(YES, leg, False))
        *before, last = self.watch(lost, lost, feedback(), lost, lost, lost)
        assert before == [[]] * 5
        (violation,) = last
        assert (violation.check, violation.leg) == (Check.FEEDBACK, leg)
        assert (violation.value, violation.limit, violation.unit) == (3, 2, "cycles")
        assert violation.severity is Severity.STOP

    def test_no_feedback_at_all_is_six_missing_legs(self):
        *before, last = self.watch(None, None, None)
        assert before == [[]] * 2
        assert [(v.check, v.leg) for v in last] == [(Check.FEEDBACK, leg) for leg in LEGS]

    @pytest.mark.parametrize("homed", [True, False])
    @pytest.mark.parametrize("commanded", [START, None])
    def test_a_bank_that_has_failed_is_a_quick_stop_with_its_words(self, homed, commanded):
        silent = replace(feedback(fresh=NO, fault_code=(7,) * 6), failed="bank 'x': no current")
        ((violation,),) = self.watch(silent, homed=homed, commanded=commanded)
        assert (violation.check, violation.leg) == (Check.DRIVE, None)
        assert violation.severity is Severity.QUICK_STOP
        assert str(violation) == "drive: bank 'x': no current"

    @pytest.mark.parametrize("leg", LEGS)
    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_what_is_not_finite_trips_at_once(self, leg, bad):
        for name, unit, values in (("length_m", "m", START), ("speed_m_s", "m/s", ZERO)):
            (found,) = self.watch(feedback(**{name: changed(values, leg, bad)}), commanded=None)
            (violation,) = found
            assert (violation.check, violation.leg) == (Check.FEEDBACK, leg)
            assert violation.unit == unit
            assert "is not finite" in str(violation)

    def test_opposite_infinities_do_not_cancel(self):
        both = feedback(speed_m_s=(math.inf, -math.inf, 0.0, 0.0, 0.0, 0.0))
        (found,) = self.watch(both)
        assert [v.leg for v in found] == [1, 2]

    def test_a_leg_without_a_fresh_frame_is_not_judged_by_its_last_one(self):
        for values in ({"length_m": changed(START, 2, math.nan)}, {"speed_m_s": (math.inf,) * 6}):
            old = feedback(**values, fresh=changed(YES, 2, False))
            (found, _) = self.watch(old, old)
            assert 2 not in {v.leg for v in found}

    def test_one_good_cycle_clears_the_count_of_all_six(self):
        assert self.watch(None, feedback(), None, None) == [[]] * 4

    @pytest.mark.parametrize("leg", LEGS)
    @pytest.mark.parametrize("sign", [1.0, -1.0])
    @pytest.mark.parametrize("speed", [0.0, 0.3])
    def test_following_error_has_a_window_that_grows_with_the_speed(self, leg, sign, speed):
        window = 0.004 + 0.02 * speed
        movement = changed(ZERO, leg, -sign * speed * DT)
        inside = feedback(changed(START, leg, START[leg - 1] + sign * (window - 1e-9)))
        outside = feedback(changed(START, leg, START[leg - 1] + sign * (window + 1e-9)))
        assert self.watch(*[inside] * 9, movement=movement) == [[]] * 9
        *before, last = self.watch(
            outside, outside, inside, outside, outside, outside, movement=movement
        )
        assert before == [[]] * 5
        (violation,) = last
        assert (violation.check, violation.leg) == (Check.FOLLOWING, leg)
        assert violation.value == pytest.approx(sign * (window + 1e-9))
        assert violation.limit == -violation.low == pytest.approx(window)

    def test_silence_does_not_clear_a_following_error(self):
        far = changed(START, 1, 1.2)
        silent = feedback(far, fresh=changed(YES, 1, False))
        *before, last = self.watch(feedback(far), feedback(far), silent, feedback(far))
        assert before == [[]] * 3
        assert [(v.check, v.leg) for v in last] == [(Check.FOLLOWING, 1)]

    def test_a_following_error_stays_one_until_it_is_gone(self):
        far = feedback(changed(START, 1, 1.2))
        found = self.watch(far, far, far, far, feedback(), far)
        assert [len(v) for v in found] == [0, 0, 1, 1, 0, 0]

    def test_without_a_command_there_is_nothing_to_follow(self):
        far = feedback(changed(START, 1, 1.2), enabled=NO)
        assert self.watch(*[far] * 5, commanded=None) == [[]] * 5

    @pytest.mark.parametrize("leg", LEGS)
    def test_drive_states(self, leg):
        (found,) = self.watch(feedback(enabled=changed(YES, leg, False)))
        assert [(v.check, v.leg) for v in found] == [(Check.DRIVE, leg)]
        assert "does not follow setpoints" in str(found[0])
        (found,) = self.watch(feedback(homed=changed(YES, leg, False)))
        assert [(v.check, v.leg) for v in found] == [(Check.DRIVE, leg)]
        assert "not homed" in str(found[0])
        (found,) = self.watch(feedback(fault_code=changed((0,) * 6, leg, 0x8611)))
        assert [(v.check, v.leg, v.value) for v in found] == [(Check.DRIVE, leg, 0x8611)]
        assert str(found[0]) == f"leg {leg}: drive: reports fault 0x8611"

    @pytest.mark.parametrize(
        ("code", "words"),
        [
            (0x8100, "it has left the NMT state operational"),
            (0x8106, "it refuses what it is asked: Modbus exception 6, server device busy"),
            (0x8120, "the CAN adapter is error passive"),
            (0x8130, "it is silent"),
            (0x8150, "somebody else sends what only the bench may send"),
            (0x8180, "it has restarted"),
            (0x8612, "its homing failed"),
            (0xFF02, "perhaps two nodes have its id"),
            (0x1234, "it cannot be relied on"),
        ],
    )
    def test_what_the_bench_judges_itself_is_told_as_such(self, code, words):
        codes = changed((0,) * 6, 4, code)
        (found,) = self.watch(feedback(fault_code=codes, judged=changed((False,) * 6, 4, True)))
        assert str(found[0]).startswith(f"leg 4: drive: {words}")
        assert str(found[0]).endswith(f"(judged by the bench, 0x{code:04X})")
        (found,) = self.watch(feedback(fault_code=codes))
        assert str(found[0]) == f"leg 4: drive: reports fault 0x{code:04X}"

    def test_homing_is_asked_for_only_where_it_is_needed(self):
        assert self.watch(feedback(homed=NO), homed=False) == [[]]

    def test_all_six_legs_at_once(self):
        for change in (
            {"fault_code": (1,) * 6},
            {"enabled": NO},
            {"homed": NO},
            {"speed_m_s": (math.nan,) * 6},
        ):
            (found,) = self.watch(feedback(**change))
            assert [v.leg for v in found] == list(LEGS)
        away = feedback(tuple(x + 0.1 for x in START))
        *before, last = self.watch(away, away, away)
        assert before == [[]] * 2
        assert [(v.check, v.leg) for v in last] == [(Check.FOLLOWING, leg) for leg in LEGS]
        *before, last = self.watch(*[feedback(fresh=NO)] * 3)
        assert before == [[]] * 2
        assert [(v.check, v.leg) for v in last] == [(Check.FEEDBACK, leg) for leg in LEGS]

    def test_only_the_silent_leg_is_counted(self):
        watch = FeedbackWatch(make_limits(missing_feedback_max=0))
        lost = feedback(fresh=changed(YES, 3, False))
        found = watch.step(lost, WATCHED[Mode.ENGAGED], START, ZERO)
        assert [(v.check, v.leg, v.value) for v in found] == [(Check.FEEDBACK, 3, 1)]
