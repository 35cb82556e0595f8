"""Rows 21 to 25: what a drive tells in mid-motion, or what its encoder tells.

Each row's judgement is a function; the positive control patches the reaction out and the very same
judgement must object.
"""

import pytest
from bench_on_rack import in_motion
from fault_bench import FAST_LEG, SLOW_LEG
from fault_judges import (
    corrective,
    latched,
    nothing_comes_back,
    reacts_within,
    rods_at_rest,
    run_on,
    stopped_along_the_path,
)

from drives.can.frames import Frame
from drives.canopen.watch import Watch
from safety.controlled_stop import StopRamp
from safety.feedback import FeedbackWatch
from safety.plausibility import PlausibilityWatch
from safety.verdict import Check

LEG = FAST_LEG
EMCY = 0x4210
"""Excess temperature of the device (CiA 402-2, table of error codes)."""


def without_status(monkeypatch):
    monkeypatch.setattr(FeedbackWatch, "_judge_status", lambda *args: None)


# Row 21: a drive trips, and tells it by EMCY, by its statusword, or by both.


def play_row_21(end_in_request):
    bench = in_motion()
    emcy_id = 0x80 + bench.node_of(LEG)
    if end_in_request == "EMCY alone":
        bench.mark()
        bench.bus.forged.append(Frame(emcy_id, EMCY.to_bytes(2, "little") + bytes((0x09,) * 6)))
        return run_on(bench)
    bench.strike("emcy", LEG, EMCY)
    if end_in_request == "fault bit alone":
        bench.bus.alter = lambda frame: None if frame.can_id == emcy_id else frame
    return run_on(bench)


def judge_row_21(bench, code):
    reacts_within(bench, 2)
    stopped_along_the_path(bench, but=(LEG,))
    rods_at_rest(bench, but=(LEG,))
    nothing_comes_back(bench)
    found = latched(bench, Check.DRIVE, LEG).value
    assert found == code, f"the code is 0x{int(found):04X} instead of 0x{code:04X}"


@pytest.mark.parametrize(
    ("end_in_request", "code"), [("both", EMCY), ("EMCY alone", EMCY), ("fault bit alone", 0x1000)]
)
def test_row_21_emcy_or_fault_bit_in_the_statusword(end_in_request, code):
    judge_row_21(play_row_21(end_in_request), code)


def test_row_21_positive_control_nobody_judges_the_status(monkeypatch):
    without_status(monkeypatch)
    with pytest.raises(AssertionError, match=r"first corrective setpoint after|no reaction"):
        judge_row_21(play_row_21("both"), EMCY)


def test_row_21_positive_control_nobody_listens_to_emcy(monkeypatch):
    monkeypatch.setattr(Watch, "_emergency", lambda self, notes, data: None)
    with pytest.raises(AssertionError, match="the code is 0x1000 instead of 0x4210"):
        judge_row_21(play_row_21("both"), EMCY)


# Row 22: one drive leaves the state operation enabled by itself, without any fault.


def play_row_22():
    bench = in_motion()
    bench.words = []

    def note(frame):
        if frame.can_id == 0x180 + bench.node_of(LEG):
            bench.words.append(int.from_bytes(frame.data[:2], "little"))
        return frame

    bench.bus.alter = note
    bench.strike("state_drop", LEG, cycles=1)  # and could be enabled again at once
    return run_on(bench)


def judge_row_22(bench):
    assert bench.words[0] & 0x6F == 0x40, "the drive tells switch on disabled"
    reacts_within(bench, 2)
    stopped_along_the_path(bench, but=(LEG,))
    rods_at_rest(bench, but=(LEG,))
    nothing_comes_back(bench)
    assert "does not follow setpoints any more" in latched(bench, Check.DRIVE, LEG).note


def test_row_22_one_drive_leaves_operation_enabled():
    judge_row_22(play_row_22())


def test_row_22_positive_control(monkeypatch):
    without_status(monkeypatch)
    with pytest.raises(AssertionError, match=r"first corrective setpoint after|no reaction"):
        judge_row_22(play_row_22())


# Row 23: one rod lags behind.


def play_row_23(*, lag_judged=False):
    """The lag itself, if it is judged, is seen sooner than its following error."""
    bench = in_motion()
    if not lag_judged:
        bench.gate._lag.step = lambda *_: None
    bench.strike("lag", LEG, 0.1)
    return run_on(bench, 170)


def window_m(bench, index):
    """Following window of the leg in a cycle, from the rig's own figures [m]."""
    now, before = (bench.history[index - k].verdict.allowed.length_m[LEG - 1] for k in (0, 1))
    watch = bench.plan.rig.supervision
    speed_m_s = abs(now - before) / bench.period_s
    return watch.following_base_m + watch.following_per_speed_s * speed_m_s


def first_outside(bench):
    for cycle in bench.history[bench.cause :]:
        if cycle.verdict.allowed is None:
            break
        error_m = cycle.feedback.length_m[LEG - 1] - cycle.verdict.allowed.length_m[LEG - 1]
        if abs(error_m) > window_m(bench, cycle.index):
            return cycle.index
    raise AssertionError("the leg never left its window")


