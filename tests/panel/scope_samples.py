"""Runs and rows for tests of scope, replay and comparison."""

import numpy as np
from row_samples import PLATFORM

from hil.panel.live.models.feed import Batch, RunFacts
from hil.recording.events import EventKind, EventRecord, Level
from hil.recording.header import RunHeader
from hil.recording.signals import Signals
from safety.modes import Mode

PERIOD_S = 1e-3
NAMES = PLATFORM.columns()
LEG1, LEG2 = "measured_length_leg1_m", "measured_length_leg2_m"
FORCE1 = "measured_force_leg1_n"
MODES = tuple(mode.name for mode in Mode)


def facts(signals: Signals = PLATFORM, period_s: float = PERIOD_S) -> RunFacts:
    return RunFacts(RunHeader(signals), period_s, "demo")


def rows(count: int, start: int = 0, **columns) -> np.ndarray:
    """Frames number start to start + count - 1, with these columns, the rest not there."""
    table = np.full((count, PLATFORM.values), np.nan)
    table[:, 0] = np.arange(start, start + count)
    table[:, 1] = table[:, 0] * PERIOD_S
    for name, values in columns.items():
        table[:, NAMES.index(name)] = values
    return table


def batch(table: np.ndarray, *events: EventRecord, restart: bool = False) -> Batch:
    return Batch(table, tuple(events), restart=restart)


def event(t_s: float, kind: EventKind = EventKind.FAULT, message: str = "leg 3") -> EventRecord:
    return EventRecord(t_s, round(t_s / PERIOD_S), kind, Level.ERROR, "gate", message)
