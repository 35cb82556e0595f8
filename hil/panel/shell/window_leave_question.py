"""Leaving a run whose motion is owned here: people are asked first, because leaving stops it.

What comes up by itself, such as a bench that has got ready, asks nothing and changes nothing: a
question takes the keyboard, and with it the hold of whoever is holding.
"""

from collections.abc import Callable
from typing import Final

from PySide6.QtWidgets import QMessageBox, QWidget

from hil.panel.live.session import Session

_YES, _NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
QUIT: Final = "Quit"


def may_leave(window: QWidget, session: Session | None, what: str) -> bool:
    """Whether what is shown may be left; without a question where nothing is owned.

    Args:
        what: words for what is about to be done, the title of the question.
    """
    if session is None or not session.owns:
        return True
    acts, act = ("Closing", "Close") if what == QUIT else ("Leaving this run", "Leave")
    words = f"You own the motion. {acts} gives it back and stops it. {act}?"
    return QMessageBox.question(window, what, words, _YES | _NO, _NO) == _YES


def stays(session: Session | None, what: str, report: Callable[[str], object]) -> bool:
    """Whether a window keeps what it shows though something else is ready by itself.

    Args:
        session: what is shown; if its motion is owned here, people are told, and choose later.
        what: that is ready.
    """
    if session is None or not session.owns:
        return False
    report(
        f"{what} is ready, but you own the motion of {session.facts.name}: this panel stays with "
        "it. Choose the other one when this may be left."
    )
    return True
