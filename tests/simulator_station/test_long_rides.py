"""A long ride is judged and drawn in pieces, and gives what one look at the whole does."""

import dataclasses

import numpy as np
import pytest
from ride_bench import plan_of, ridden
from test_live_ride import ride

from hil.recording import row_arrays
from hil.recording.mcap_scan import Caps
from hil.recording.reader import Recording
from hil.stations.simulator.figures import felt_ride as felt
from hil.stations.simulator.figures import latency
from hil.stations.simulator.figures.latency import SHARES, latency_trail
from hil.stations.simulator.report import (
    felt_figure,
    governor_figure,
    host_figure,
    key_figures,
    latency_figure,
)
from hil.stations.simulator.report.view import RideView
from platform6dof.cueing.score import score, sensed_of

IN_PIECES = Caps(kept=0, piece=250_000)
"""Some two hundred rows each."""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Arrays of a value for each row are in files, and looked at in pieces."""
    monkeypatch.setattr(row_arrays, "MOST_BYTES", 1000)
    monkeypatch.setattr(felt, "PIECE", 300)
    monkeypatch.setattr(latency, "PIECE", 70)


@pytest.fixture
def strict(monkeypatch):
    """No column of a recording is read as a whole."""
    from hil.recording.columns import Columns

    look = Columns.__getitem__

    def guarded(self, name):
        assert self.in_memory, f"{name} is read as a whole"
        return look(self, name)

    monkeypatch.setattr(Columns, "__getitem__", guarded)


def shown(recording):
    """What the page of a ride has beside that of a platform."""
    view = RideView.of_ride(recording)
    pictures = felt_figure.felt, governor_figure.governed, host_figure.hosts, latency_figure.latency
    return [key_figures.key_figures(view), *(picture(view) for picture in pictures)]


def as_one(monkeypatch):
    for module in (felt, latency):
        monkeypatch.setattr(module, "PIECE", 1 << 30)


def judge_page(path, monkeypatch):
    pieces = Recording.open(path, IN_PIECES)
    assert sum(1 for _ in pieces.pieces()) > 5
    second = shown(pieces)
    as_one(monkeypatch)
    assert shown(Recording.open(path)) == second
    assert None not in second


@pytest.mark.usefixtures("scripted", "strict")
def test_the_page_of_a_governed_ride_is_that_of_the_whole(tmp_path, monkeypatch):
    asked = {"surge_m_s2": 40.0, "roll_rad_s": 3.0, "lasts_s": 4.0}
    _, recording = ridden(tmp_path, asked, rate_hz=500.0)
    judge_page(recording.path, monkeypatch)


@pytest.mark.usefixtures("strict")
def test_the_page_of_a_live_ride_is_that_of_the_whole(tmp_path, monkeypatch):
    _, recording = ride(tmp_path, jitter_s=0.004, rate_hz=500.0, seconds=1.0)
    judge_page(recording.path, monkeypatch)


def test_the_trail_is_that_of_the_columns(tmp_path):
    _, recording = ride(tmp_path, jitter_s=0.004, rate_hz=500.0, seconds=2.0)
    trail = latency_trail(Recording.open(recording.path, IN_PIECES))
    used = np.isfinite(recording.column("taken_stamp_s")) & np.isfinite(
        recording.column("asked_stamp_s")
    )
    used &= recording.column("mode") == recording.header.modes.index("ENGAGED")
    behind_s = (recording.column("kernel_stamp_s") - recording.column("host_stamp_s"))[used]
    np.testing.assert_array_equal(trail.t_s, recording.t_s[used])
    np.testing.assert_array_equal(trail.shares_s[:, 0], behind_s - np.nanmin(behind_s))
    for at, name in enumerate(SHARES):
        share_s = trail.shares_s[:, at][np.isfinite(trail.shares_s[:, at])]
        spread = trail.spread_s(name)
        assert spread.count == len(share_s)
        if len(share_s):
            assert spread.percentiles == tuple(np.percentile(share_s, [50.0, 99.0]))
            assert spread.greatest == share_s.max()


@pytest.mark.usefixtures("scripted")
def test_score_and_figures_are_those_of_the_columns(tmp_path):
    asked = {"surge_m_s2": 40.0, "roll_rad_s": 3.0, "lasts_s": 4.0}
    plan = plan_of(asked)
    _, recording = ridden(tmp_path, asked, rate_hz=500.0)
    pieces = Recording.open(recording.path, IN_PIECES)
    found = felt.felt_ride(pieces, plan)
    assert len(list(found.pieces())) > 5
    wanted = score(np.array(found.wanted), np.array(found.felt), found.period_s)
    for one, other in zip(found.score().axes, wanted.axes, strict=True):
        for name, value in dataclasses.asdict(one).items():
            expected = getattr(other, name)
            if name != "axis":
                expected = pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
            assert value == expected
    whole = sensed_of(np.array(found.wanted), np.array(found.felt), found.period_s)
    heard = np.concatenate([one.felt for one in found.signals()])
    np.testing.assert_allclose(heard, whole.felt, atol=1e-12)

    riding = recording.column("mode") == recording.header.modes.index("ENGAGED")
    figures = felt.figures_of(pieces, plan)
    assert figures.margin_min == np.nanmin(recording.column("governor_margin")[riding])
    assert figures.governed_share == (recording.column("governor_active")[riding] != 0).mean()
    away = recording.column("wanted_pose")[riding] - np.array(plan.rig.neutral.coordinates())
    peaks = np.nanmax(np.abs(away), axis=0)
    assert list(figures.peak.values())[:3] == peaks[:3].tolist()
    assert list(figures.peak.values())[3:] == np.degrees(peaks[3:]).tolist()
