"""The window as its parts may use it, so that none of them needs to know it."""

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtWidgets import QMainWindow

from hil.desk.messages import ClientMessage
from hil.panel.live.host import RunHost
from hil.panel.live.session import Session
from hil.panel.shell.dock_layout import Docks
from hil.panel.shell.window_reader import BackgroundReader
from hil.panel.shell.window_strip import Strip


class Host(RunHost, Protocol):
    """A window, to its parts."""

    strip: Strip
    docks: Docks
    reading: BackgroundReader

    @property
    def main(self) -> QMainWindow:
        """Itself, as what holds widgets."""
        ...

    @property
    def session(self) -> Session | None:
        """The shown session: a bench, a recording, or nothing."""
        ...

    def show_message(self, words: str, *, for_good: bool = False) -> None:
        """Write words into the status bar, for a while or until others follow."""

    def send(self, message: ClientMessage) -> bool:
        """Send a request to the bench; false if there is none or it is not taken."""
        ...

    def stop(self) -> None:
        """Stop all motion, no matter who owns it."""

    def seek(self, t_s: float) -> None:
        """Show another time of a recording [s]."""

    def leave(self) -> None:
        """Leave what is shown."""

    def show_appearance(self) -> None:
        """Take on the colours and the size of text that were just chosen."""

    def show_losses(self, missed: int, left_out: Sequence[str]) -> None:
        """Show what can be done now, how many frames were not shown, and what is drawn seldom."""

    def completed(self) -> None:
        """All views were made."""

    def fail(self, error: BaseException) -> None:
        """A fault of the panel's own: let go, and stop what is led from here."""
