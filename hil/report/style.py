"""The style of every picture: one size, fonts and colours, as many points as are seen, no date."""

import ctypes
import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

DPI: Final = 110
WIDTH_IN: Final = 10.9
"""1200 pixels at `DPI`: a page 1366 pixels wide shows a picture at its own size."""

LEGEND_IN: Final = 1.6
"""Space at the right of the panels for a legend [inch]."""

LEG_COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
"""One colour a leg, 1 to 6: the palette of M. Okabe and K. Ito, "Color Universal Design" (2008),
less black and yellow; it stays distinguishable with the common colour deficiencies."""

WANTED: Final = "#9A9A9A"
REACHED: Final = "#0072B2"
LIMIT: Final = "#B00020"
INK: Final = "#222222"

MODE_COLOURS: Final = {
    "OFF": "#D9D9D9",
    "IDLE": "#C9D3DC",
    "HOMING": "#B9D6F0",
    "STANDBY": "#E4E4E4",
    "ENGAGING": "#D3EBCB",
    "ENGAGED": "#97D08F",
    "PARKING": "#BFE3E0",
    "HOLD": "#FBE7A1",
    "CSTOP": "#F5A94E",
    "QSTOP": "#E36A6A",
    "FAULT": "#F3B0B0",
    "LOCKOUT": "#B566A0",
    "SYNCHRONISING": "#D3EBCB",
    "STREAMING": "#97D08F",
    "ENDING": "#BFE3E0",
    "HELD": "#FBE7A1",
}
OTHER_MODE: Final = "#F2F2F2"

_STYLE: Final[dict[str, Any]] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so a picture is the same everywhere
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.titley": 1.0,  # a place given is not searched for, which takes a third of the time
    "axes.labelsize": 9.0,
    "axes.edgecolor": "#666666",
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.1,
    "legend.frameon": False,
    "legend.fontsize": 9.0,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "agg.path.chunksize": 0,
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a page."""

    name: str
    title: str
    caption: str
    png: bytes


def draw_png(height_in: float, draw: Callable[[Figure], None]) -> bytes:
    """A PNG of what ``draw`` puts into an empty figure of the page's width.

    The same drawing gives the same bytes: matplotlib's settings of the user play no part, and the
    file carries neither date nor version.
    """
    data = _drawn(height_in, draw)
    _give_back_memory()
    return data


def _drawn(height_in: float, draw: Callable[[Figure], None]) -> bytes:
    with matplotlib.style.context(_STYLE, after_reset=True):
        figure = Figure(figsize=(WIDTH_IN, height_in), dpi=DPI)
        FigureCanvasAgg(figure)
        draw(figure)
        buffer = BytesIO()
        figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def _give_back_memory() -> None:
    """Free a figure, whose parts know each other, and what lies free between blocks (glibc).

    A picture is where a page needs most memory, and pieces of a long recording leave much behind.
    """
    gc.collect()
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


def place(
    figure: Figure,
    *,
    left_in: float = 0.72,
    right_in: float = 0.12,
    top_in: float = 0.3,
    bottom_in: float = 0.45,
    between_in: tuple[float, float] = (0.55, 0.3),
    grid: tuple[int, int] = (1, 1),
) -> None:
    """Fix the margins of a figure's panels in inches, about tick labels, titles and legends.

    matplotlib's own layout engines measure every text twice, which takes half of the time of a
    report; the texts here have known sizes.

    Args:
        between_in: space between columns and between rows.
        grid: columns and rows of the panels.
    """
    width, height = figure.get_figwidth(), figure.get_figheight()
    (columns, rows), (beside, below) = grid, between_in
    panel_width = (width - left_in - right_in - (columns - 1) * beside) / columns
    panel_height = (height - top_in - bottom_in - (rows - 1) * below) / rows
    figure.subplots_adjust(
        left=left_in / width,
        right=1.0 - right_in / width,
        top=1.0 - top_in / height,
        bottom=bottom_in / height,
        wspace=beside / panel_width,
        hspace=below / panel_height,
    )


def mode_colour(name: str) -> str:
    """Colour of a mode of the bench; a mode that is not known is light grey."""
    return MODE_COLOURS.get(name.upper(), OTHER_MODE)


def limit_line(axes: Axes, value: float, *, soft: bool, label: str | None = None) -> None:
    """A horizontal line at a limit: dashed for a soft one, solid for a mechanical one."""
    axes.axhline(
        value,
        color=LIMIT,
        linewidth=1.0 if soft else 1.4,
        linestyle=(0, (6, 3)) if soft else "solid",
        label=label,
        zorder=1.5,
    )
