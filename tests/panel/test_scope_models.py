"""Ring, envelope, channels, cursors, export and the scope's state, without a window."""

import csv
import math

import numpy as np
import pytest
from feed_samples import arm_facts
from hypothesis import given
from hypothesis import strategies as st
from row_samples import ARM, PLATFORM
from scope_samples import FORCE1, LEG1, LEG2, NAMES, PERIOD_S, batch, event, facts, rows

from hil.panel.live.models.feed import Batch, RunFacts
from hil.panel.scope.models.channels import branches_of, channel_named, channels_of
from hil.panel.scope.models.cursors import Cursors, nearest, readings
from hil.panel.scope.models.envelope import Envelope, bucket_size
from hil.panel.scope.models.export import ExportError, write_csv, write_new
from hil.panel.scope.models.ring import SignalHistory, Window
from hil.panel.scope.models.scope import MAX_TRACES, ScopeError, ScopeModel, first_columns
from hil.panel.scope.models.trigger import Edge, Sweep, TriggerPhase, TriggerSettings
from hil.recording.events import EventKind
from hil.recording.header import RunHeader


def stream(count: int, signals: int = 3) -> np.ndarray:
    """Signal 0 is the time, the others are noise with holes."""
    table = np.random.default_rng(count).normal(size=(count, signals))
    table[:, 0] = 0.01 * np.arange(count)
    table[np.random.default_rng(7).random(count) < 0.1, 2] = np.nan
    return table


# Ring


@given(st.lists(st.integers(0, 40), max_size=20), st.integers(1, 30))
def test_a_ring_holds_the_newest_samples_in_order_as_one_view(parts, samples):
    table = stream(sum(parts))
    ring = SignalHistory(3, samples, 0.01, time_column=0)
    start = 0
    for part in parts:
        ring.push(table[start : start + part])
        start += part
        kept = table[max(0, start - samples) : start]
        window = ring.window
        np.testing.assert_array_equal(window.values, kept.T)
        np.testing.assert_array_equal(window.t_s, kept[:, 0])
        assert (window.first, window.end) == (start - len(kept), start)
        assert not len(window) or window.values.base is ring._values
        assert window.values[1].flags.c_contiguous


def test_a_hole_in_time_becomes_one_sample_that_is_not_there():
    ring = SignalHistory(3, 50, 0.01, time_column=0)
    table = stream(30)
    ring.push(table[:10])
    ring.push(np.delete(table[10:], [0, 1, 2, 10, 11, 12], axis=0))
    window = ring.window
    assert np.isnan(window.values[1]).sum() == 2
    assert len(window) == 30 - 6 + 2
    assert (np.diff(window.t_s) > 0).all()
    np.testing.assert_allclose(window.t_s[np.isnan(window.values[1])], [0.11, 0.21])


def test_a_jitter_of_one_period_is_no_hole():
    ring = SignalHistory(3, 50, 0.01, time_column=0)
    ring.push(np.delete(stream(10), 5, axis=0))
    assert not np.isnan(ring.window.values[1]).any()


def test_time_that_goes_back_is_another_run():
    ring = SignalHistory(3, 50, 0.01, time_column=0)
    table = stream(20)
    ring.push(table)
    epoch = ring.epoch
    ring.push(np.vstack([table[15:], table[:4]]))
    assert ring.epoch > epoch
    np.testing.assert_array_equal(ring.window.values[1], table[:4, 1])


def test_rows_of_a_recording_are_lent_until_others_follow():
    table = stream(40)
    table.setflags(write=False)
    ring = SignalHistory(3, 25, 0.01, time_column=0)
    ring.replace(table[:30])
    np.testing.assert_array_equal(ring.window.values, table[5:30].T)
    assert ring.window.values.base is not ring._values
    ring.push(table[30:33])
    np.testing.assert_array_equal(ring.window.values, table[8:33].T)


def test_rows_that_may_change_are_not_lent():
    table = stream(10)
    ring = SignalHistory(3, 25, 0.01, time_column=0)
    ring.replace(table)
    table[:] = 5.0
    assert not (ring.window.values[1] == 5.0).any()


