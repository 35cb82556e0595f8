"""Additions of a station that extends this one: a table, facts, and a part of every cycle.

Machine, gate, drives, course, loop and journal stay as they are; a run without an extension is
recorded byte by byte as without this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hil.recording.signals import Signals
from hil.stations.platform.cycle.companion import Companion

if TYPE_CHECKING:
    from hil.stations.platform.lead.motion import OperatedMotion


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """Additions of another station to a run of the platform."""

    signals: Signals
    """Signals of its rows: this station's first, then its own."""
    blank: bytes
    """Bytes of its own signals in a row without control."""
    settings: Mapping[str, Any]
    """Settings in the recording's header in place of the platform's plan."""
    facts: Mapping[str, str]
    """Further facts of the header."""
    open: Callable[[Callable[[], float]], AbstractContextManager[Companion]]
    """Opens the companion of control, by the run's clock [s]; nothing is powered before that.
    Raises `ConfigError`."""
    led: Callable[[], OperatedMotion] | None = None
    """Makes the motion of an operated run in ENGAGED; None if nobody can lead such a run."""
    prover: tuple[str, ...] = ()
    """Arguments of the interpreter for the prover of an operator's requests."""
