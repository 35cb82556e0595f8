"""Colours of the panel, light and dark, as data; and how a window takes them on.

Trace colours are those of Okabe and Ito (2008), which people of every colour vision tell apart,
lightened or darkened for the background. A state is never told by colour alone.
"""

from dataclasses import dataclass
from typing import Final, Literal

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as ``#rrggbb``."""

    name: Literal["light", "dark"]
    """Of the theme."""
    window: str
    """Background of windows."""
    base: str
    """Background of fields, lists and plots."""
    text: str
    """Of everything."""
    dim: str
    """Of what is secondary or not possible now."""
    line: str
    """Of frames, axes and grids."""
    accent: str
    """Of what is chosen."""
    ok: str
    """All well."""
    warn: str
    """Near a limit, or waiting."""
    fault: str
    """Over a limit."""
    simulated: str
    """Of the banner that says so."""
    on_strong: str
    """Text on ok, warn, fault, accent and simulated."""
    legs: tuple[str, str, str, str, str, str]
    """Of the six legs or joints."""
    traces: tuple[str, str, str, str, str, str, str, str]
    """Of the traces of a plot."""


LIGHT: Final = Theme(
    name="light",
    window="#F4F6F8",
    base="#FFFFFF",
    text="#1E2430",
    dim="#667080",
    line="#C3CAD3",
    accent="#0B62A8",
    ok="#1E7F46",
    warn="#A86200",
    fault="#C21F27",
    simulated="#6B3FA0",
    on_strong="#FFFFFF",
    legs=("#0072B2", "#D55E00", "#009E73", "#A0447E", "#B88A00", "#3C8DBC"),
    traces=(
        "#0072B2", "#D55E00", "#009E73", "#A0447E",
        "#B88A00", "#3C8DBC", "#1E2430", "#7A5C3A",
    ),
)  # fmt: skip

DARK: Final = Theme(
    name="dark",
    window="#14181E",
    base="#1B2028",
    text="#E6EAF0",
    dim="#95A0AF",
    line="#3A434F",
    accent="#5FA8E6",
    ok="#3DBB72",
    warn="#F0B429",
    fault="#F0605A",
    simulated="#BD8BEB",
    on_strong="#10141A",
    legs=("#56B4E9", "#F08A3C", "#34C79A", "#E08BC0", "#F0E442", "#9AD0F5"),
    traces=(
        "#56B4E9", "#F08A3C", "#34C79A", "#E08BC0",
        "#F0E442", "#9AD0F5", "#E6EAF0", "#C9A67A",
    ),
)  # fmt: skip

STYLE: Final = "fusion"
"""Of widgets; the same on every system."""
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
