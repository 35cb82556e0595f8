"""Colours of the panel, light and dark, as data; and how a window takes them on.

Any two that mean different things side by side differ by a CIEDE2000 of 15 or more, to normal,
protan, deutan and tritan eyes (`tests/panel/test_colour_vision.py`). Nothing is told by colour
alone.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as ``#rrggbb``."""

    name: Literal["light", "dark"]
    """Name of the theme."""
    window: str
    """Background of windows."""
    base: str
    """Background of fields, lists and plots."""
    text: str
    """Text and all else that has no other colour."""
    dim: str
    """Text that is secondary, or a button that is not possible now."""
    line: str
    """Frames, axes and grids."""
    accent: str
    """Things that are chosen."""
    ok: str
    """All well."""
    warn: str
    """Near a limit, or waiting."""
    fault: str
    """Value over a limit."""
    simulated: str
    """Banner that says that a run is simulated."""
    on_strong: str
    """Text on ok, warn, fault, accent and simulated."""
    traces: tuple[str, str, str, str, str, str, str, str]
    """Traces of a plot; at first the six legs or joints."""

    @property
    def over(self) -> "Theme":
        """The theme for the state of an ended run: no colour says that it is well, or not."""
        return replace(self, accent=self.dim, ok=self.dim, warn=self.dim, fault=self.dim)


LIGHT: Final = Theme(
    name="light",
    window="#F4F6F8",
    base="#FFFFFF",
    text="#1E2430",
    dim="#63697A",
    line="#C3CAD3",
    accent="#0869DD",
    ok="#1A674C",
    warn="#A0610D",
    fault="#880D0E",
    simulated="#4C2680",
    on_strong="#FFFFFF",
    traces=(
        "#286AFA", "#E57718", "#39A579", "#AA769B",
        "#915A00", "#41577F", "#1E2430", "#52391B",
    ),
)  # fmt: skip

DARK: Final = Theme(
    name="dark",
    window="#14181E",
    base="#1B2028",
    text="#E6EAF0",
    dim="#A5ACB6",
    line="#3A434F",
    accent="#0CC6FF",
    ok="#2F920F",
    warn="#EEB500",
    fault="#FE6C74",
    simulated="#8B6ED6",
    on_strong="#10141A",
    traces=(
        "#A38FFF", "#EA801F", "#3C836B", "#B382A6",
        "#F1E53A", "#70FDBC", "#E6EAF0", "#85AC7F",
    ),
)  # fmt: skip

STYLE: Final = "fusion"
"""Style of widgets; the same on every system."""
THEMES: Final = {theme.name: theme for theme in (LIGHT, DARK)}


def apply(app: QApplication, theme: Theme) -> None:
    """Give every window of an application a theme.

    Args:
        app: the application; its style becomes Fusion, which follows palettes on every system.
    """
    if app.style().name().lower() != STYLE:  # setting it visits every widget that there is
        app.setStyle(STYLE)
    app.setPalette(palette(theme))


def palette(theme: Theme) -> QPalette:
    """Qt's palette of a theme."""
    roles = QPalette.ColorRole
    made = QPalette()
    for role, colour in (
        (roles.Window, theme.window),
        (roles.WindowText, theme.text),
        (roles.Base, theme.base),
        (roles.AlternateBase, theme.window),
        (roles.Text, theme.text),
        (roles.Button, theme.window),
        (roles.ButtonText, theme.text),
        (roles.BrightText, theme.fault),
        (roles.ToolTipBase, theme.base),
        (roles.ToolTipText, theme.text),
        (roles.PlaceholderText, theme.dim),
        (roles.Link, theme.accent),
        (roles.Highlight, theme.accent),
        (roles.HighlightedText, theme.on_strong),
        (roles.Mid, theme.line),
    ):
        made.setColor(role, QColor(colour))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.dim))
    return made
