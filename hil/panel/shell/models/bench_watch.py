"""Which benches have begun since the last look; no window is needed for it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil.desk.endpoints import Endpoint, PlaceError, benches
from hil.desk.unattended_runs import list_unattended_runs

POLL_EVERY_S: Final = 1.0
"""Between two looks [s]; a look asks the kernel and waits for nobody."""


@dataclass(frozen=True, slots=True)
class BenchList:
    """What a look has found."""

    running: tuple[Endpoint, ...] = ()
    """Benches that answer, by name."""
    begun: tuple[Endpoint, ...] = ()
    """Those of them that the look before did not find."""
    unled: tuple[str, ...] = ()
    """Names of runs without operator: no panel can show, lead or stop them."""
    problem: str = ""
    """Why nobody can be found; empty if that is not so."""


class BenchWatch:
    """Looks for benches now and then.

    Args:
        now_s: monotonic time [s].
        find: the benches that answer.
        find_unled: names of the runs without operator.
    """

    def __init__(
        self,
        now_s: Callable[[], float],
        find: Callable[[], Sequence[Endpoint]] = benches,
        find_unled: Callable[[], Sequence[str]] = list_unattended_runs,
    ) -> None:
        self._now_s, self._find, self._find_unled = now_s, find, find_unled
        self._next_s = -math.inf
        self._known: frozenset[Path] | None = None

    def forget(self) -> None:
        """Take whoever is found by the next look, which is due at once, for known."""
        self._known, self._next_s = None, -math.inf

    def expect_all(self) -> None:
        """Take whoever is found by the next look for begun: none was there a moment ago."""
        self._known, self._next_s = frozenset(), -math.inf

    def poll(self) -> BenchList | None:
        """What there is to be seen; None if no look is due."""
        now_s = self._now_s()
        if now_s < self._next_s:
            return None
        self._next_s = now_s + POLL_EVERY_S
        try:
            found, unled = tuple(self._find()), tuple(self._find_unled())
        except PlaceError as error:
            return BenchList(problem=str(error))
        paths = frozenset(one.path for one in found)
        known, self._known = self._known, paths
        begun = tuple(one for one in found if known is not None and one.path not in known)
        return BenchList(found, begun, unled=unled)
