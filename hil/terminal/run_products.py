"""What is made of a run that is over: its figures, its report, its film."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from hil.config.errors import ConfigError, RefusedError
from hil.recording.header import RecordingError
from hil.run.end import Conclusion
from hil.terminal.fault import system_refusal, unforeseen

T = TypeVar("T")


class Afterwards:
    """Makes things of a run that is over and counts: one that fails is lost, and nothing else.

    Args:
        end: how the run ended.
    """

    def __init__(self, end: Conclusion) -> None:
        self._end = end
        self.view: Any = None
        """The recording as its station prepares it for its page, if that was done already
        (`hil.report.recorded_run.RecordedRun`)."""
        self.failed: dict[str, str] = {}
        """Why something could not be made, by its name."""

    @property
    def end(self) -> Conclusion:
        """How the run ended, with all that could not be made of it."""
        failures = (f"{name}: {why}" for name, why in self.failed.items())
        return replace(self._end, failures=(*self._end.failures, *failures))

    def make(self, name: str, made: Callable[[], T]) -> T | None:
        """Make something; None if it cannot be made, whatever the reason."""
        try:
            return made()
        except (ConfigError, RecordingError, RefusedError) as error:
            self.failed[name] = str(error)
        except Exception as error:
            self.failed[name] = system_refusal(error) or str(unforeseen(error))
        return None
