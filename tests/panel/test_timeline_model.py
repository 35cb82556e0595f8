"""Spans of the modes as the frames tell them, and marks of the events in order."""

from itertools import pairwise

import numpy as np
from feed_samples import arm_facts, batch, event, mode_event, platform_facts
from hypothesis import given
from hypothesis import strategies as st

from hil.panel.live.models.timeline import MARKS_KEPT, SPANS_KEPT, TimelineModel
from hil.recording.frame import Level
from hil.stations.arm.journal import STATES
from safety.modes import Mode

FACTS = platform_facts()
NAMES = [one.name for one in Mode]


def fed(modes, *cuts):
    """A model that got the modes of 1 ms each in several parts."""
    model = TimelineModel(FACTS)
    borders = [0, *sorted(cuts), len(modes)]
    for start, end in pairwise(borders):
        codes = np.array(modes[start:end], dtype=float)
        model.take(batch(FACTS, count=len(codes), t_s=start * 1e-3, mode=codes), 0.0)
    return model


@given(st.data())
def test_spans_are_the_runs_of_equal_modes_however_they_came(data):
    modes = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=40))
    cuts = data.draw(st.lists(st.integers(0, len(modes)), max_size=4))
    spans = fed(modes, *cuts).spans
    starts = [k for k in range(len(modes)) if k == 0 or modes[k] != modes[k - 1]]
    assert [span.name for span in spans] == [NAMES[modes[k]] for k in starts]
    np.testing.assert_allclose([span.start_s for span in spans], [k * 1e-3 for k in starts])
    # Each lasts until the next one begins, the last one to the newest frame.
    ends = [k * 1e-3 for k in [*starts[1:], len(modes) - 1]]
    np.testing.assert_allclose([span.end_s for span in spans], ends)


def test_spans_have_the_colours_of_the_lamps():
    roles = {span.name: span.role for span in fed([0, 3, 5, 10]).spans}
    assert roles == {"OFF": "dim", "STANDBY": "ok", "ENGAGED": "ok", "FAULT": "fault"}


def test_the_serial_rises_for_a_new_span_but_not_for_a_longer_one():
    model = fed([3, 3])
    serial = model.serial
    model.take(batch(FACTS, count=5, t_s=0.002, mode=3), 0.0)
    assert model.serial == serial
    assert model.newest.end_s == 0.006
    model.take(batch(FACTS, t_s=0.007, mode=4), 0.0)
    assert model.serial > serial


def test_a_frame_without_a_mode_is_passed_over():
    model = fed([3, 3])
    model.take(batch(FACTS, t_s=0.002), 0.0)
    assert len(model.spans) == 1


def test_the_arm_shows_its_links_states():
    facts = arm_facts()
    model = TimelineModel(facts)
    codes = np.array([STATES.index(name) for name in ("offline", "streaming", "streaming")])
    model.take(batch(facts, count=3, state=codes), 0.0)
    assert [span.name for span in model.spans] == ["offline", "streaming"]


def test_marks_are_in_order_of_time_and_weight_is_their_colour():
    model = TimelineModel(FACTS)
    events = (
        mode_event("IDLE", 1.0),
        event("violation", "leg 3", 3.0, check="position"),
        event("note", "late", 2.0, Level.WARNING),
        event("mode", "CSTOP → FAULT", 3.0, Level.ERROR, mode="FAULT"),
    )
    model.take(batch(FACTS, *events, count=0), 0.0)
    assert [mark.t_s for mark in model.marks] == [1.0, 2.0, 3.0, 3.0]
    assert [mark.role for mark in model.marks] == ["accent", "warn", "fault", "fault"]
    assert [mark.message for mark in model.marks[2:]] == ["leg 3", "CSTOP → FAULT"]


def test_the_nearest_mark():
    model = TimelineModel(FACTS)
    assert model.around(1.0) is None
    model.take(batch(FACTS, *(event("note", "x", t) for t in (1.0, 2.0, 4.0)), count=0), 0.0)
    assert [model.around(t) for t in (-5.0, 1.4, 1.6, 2.9, 3.1, 99.0)] == [0, 0, 1, 1, 2, 2]


def test_a_seek_begins_anew_and_nothing_grows_for_ever():
    model = fed([0, 1] * SPANS_KEPT)
    assert len(model.spans) == SPANS_KEPT
    notes = [event("note", "x", float(k)) for k in range(MARKS_KEPT + 10)]
    model.take(batch(FACTS, *notes, count=0), 0.0)
    assert len(model.marks) == MARKS_KEPT
    serial = model.serial
    model.take(batch(FACTS, restart=True, count=0), 0.0)
    assert (model.spans, model.marks) == ((), ())
    assert model.serial > serial
