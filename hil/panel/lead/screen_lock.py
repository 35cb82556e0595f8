"""Detection of the screen being locked, where the desktop session reports it.

A locked screen takes the keyboard away without telling every program so: a key that is released
then is never heard of. What tells of it is a desktop's screen saver on the session's bus, and
logind on the system's (org.freedesktop.login1, signal Lock of a session). Without a bus nothing
is heard, and nothing is wrong with that.
"""

import os
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import SLOT, QObject, Signal, Slot
from PySide6.QtDBus import QDBusConnection

SAVERS: Final = (
    ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver"),
    ("org.freedesktop.ScreenSaver", "/ScreenSaver", "org.freedesktop.ScreenSaver"),
    ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver"),
    ("org.mate.ScreenSaver", "/org/mate/ScreenSaver", "org.mate.ScreenSaver"),
    ("org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver", "org.cinnamon.ScreenSaver"),
)
"""Service, path and interface of each; all have the signal ActiveChanged(bool)."""
LOGIND: Final = ("org.freedesktop.login1", "", "org.freedesktop.login1.Session")
"""Any session's object: one lock too many does no harm."""
_CHANGED: Final[Any] = SLOT("active_changed(bool)")
_LOCK: Final[Any] = SLOT("lock()")
"""Slot as `QDBusConnection.connect` takes it: text, though its types say bytes."""
_SYSTEM_BUS: Final = Path("/run/dbus/system_bus_socket")


class ScreenLock(QObject):
    """Signal that the screen is being locked."""

    locked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        if _session_bus_is_there():
            bus = QDBusConnection.sessionBus()
            for service, path, interface in SAVERS:
                bus.connect(service, path, interface, "ActiveChanged", self, _CHANGED)
        if _SYSTEM_BUS.is_socket():
            service, path, interface = LOGIND
            QDBusConnection.systemBus().connect(service, path, interface, "Lock", self, _LOCK)

    @Slot(bool)
    def active_changed(self, active: bool) -> None:
        """A screen saver begins or ends."""
        if active:
            self.locked.emit()

    @Slot()
    def lock(self) -> None:
        """A session is to be locked."""
        self.locked.emit()


def _session_bus_is_there() -> bool:
    """Asked first, because Qt would start a bus where there is none."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    bus = Path(runtime) / "bus"
    return bool(os.environ.get("DBUS_SESSION_BUS_ADDRESS")) or (bool(runtime) and bus.is_socket())
