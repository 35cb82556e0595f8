"""Leaving a run whose motion is owned here: people are asked first, because leaving stops it.

What comes up by itself, such as a bench that has got ready, asks nothing and changes nothing: a
question takes the keyboard, and with it the hold of whoever is holding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QMessageBox

from hil.panel.shell.texts import text

if TYPE_CHECKING:
    from hil.panel.shell.window import MainWindow

_YES, _NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
_QUESTIONS: Final = {
    "window.quit": "window.quit.owner",
    "window.leave": "window.leave.owner",
    "window.open": "window.leave.owner",
    "window.benches": "window.leave.owner",
}
"""What is about to be done, and the question."""


def owns(window: MainWindow) -> bool:
    """Whether the motion of what a window shows is owned there."""
    return window.session is not None and window.session.owns


def may_leave(window: MainWindow, what: str) -> bool:
    """Whether what is shown may be left; without a question where nothing is owned.

    Args:
        window: that shows it.
        what: key of the words for what is about to be done, the title of the question.
    """
    if not owns(window):
        return True
    return QMessageBox.question(window, text(what), text(_QUESTIONS[what]), _YES | _NO, _NO) == _YES


def stays(window: MainWindow, what: object) -> bool:
    """Whether the window keeps what it shows though something else is ready by itself.

    Args:
        window: that may own the motion; then people are told, and choose later.
        what: that is ready.
    """
    session = window.session
    if session is None or not session.owns:
        return False
    window.tell(text("window.stays", what=what, name=session.facts.name), for_good=True)
    return True
