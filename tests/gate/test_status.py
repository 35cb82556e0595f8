"""Status records: what goes in comes out, and nothing else is taken for one."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import dear

from drives.bank import BankFeedback, DriveState
from hil.stations.platform.gate.status import SIGNALS, STATUS_SLOT_BYTES, StatusEncoder, decode
from hil.stations.platform.signals import SIGNALS as ROW
from hil.timing.clock import Tick
from hil_common.legs import DriveReading, LegTarget
from safety.modes import DriveRequest, Mode, Request, Severity
from safety.verdict import Action, Check, Verdict, Violation

floats = st.floats(allow_nan=False)
six = st.tuples(*[floats] * 6)
bools = st.tuples(*[st.booleans()] * 6)
words = st.integers(0, 2**32 - 1)
violations = st.builds(
    Violation,
    st.sampled_from(Check),
    st.none() | st.integers(1, 6),
    floats,
    floats,
    st.sampled_from(["", "m", "m/s", "m/s^2", "cycles"]),
    st.sampled_from(Severity),
    st.none() | floats,
    st.text(max_size=40),
    st.none() | st.sampled_from(Request),
)
some = st.lists(violations, max_size=4).map(tuple)
verdicts = st.builds(
    Verdict,
    st.integers(0, 2**40),
    st.sampled_from(Mode),
    st.sampled_from(Action),
    some,
    st.none() | st.builds(LegTarget, six, six),
    st.sampled_from(DriveRequest),
    some,
    st.none() | floats.filter(math.isfinite),
)
feedbacks = st.builds(
    lambda *values, **named: BankFeedback(*values, **named),  # the rest as they are left out
    six,
    six,
    six,
    st.tuples(*[st.sampled_from(DriveState)] * 6),
    bools,
    st.tuples(*[st.integers(0, 0xFFFF)] * 6),
    bools,
    st.none() | st.builds(LegTarget, six, six),
    st.none() | st.tuples(*[words] * 6),
    warning_code=st.tuples(*[st.integers(0, 0xFFFF)] * 6),
    waits=st.just(()),  # they go by themselves, when they change
    judged=bools,
    age_s=six,
    high=st.lists(
        st.builds(DriveReading, st.integers(1, 6), st.text(max_size=9), floats, floats, st.text()),
        max_size=2,
    ).map(tuple),
    failed=st.text(max_size=40),
)  # fmt: skip


def record(verdict, feedback, *, heard=True, encoder=None):
    tick = Tick(verdict.index, 1.5, 0.004, 0.0001)
    return (encoder or StatusEncoder()).pack(tick, verdict, feedback, heard, 0.0003, 12.5, 17)


@given(verdicts, feedbacks, st.booleans())
def test_a_cycle_comes_back_as_it_was(verdict, feedback, heard):
    status = decode(record(verdict, feedback, heard=heard))
    assert status.verdict == verdict
    assert status.feedback == feedback
    assert status.tick == Tick(verdict.index, 1.5, 0.004, 0.0001)
    assert (status.received, status.overruns) == (heard, 17)
    assert (status.round_trip_s, status.sent_s) == (0.0003, 12.5)
    assert not status.cut


@given(st.lists(st.tuples(verdicts, feedbacks), max_size=4))
@dear
def test_an_encoder_forgets_the_faults_of_before(cycles):
    encoder = StatusEncoder()
    for verdict, feedback in cycles:
        assert decode(record(verdict, feedback, encoder=encoder)).verdict == verdict


def plain():
    feedback = BankFeedback(
        (0.9,) * 6, (0.0,) * 6, (0.0,) * 6, (DriveState.ENABLED,) * 6, (True,) * 6, (0,) * 6,
        (True,) * 6, None,
    )  # fmt: skip
    verdict = Verdict(3, Mode.ENGAGED, Action.PASSED, (), None, DriveRequest.ENABLE, ())
    return verdict, feedback


def test_numbers_that_are_none_come_back_as_such():
    verdict, feedback = plain()
    silent = BankFeedback((math.nan,) * 6, *[getattr(feedback, f) for f in FIELDS[1:]])
    assert all(map(math.isnan, decode(record(verdict, silent)).feedback.length_m))


FIELDS = ("length_m", "speed_m_s", "force_n", "state", "homed", "fault_code", "fresh", "accepted")


@pytest.mark.parametrize("count", [1, 50, 300])
def test_more_violations_than_there_is_room_for_are_cut_and_told(count):
    _, feedback = plain()
    one = Violation(Check.DRIVE, 3, 1.0, 0.0, "m/s^2", Severity.STOP, 0.5, "ä" * 250)
    many = Verdict(3, Mode.FAULT, Action.BLOCKED, (one,) * count, None, DriveRequest.OFF, (one,))
    packed = record(many, feedback)
    assert len(packed) <= STATUS_SLOT_BYTES - 8
    status = decode(packed)
    assert status.cut is (count > 1)
    assert status.verdict.faults[0].check is Check.DRIVE, "faults go first"
    assert 1 <= len(status.verdict.violations) <= count


@pytest.mark.parametrize("size", [0, 1, 100, *(SIGNALS.size + more for more in (-1, 0, 1, 3))])
def test_what_is_cut_short_is_no_record(size):
    packed = record(*plain())
    with pytest.raises(ValueError, match="no status record"):
        decode(packed[:size])


@pytest.mark.parametrize("field", ["mode", "action", "drives", "state"])
def test_an_unknown_code_is_no_record(field):
    packed = bytearray(record(*plain()))
    names = [one.name for one in SIGNALS.fields]
    packed[SIGNALS.offsets[names.index(field)]] = 200
    with pytest.raises(ValueError, match="no status record"):
        decode(bytes(packed))


def test_a_record_says_of_a_cycle_what_its_row_says_and_as_the_row_says_it():
    """Its fields are those of the recording, but for what control has of itself."""
    of_control = {
        "busy_s", "flags", "wanted_pose", "asked_length_m", "asked_speed_m_s", "reached_pose",
        "reached_residual_m",
    }  # fmt: skip
    assert {*ROW.fields} - {*SIGNALS.fields} == {ROW[name] for name in of_control}


def test_words_for_which_there_is_no_room_are_cut_and_told():
    verdict, feedback = plain()
    many = feedback._replace(high=(DriveReading(1, "ä" * 100, 1.0, 0.5, "degC"),) * 30)
    status = decode(record(verdict, many))
    assert status.cut
    assert status.feedback.high == ()