def test_a_kept_window_stays_when_the_ring_goes_on():
    table = stream(40)
    ring = SignalHistory(3, 20, 0.01, time_column=0)
    ring.push(table[:20])
    kept = ring.window.kept()
    ring.push(table[20:])
    np.testing.assert_array_equal(kept.values, table[:20].T)
    with pytest.raises(ValueError, match="read-only"):
        kept.values[0, 0] = 1.0


def test_a_ring_without_room_is_refused():
    with pytest.raises(ValueError, match="0 samples"):
        SignalHistory(3, 0, 0.01, 0)


# Envelope


def envelope_oracle(values: np.ndarray) -> tuple[float, float]:
    known = [value for value in values.tolist() if not math.isnan(value)]
    return (min(known), max(known)) if known else (math.nan, math.nan)


finite_or_hole = st.one_of(st.floats(-1e6, 1e6), st.just(math.nan))


@given(
    st.lists(finite_or_hole, min_size=1, max_size=200),
    st.integers(1, 17),
    st.integers(0, 50),
)
def test_a_line_has_every_extreme_of_its_window(values, bucket, first):
    data = np.array(values)
    times = 0.01 * np.arange(first, first + len(data))
    window = Window(0, first, times, data[None, :])
    (line,) = Envelope().lines(window, [0], bucket)
    low, high = envelope_oracle(data)
    np.testing.assert_equal(envelope_oracle(line.y), (low, high))
    assert len(line.x) == len(line.y)
    assert (np.diff(line.x) >= 0.0).all()
    # And every bucket by itself has both of its extremes, near the time at which they were.
    for start in range(first - first % bucket, first + len(data), bucket):
        inside = slice(max(0, start - first), start + bucket - first)
        low, high = envelope_oracle(data[inside])
        near = (line.x >= times[inside][0] - 1e-9) & (line.x <= times[inside][-1] + 1e-9)
        np.testing.assert_equal(envelope_oracle(line.y[near]), (low, high))


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=12),
    st.integers(2, 9),
    st.integers(5, 120),
    st.integers(4, 100),
)
def test_made_as_samples_come_it_is_as_made_at_once(parts, bucket, samples, seen):
    ring = SignalHistory(3, samples, 0.01, time_column=0)
    table = stream(sum(parts))
    grown = Envelope()
    start = 0
    for part in parts:
        ring.push(table[start : start + part])
        start += part
        window = ring.window.part(max(0, len(ring.window) - seen), len(ring.window))
        now = grown.lines(window, [1, 2], bucket)
        fresh = Envelope().lines(window, [1, 2], bucket)
        for a, b in zip(now, fresh, strict=True):
            np.testing.assert_array_equal(a.x, b.x)
            np.testing.assert_array_equal(a.y, b.y)


def test_other_signals_and_another_run_are_not_mixed_up():
    envelope = Envelope()
    table = stream(100)
    ring = SignalHistory(3, 100, 0.01, time_column=0)
    ring.push(table)
    first = envelope.lines(ring.window, [1], 10)[0].y
    other = envelope.lines(ring.window, [2], 10)[0].y
    assert np.nanmax(first) == table[:, 1].max()
    assert np.nanmax(other) == np.nanmax(table[:, 2])
    ring.clear()
    ring.push(table * 2.0)
    assert np.nanmax(envelope.lines(ring.window, [2], 10)[0].y) == 2.0 * np.nanmax(table[:, 2])


@pytest.mark.parametrize("hole", [(38, 43), (40, 43), (38, 40)])
def test_a_hole_between_buckets_breaks_the_line(hole):
    values = np.ones(100)
    values[slice(*hole)] = np.nan
    window = Window(0, 0, 0.01 * np.arange(100), values[None, :])
    (line,) = Envelope().lines(window, [0], 10)
    breaks = line.x[np.isnan(line.y)]
    assert len(breaks)
    assert ((breaks > 0.3) & (breaks < 0.5)).all()


def test_there_are_no_more_buckets_than_pixels():
    for samples, pixels in ((60_000, 800), (799, 800), (800, 800), (801, 800), (5, 0)):
        size = bucket_size(samples, pixels)
        assert size >= 1
        assert math.ceil(samples / size) <= max(1, pixels)


# Channels


def test_whole_frames_of_the_arm_are_kept_though_not_all_of_them_are_signals():
    model = ScopeModel(arm_facts())
    frames = np.arange(3.0 * ARM.values).reshape(3, ARM.values)
    times = [channel_named(model.channels, "t_s").column]
    frames[:, times] = 0.35 * np.arange(3.0)[:, None]
    model.take(Batch(frames))
    last = model.channels[-1]
    assert model._ring.window.values[last.column, -1] == frames[-1, last.column]


