"""The window as the parts over its docks may use it besides."""

from typing import Protocol

from hil.panel.shell.host import Host
from hil.panel.shell.window_appearance import Appearance
from hil.panel.shell.window_distance import Distance


class WindowHost(Host, Protocol):
    """A window, to its menus and turns."""

    appearance: Appearance
    distance: Distance
