"""What is looked at once for six drives that follow, against the long way: no difference."""

import pytest
from canopen_bench import SCALES
from hypothesis import given
from hypothesis import strategies as st
from ideal_drives import IdealDrive
from scripted_bench import Scripted

from drives.axes.scaling import INT32_MAX, LegScale, SixScales
from drives.axes.sequence import SequenceTimes, SixAxes
from drives.axes.values import AxesFeedback
from drives.bank import DriveCommandError, DriveGoal
from drives.can.frames import Frame
from drives.canopen.watch import Watch

TIMES = SequenceTimes(still_s=0.01, rise_s=0.05, homing_s=0.5, settle_s=0.01, reset_s=0.01)
EVENTS = st.sampled_from(
    ["none"] * 12 + ["trip", "stale", "silent", "leave", "reboot", "mode", "held", *DriveGoal]
)


class LongWay(SixAxes):
    """The sequence without its short way."""

    def _steady_state(self):
        return None


def told(axes):
    return (
        axes.state,
        axes.homed,
        axes.homing_failed,
        axes.goal,
        axes.waiting,
        [axis.duty for axis in axes._axes],
    )


@pytest.mark.pure_build
@given(
    st.lists(st.tuples(EVENTS, st.integers(0, 5), st.booleans()), max_size=40),
    st.sampled_from([7, 8]),
)
def test_the_short_way_of_the_sequence_ends_where_the_long_one_does(events, mode):
    short, long = (cls(0.004, [100] * 6, work_mode=mode, times=TIMES) for cls in (SixAxes, LongWay))
    drives = [IdealDrive(1000 * leg) for leg in range(6)]
    taken = 0

    def cycle(targets, odd=None, leg=0):
        nonlocal taken
        taken += short.steady
        words = short.words(targets)
        assert words == long.words(targets)
        rows = zip(drives, words.controlword, words.mode, words.target, strict=True)
        for drive, word, its_mode, target in rows:
            drive.take(word, its_mode, target)
        fresh = [not (odd == "stale" and each == leg) for each in range(6)]
        alive = [not (odd == "silent" and each == leg) for each in range(6)]
        status = [drive.status() for drive in drives]
        seen = AxesFeedback(
            status, [d.mode for d in drives], [d.position for d in drives], fresh, alive
        )
        short.observe(seen)
        long.observe(seen)
        assert told(short) == told(long)

    for goal, cycles in ((DriveGoal.HOMED, 60), (DriveGoal.ENABLED, 20)):
        short.request(goal)
        long.request(goal)
        for _ in range(cycles):
            cycle(None)
    assert short.steady
    for number, (event, leg, commanded) in enumerate(events):
        if isinstance(event, DriveGoal):
            short.request(event)
            long.request(event)
        elif event == "trip":
            drives[leg].trip()
        elif event == "leave":
            drives[leg].follows = not drives[leg].follows
        elif event == "reboot":
            short.forget_reference(leg)
            long.forget_reference(leg)
        elif event == "mode":
            drives[leg].stuck_mode = None if drives[leg].stuck_mode else 6
        elif event == "held":
            drives[leg].held = not drives[leg].held
        cycle([1000 + number] * 6 if commanded else None, event, leg)
    assert taken > 1


SCALE = st.builds(
    LegScale, st.floats(1e3, 1e8), st.sampled_from([1, -1]), st.floats(-2.0, 2.0)
)  # fmt: skip
NUMBER = st.floats(-3.0, 3.0) | st.floats() | st.just(0.0)


@given(
    st.lists(SCALE, min_size=6, max_size=6),
    st.tuples(*[NUMBER] * 6),
    st.tuples(*[st.integers(-INT32_MAX - 1, INT32_MAX)] * 6),
)
def test_six_scales_are_six_times_one(legs, values, counts):
    six = SixScales(legs)
    assert six.lengths_m(counts) == tuple(s.length_m(c) for s, c in zip(legs, counts, strict=True))
    assert six.speeds_m_s(counts) == tuple(
        s.speed_m_s(c) for s, c in zip(legs, counts, strict=True)
    )
    for of_six, of_one in (("counts", "counts"), ("speed_counts", "speed_counts")):
        found, refused = [], 0
        for leg, (scale, value) in enumerate(zip(legs, values, strict=True), start=1):
            try:
                found.append(getattr(scale, of_one)(value))
            except DriveCommandError:
                refused = refused or leg
        if refused:
            with pytest.raises(DriveCommandError, match=f"leg {refused}: "):
                getattr(six, of_six)(values)
        else:
            assert getattr(six, of_six)(values) == tuple(found)


@pytest.mark.parametrize("speed_m_s", [2200.0, -2200.0, 1e300])
def test_a_speed_that_no_count_stands_for_is_refused_though_nobody_needs_it(speed_m_s):
    six = SixScales(SCALES)
    six.check_speeds((2100.0, -2100.0, 0.0, 0.0, 0.0, 0.0))
    with pytest.raises(DriveCommandError, match="leg 3: speed"):
        six.check_speeds((0.0, 0.0, speed_m_s, 0.0, 0.0, 0.0))


HEARD = st.sampled_from(
    [(0x700, b"\x05")] * 8
    + [(0x700, b"\x00"), (0x700, b"\x7f"), (0x080, bytes(8)), (0x080, b"\x10\x43" + bytes(6))]
    + [(0x200, bytes(7))]
)


@given(st.lists(st.tuples(HEARD, st.integers(1, 6), st.floats(0.0, 0.03)), max_size=60))
def test_one_look_at_six_nodes_says_what_six_looks_say(events):
    watch, now_s = Watch(range(1, 7), (0,) * 6, 127, 0.02), 0.0
    watch.begin_operation(now_s)
    for node in range(1, 7):
        watch.take(Frame(0x700 + node, b"\x05"), 0, now_s)
    assert watch.all_well(now_s)
    for (base, data), node, after_s in events:
        now_s += after_s
        if base == 0x200 and node != 6:
            continue
        watch.take(Frame(base + node, data), 0, now_s)
        codes = (*watch.judgements(now_s), *(notes.code for notes in watch.nodes))
        well = all(watch.alive(leg, now_s) for leg in range(6)) and not any(codes)
        assert watch.all_well(now_s) == well


def test_the_inputs_are_known_in_the_very_first_cycle():
    scripted = Scripted()
    for leg in range(1, 7):
        scripted.node(leg).objects[0x60FD, 0] = (leg % 2 * 8).to_bytes(4, "little")
    scripted.bank.configure()
    assert scripted.bank.exchange(None).inputs == (8, 0, 8, 0, 8, 0)
    scripted.bus.put(0x382, "08000000")
    assert scripted.run(1).inputs == (8, 8, 8, 0, 8, 0)


def test_inputs_that_one_drive_does_not_tell_are_unknown():
    scripted = Scripted()
    scripted.node(6).lacks = {(0x60FD, 0)}
    scripted.bank.configure()
    assert scripted.bank.exchange(None).inputs is None
