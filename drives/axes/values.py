"""What passes between the sequence of six drives and a bus in a cycle."""

from collections.abc import Sequence
from dataclasses import dataclass

from hil_common.legs import SixBools, SixInts


@dataclass(frozen=True, slots=True)
class AxesFeedback:
    """What six drives told in a cycle."""

    statusword: Sequence[int]
    """6041h, 6."""
    mode_display: Sequence[int]
    """6061h, 6."""
    position: Sequence[int]
    """6064h [counts], 6."""
    fresh: Sequence[bool]
    """Whether the values are of this cycle, 6."""
    alive: Sequence[bool]
    """Whether the drive is heard at all, 6."""


@dataclass(frozen=True, slots=True)
class AxesWords:
    """What goes to six drives in a cycle."""

    controlword: SixInts
    """6040h, 6."""
    mode: SixInts
    """6060h, 6."""
    target: SixInts
    """607Ah, or 60C1h:1 in mode 7 [counts], 6."""
    commanded: SixBools
    """Whether the target is the command of this cycle, 6."""


@dataclass(frozen=True, slots=True)
class SteadyAxes:
    """Six drives that follow: what they tell, and what goes to them for as long as they do.

    Nearly all cycles of a day are like this; one comparison tells them.
    """

    statusword: list[int]
    """6041h, 6."""
    mode_display: list[int]
    """6061h, 6."""
    controlword: SixInts
    """6040h, 6."""
    mode: SixInts
    """6060h, 6."""

    def is_met_by(self, seen: AxesFeedback) -> bool:
        """Say whether all six told this again, but for their positions, and all are heard."""
        return (
            self.statusword == list(seen.statusword)
            and self.mode_display == list(seen.mode_display)
            and all(seen.fresh)
            and all(seen.alive)
        )