def judge_row_23(bench):
    """The window of time is `following_cycles`; 2 T more is the bound."""
    outside = first_outside(bench)
    after = corrective(bench) - outside
    bound = bench.plan.rig.supervision.following_cycles + 2
    assert after <= bound, f"{after} cycles outside of the window, {bound} is the bound"
    assert after >= bench.plan.rig.supervision.following_cycles, "one stray value is no alarm"
    stopped_along_the_path(bench)
    rods_at_rest(bench, but=(LEG,))
    nothing_comes_back(bench)
    fault = latched(bench, Check.FOLLOWING, LEG)
    # Three cycles later the leg moves a little faster or slower.
    assert fault.limit == pytest.approx(window_m(bench, outside), rel=0.02)
    assert fault.limit > 1.5 * bench.plan.rig.supervision.following_base_m, "it grows with speed"


@pytest.mark.pure_build
def test_row_23_following_error_on_one_leg():
    judge_row_23(play_row_23())


@pytest.mark.pure_build
def test_row_23_the_lag_is_seen_before_the_following_error():
    bench = play_row_23(lag_judged=True)
    assert corrective(bench) < first_outside(play_row_23())
    latched(bench, Check.LAG, LEG)


def test_row_23_positive_control(monkeypatch):
    monkeypatch.setattr(FeedbackWatch, "_judge_following", lambda *args: None)
    with pytest.raises(AssertionError, match="no reaction"):
        judge_row_23(play_row_23())


# Row 24: the process data of a drive repeat themselves, and all bits look well.


def play_row_24(leg):
    bench = in_motion()
    bench.leg = leg
    bench.strike("stuck", leg)
    return run_on(bench)


STUCK_CYCLES = 25
"""100 ms: the catalogue's bound in cycles of 4 ms; one more until it is on the wire."""


def judge_row_24(bench, check):
    reacts_within(bench, STUCK_CYCLES + 1)
    stopped_along_the_path(bench)
    rods_at_rest(bench)  # the rod itself is well: only its messages are old
    # Its speed is frozen too: without proof of standstill all six go on holding.
    nothing_comes_back(bench, let_go=False)
    latched(bench, check, bench.leg)


@pytest.mark.parametrize(("leg", "check"), [(SLOW_LEG, Check.STUCK), (FAST_LEG, Check.FOLLOWING)])
def test_row_24_feedback_frozen(leg, check):
    judge_row_24(play_row_24(leg), check)


def test_row_24_positive_control(monkeypatch):
    monkeypatch.setattr(PlausibilityWatch, "_judge_stuck", lambda *args: None)
    with pytest.raises(AssertionError, match=r"first corrective setpoint after|no reaction"):
        judge_row_24(play_row_24(SLOW_LEG), Check.STUCK)


# Row 25: the feedback jumps by 50 mm, in the encoder or only in its message.

JUMP_COUNTS = 50_000


def play_row_25(in_the_encoder):
    bench = in_motion()
    tpdo_id = 0x180 + bench.node_of(LEG)

    def jumped(frame):
        if frame.can_id != tpdo_id:
            return frame
        counts = int.from_bytes(frame.data[3:], "little", signed=True) + JUMP_COUNTS
        return Frame(tpdo_id, frame.data[:3] + counts.to_bytes(4, "little", signed=True))

    if in_the_encoder:
        bench.strike("jump", LEG, 0.05)
    else:
        bench.mark()
        bench.bus.alter = jumped
    bench.in_the_encoder = in_the_encoder
    return run_on(bench)


def judge_row_25(bench):
    reacts_within(bench, 1)
    own = (LEG,) if bench.in_the_encoder else ()
    first = stopped_along_the_path(bench, but=own)
    before, now = (bench.history[first - k].sent.length_m[LEG - 1] for k in (1, 0))
    assert abs(now - before) < 1e-3, "no step into what was measured"
    # A drive that believes its encoder pulls its rod along until it trips by itself.
    rods_at_rest(bench, but=own)
    nothing_comes_back(bench)
    assert abs(latched(bench, Check.JUMP, LEG).value) == pytest.approx(0.05, abs=0.002)


@pytest.mark.parametrize("in_the_encoder", [False, True])
def test_row_25_feedback_jumps_by_50_mm(in_the_encoder):
    judge_row_25(play_row_25(in_the_encoder))


@pytest.mark.parametrize("in_the_encoder", [False, True])
def test_row_25_positive_control_nobody_notices(monkeypatch, in_the_encoder):
    monkeypatch.setattr(PlausibilityWatch, "_judge_jump", lambda *args: None)
    with pytest.raises(AssertionError, match="first corrective setpoint after"):
        judge_row_25(play_row_25(in_the_encoder))


def test_row_25_positive_control_a_stop_from_elsewhere(monkeypatch):
    """A stop that begins 50 mm beside the commanded state does not get past the gate's own check,
    and what is left then, a quick stop, is not what this row wants."""
    begin = StopRamp.begin

    def beside(start_m, movement_m, brake_steps_m):
        start_m = (start_m[0] + 0.05, *start_m[1:])
        return begin(start_m, movement_m, brake_steps_m)

    monkeypatch.setattr(StopRamp, "begin", beside)
    with pytest.raises(AssertionError):
        judge_row_25(play_row_25(False))
