"""A command in counts, and what was sent of it in SI."""

from drives.axes.scaling import SixScales
from drives.axes.values import AxesWords
from hil_common.legs import LegTarget, SixFloats, SixInts

_STILL: SixFloats = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def counts_of(
    command: LegTarget, scales: SixScales, *, with_speeds: bool
) -> tuple[SixInts, SixInts | None]:
    """Return the counts of a command, and its counts per second if they are needed.

    Args:
        scales: Scales of the legs.
        with_speeds: Whether the bus carries speeds.

    Raises:
        DriveCommandError: If no 32-bit count represents a value; names the leg.
    """
    positions = scales.counts(command.length_m)
    if with_speeds:
        return positions, scales.speed_counts(command.speed_m_s)
    scales.check_speeds(command.speed_m_s)
    return positions, None


def accepted(words: AxesWords, speeds: SixInts | None, scales: SixScales) -> LegTarget | None:
    """Return in SI what was sent; None if no setpoint of the caller was.

    Args:
        words: What went to each drive.
        speeds: Speeds that were sent [counts/s], 6; None if the bus carries none.
        scales: Scales of the legs.
    """
    if not any(words.commanded):
        return None
    lengths_m = scales.lengths_m(words.target)
    if speeds is None:
        return LegTarget(lengths_m, _STILL)
    led = [speed if on else 0 for speed, on in zip(speeds, words.commanded, strict=True)]
    return LegTarget(lengths_m, scales.speeds_m_s(led))
