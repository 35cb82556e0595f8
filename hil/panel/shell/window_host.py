"""The window as the parts over its docks may use it besides."""

from typing import Protocol

from hil.panel.shell.host import Host
from hil.panel.shell.window_distance import Distance
from hil.panel.shell.window_look import Look


class WindowHost(Host, Protocol):
    """A window, to its menus and turns."""

    look: Look
    distance: Distance
