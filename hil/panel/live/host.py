"""The window as a dock may use it: its theme and clock, and the runs that it shows and steers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hil.panel.widgets.theme import Theme

if TYPE_CHECKING:
    from hil.run.lead import Steered
    from hil.run.preview import Preview


class RunHost(Protocol):
    """A window that shows runs, to a dock."""

    now_s: Callable[[], float]

    @property
    def theme(self) -> Theme:
        """The colours it has now."""
        ...

    def connect_to(self, path: Path, *, take: bool = False) -> bool:
        """Watch a bench that runs; return whether it is shown."""
        ...

    def replay(self, path: Path) -> None:
        """Show a recording as soon as a thread has looked through it."""

    def preview(self, preview: Preview | str) -> None:
        """Show what a scenario will look like, or why that cannot be shown."""

    def steer(self, run: Steered) -> None:
        """Steer a run that was started here by the handles on the screen."""
