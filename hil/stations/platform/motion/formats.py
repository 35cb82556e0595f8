"""Reader of a recording by its name: a table, or a format of records of earthquakes."""

from pathlib import Path

from hil.config.errors import MotionError
from hil.config.tables import NumberTable, read_header, read_table
from hil.stations.platform.motion import at2, seismic, strong_motion


def header_of(path: Path) -> tuple[str, ...]:
    """Columns of a recording for the rest of the bench.

    Raises:
        MotionError: With the place, the value and what would have been right.
    """
    ending = path.suffix.lower()
    if ending in at2.KINDS:
        return at2.header_of(path)
    if ending in strong_motion.ENDINGS:
        return strong_motion.header_of(path)
    return seismic.header_of(path) if ending in seismic.ENDINGS else read_header(path).header


def read_recording(path: str | Path, wanted: list[str]) -> NumberTable:
    """Read columns of a recording, which are `header_of` it.

    Args:
        wanted: Names of the columns, that of the times first.

    Raises:
        MotionError: With the place, the value and what would have been right.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending in strong_motion.ENDINGS:
        return strong_motion.read_strong_motion(path, wanted)
    if ending in seismic.ENDINGS:
        return seismic.read_seismic(path, wanted)
    if ending not in at2.KINDS:
        return read_table(path, wanted, time=wanted[0])
    header = at2.header_of(path)
    for name in wanted:
        if name not in header:
            text = f"{path}: there is no column {name!r}: such a file has {', '.join(header)}"
            raise MotionError(f"{text}; map it with --map x={header[1]}")
    return at2.read_at2(path)
