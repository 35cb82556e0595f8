"""Two runs of which it is known how they differ."""

import math

import numpy as np
import pytest
from row_samples import ARM, PLATFORM
from scope_samples import FORCE1, LEG1, LEG2, MODES, NAMES, PERIOD_S, facts, rows

from hil.panel.live.models.feed import RunFacts
from hil.panel.scope.models.channels import channel_named, channels_of
from hil.panel.study.models import even_signal
from hil.panel.study.models.compare import (
    CompareError,
    FiguresSoFar,
    comparable,
    paired,
    settings_that_differ,
)
from hil.panel.study.models.compare_align import Align, motion_start_s, shift_between
from hil.panel.study.models.compare_work import compare
from hil.panel.study.models.compared_run import ComparedRun
from hil.panel.widgets.background import Watch
from hil.recording.header import RunHeader

CHANNELS = channels_of(PLATFORM)
LEG = channel_named(CHANNELS, LEG1)
ENGAGED = MODES.index("ENGAGED")


def bump(t_s):
    """A motion that happens once, about 2 s."""
    return 0.6 + 0.05 * np.exp(-((t_s - 2.0) ** 2) / 0.02) * np.sin(30.0 * t_s)


def run(shift_s=0.0, offset=0.0, count=4000, engaged=1000, **more) -> ComparedRun:
    """A run whose motion comes later by the shift."""
    t_s = np.arange(count) * PERIOD_S
    mode = np.where(np.arange(count) >= engaged, ENGAGED, 0)
    columns = {LEG1: bump(t_s - shift_s) + offset, FORCE1: 500.0, "mode": mode, **more}
    return ComparedRun(facts(), rows(count, **columns))


def difference(first, second, channel, shift_s):
    (pair,) = paired(first, second, shift_s)  # a short run is one piece
    return pair.difference(channel)


def figures(of):
    found = FiguresSoFar(of.channel)
    found.add(of)
    return found.figures


@pytest.mark.parametrize("shift_s", [0.0, 0.25, -0.3125, 0.1234])
def test_likeness_finds_the_shift_to_a_fraction_of_a_sample(shift_s):
    found = shift_between(run(), run(shift_s, offset=0.01), Align.CORRELATION, LEG)
    assert found == pytest.approx(-shift_s, abs=2e-5)


def test_likeness_works_across_holes_and_from_another_start():
    second = run(0.25).rows.copy()
    second[100:150, NAMES.index(LEG1)] = np.nan
    moved = ComparedRun(facts(), second[60:])
    assert shift_between(run(), moved, Align.CORRELATION, LEG) == pytest.approx(-0.25, abs=1e-4)


def test_the_start_of_motion_is_put_together():
    assert motion_start_s(run(engaged=1200)) == pytest.approx(1.2)
    found = shift_between(run(engaged=1200), run(engaged=700), Align.ENGAGED)
    assert found == pytest.approx(0.5)
    assert shift_between(run(engaged=1200), run(engaged=700), Align.NONE) == 0.0


def test_runs_without_motion_or_signal_are_not_aligned():
    with pytest.raises(CompareError) as none:
        shift_between(run(), run(engaged=9999), Align.ENGAGED)
    assert "align by motion time" in str(none.value)
    flat = channel_named(CHANNELS, FORCE1)
    with pytest.raises(CompareError) as still:
        shift_between(run(), run(), Align.CORRELATION, flat)
    assert "does not change or is not there in one of the runs" in str(still.value)
    absent = channel_named(CHANNELS, LEG2)
    with pytest.raises(CompareError):
        shift_between(run(), run(), Align.CORRELATION, absent)


def test_a_known_offset_is_found_after_aligning():
    first, second = run(), run(0.25, offset=0.003)
    found = figures(difference(first, second, LEG, -0.25))
    assert found.mean == pytest.approx(0.003, abs=1e-9)
    assert found.rms == pytest.approx(0.003, abs=1e-9)
    assert found.largest == pytest.approx(0.003, abs=1e-9)
    apart = figures(difference(first, second, LEG, 0.0))
    assert apart.rms > 3 * found.rms


def test_the_largest_difference_keeps_its_sign_and_its_time():
    second = run().rows.copy()
    second[1500, NAMES.index(LEG1)] -= 0.02
    second[1600, NAMES.index(LEG1)] += 0.01
    found = figures(difference(run(), ComparedRun(facts(), second), LEG, 0.0))
    assert found.largest == pytest.approx(-0.02)
    assert found.at_s == pytest.approx(1.5)
    assert found.rms == pytest.approx(math.sqrt((0.02**2 + 0.01**2) / 4000))


