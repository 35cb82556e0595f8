"""The application of the tests of widgets, and what they do with it."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

PUMPS = 200


def application():
    return QApplication.instance() or QApplication([])


def pump(until=None):
    """Let Qt work off what waits; at most until a condition holds."""
    for _ in range(PUMPS):
        application().processEvents()
        if until is None or until():
            return
    raise AssertionError("it did not come about")


def shown(widget, width=900, height=500):
    widget.resize(width, height)
    widget.show()
    widget.activateWindow()
    pump(widget.isVisible)
    pump()
    return widget


def gone(widget):
    """Close a widget and take it away now: whoever is left over goes on seeing events."""
    widget.close()
    widget.deleteLater()
    application().sendPostedEvents(None, QEvent.Type.DeferredDelete)
    pump()


def colours(widget):
    """How many pixels of the widget have each colour, as #RRGGBB."""
    image = widget.grab().toImage()
    found = {}
    for y in range(0, image.height(), 2):
        for x in range(0, image.width(), 2):
            name = image.pixelColor(x, y).name().upper()
            found[name] = found.get(name, 0) + 1
    return found
