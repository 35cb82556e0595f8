"""Frames and headers that the tests of the recording share."""

import math
from pathlib import Path

from row_samples import PLATFORM, CycleFrame, with_codes

from hil.recording.events import ROWS
from hil.recording.header import RunHeader
from hil.recording.recorder import Recorder, RecorderResult, RecorderRing

HEADER = RunHeader(
    with_codes(PLATFORM, ("OFF", "IDLE", "ENGAGED"), ("NONE", "PASSED", "STOPPED")),
    metadata={"rig": "sample", "seed": "7", "devices": "SIMULATED"},
    scenario={"rate_hz": 500.0, "name": "sample"},
)


def six(start: float) -> tuple[float, ...]:
    """Six different values, so that swapped legs or groups are seen."""
    return (start, start + 0.01, start + 0.02, start + 0.03, start + 0.04, start + 0.05)


def sample_frame(index: int, period_s: float = 0.002) -> CycleFrame:
    """A frame in which every group differs from every other and from the last cycle's."""
    t_s = index * period_s
    wave = 0.1 * math.sin(3.0 * t_s)
    groups = [six(10.0 * group + wave) for group in range(1, 11)]
    return CycleFrame(
        index, t_s, period_s, 1e-5, 2e-5, 2, 1, 3, *groups, 1e-9,
        tuple(range(index, index + 6)), 0.01 + wave,
    )  # fmt: skip


def packed(frame: CycleFrame) -> bytes:
    return frame.to_bytes()


def record(path: Path, frames: list[CycleFrame], header: RunHeader = HEADER) -> RecorderResult:
    """Record frames as a dry run does."""
    recorder = Recorder(RecorderRing.local(slots=16), path, header)
    for frame in frames:
        recorder.ring.push(ROWS, packed(frame))
        recorder.service()
    return recorder.finish()
