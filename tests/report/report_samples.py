"""Hand-made recordings of short runs that the tests of the report share."""

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from row_samples import NAN6, CycleFrame, with_codes

from hil.config.file_search import configs_dir
from hil.machines.rig.machine import geometry_of
from hil.recording.events import EVENTS, ROWS, EventKind, EventRecord, Level
from hil.recording.header import RunHeader
from hil.recording.reader import Recording
from hil.recording.recorder import Recorder, RecorderRing
from hil.stations.platform.plan.scenario import Plan, load_plan
from hil.stations.platform.signals import SIGNALS, CycleFlag
from platform6dof.inverse import leg_setpoints_batch
from safety.modes import Mode
from safety.verdict import Action

PERIOD_S = 0.002
MODES = tuple(mode.name for mode in Mode)
ACTIONS = tuple(action.name for action in Action)
GOOD = (
    *(("IDLE", 3), ("HOMING", 20), ("STANDBY", 10), ("ENGAGING", 50)),
    *(("ENGAGED", 400), ("PARKING", 50), ("STANDBY", 10), ("OFF", 2)),
)
TRIPPED = (
    *(("IDLE", 3), ("HOMING", 20), ("STANDBY", 10), ("ENGAGING", 50)),
    *(("ENGAGED", 400), ("CSTOP", 40), ("FAULT", 30)),
)
TRIP_TEXT = "leg 3: stopping point 1.420 m outside [0.650, 1.370] m"
BRAKING_CYCLES = 25
LAG = 0.001
"""What every measured length lags behind the one sent, as a share of the way from 1 m."""

Change = Callable[[int, CycleFrame], CycleFrame]


def demo_plan(*overrides: str) -> Plan:
    return load_plan(configs_dir() / "scenarios" / "demo.toml", overrides)


def header_of(plan: Plan | None, **facts: str) -> RunHeader:
    metadata = {
        "scenario": "demo",
        "rig": "paper",
        "clock": "virtual",
        "drives": "SIMULATED paper (sim:)",
        "simulated": "drives",
        "limits_sha256": "11aa22bb",
        "versions": "hil-bench 0.1.0, numpy 2.0",
    }
    scenario = {} if plan is None else plan.model_dump(mode="json")
    return RunHeader(SIGNALS, metadata | facts, scenario)


def write_run(
    path: Path,
    course: tuple[tuple[str, int], ...] = GOOD,
    *,
    plan: Plan | None = None,
    change: Change | None = None,
    events: tuple[EventRecord, ...] = (),
    **facts: str,
) -> Recording:
    """Record a run whose modes last as many cycles as `course` says, and read it back."""
    plan = plan or demo_plan()
    recorder = Recorder(RecorderRing.local(slots=64), path, header_of(plan, **facts))
    for frame in frames_of(plan, course):
        frame = frame if change is None else change(frame.index, frame)
        recorder.ring.push(ROWS, frame.to_bytes())
        recorder.service()
    for event in (*mode_events(course), *events):
        recorder.ring.push(EVENTS, event.to_bytes())
        recorder.service()
    recorder.finish()
    return Recording.open(path)


def frames_of(plan: Plan, course: tuple[tuple[str, int], ...]) -> list[CycleFrame]:
    """A gentle motion about the neutral pose; in CSTOP six speeds shrink by one factor."""
    modes = [mode for mode, count in course for _ in range(count)]
    phase = np.cumsum([_pace(modes, place) for place in range(len(modes))]) * PERIOD_S
    amplitudes = np.array([0.02, -0.015, 0.03, 0.03, 0.02, -0.03])
    frequencies = np.array([1.1, 0.7, 0.9, 0.5, 1.3, 0.8]) * 2.0 * math.pi
    waves = np.sin(phase[:, None] * frequencies)
    coordinates = np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0]) + amplitudes * waves
    rates = amplitudes * frequencies * np.cos(phase[:, None] * frequencies)
    lengths, speeds = leg_setpoints_batch(geometry_of(plan.rig), coordinates, rates)
    lengths = np.asarray(lengths)
    if "CSTOP" in modes:
        _brake(lengths, modes.index("CSTOP"))
    frames = []
    for index, mode in enumerate(modes):
        following = mode in ("ENGAGING", "ENGAGED", "PARKING")
        sent = _six(lengths[index]) if following or mode in ("CSTOP", "HOLD") else NAN6
        measured = lengths[index] + LAG * (1.0 - lengths[index])
        frames.append(
            CycleFrame(
                index,
                index * PERIOD_S,
                PERIOD_S,
                0.0,
                0.0,
                MODES.index(mode),
                ACTIONS.index("PASSED" if following else "BLOCKED"),
                int(CycleFlag.FAULT_LATCHED) if mode in ("CSTOP", "FAULT") else 0,
                _six(coordinates[index]) if following else NAN6,
                _six(lengths[index]) if following else NAN6,
                _six(speeds[index]) if following else NAN6,
                sent,
                _six(speeds[index]) if following else NAN6,
                sent,
                _six(measured),
                _six(np.asarray(speeds)[index] * (1.0 if following else 0.0)),
                (100.0, 200.0, 300.0, 400.0, 500.0, -600.0),
                _six(coordinates[index] + 1e-4),
                1e-10,
                (0, 4, 0, 4, 8, 12),
            )
        )
    return frames


def violation(index: int, text: str, *, leg: int = 3, check: str = "braking") -> EventRecord:
    data = {"check": check, "leg": leg, "value": 1.42, "limit": 1.37, "unit": "m", "message": text}
    return EventRecord(
        index * PERIOD_S, index, EventKind.VIOLATION, Level.ERROR, "gate", text, data
    )


def mode_events(course: tuple[tuple[str, int], ...]) -> tuple[EventRecord, ...]:
    events, index, before = [], 0, "start"
    for mode, count in course:
        text = f"{before} → {mode}"
        events.append(
            EventRecord(
                index * PERIOD_S, index, EventKind.MODE, Level.INFO, "gate", text, {"mode": mode}
            )
        )
        index, before = index + count, mode
    return tuple(events)


def start_of(course: tuple[tuple[str, int], ...], mode: str) -> int:
    """Number of the first cycle in a mode."""
    index = 0
    for name, count in course:
        if name == mode:
            return index
        index += count
    raise ValueError(mode)


def with_modes(run: Recording, *names: str) -> Recording:
    """The same run with other names of its modes."""
    signals = with_codes(run.signals, names, run.actions)
    return dataclasses.replace(run, signals=signals)


def with_columns(recording: Recording, **columns: Any) -> Recording:
    """The same recording with some columns exchanged."""
    merged = dict(recording.columns) | columns
    return dataclasses.replace(recording, columns=MappingProxyType(merged))


def _pace(modes: list[str], place: int) -> float:
    return 1.0 if modes[place] in ("ENGAGED", "ENGAGING", "PARKING") else 0.0


def _brake(lengths: np.ndarray, first: int) -> None:
    """From a cycle on, six movements per cycle shrink to nothing by one common factor."""
    movement = lengths[first - 1] - lengths[first - 2]
    for place in range(first, len(lengths)):
        factor = max(0.0, 1.0 - (place - first + 1) / BRAKING_CYCLES)
        lengths[place] = lengths[place - 1] + factor * movement


def _six(values: np.ndarray) -> tuple[float, ...]:
    a, b, c, d, e, f = (float(value) for value in values)
    return (a, b, c, d, e, f)
