"""Messages of a run to people while it lasts: a protocol, and that of a silent run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

ProgressReport = Callable[[float], object]
"""Takes the time of a run [s] now and then."""


class Console(Protocol):
    """Console of a run: what it waits for and how far it is; nothing here waits itself."""

    @property
    def quiet(self) -> bool:
        """Whether nobody reads it."""
        ...

    def say(self, line: str, style: str = "") -> None:
        """Show a line, in a style of the terminal's if one is given."""
        ...

    def waiting(self, words: str) -> AbstractContextManager[None]:
        """Show what is waited for as long as the context lasts."""
        ...

    def progress(
        self, name: str, total_s: float, *, paced: bool, hint: str = ""
    ) -> AbstractContextManager[ProgressReport | None]:
        """Show how far a run is; None where nothing may be shown while it runs.

        Args:
            name: of the scenario.
            total_s: about how long the run takes [s]; infinite if that is not known.
            paced: whether it runs in real time, in which only one line is shown before it.
            hint: what ends a paced run.
        """
        ...


class Silence:
    """The console of a run that nobody watches."""

    quiet = True

    def say(self, line: str, style: str = "") -> None:
        """Show nothing."""

    def waiting(self, words: str) -> AbstractContextManager[None]:
        """Show nothing."""
        return nullcontext()

    def progress(
        self, name: str, total_s: float, *, paced: bool, hint: str = ""
    ) -> AbstractContextManager[ProgressReport | None]:
        """Show nothing."""
        return nullcontext()


class ReportingConsole(Silence):
    """The console of a run of which somebody else shows how far it is.

    Args:
        report: given the time of the run and that of its end [s].
    """

    def __init__(self, report: Callable[[float, float], object]) -> None:
        self._report = report

    @contextmanager
    def progress(
        self, name: str, total_s: float, *, paced: bool, hint: str = ""
    ) -> Iterator[ProgressReport | None]:
        """Pass it on."""
        yield lambda t_s: self._report(t_s, total_s if math.isfinite(total_s) else t_s)
