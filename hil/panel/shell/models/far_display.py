"""Text to be read from afar: mode, worst margin, time left; and how large it must be."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hil.panel.live.models.margins import MarginRow
from hil.panel.live.session import LiveSession, Session
from hil.panel.study.session import ReplaySession
from hil.panel.widgets.figures import figure
from hil.run.pages import Role

DISTANCE_M: Final = 3.0
CAPITAL_MM: Final = 1e3 * DISTANCE_M * math.tan(math.radians(20.0 / 60.0))
"""Height of a capital that is seen at 20 minutes of arc at that distance: 17.45 mm. ISO 9241-303
recommends 20 to 22 minutes for what is to be read with ease."""
SIGNS: Final = {"warn": "▲ ", "fault": "✖ "}
"""Near a limit, at a limit: before the words, beside their colour."""
_DPI_MM: Final = 25.4


@dataclass(frozen=True, slots=True)
class Far:
    """The three lines, each with the role of its colour."""

    mode: str
    mode_role: Role
    margin: str
    margin_role: str
    """``ok``, ``warn``, ``fault`` or ``unknown``."""
    left: str


NO_RUN: Final = Far("No run", "dim", "", "unknown", "")


def far_of(session: Session | None, rows: Sequence[MarginRow], now_s: float) -> Far:
    """Return the display of a run.

    Args:
        rows: what is left to its limits, worst first.
        now_s: the clock of the session [s].
    """
    if session is None:
        return NO_RUN
    lit = next((lamp for lamp in session.bench.lamps_at(now_s) if lamp.lit), None)
    worst = rows[0] if rows else None
    return Far(
        mode="mode not known" if lit is None else lit.name,
        mode_role="dim" if lit is None else lit.role,
        margin="" if worst is None else SIGNS.get(worst.role, "") + _margin(worst),
        margin_role="unknown" if worst is None else worst.role,
        left=_left(session),
    )


def _margin(row: MarginRow) -> str:
    if not math.isfinite(row.left):
        return row.words
    beyond = "BEYOND " if row.left < 0.0 else ""
    return f"{row.name}: {beyond}{figure(abs(row.left), row.unit, digits=2)}"


def _left(session: Session) -> str:
    end = session.bench.end
    if end is not None and end.left_s > 0.0 and not session.ended:
        return f"power off in {end.left_s:.0f} s"
    left_s = time_left_s(session)
    return "" if left_s is None else f"{math.ceil(left_s)} s left"


def time_left_s(session: Session) -> float | None:
    """Time until a recording, or the motion that is being played, is over at this tempo [s].

    None where nothing is played, it stands still, or its length is not known.
    """
    if isinstance(session, ReplaySession):
        return session.feed.span_s[1] - session.feed.t_s
    operation = session.bench.operation
    if operation.playing != "play" or operation.override <= 0.0 or session.ended:
        return None
    motion = _motion(session, operation.motion_serial)
    lasts_s = None if motion is None else session.facts.views.lasts_s(motion)
    return (
        None if lasts_s is None else max(0.0, lasts_s - operation.motion_t_s) / operation.override
    )


def _motion(session: Session, serial: int) -> Mapping[str, Any] | None:
    """Table of the motion that control plays; None if it is not known here."""
    if serial:
        return session.in_force.table(serial) if isinstance(session, LiveSession) else None
    scenario = (session.facts.header.scenario or {}).get("scenario")
    return scenario.get("motion") if isinstance(scenario, Mapping) else None


def px_per_mm(pixels: float, size_mm: float, logical_dpi: float) -> float:
    """Pixels of the window in a millimetre of the screen.

    Args:
        pixels: of the screen's height.
        size_mm: its height as it tells of itself [mm]; a projector, or a screen over a network,
            may tell nothing, or nonsense.
        logical_dpi: what text is drawn for; it is believed where the screen is not, which is where
            it would have fewer than 40 or more than 600 pixels in an inch.
    """
    dpi = _DPI_MM * pixels / size_mm if size_mm > 0.0 else 0.0
    return (dpi if 40.0 <= dpi <= 600.0 else logical_dpi) / _DPI_MM