def test_every_column_of_both_stations_is_a_channel_with_its_unit():
    for layout in (PLATFORM, ARM):
        channels = channels_of(layout)
        columns = list(enumerate(layout.columns()))
        signals = [(k, name) for k, name in columns if not name.startswith("space_way_")]
        assert [(channel.column, channel.name) for channel in channels] == signals
        assert len(columns) == layout.values
    platform = {channel.name: channel for channel in channels_of(PLATFORM)}
    assert platform["wanted_z_m"].unit == "m"
    assert platform["wanted_alpha_rad"].unit == "rad"
    assert platform[FORCE1].unit == "N"
    assert platform[FORCE1].short == "leg1"
    assert platform["reached_residual_m"].short == ""
    assert platform["mode"].plot != platform["action"].plot
    arm = {channel.name: channel for channel in channels_of(ARM)}
    assert arm["space_qz"].unit == "1"
    assert arm["sent_o_0.001deg"].unit == "0.001 deg"
    assert arm["margin_elbow_m"].unit == "m"
    assert arm["margin_wrist_1"].unit == "1"


def test_the_tree_is_of_what_was_asked_allowed_sent_and_measured():
    branches = branches_of(channels_of(PLATFORM))
    groups = list(dict.fromkeys(branch.group for branch in branches))
    assert groups == ["wanted", "asked", "allowed", "sent", "measured", "reached", "cycle"]
    assert sum(len(branch.channels) for branch in branches) == PLATFORM.values
    length = next(branch for branch in branches if branch.field == "measured_length_m")
    assert [channel.short for channel in length.channels] == [f"leg{leg}" for leg in range(1, 7)]


def test_an_unknown_signal_is_refused_with_others_like_it():
    with pytest.raises(KeyError, match="measured_length_leg1_m"):
        channel_named(channels_of(PLATFORM), "measured_length_leg7_m")


# Cursors


def test_cursors_tell_values_and_differences():
    channels = [channel_named(channels_of(PLATFORM), name) for name in (LEG1, FORCE1)]
    table = rows(1000, **{LEG1: np.arange(1000) * 0.001, FORCE1: 500.0})
    window = Window(0, 0, table[:, 1], table.T)
    cursors = Cursors(0.2004, 0.7006)
    length, force = readings(window, channels, cursors, 0.002)
    assert length.a == pytest.approx(0.2)
    assert length.b == pytest.approx(0.701)
    assert length.difference == pytest.approx(0.501)
    assert (force.a, force.difference) == (500.0, 0.0)
    assert cursors.dt_s == pytest.approx(0.5002)
    assert cursors.rate_hz == pytest.approx(1.0 / 0.5002)
    assert Cursors(1.0, 1.0).rate_hz == math.inf
    assert Cursors(0.5, 0.3).rate_hz == pytest.approx(5.0)


def test_a_cursor_beyond_the_samples_has_no_value():
    window = Window(0, 0, np.array([1.0, 2.0]), np.zeros((1, 2)))
    assert nearest(window, 0.5, 0.4) is None
    assert nearest(window, 0.5, 0.6) == 0
    assert nearest(window, 1.5, 0.6) == 0
    assert nearest(window, 9.0, 0.6) is None
    empty = Window(0, 0, np.empty(0), np.zeros((1, 0)))
    assert nearest(empty, 1.0, 9.0) is None


def test_moving_a_cursor_makes_it_the_active_one():
    moved = Cursors(1.0, 2.0).put(1, 3.0)
    assert (moved.a_s, moved.b_s, moved.active) == (1.0, 3.0, 1)


# Export


def test_a_table_reads_back_with_the_same_bits(tmp_path):
    rng = np.random.default_rng(3)
    table = rows(200, **{LEG1: rng.normal(size=200), LEG2: 1e-300 * rng.normal(size=200)})
    table[5, NAMES.index(LEG2)] = np.nan
    window = Window(0, 0, table[:, 1], table.T)
    channels = [channel_named(channels_of(PLATFORM), name) for name in (LEG1, "t_s", LEG2)]
    path = write_csv(tmp_path / "seen.csv", window, channels)
    with path.open(newline="") as file:
        header, *lines = list(csv.reader(file))
    assert header == ["t_s", LEG1, LEG2]
    read = np.array([[float(cell or "nan") for cell in line] for line in lines])
    wanted = table[:, [1, NAMES.index(LEG1), NAMES.index(LEG2)]]
    np.testing.assert_array_equal(read, wanted)


