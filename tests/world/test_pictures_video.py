"""Films, read back by the library's decoder."""

from fractions import Fraction

import av
import numpy as np
import pytest

from sim.world.pictures import video
from sim.world.pictures.video import FilmsMissingError, write_video

COUNT, HEIGHT, WIDTH = 24, 120, 160


def pictures():
    """A red box that goes right by five pixels a picture, on grey."""
    for index in range(COUNT):
        picture = np.full((HEIGHT, WIDTH, 3), 180, np.uint8)
        picture[50:70, 5 * index : 5 * index + 20] = (220, 20, 20)
        yield picture


def places(path):
    with av.open(str(path)) as film:
        stream = film.streams.video[0]
        told = stream.codec_context.name, stream.average_rate, stream.pix_fmt
        frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in film.decode(stream)]
    masks = [frame[:, :, 0] - frame[:, :, 1] > 100 for frame in frames]
    found = [tuple(float(np.mean(one)) for one in np.nonzero(mask)) for mask in masks]
    return told, {frame.shape for frame in frames}, found


@pytest.mark.parametrize("rate", [25.0, 29.97])
def test_a_film_has_its_pictures_size_rate_and_motion(tmp_path, rate):
    path, seen = tmp_path / "film.mp4", []
    assert write_video(path, pictures(), rate, seen.append) == COUNT
    assert seen == list(range(1, COUNT + 1))
    (codec, told_rate, pixels), shapes, found = places(path)
    assert (codec, pixels) == ("h264", "yuv420p")
    assert abs(told_rate - Fraction(rate)) < 1e-3
    assert shapes == {(HEIGHT, WIDTH, 3)}
    assert len(found) == COUNT
    for index, (row, column) in enumerate(found):
        assert row == pytest.approx(59.5, abs=1.5)
        assert column == pytest.approx(5 * index + 9.5, abs=1.5)
    assert [one.name for one in tmp_path.iterdir()] == ["film.mp4"]


def other_size():
    yield np.zeros((120, 160, 3), np.uint8)
    yield np.zeros((120, 162, 3), np.uint8)


@pytest.mark.parametrize(
    ("given", "rate", "told"),
    [
        (list, 25.0, "no pictures"),
        (other_size, 25.0, "picture 1 of shape"),
        (lambda: [np.zeros((121, 160, 3), np.uint8)], 25.0, "even"),
        (lambda: [np.zeros((120, 160), np.uint8)], 25.0, "even"),
        (pictures, 0.0, "rate_hz"),
        (pictures, float("nan"), "rate_hz"),
    ],
)
def test_what_is_no_film_is_refused_and_the_file_stays_as_it_was(tmp_path, given, rate, told):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"before")
    with pytest.raises(ValueError, match=told):
        write_video(path, given(), rate)
    assert path.read_bytes() == b"before"
    assert [one.name for one in tmp_path.iterdir()] == ["film.mp4"]


def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    with pytest.raises(FilmsMissingError, match=r"hil-bench\[world\]"):
        video.write_video(tmp_path / "film.mp4", pictures(), 25.0)
