"""Extent of a platform's run, its prepared plan, and its result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drives.bank import BankEnd, BankReport
from hil.recording.events import EventRecord
from hil.recording.recorder import RecorderResult
from hil.run.end import Conclusion
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.drives.setup import BankRequest
from hil.timing.neighbours import Neighbour
from hil.timing.realtime_setup import RealtimeItem
from hil_common.legs import SixBools
from safety.modes import Mode
from safety.verdict import Violation

if TYPE_CHECKING:
    from hil.run.station import Request
    from hil.stations.platform.lead.extension import Extension
    from hil.stations.platform.motion.source import MotionSource
    from hil.stations.platform.plan.scenario import Plan


@dataclass(frozen=True, slots=True)
class RunSequence:
    """Extent of a run."""

    engage: bool = True
    """Whether the platform rises and moves; else the run ends when it is homed."""
    homing_legs: tuple[int, ...] = ()
    """Legs (1 to 6) to be homed; all if empty. With some, nothing can engage."""
    cut_m_s: float | None = None
    """Speed of the legs at which the bench falls silent once [m/s], 0 at rest, to see the drives
    stop by themselves; None for no silence."""

    @property
    def request(self) -> BankRequest:
        """Requests to the bank."""
        return BankRequest(self.homing_legs, self.cut_m_s)


WHOLE_COURSE = RunSequence()


@dataclass(frozen=True, slots=True, eq=False)
class PreparedPlan:
    """Plan with all that its run plays; proved, where its scenario is checked first."""

    plan: Plan
    motion: MotionSource
    """Motion of the platform."""
    course: RunSequence = WHOLE_COURSE
    """Extent of the run; an operator decides that himself."""
    extension: Extension | None = None
    """Additions of another station to the run."""
    total_s: float = math.inf
    """Approximate duration of the run [s]; infinite if that is not known."""
    request: Request | None = None
    """Request of `hil run`, with which a motion that asked too much gets advice."""

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self.plan.scenario.name

    @property
    def clock(self) -> str:
        """Clock of the run, ``"virtual"`` or ``"real"``."""
        return self.plan.scenario.clock


@dataclass(frozen=True, slots=True)
class RunResult:
    """Result of a run; figures are taken from its recording."""

    outcome: Outcome
    """Outcome: completed, stopped by the operator, tripped, or failed."""
    mode: Mode
    """Last mode of the bench."""
    cycles: int
    """Number of cycles."""
    overruns: int
    """Number of deadlines given up because a cycle took too long."""
    events: tuple[EventRecord, ...]
    """Changes of mode, violations and notes, in order."""
    violations: tuple[tuple[float, Violation], ...]
    """Objections of the gate, with the time of the run [s]."""
    end: Conclusion
    """Conclusion for exit status, console and recording."""
    setup: tuple[RealtimeItem, ...]
    """Settings for real time that the system granted, empty in a dry run."""
    drives: BankReport
    """Report of the drives about themselves."""
    homed: SixBools
    """Whether each leg had found its reference in the last cycle."""
    link: BankEnd
    """State in which the drives were left, and events on the link to them."""
    gate_record: str = ""
    """Fault of the file that the gate leaves; empty if there is none, or if the gate had no
    process of its own."""
    beside: tuple[Neighbour, ...] = ()
    """Other processes that kept the processors busy, in real time."""

    @property
    def ok(self) -> bool:
        """Whether it was completed, or stopped by the operator and parked, and no row was lost."""
        return self.end.ok

    @property
    def reason(self) -> str:
        """Reason why the run was not completed, empty if it was."""
        return self.end.reason

    @property
    def recorder(self) -> RecorderResult:
        """Result of the recorder."""
        return self.end.recorder