def test_a_file_that_exists_is_never_touched(tmp_path):
    old = tmp_path / "seen.csv"
    old.write_text("mine")
    assert write_new(old, b"a").name == "seen-2.csv"
    assert write_new(old, b"b").name == "seen-3.csv"
    assert old.read_text() == "mine"
    assert (tmp_path / "seen-2.csv").read_bytes() == b"a"


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(ExportError, match=r"nowhere.*No such file"):
        write_new(tmp_path / "nowhere" / "seen.csv", b"a")


# The scope itself


def scope(span_s: float = 1.0, history_s: float = 10.0) -> ScopeModel:
    model = ScopeModel(facts(), history_s)
    model.show(LEG1)
    model.set_span(span_s)
    return model


def test_the_newest_samples_roll_by():
    model = scope()
    for start in range(0, 3000, 30):
        model.take(batch(rows(30, start, **{LEG1: np.arange(start, start + 30)})))
    view = model.view()
    assert (view.from_s, view.to_s) == pytest.approx((1.999, 2.999))
    assert view.live
    assert view.origin_s == view.to_s
    line = model.lines(view, 400)[LEG1]
    assert np.nanmax(line.y) == 2999.0
    assert len(line.x) <= 3 * 402


def test_a_signal_has_its_history_before_it_is_shown():
    model = scope()
    model.take(batch(rows(500, **{FORCE1: 7.0})))
    model.show(FORCE1)
    assert np.nanmax(model.lines(model.view(), 100)[FORCE1].y) == 7.0


def test_a_pause_keeps_its_samples_while_others_come():
    model = scope()
    model.take(batch(rows(2000, **{LEG1: 1.0})))
    model.set_paused(True)
    before = model.view()
    for start in range(2000, 40_000, 1000):
        model.take(batch(rows(1000, start, **{LEG1: 2.0})))
    assert model.view().to_s == before.to_s
    assert set(model.lines(model.view(), 100)[LEG1].y.tolist()) == {1.0}
    model.set_paused(False)
    assert np.nanmax(model.lines(model.view(), 100)[LEG1].y) == 2.0


def test_moving_pauses_and_never_loses_the_samples():
    model = scope()
    model.take(batch(rows(5000, **{LEG1: 1.0})))
    model.move(-1.0)
    assert model.paused
    assert model.view().to_s == pytest.approx(3.999)
    for share in (-1e9, 1e9):
        model.move(share)
        assert len(model.view().window) >= 0.1 * 1.0 / PERIOD_S


def test_a_zoom_of_a_pause_is_about_its_middle():
    model = scope(span_s=2.0)
    model.take(batch(rows(5000, **{LEG1: 1.0})))
    model.set_paused(True)
    middle = 0.5 * (model.view().from_s + model.view().to_s)
    model.zoom(2.0)
    assert model.span_s == pytest.approx(1.0)
    assert 0.5 * (model.view().from_s + model.view().to_s) == pytest.approx(middle)
    model.zoom(1e9)
    assert model.span_s == pytest.approx(10 * PERIOD_S)


def test_spans_stay_within_the_history():
    model = scope()
    model.set_span(1e6)
    assert model.span_s == 10.0
    for history_s in (0.5, 601.0):
        with pytest.raises(ScopeError, match="outside"):
            model.set_history(history_s)


def test_another_history_keeps_what_has_room():
    model = scope(history_s=5.0)
    model.take(batch(rows(4000, **{LEG1: np.arange(4000)})))
    model.set_history(60.0)
    model.set_span(60.0)
    assert np.nanmin(model.lines(model.view(), 100)[LEG1].y) == 0.0
    model.set_history(1.0)
    assert model.span_s == 1.0
    assert np.nanmin(model.lines(model.view(), 100)[LEG1].y) >= 2990.0