def test_between_samples_a_straight_line_but_codes_are_held():
    first = run(count=10)
    t_s = np.arange(10) * PERIOD_S
    second = ComparedRun(facts(), rows(10, **{LEG1: t_s, "mode": np.arange(10)}))
    moved = difference(first, second, LEG, 0.4 * PERIOD_S).second
    np.testing.assert_allclose(moved[1:], t_s[1:] - 0.4 * PERIOD_S, atol=1e-12)
    assert math.isnan(moved[0])
    mode = channel_named(CHANNELS, "mode")
    held = difference(first, second, mode, 0.4 * PERIOD_S).second
    assert held[1:].tolist() == list(range(9))


def test_a_hole_of_the_second_run_stays_one():
    second = np.delete(run().rows, np.arange(2000, 2100), axis=0)
    second[3000, NAMES.index(LEG1)] = np.nan
    values = difference(run(), ComparedRun(facts(), second), LEG, 0.0).values
    assert np.isnan(values[2000:2100]).all()
    assert np.isfinite(values[[1999, 2100]]).all()
    assert np.isnan(values[3100])
    assert np.isfinite(values[[3099, 3101]]).all()


def compared(first, second):
    """Figures of every signal, as they are worked out in the background."""
    return compare((first, second), CHANNELS, LEG, Align.NONE, Watch()).rows


def test_runs_with_no_common_time_have_no_figures():
    later = run().rows.copy()
    later[:, 1] += 100.0
    assert compared(run(), ComparedRun(facts(), later)) == ()


def test_the_table_has_what_both_runs_have():
    found = {row.channel.name: row for row in compared(run(), run(offset=1.0))}
    assert {LEG1, FORCE1, "mode"} <= found.keys()
    assert LEG2 not in found
    assert found[FORCE1].rms == 0.0
    assert found[LEG1].mean == pytest.approx(1.0)


def test_runs_of_two_stations_are_not_compared():
    with pytest.raises(CompareError) as error:
        comparable(facts(), facts(ARM))
    assert str(error.value) == "one is of the platform, the other of the arm"
    assert "t_s" not in {channel.name for channel in comparable(facts(), facts())}


def test_what_differs_between_rigs_scenarios_and_limits_is_told():
    def of(**scenario):
        header = RunHeader(PLATFORM, {"limits_sha256": scenario.pop("limits")}, scenario)
        return RunFacts(header, PERIOD_S, "x")

    a = of(limits="aa", rig={"name": "paper", "legs": [1.0, 2.0]}, steps=[{"x": 1}, {"x": 2}])
    b = of(limits="bb", rig={"name": "paper", "legs": [1.0, 2.5]}, steps=[{"x": 1}, {"x": 3}])
    found = {s.name: (s.first, s.second) for s in settings_that_differ(a, b)}
    assert found == {
        "run.limits_sha256": ("aa", "bb"),
        "rig.legs": ("[1.0, 2.0]", "[1.0, 2.5]"),
        "steps.2.x": ("2", "3"),
    }
    assert settings_that_differ(a, a) == ()
    lacking = of(limits="aa", rig={"name": "paper", "legs": [1.0, 2.0]})
    missing = {s.name: (s.first, s.second) for s in settings_that_differ(a, lacking)}
    assert missing == {"steps.1.x": ("1", ""), "steps.2.x": ("2", "")}


@pytest.mark.parametrize("swapped", [False, True])
def test_runs_of_two_rates_are_aligned_by_the_coarser_one(swapped, monkeypatch):
    """80 s at 5 Hz beside 4 s of the same at 1 kHz: 401 samples, and not 80 000."""
    monkeypatch.setattr(even_signal, "_MOST", 1 << 16)

    def wave(t_s):
        return np.sin(0.5 * t_s**1.3)

    slow, fine = run(count=401).rows.copy(), run(count=4001).rows.copy()
    slow[:, 1] = 0.2 * np.arange(401)
    slow[:, NAMES.index(LEG1)] = wave(slow[:, 1])
    fine[:, NAMES.index(LEG1)] = wave(fine[:, 1] + 30.0)
    both = [ComparedRun(facts(period_s=0.2), slow), ComparedRun(facts(), fine)]
    found = shift_between(*(both[::-1] if swapped else both), Align.CORRELATION, LEG)
    assert found == pytest.approx(-30.0 if swapped else 30.0, abs=0.05)
