"""What the parts of a window that are over its docks may ask of it besides."""

from typing import Protocol

from hil.panel.shell.host import Host
from hil.panel.shell.window_appearance import Look
from hil.panel.shell.window_distance import Distance


class WindowHost(Host, Protocol):
    """A window, to its menus and turns."""

    look: Look
    distance: Distance
