"""What passes between the sequence of six drives and a bus in a cycle."""

from collections.abc import Sequence
from dataclasses import dataclass

from drives.bank import SixBools, SixInts


@dataclass(frozen=True, slots=True)
class AxesSeen:
    """What six drives told in a cycle.

    Attributes:
        statusword: 6041h, 6.
        mode_display: 6061h, 6.
        position: 6064h [counts], 6.
        fresh: Whether the values are of this cycle, 6.
        alive: Whether the drive is heard at all, 6.
    """

    statusword: Sequence[int]
    mode_display: Sequence[int]
    position: Sequence[int]
    fresh: Sequence[bool]
    alive: Sequence[bool]


@dataclass(frozen=True, slots=True)
class AxesWords:
    """What goes to six drives in a cycle.

    Attributes:
        controlword: 6040h, 6.
        mode: 6060h, 6.
        target: 607Ah, or 60C1h:1 in mode 7 [counts], 6.
        commanded: Whether the target is the command of this cycle, 6.
    """

    controlword: SixInts
    mode: SixInts
    target: SixInts
    commanded: SixBools


@dataclass(frozen=True, slots=True)
class SteadyAxes:
    """Six drives that follow: what they tell, and what goes to them for as long as they do.

    Nearly all cycles of a day are like this; one comparison tells them.

    Attributes:
        statusword: 6041h, 6.
        mode_display: 6061h, 6.
        controlword: 6040h, 6.
        mode: 6060h, 6.
    """

    statusword: list[int]
    mode_display: list[int]
    controlword: SixInts
    mode: SixInts

    def is_met_by(self, seen: AxesSeen) -> bool:
        """Say whether all six told this again, but for their positions, and all are heard."""
        return (
            self.statusword == list(seen.statusword)
            and self.mode_display == list(seen.mode_display)
            and all(seen.fresh)
            and all(seen.alive)
        )
