"""Whole columns of rows that stay in the file: few passes, little memory, same bits."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from recording_samples import HEADER, record, sample_frame

from hil.recording.columns import Columns
from hil.recording.header import RecordingError
from hil.recording.mcap_scan import Caps, Scan
from hil.recording.reader import Recording

CYCLES = 600
ALL = HEADER.signals.values


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("long") / "recording.mcap"
    record(place, [sample_frame(index) for index in range(CYCLES)])
    return place


@pytest.fixture
def chunks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Places of the chunks that are unpacked again, as it happens."""
    places: list[int] = []
    unpack_again = Scan.unpack_again

    def noted(self: Scan, at: int, length: int) -> bytes:
        places.append(at)
        return unpack_again(self, at, length)

    monkeypatch.setattr(Scan, "unpack_again", noted)
    return places


def long(path: Path, values: int = ALL) -> Columns:
    """Columns of rows in the file; so many values a row are read ahead."""
    caps = Caps(kept=0, piece=30_000, ahead=8 * values * CYCLES)
    columns = Recording.open(path, caps).columns
    assert isinstance(columns, Columns)
    return columns


def passes(chunks: list[int]) -> int:
    """Number of times that the first chunk was unpacked."""
    return chunks.count(min(chunks))


@pytest.mark.parametrize("values", [0, 1, 6, 7, 20, ALL])
@pytest.mark.parametrize("order", [1, -1])
def test_columns_are_those_of_the_whole_bit_by_bit(path: Path, values: int, order: int) -> None:
    whole, pieces = Recording.open(path).columns, long(path, values)
    for name in [*whole, *whole][::order]:
        column = pieces[name]
        assert (column.dtype, column.shape) == (whole[name].dtype, whole[name].shape)
        assert column.tobytes() == whole[name].tobytes()
        assert column.flags.c_contiguous
        assert not column.flags.writeable


def test_all_columns_in_order_take_one_pass_over_the_file(path: Path, chunks: list[int]) -> None:
    columns = long(path)
    for count in (1, 2):
        assert len(dict(columns)) == len(columns)
        assert passes(chunks) == count
        assert not columns._found, "what was asked for is not kept"


def test_what_is_read_ahead_is_as_much_as_the_caps_allow(path: Path, chunks: list[int]) -> None:
    """Thirteen values a row: two groups of six at a time."""
    columns = long(path, 13)
    for column in columns.values():
        ahead = sum(one.nbytes for one in columns._found.values())
        assert ahead + column.nbytes <= 8 * 13 * CYCLES
    assert ALL / 13 < passes(chunks) <= ALL / 12 + 1


def test_a_column_out_of_order_is_read_alone_and_not_kept(path: Path, chunks: list[int]) -> None:
    columns = long(path)
    assert columns["mode"] is not columns["mode"]
    assert columns["t_s"].shape == (CYCLES,)
    assert passes(chunks) == 3
    assert not columns._found


def test_another_column_between_them_takes_nothing_of_what_is_ahead(
    path: Path, chunks: list[int]
) -> None:
    columns = long(path)
    names = list(columns)
    for name in islice(names, 3):
        assert len(columns[name]) == CYCLES
    assert len(columns[names[0]]) == CYCLES
    assert passes(chunks) == 2
    for name in names[3:]:
        assert len(columns[name]) == CYCLES
    assert passes(chunks) == 2


def test_a_file_that_changed_is_refused_and_what_was_read_ahead_is_there(
    path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "recording.mcap"
    copy.write_bytes(path.read_bytes())
    columns = long(copy)
    index = columns["index"]
    copy.write_bytes(bytes(copy.stat().st_size))
    with pytest.raises(RecordingError, match=r"recording\.mcap: changed while it was read"):
        columns["index"]
    assert np.array_equal(columns["t_s"], 0.002 * index)
