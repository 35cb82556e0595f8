"""How far a run of the platform goes, and how it went."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drives.bank import BankEnd, BankReport
from hil.recording.events import EventRecord
from hil.recording.recorder import RecorderResult
from hil.run.end import Conclusion
from hil.stations.platform.drives.setup import BankWish
from hil.stations.platform.supervisor import Outcome
from hil.timing.neighbours import Neighbour
from hil.timing.realtime_setup import RealtimeItem
from hil_common.legs import SixBools
from safety.modes import Mode
from safety.verdict import Violation

if TYPE_CHECKING:
    from hil.run.station import Request
    from hil.stations.platform.extension import Extension
    from hil.stations.platform.motion.source import MotionSource
    from hil.stations.platform.scenario import Plan


@dataclass(frozen=True, slots=True)
class RunSequence:
    """How far a run goes."""

    engage: bool = True
    """Whether the platform rises and moves; else the run ends when it is homed."""
    homing_legs: tuple[int, ...] = ()
    """Legs (1 to 6) to be homed; all if empty. With some, nothing can engage."""
    cut_m_s: float | None = None
    """Speed of the legs at which the bench falls silent once [m/s], 0 at rest, to see the drives
    stop by themselves; None not at all."""

    @property
    def wish(self) -> BankWish:
        """What the bank shall do for it."""
        return BankWish(self.homing_legs, self.cut_m_s)


WHOLE_COURSE = RunSequence()


@dataclass(frozen=True, slots=True, eq=False)
class PreparedPlan:
    """A plan, and what a run of it plays; proved, where its scenario is checked first."""

    plan: Plan
    motion: MotionSource
    """What the platform follows."""
    course: RunSequence = WHOLE_COURSE
    """How far it goes; an operator decides that himself."""
    extension: Extension | None = None
    """What another station adds to the run."""
    total_s: float = math.inf
    """About how long the run takes [s]; infinite if that is not known."""
    request: Request | None = None
    """That of `hil run`; then a motion that asked too much gets advice."""

    @property
    def name(self) -> str:
        """Of its scenario."""
        return self.plan.scenario.name

    @property
    def clock(self) -> str:
        """``"virtual"`` or ``"real"``."""
        return self.plan.scenario.clock


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run went; figures are taken from its recording."""

    outcome: Outcome
    """Completed, stopped by the operator, tripped, or failed."""
    mode: Mode
    """The bench's last mode."""
    cycles: int
    """Cycles run."""
    overruns: int
    """Deadlines given up because a cycle took too long."""
    events: tuple[EventRecord, ...]
    """Changes of mode, violations and notes, in order."""
    violations: tuple[tuple[float, Violation], ...]
    """What the gate objected to, with the time of the run [s]."""
    end: Conclusion
    """The same as exit status, console and recording say it."""
    setup: tuple[RealtimeItem, ...]
    """What the system granted for real time, empty in a dry run."""
    drives: BankReport
    """What the drives said of themselves."""
    homed: SixBools
    """Whether each leg had found its reference in the last cycle."""
    link: BankEnd
    """How the drives were left, and what had happened on the link to them."""
    gate_record: str = ""
    """What is wrong with the file that the gate leaves; empty if nothing is, or if the gate had no
    process of its own."""
    beside: tuple[Neighbour, ...] = ()
    """What else kept the processors busy, in real time."""

    @property
    def ok(self) -> bool:
        """Completed, or stopped by the operator and parked; and nothing was lost."""
        return self.end.ok

    @property
    def reason(self) -> str:
        """Why the run did not complete, empty if it did."""
        return self.end.reason

    @property
    def recorder(self) -> RecorderResult:
        """How the recording ended."""
        return self.end.recorder