def test_there_are_at_most_sixteen_traces_and_one_plot_a_unit():
    model = scope()
    for name in NAMES[14 : 14 + MAX_TRACES - 1]:
        model.show(name)
    with pytest.raises(ScopeError, match="16 traces"):
        model.show(FORCE1)
    assert [key for key, _ in model.plots()] == ["m", "m/s"]
    assert sum(len(members) for _, members in model.plots()) == MAX_TRACES


def test_marks_are_those_of_the_time_seen():
    model = scope()
    model.take(batch(rows(3000), event(0.5), event(2.5), event(2.6, EventKind.NOTE, "hello")))
    assert [mark.t_s for mark in model.marks(model.view())] == [2.5]


def test_a_moved_replay_forgets_the_time_before():
    model = scope()
    model.take(batch(rows(3000, **{LEG1: 1.0}), event(2.5)))
    earlier = rows(500, **{LEG1: 3.0})
    earlier.setflags(write=False)
    model.take(batch(earlier, restart=True))
    view = model.view()
    assert view.to_s == pytest.approx(0.499)
    assert set(model.lines(view, 100)[LEG1].y.tolist()) == {3.0}
    assert model.marks(view) == ()


def ramp(start: int, count: int, at: int) -> dict[str, np.ndarray]:
    return {LEG1: (np.arange(start, start + count) >= at).astype(float)}


@pytest.mark.parametrize("pre", [0.0, 0.25, 1.0])
def test_a_sweep_is_around_its_edge_and_stays(pre):
    model = scope(span_s=0.4)
    model.set_trigger(TriggerSettings(LEG1, 0.5, Edge.RISING, 0.1, pre, Sweep.SINGLE))
    for start in range(0, 60_000, 500):
        model.take(batch(rows(500, start, **ramp(start, 500, 1230))))
    view = model.view()
    assert model.phase is TriggerPhase.HELD
    assert view.edge_s == pytest.approx(1.230)
    assert (view.from_s, view.to_s) == pytest.approx((1.23 - pre * 0.4, 1.23 + (1 - pre) * 0.4))
    assert view.origin_s == view.edge_s
    values = view.window.values[NAMES.index(LEG1)]
    np.testing.assert_array_equal(values, (view.window.t_s > 1.2295).astype(float))
    model.arm()
    assert model.phase is TriggerPhase.ARMED
    assert model.view().live


def test_auto_rolls_again_when_no_edge_comes_and_normal_does_not():
    for sweep, live in ((Sweep.AUTO, True), (Sweep.NORMAL, False)):
        model = scope(span_s=0.4)
        model.set_trigger(TriggerSettings(LEG1, 0.5, sweep=sweep))
        for start in range(0, 1600, 100):
            model.take(batch(rows(100, start, **ramp(start, 100, 1230))))
        assert not model.view().live
        for start in range(1600, 4000, 100):
            model.take(batch(rows(100, start, **ramp(start, 100, 1230))))
        assert model.view().live is live


def test_a_trigger_on_an_unknown_signal_is_refused():
    with pytest.raises(KeyError, match="no signal"):
        scope().set_trigger(TriggerSettings("leg7", sweep=Sweep.AUTO))


def test_what_is_seen_can_be_saved():
    model = scope(span_s=0.5)
    model.take(batch(rows(2000, **{LEG1: np.arange(2000)})))
    window, channels = model.seen()
    assert [channel.name for channel in channels] == [LEG1]
    assert (window.t_s[0], window.t_s[-1]) == pytest.approx((1.499, 1.999))


@pytest.mark.parametrize(("joints", "shown"), [(1, 3), (6, 13), (7, 15), (9, 10), (20, 1)])
def test_the_first_traces_of_a_robot_of_many_joints_are_whole_signals_that_there_are(joints, shown):
    from hil.stations.world.signals import world_signals

    signals = world_signals([(number, False) for number in range(1, joints + 1)], "torque")
    facts = RunFacts(RunHeader(signals), 0.002, "robot")
    found = first_columns(facts)
    assert len(found) == shown <= MAX_TRACES
    model = ScopeModel(facts)
    for name in found:
        model.show(name)
    assert found[-1] == "contact_force_n"


def test_the_first_traces_of_the_other_stations_are_all_there():
    for signals in (PLATFORM, ARM):
        facts = RunFacts(RunHeader(signals), 0.01, "run")
        assert first_columns(facts) == list(facts.views.first_traces)
        assert facts.views.first_traces
