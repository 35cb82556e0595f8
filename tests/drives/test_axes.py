"""The sequence of six drives: all or none, homing without stale bits, nothing by itself."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ideal_drives import IdealDrive, Six

from drives.axes.cia402 import State402
from drives.axes.duty import Duty
from drives.axes.sequence import SequenceTimes, SixAxes
from drives.bank import DriveGoal, DriveModelError, DriveState

TIMES = SequenceTimes(still_s=0.05, rise_s=0.2, homing_s=1.0, settle_s=0.05, reset_s=0.02)
ENABLED = (DriveState.ENABLED,) * 6
DISABLED = (DriveState.DISABLED,) * 6


def new(work_mode=8, drives=None):
    return Six(SixAxes(0.01, (5,) * 6, work_mode=work_mode, times=TIMES), drives)


def home(six):
    six.axes.request(DriveGoal.HOMED)
    six.until(lambda: all(six.axes.homed) and six.axes.state == DISABLED)


def works(axes):
    """Whether any drive follows commands."""
    return any(axis.duty is Duty.WORK for axis in axes._axes)


def enable(six):
    six.axes.request(DriveGoal.ENABLED)
    six.until(lambda: six.axes.state == ENABLED and works(six.axes))


@pytest.fixture
def six():
    return new()


@pytest.fixture
def enabled(six):
    home(six)
    enable(six)
    return six


def test_nothing_is_asked_for_nothing_happens(six):
    assert six.run(100) == DISABLED
    assert six.sent.controlword == (6,) * 6
    assert six.sent.mode == (8,) * 6
    assert not any(drive.starts for drive in six.drives)


def test_homing_shows_mode_6_before_the_start_bit_rises(six):
    seen = []
    six.axes.request(DriveGoal.HOMED)
    for _ in range(200):
        display = six.drives[2].mode
        six.cycle()
        seen.append((six.sent.controlword[2], display))
    started = [display for word, display in seen if word & 0x10]
    assert started
    assert set(started) == {6}
    assert six.axes.homed == (True,) * 6
    assert six.axes.state == DISABLED
    assert six.sent.mode == (8,) * 6


def test_a_drive_whose_display_stays_at_8_is_never_started(six):
    six.drives[4].stuck_mode = 8
    six.axes.request(DriveGoal.HOMED)
    six.run(150)
    assert six.drives[4].starts == 0
    assert not six.axes.homed[4]
    assert six.axes.homing_failed[4]
    assert "leg 5" in six.axes.waiting


def test_bits_of_an_earlier_homing_are_not_taken_for_this_one(six):
    class Slow(IdealDrive):
        """Clears the outcome of the homing before only some cycles after the start."""

        stale_cycles = 0

        def _home(self, word):
            starts = self.starts
            super()._home(word)
            if self.starts > starts:
                self.stale_cycles = 4
            if self.stale_cycles > 0:
                self.stale_cycles -= 1
                self.outcome = 0x1400 if self.stale_cycles else 0

    six.drives[1] = Slow(1000)
    six.drives[1].outcome = 0x1400
    six.axes.request(DriveGoal.HOMED)
    six.until(lambda: six.drives[1].starts == 1)
    for _ in range(15):
        six.cycle()
        assert not six.axes.homed[1]
    six.until(lambda: six.axes.homed[1])
    assert six.drives[1].position == 0


def test_the_csp_bits_12_and_10_do_not_home_anything(six):
    """In mode 8 the very same bits stand in a healthy statusword."""
    for drive in six.drives:
        drive.stuck_mode = 8
    six.axes.request(DriveGoal.HOMED)
    six.run(200)
    assert six.axes.homed == (False,) * 6


def test_a_failed_homing_stops_the_other_five_and_is_not_tried_again(six):
    six.drives[3].homing_fails = True
    six.drives[3].homing_cycles = 5
    six.axes.request(DriveGoal.HOMED)
    six.run(200)
    assert six.axes.homing_failed == (False, False, False, True, False, False)
    assert six.axes.homed == (False,) * 6
    assert six.axes.state == DISABLED
    assert six.axes.goal is None
    assert six.axes.waiting == "homing failed at leg 4"
    assert [drive.starts for drive in six.drives] == [1] * 6
    six.axes.request(DriveGoal.DISABLED)
    assert six.axes.homing_failed == (False,) * 6
    six.drives[3].homing_fails = False
    home(six)


def test_homed_legs_are_not_homed_again(six):
    home(six)
    home(six)
    assert [drive.starts for drive in six.drives] == [1] * 6


def test_only_the_leg_that_restarted_is_homed_again(six):
    home(six)
    six.axes.forget_reference(2)
    assert six.axes.homed == (True, True, False, True, True, True)
    home(six)
    assert [drive.starts for drive in six.drives] == [1, 1, 2, 1, 1, 1]


def test_unhomed_legs_are_not_enabled(six):
    six.axes.request(DriveGoal.ENABLED)
    assert six.run(200) == DISABLED
    assert six.sent.controlword == (6,) * 6
    assert "leg 1, 2, 3, 4, 5, 6: its reference is not known, expected homing" in six.axes.waiting


@pytest.mark.parametrize("leg", range(6))
def test_none_is_enabled_while_one_cannot(six, leg):
    home(six)
    six.drives[leg].held = True
    six.axes.request(DriveGoal.ENABLED)
    six.run(100)
    assert six.axes.state == DISABLED
    assert all(word == 6 for word in six.sent.controlword)
    assert f"leg {leg + 1}: statusword (6041h) is 0x0640, switch on disabled" in six.axes.waiting
    six.drives[leg].held = False
    six.until(lambda: six.axes.state == ENABLED)


def test_all_six_enter_operation_enabled_in_the_same_cycle(six):
    home(six)
    six.axes.request(DriveGoal.ENABLED)
    words = []
    for _ in range(60):
        six.cycle()
        words.append(six.sent.controlword)
    assert {len(set(each)) for each in words} == {1}
    assert [each[0] for each in words if each[0] not in (6,)][:3] == [7, 15, 15]


def test_a_leg_that_falls_on_the_way_up_takes_the_others_down(six):
    home(six)
    six.axes.request(DriveGoal.ENABLED)
    six.until(lambda: 7 in six.sent.controlword)
    six.drives[5].trip()
    six.run(20)
    assert six.axes.state == (*DISABLED[:5], DriveState.FAULT)
    assert six.sent.controlword[:5] == (6,) * 5
    assert six.axes.goal is None
    assert six.axes.waiting == "enabling failed at leg 6"


def test_a_leg_that_never_follows_ends_the_enabling_of_all(six):
    home(six)
    six.drives[0].follows = False
    six.axes.request(DriveGoal.ENABLED)
    six.run(200)
    assert six.axes.state == DISABLED
    assert six.axes.waiting == "enabling took too long at leg 1"


def test_the_target_is_the_actual_position_until_all_six_work(six):
    home(six)
    far = [10**6] * 6
    six.axes.request(DriveGoal.ENABLED)
    for _ in range(100):
        places = [drive.position for drive in six.drives]
        working = works(six.axes)
        six.cycle(far)
        if working:
            break
        assert list(six.sent.target) == places
        assert six.sent.commanded == (False,) * 6
    assert six.sent.target == tuple(far)
    assert six.sent.commanded == (True,) * 6


def test_without_a_command_the_last_target_stands(enabled):
    enabled.cycle([7, 6, 5, 4, 3, 2])
    for drive in enabled.drives:
        drive.position += 3  # sag: must not be taken over into the target
    enabled.cycle(None)
    assert enabled.sent.target == (7, 6, 5, 4, 3, 2)
    assert enabled.sent.commanded == (False,) * 6


def test_a_leg_that_does_not_follow_or_shows_another_mode_is_not_enabled(enabled):
    enabled.drives[1].follows = False
    enabled.drives[2].stuck_mode = 1
    states = enabled.cycle([0] * 6)
    assert states[1] is DriveState.UNKNOWN
    assert states[2] is DriveState.UNKNOWN
    assert states[0] is DriveState.ENABLED
    enabled.cycle([0] * 6)
    assert enabled.sent.controlword[2] == 2  # quick stop: nobody knows what it would follow


def test_a_dropped_leg_is_not_taken_up_again_and_the_others_go_on(enabled):
    enabled.drives[3].state = State402.SWITCH_ON_DISABLED
    enabled.run(50, [10] * 6)
    assert enabled.axes.state == (*ENABLED[:3], DriveState.DISABLED, *ENABLED[4:])
    assert enabled.sent.controlword == (15, 15, 15, 6, 15, 15)
    assert enabled.sent.commanded == (True, True, True, False, True, True)


def test_a_reached_goal_is_forgotten(enabled):
    enabled.axes.request(DriveGoal.ENABLED)
    enabled.drives[3].state = State402.SWITCH_ON_DISABLED
    enabled.run(5)
    for drive in enabled.drives:
        drive.state = State402.SWITCH_ON_DISABLED
    assert enabled.run(200) == DISABLED
    assert enabled.sent.controlword == (6,) * 6


def test_a_fault_is_acknowledged_only_for_disabled_and_at_standstill(enabled):
    drive = enabled.drives[0]
    drive.trip()
    enabled.run(100, [0] * 6)
    assert enabled.axes.state[0] is DriveState.FAULT
    assert enabled.sent.controlword[0] & 0x80 == 0
    enabled.axes.request(DriveGoal.DISABLED)
    for _ in range(100):
        drive.position += 10  # still moving
        enabled.cycle()
        assert enabled.sent.controlword[0] & 0x80 == 0
    enabled.until(lambda: enabled.axes.state == DISABLED, limit=30)


def test_a_lasting_fault_is_acknowledged_again_with_a_new_edge(enabled):
    enabled.axes.request(DriveGoal.DISABLED)
    enabled.run(30)
    words = []
    enabled.drives[0].lasting_fault = True
    for _ in range(40):
        enabled.cycle()
        words.append(enabled.sent.controlword[0] & 0x80)
    edges = sum(1 for a, b in pairwise(words) if b and not a)
    assert words[0] == 0
    assert edges == 10


def test_a_silent_leg_is_unknown_and_told_to_stop(enabled):
    enabled.drives[2].alive = False
    states = enabled.run(2, [0] * 6)
    assert states[2] is DriveState.UNKNOWN
    assert enabled.sent.controlword[2] == 2
    enabled.drives[2].alive = True
    assert enabled.run(50, [0] * 6)[2] is DriveState.QUICK_STOP


def test_stale_values_move_the_sequence_nowhere(six):
    home(six)
    six.run(10)
    six.axes.request(DriveGoal.ENABLED)
    six.drives[0].fresh = False
    six.run(6)
    assert [drive.state for drive in six.drives] == [State402.SWITCHED_ON] * 6
    assert six.sent.controlword == (7,) * 6
    six.drives[0].fresh = True
    six.until(lambda: six.axes.state == ENABLED)


def test_a_quick_stop_is_left_through_disabled_only(enabled):
    enabled.axes.request(DriveGoal.QUICK_STOPPED)
    assert enabled.run(2) == (DriveState.QUICK_STOP,) * 6
    enabled.axes.request(DriveGoal.ENABLED)
    assert enabled.run(200) == (DriveState.QUICK_STOP,) * 6
    assert enabled.sent.controlword == (2,) * 6
    enabled.axes.request(DriveGoal.DISABLED)
    enabled.run(3)
    enable(enabled)


def test_a_quick_stop_leaves_disabled_legs_disabled(six):
    six.axes.request(DriveGoal.QUICK_STOPPED)
    assert six.run(20) == DISABLED


def test_a_restart_ends_work_at_once(enabled):
    enabled.axes.forget_reference(4)
    enabled.drives[4].state = State402.SWITCH_ON_DISABLED
    enabled.run(100, [0] * 6)
    assert enabled.axes.homed[4] is False
    assert enabled.sent.controlword[4] == 6


def test_disabling_while_homing_keeps_mode_6_until_the_power_is_off(six):
    six.axes.request(DriveGoal.HOMED)
    six.until(lambda: six.drives[0].starts)
    six.axes.request(DriveGoal.DISABLED)
    six.cycle()
    assert six.sent.mode == (6,) * 6
    six.run(2)
    assert six.sent.mode == (8,) * 6
    assert six.axes.state == DISABLED
    assert six.axes.homed == (False,) * 6


def test_interpolated_position_needs_bit_4(six):
    six = new(work_mode=7)
    home(six)
    enable(six)
    six.cycle([1] * 6)
    assert six.sent.mode == (7,) * 6
    assert six.sent.controlword == (0x1F,) * 6


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0.01, (5,) * 5), "six distances"),
        ((0.0, (5,) * 6), "must be positive"),
        ((0.01, (5,) * 6, 1), "follows in"),
    ],
)
def test_a_sequence_that_makes_no_sense_is_refused(arguments, text):
    period_s, still, *mode = arguments
    with pytest.raises(DriveModelError, match=text):
        SixAxes(period_s, still, work_mode=mode[0] if mode else 8)


EVENTS = st.one_of(
    st.sampled_from(DriveGoal),
    st.tuples(
        st.sampled_from(["trip", "held", "alive", "fresh", "follows", "drop", "restart"]),
        st.integers(0, 5),
    ),
    st.integers(1, 30),
)


@given(st.lists(EVENTS, max_size=25), st.booleans())
def test_whatever_happens_no_leg_is_powered_without_its_goal(events, homed_first):
    """Operation is enabled for homing or, homed, by the goal ENABLED asked for since the last
    disabling; a command reaches a wire only at legs that are told as enabled just before."""
    six = new()
    if homed_first:
        home(six)
    asked = False
    for event in events:
        if isinstance(event, DriveGoal):
            six.axes.request(event)
            asked = event is DriveGoal.ENABLED or (asked and event is DriveGoal.HOMED)
        elif isinstance(event, tuple):
            happen(six, *event)
        for _ in range(event if isinstance(event, int) else 1):
            before, homed = six.axes.state, six.axes.homed
            six.cycle([12345] * 6)
            rows = zip(
                six.sent.controlword, six.sent.mode, six.sent.commanded, before, homed, strict=True
            )
            for word, mode, commanded, state, was_homed in rows:
                enables = word & 0x0F == 0x0F
                assert not (enables and mode == 8) or (asked and was_homed)
                assert not commanded or (asked and was_homed)
                assert not (commanded and state is DriveState.FAULT)


def happen(six, what, leg):
    drive = six.drives[leg]
    if what == "trip":
        drive.trip()
    elif what == "drop" and drive.state is State402.OPERATION_ENABLED:
        drive.state = State402.SWITCH_ON_DISABLED
    elif what == "restart":
        drive.state = State402.SWITCH_ON_DISABLED
        six.axes.forget_reference(leg)
    elif what in ("held", "alive", "fresh", "follows"):
        setattr(drive, what, not getattr(drive, what))


# A drive that runs away in homing


def runaway_six(step=200, homing_counts_per_s=2000.0):
    """Homing at 2000 counts/s, 20 a cycle: three times that is where a drive runs away."""
    axes = SixAxes(0.01, (5,) * 6, times=TIMES, homing_counts_per_s=(homing_counts_per_s,) * 6)
    six = Six(axes, [IdealDrive(1000 * leg) for leg in range(6)])
    for drive in six.drives:
        drive.step = 20
    six.drives[3].step = step
    return six


def start_homing(six):
    six.axes.request(DriveGoal.HOMED)
    six.until(lambda: six.drives[3].homing_left is not None)


def test_a_drive_that_runs_away_in_homing_loses_its_power_within_three_cycles():
    six = runaway_six()
    start_homing(six)
    words = []
    for _ in range(4):
        six.cycle()
        words.append(six.sent.controlword[3])
    assert 0 in words  # disable voltage (transition 9): the brake, and no ramp
    assert six.drives[3].state is not State402.OPERATION_ENABLED
    six.run(50)
    assert not any(six.axes.homed)
    assert "leg 4" in six.axes.waiting
    assert {drive.state for drive in six.drives} == {State402.READY_TO_SWITCH_ON}


@pytest.mark.parametrize("step", [59, -59])
def test_a_drive_within_the_bound_is_left_to_its_homing(step):
    six = runaway_six(step)
    start_homing(six)
    six.until(lambda: all(six.axes.homed))


def test_the_new_zero_is_no_running_away():
    six = runaway_six(20)
    six.drives[3].position = 10_000_000
    start_homing(six)
    six.until(lambda: all(six.axes.homed))


def test_unwatched_it_goes_on():
    """The control: without the watch the same drive is homed at any speed."""
    six = runaway_six(homing_counts_per_s=0.0)
    start_homing(six)
    six.until(lambda: all(six.axes.homed))


def test_a_drive_that_does_not_take_its_quick_stop_loses_its_power_without_a_ramp(enabled):
    six = enabled
    six.axes.request(DriveGoal.QUICK_STOPPED)
    deaf = six.drives[2]
    take, deaf.take = deaf.take, lambda word, mode, target: None
    six.run(5)
    assert six.drives[1].state is State402.QUICK_STOP_ACTIVE
    assert deaf.state is State402.OPERATION_ENABLED
    six.axes.request(DriveGoal.DISABLED)
    six.cycle()
    assert six.sent.controlword[2] == 0  # disable voltage; a ramp would be 0x0006
    deaf.take = take
    six.run(10)
    assert {drive.state for drive in six.drives} == {State402.READY_TO_SWITCH_ON}
