"""Counts of 32 bits go round: the largest is followed by the least.

CiA 402 has positions as INTEGER32 (6064h, 607Ah). An absolute encoder gives any of them at any
place, so its count may go round in the middle of a rod's travel. What two counts differ by is
therefore taken modulo 2^32, as the difference that is nearest to 0.
"""

from typing import Final

_HALF: Final = 0x8000_0000
_ALL: Final = 0xFFFF_FFFF
COUNTS: Final = 0x1_0000_0000
"""Number of counts."""
WHOLE_RANGE: Final = (-_HALF, _HALF - 1)
"""Least and largest count; as software limits (607Dh) they limit nothing."""


def wrapped(count: int) -> int:
    """Return a count as the signed number of 32 bits that a drive holds for it."""
    return (count + _HALF & _ALL) - _HALF


def difference(after: int, before: int) -> int:
    """Return how far a count has gone, the shorter way round."""
    return (after - before + _HALF & _ALL) - _HALF
