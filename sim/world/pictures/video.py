"""Films of pictures: MP4, H.264, ``yuv420p``, which every browser plays."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

CRF: Final = 20
"""Constant rate factor of x264; each 6 more halve the file."""
RATE_MAX_HZ: Final = 1000.0


class FilmsMissingError(RuntimeError):
    """The library of films is not installed; the text says how it is had."""


def write_video(
    path: Path,
    pictures: Iterable[NDArray[np.uint8]],
    rate_hz: float,
    progress: Callable[[int], object] = lambda _: None,
) -> int:
    """Write a film; the file is there as a whole, or as it was.

    Args:
        path: of the film; a file ``.part`` beside it is written first.
        pictures: RGB, all of one even width and height, shape (height, width, 3).
        rate_hz: of pictures.
        progress: told the number of pictures after each.

    Returns:
        How many pictures it has.

    Raises:
        FilmsMissingError: without the extra ``world``.
        ValueError: without pictures, or if one or the rate is not as it should be.
        OSError: if the file cannot be written.
    """
    if not 0.0 < rate_hz <= RATE_MAX_HZ:
        raise ValueError(f"rate_hz {rate_hz}: not within 0 to {RATE_MAX_HZ:g} Hz")
    part = path.with_name(path.name + ".part")
    try:
        count = _write(part, pictures, Fraction(rate_hz).limit_denominator(1001), progress)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return count


def _write(
    part: Path,
    pictures: Iterable[NDArray[np.uint8]],
    rate: Fraction,
    progress: Callable[[int], object],
) -> int:
    av = _library()
    count, stream, shape = 0, None, (0, 0, 3)
    with av.open(str(part), "w", format="mp4", options={"movflags": "faststart"}) as film:
        for picture in pictures:
            if stream is None:
                shape = _checked(picture)
                stream = film.add_stream("libx264", rate=rate, options={"crf": str(CRF)})
                stream.height, stream.width, stream.pix_fmt = *shape[:2], "yuv420p"
            if picture.shape != shape:
                raise ValueError(f"picture {count} of shape {picture.shape}: others {shape}")
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            film.mux(stream.encode(frame))
            count += 1
            progress(count)
        if stream is None:
            raise ValueError("a film of no pictures")
        film.mux(stream.encode(None))
    return count


def _checked(picture: NDArray[np.uint8]) -> tuple[int, int, int]:
    height, width, *_ = (*picture.shape, 0, 0)
    if picture.shape != (height, width, 3) or height % 2 or width % 2 or not picture.size:
        raise ValueError(f"picture of shape {picture.shape}: wanted (even, even, 3)")
    return height, width, 3


def _library() -> Any:
    try:
        import av
    except ImportError as error:
        problem = f"films need a library: pip install hil-bench[world] ({error})"
        raise FilmsMissingError(problem) from error
    return av
