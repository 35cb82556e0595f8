"""The editor's process: one application, one window."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from hil.diagram.check.seam import DiagramEnds
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.window import DiagramWindow
from hil.panel.widgets.theme import LIGHT, apply


def run_editor(
    document: Document, ends: DiagramEnds | None = None, *, trusted: bool = False
) -> int:
    """Open the window and stay until it is closed.

    Args:
        ends: of the station that the diagram is for; None if none is known.
        trusted: whether the code of its FMUs may be loaded.

    Returns:
        The process's exit status.
    """
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(["hil diagram edit"])
    app.setApplicationName("hil-bench diagram editor")
    apply(app, LIGHT)
    window = DiagramWindow(document, LIGHT, ends, trusted=trusted)
    window.show()
    window.view.fit()
    window.questions.offer_recovery()
    return app.exec()
