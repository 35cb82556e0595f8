"""Leaving a run whose motion is owned here: people are asked first, because leaving stops it.

What comes up by itself, such as a bench that has got ready, asks nothing and changes nothing: a
question takes the keyboard, and with it the hold of whoever is holding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QMessageBox

if TYPE_CHECKING:
    from hil.panel.shell.window import MainWindow

_YES, _NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
_QUIT: Final = "You own the motion. Closing gives it back and stops it. Close?"
_LEAVE: Final = "You own the motion. Leaving this run gives it back and stops it. Leave?"


def owns(window: MainWindow) -> bool:
    """Whether the motion of what a window shows is owned there."""
    return window.session is not None and window.session.owns


def may_leave(window: MainWindow, what: str) -> bool:
    """Whether what is shown may be left; without a question where nothing is owned.

    Args:
        window: that shows it.
        what: words for what is about to be done, the title of the question.
    """
    if not owns(window):
        return True
    return (
        QMessageBox.question(window, what, _QUIT if what == "Quit" else _LEAVE, _YES | _NO, _NO)
        == _YES
    )


def stays(window: MainWindow, what: object) -> bool:
    """Whether the window keeps what it shows though something else is ready by itself.

    Args:
        window: that may own the motion; then people are told, and choose later.
        what: that is ready.
    """
    session = window.session
    if session is None or not session.owns:
        return False
    window.tell(
        (
            f"{what} is ready, but you own the motion of {session.facts.name}: this panel "
            "stays with it. Choose the other one when this may be left."
        ),
        for_good=True,
    )
    return True
