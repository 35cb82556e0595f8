"""Views of a ride: those of a run of the platform, with a page for its source and its gains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hil.stations.platform.station import LEAD as PLATFORM_LEAD
from hil.stations.platform.views import VIEWS as PLATFORM_VIEWS

if TYPE_CHECKING:
    from hil.run.pages import Page


def _pages(table: Mapping[str, Any]) -> tuple[Page, ...]:
    from hil.stations.simulator.page import pages

    return pages(table)


VIEWS: Final = replace(PLATFORM_VIEWS, lasts_s=lambda motion: None, pages=_pages)
"""Lamps, margins and lateness are those of the platform."""
BUTTONS: Final = tuple(one for one in PLATFORM_LEAD.buttons if one != "pose")
LEAD: Final = replace(PLATFORM_LEAD, buttons=BUTTONS, controls=None)
"""Requests of an operator in a ride; it goes to no pose, and its gains are on its page."""
