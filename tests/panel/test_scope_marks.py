"""Words of marks: short, the newest first, never over each other."""

from hypothesis import given
from hypothesis import strategies as st
from scope_samples import event

from hil.panel.scope.models.marks import WORDS_MAX, fitting, near, words_of
from hil.recording.frame import EventKind


def test_a_mode_is_called_by_the_one_that_begins_and_a_fault_by_its_message():
    assert words_of(event(1.0, EventKind.MODE, "HOLD -> PARKING")) == "PARKING"
    assert words_of(event(1.0, EventKind.FAULT, "leg 3 -> 4 mm")) == "leg 3 -> 4 mm"
    assert len(words_of(event(1.0, EventKind.FAULT, "x" * 100))) == WORDS_MAX


def test_the_newest_have_their_words_first():
    assert fitting([(0.0, 10.0), (5.0, 15.0), (18.0, 20.0)], 2.0) == (2, 1)
    assert fitting([(0.0, 10.0), (12.0, 15.0)], 2.0) == (1, 0)
    assert fitting([(0.0, 10.0), (11.0, 15.0)], 2.0) == (1,)
    assert fitting([], 2.0) == ()


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0.1, 30)), max_size=20))
def test_what_is_shown_never_overlaps_and_nothing_more_fits(parts):
    spans = [(left, left + width) for left, width in parts]
    shown = fitting(spans, 1.0)

    def apart(a, b):
        return spans[a][1] + 1.0 <= spans[b][0] or spans[b][1] + 1.0 <= spans[a][0]

    assert all(apart(a, b) for a in shown for b in shown if a != b)
    rest = set(range(len(spans))) - set(shown)
    assert all(any(not apart(one, other) for other in shown) for one in rest)


def test_marks_near_a_time():
    marks = [event(1.0), event(2.0), event(2.1)]
    assert near(marks, 2.05, 0.06) == tuple(marks[1:])
    assert near(marks, 1.5, 0.1) == ()
