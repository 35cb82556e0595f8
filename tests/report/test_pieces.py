"""A long recording is looked at in pieces, and its page is that of one look at the whole."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from report_samples import GOOD, TRIPPED, violation, write_run

from hil.recording import row_arrays
from hil.recording.decimation import Decimator, decimate
from hil.recording.mcap_scan import Caps
from hil.recording.reader import Recording
from hil.report.page import write_report
from hil.report.pieces import lines, peaks
from hil.run.evidence import evidence_of
from hil.stations.platform.report.view import RunView

IN_PIECES = Caps(kept=0, piece=30_000)
"""Some forty rows of a platform each."""


@pytest.fixture
def files_only(monkeypatch):
    """Arrays of a value for each row are in files, too."""
    monkeypatch.setattr(row_arrays, "MOST_BYTES", 1000)


def written(recording: Recording, folder: Path) -> dict[str, bytes]:
    write_report(recording, folder)
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.mark.parametrize(
    ("course", "facts", "events"),
    [
        (GOOD, {}, ()),
        (TRIPPED, {"clock": "real"}, (violation(483, "leg 3: it stopped", leg=3),)),
    ],
)
def test_the_page_is_that_of_the_whole_bit_by_bit(tmp_path, files_only, course, facts, events):
    place = tmp_path / "run" / "recording.mcap"
    whole = write_run(place, course, events=events, **facts)
    pieces = Recording.open(place, IN_PIECES)
    assert sum(1 for _ in pieces.pieces()) > 5
    assert sum(1 for _ in whole.pieces()) == 1
    first, second = written(whole, tmp_path / "a"), written(pieces, tmp_path / "b")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
    assert evidence_of(whole, np.zeros(6)) == evidence_of(pieces, np.zeros(6))
    assert list(place.parent.iterdir()) == [place], "nothing is left beside it"


def test_columns_and_pieces_are_those_of_the_whole(tmp_path):
    whole = write_run(tmp_path / "a.mcap")
    pieces = Recording.open(tmp_path / "a.mcap", IN_PIECES)
    assert (pieces.cycles, pieces.gaps, pieces.sha256) == (whole.cycles, (), whole.sha256)
    for name, column in whole.columns.items():
        np.testing.assert_array_equal(pieces.column(name), column)
        parts = [one.rows.column(name)[one.before :] for one in pieces.pieces(before=2)]
        np.testing.assert_array_equal(np.concatenate(parts), column)
        np.testing.assert_array_equal(pieces.part(100, 333).column(name), column[100:333])


def test_a_spike_of_one_row_is_drawn(tmp_path, files_only):
    rng = np.random.default_rng(30)
    for place in rng.integers(0, sum(count for _, count in GOOD), 3).tolist():

        def spiked(index, frame, place=place):
            lengths = tuple(9.0 + leg for leg in range(6)) if index == place else None
            return frame if lengths is None else frame._replace(measured_length_m=lengths)

        path = tmp_path / f"{place}.mcap"
        write_run(path, change=spiked)
        view = RunView.of(Recording.open(path, IN_PIECES))
        (found,) = lines(view, lambda part: part.recording.column("measured_length_m"), (), 20)
        for leg, line in enumerate(found):
            assert len(line.places) <= 22
            assert line.values[line.places == place].tolist() == [9.0 + leg]
        (peak,) = peaks(view, lambda part: part.recording.column("measured_length_m"))
        assert peak == (place, 5, 14.0)


@given(
    arrays.arrays(
        np.float64, st.integers(0, 90),
        elements=st.sampled_from([np.nan, np.inf, -1.0, 0.0, 0.5, 2.0, 3.0]),
    ),
    st.integers(2, 12),
    st.integers(1, 40),
)  # fmt: skip
def test_values_in_pieces_are_thinned_as_the_whole_is(values, most, size):
    thinned = Decimator(len(values), most)
    for first in range(0, len(values), size):
        thinned.add(values[first : first + size])
    line, chosen = thinned.line(), decimate(values, most)
    assert line.places.tolist() == chosen.tolist()
    np.testing.assert_array_equal(line.values, values[chosen])
