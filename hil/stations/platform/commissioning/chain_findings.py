"""Measurement whether this machine holds a rate with all parts: control, gate, emulated drives.

A shipped scenario is run in real time on emulated CANopen drives, each part in its process as in
every run; nothing outside of the machine moves. Late wake-ups of the gate are read from its cycles,
cycles that control missed from absent setpoints, and the cost from the processors' time, which does
not depend on what else runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from hil.config.errors import RefusedError
from hil.config.file_search import find_file
from hil.recording.reader import Recording
from hil.run.station import Request
from hil.stations.platform.commissioning.runs import play_moves
from hil.stations.platform.drives.rack import emulated_rack
from hil.stations.platform.plan.command_line import plan_of
from hil.stations.platform.signals import MODE_CODE
from hil.timing.doctor import Finding, Grade
from hil.timing.realtime import RealClock
from safety.modes import Mode

SCENARIO: Final = "real_time"
"""Scenario that is run: heave and pitch, some seconds long."""
SECONDS: Final = 5.0
"""Length of its motion [s]; homing, rise and parking are extra, and count too."""
REMEDY: Final = "rest what runs beside, grant what is missing above, or take a lower rate_hz"


@dataclass(frozen=True, slots=True)
class ChainFigures:
    """Figures of one run."""

    rate_hz: float
    cycles: int
    """Number of recorded cycles."""
    missed: int
    """Number of cycles in motion without a setpoint of control."""
    late_p99_s: float
    """Lateness that 99 of 100 wake-ups of the gate kept within [s]."""
    late_max_s: float
    """Largest lateness [s]."""
    late_limit_s: float
    """Lateness from which the gate stops [s]."""
    cores: float
    """Processor time per time of the run, of all processes."""
    reason: str
    """Reason why it was not completed; empty if it was."""

    def finding(self) -> Finding:
        """Finding for `hil doctor`."""
        held = not self.reason
        clean = self.missed == 0 and self.late_max_s <= self.late_limit_s
        seen = (
            f"{self.cycles} cycles, {self.missed} missed by control; the gate late by "
            f"{self.late_p99_s * 1e3:.2f} ms (99 %), {self.late_max_s * 1e3:.2f} ms at most, of "
            f"{self.late_limit_s * 1e3:.1f} ms; {self.cores:.2f} of {os.cpu_count()} cores"
        )
        return Finding(
            f"whole chain at {self.rate_hz:g} Hz",
            Grade.OK if held and clean else Grade.WARN if held else Grade.BAD,
            seen if held else f"{seen}; ended: {self.reason}",
            "" if held and clean else REMEDY,
        )


def chain_findings(rates_hz: Sequence[float]) -> list[Finding]:
    """Run all parts at each rate.

    Raises:
        ConfigError: if a rate cannot be run.
    """
    return list(_findings(rates_hz))


def _findings(rates_hz: Sequence[float]) -> Iterator[Finding]:
    for rate_hz in rates_hz:
        try:
            with TemporaryDirectory() as folder:
                yield measure_chain(rate_hz, Path(folder)).finding()
        except RefusedError as error:
            yield Finding(f"whole chain at {rate_hz:g} Hz", Grade.BAD, str(error), REMEDY)


def measure_chain(rate_hz: float, folder: Path, rig: str = "paper") -> ChainFigures:
    """Run the scenario once on emulated drives.

    Args:
        folder: folder of its recording.

    Raises:
        ConfigError: if the rate cannot be run.
        RefusedError: if the drives do not start.
    """
    file = find_file(SCENARIO, folder="scenarios", key="SCENARIO")
    rig_file = str(find_file(rig, folder="rigs", key="rig"))
    clock = RealClock()
    begin_s, before_s = clock.now_s(), _processors_s()
    with emulated_rack("canopen", rig_file, buses=2) as url:
        changes = (f"rate_hz={rate_hz}", f"motion.duration_s={SECONDS}")
        asked = Request(scenario=file, options={"--drives": url}, overrides=changes, clock="real")
        plan = plan_of(asked)
        result = play_moves(plan, folder, quiet=True)
    cores = (_processors_s() - before_s) / (clock.now_s() - begin_s)
    recording = Recording.open(result.recorder.path)
    late_s = recording.column("late_s")
    moving = recording.column("mode") == MODE_CODE[Mode.ENGAGED]
    asked_m = np.isfinite(recording.column("asked_length_m")).all(axis=1)
    return ChainFigures(
        rate_hz, recording.cycles, int(np.count_nonzero(moving & ~asked_m)),
        float(np.nanpercentile(late_s, 99.0)), float(np.nanmax(late_s)),
        plan.rig.supervision.late_cycles_max * plan.scenario.period_s, cores, result.reason,
    )  # fmt: skip


def _processors_s() -> float:
    """Processor time of this process and of those that have ended [s]."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
