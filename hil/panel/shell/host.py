"""What the parts of a window may ask of it, so that none of them needs to know the window."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtWidgets import QMainWindow

from hil.desk.messages import ClientMessage
from hil.panel.live.session import Session
from hil.panel.shell.dock_layout import Docks
from hil.panel.shell.theme import Theme
from hil.panel.shell.window_reader import BackgroundReader
from hil.panel.shell.window_strip import Strip

if TYPE_CHECKING:
    from hil.run.lead import Steered
    from hil.run.preview import Preview


class Host(Protocol):
    """A window, to its parts."""

    strip: Strip
    docks: Docks
    reading: BackgroundReader
    now_s: Callable[[], float]

    @property
    def main(self) -> QMainWindow:
        """Itself, as what holds widgets."""
        ...

    @property
    def session(self) -> Session | None:
        """What is shown: a bench, a recording, or nothing."""
        ...

    @property
    def theme(self) -> Theme:
        """The colours it has now."""
        ...

    def show_message(self, words: str, *, for_good: bool = False) -> None:
        """Say something in the status bar, for a while or until something else is said."""

    def send(self, message: ClientMessage) -> bool:
        """Hand a wish to the bench; false if there is none or it is not taken."""
        ...

    def stop(self) -> None:
        """Stop what moves, whoever owns it."""

    def connect_to(self, path: Path, *, take: bool = False) -> bool:
        """Watch a bench that runs; tell whether it is shown."""
        ...

    def replay(self, path: Path) -> None:
        """Show a recording as soon as a thread has looked through it."""

    def preview(self, preview: "Preview | str") -> None:
        """Show what a scenario will look like, or why that cannot be shown."""

    def steer(self, run: "Steered") -> None:
        """Steer a run that was started here by the handles on the screen."""

    def seek(self, t_s: float) -> None:
        """Show another time of a recording [s]."""

    def leave(self) -> None:
        """Leave what is shown."""

    def show_appearance(self) -> None:
        """Take on the colours and the size of text that were just chosen."""

    def show_standing(self, missed: int, left_out: Sequence[str]) -> None:
        """Show what can be done now, how many frames were not shown, and what is drawn seldom."""

    def completed(self) -> None:
        """All views were made."""

    def fail(self, error: BaseException) -> None:
        """A fault of the panel's own: let go, and stop what is led from here."""
