"""Homing of one drive in mode 6, as a state machine that looks at one statusword per cycle.

CiA 402-2, homing mode: bit 4 of the controlword starts, bits 10, 12 and 13 of the statusword give
the outcome. The same bits mean something else in the other modes, and bit 12 may still be set from
an earlier homing; so nothing is believed before the mode display shows 6, and bits 12 and 13 only
after both were seen 0 or after a good while in which a drive has had to clear them.

Some drives take over a mode, and show it, only when they are enabled. One whose display stays at a
mode in which it holds still is therefore enabled after a while all the same; the start bit rises in
mode 6 and in no other one.
"""

from dataclasses import dataclass
from enum import Enum

from drives.axes.cia402 import Control, OperationMode, State402, Statusword

STILL_MODES = frozenset((0, 1, 6, 7, 8))
"""Modes (6061h) in which an enabled drive stays where it is, while its target is its position and
bit 4 of the controlword is 0: none, profile position, homing, interpolated, cyclic position."""


class HomingPhase(Enum):
    """Phase of the homing of a drive."""

    MODE = "the mode display to show homing (6)"
    RISE = "operation enabled in homing mode"
    ARMED = "the start of homing"
    RUNNING = "the end of homing"
    DONE = "nothing: the reference is found"
    FAILED = "nothing: homing failed"


_STARTED = frozenset((HomingPhase.RISE, HomingPhase.ARMED, HomingPhase.RUNNING))
_BROKEN = frozenset((State402.FAULT, State402.FAULT_REACTION_ACTIVE, State402.QUICK_STOP_ACTIVE))


@dataclass(frozen=True, slots=True)
class HomingView:
    """Values of a drive that is homing, in one cycle."""

    state: State402 | None
    """State of the drive, None if its statusword is none."""
    statusword: int
    """Statusword 6041h."""
    mode_display: int
    """Mode of operation display 6061h."""
    cleared: bool
    """Bits 12 and 13 have been seen 0 with the display showing 6."""
    cycles_running: int
    """Cycles since the start bit was raised."""
    settle_cycles: int
    """Cycles after which a drive must have cleared the bits of an earlier homing."""
    cycles: int
    """Cycles in this phase."""


OUTCOME = int(Statusword.FOLLOWS_COMMAND | Statusword.MODE_ERROR)
"""Bits 12 and 13: one of them is set once homing is over."""
ATTAINED = int(Statusword.FOLLOWS_COMMAND | Statusword.TARGET_REACHED)
"""Bits 12 and 10 together: attained and at rest (CiA 402-2, homing mode, bits 13, 12, 10)."""


def next_phase(phase: HomingPhase, view: HomingView) -> HomingPhase:
    """Return the phase after a cycle.

    A drive that leaves operation enabled or mode 6 once it was there has failed: homing is not
    begun a second time by itself.
    """
    homing_mode = view.mode_display == OperationMode.HOMING.value
    enabled = view.state is State402.OPERATION_ENABLED
    settled = view.cycles > view.settle_cycles
    if phase is HomingPhase.MODE:
        late = settled and view.mode_display in STILL_MODES
        return HomingPhase.RISE if homing_mode or late else phase
    if phase is HomingPhase.RISE:
        return _risen(view, homing_mode=homing_mode, enabled=enabled)
    if phase in _STARTED and not homing_mode:
        return HomingPhase.FAILED
    if phase in _STARTED and not enabled:
        return HomingPhase.FAILED
    if phase is HomingPhase.ARMED:
        return HomingPhase.RUNNING
    if phase is HomingPhase.RUNNING:
        return _outcome(view)
    return phase


def _risen(view: HomingView, *, homing_mode: bool, enabled: bool) -> HomingPhase:
    if view.mode_display not in STILL_MODES:
        return HomingPhase.FAILED
    if homing_mode and enabled:
        return HomingPhase.ARMED
    shown_too_late = enabled and view.cycles > view.settle_cycles
    return HomingPhase.FAILED if shown_too_late else HomingPhase.RISE


def _outcome(view: HomingView) -> HomingPhase:
    believed = view.cleared or view.cycles_running > view.settle_cycles
    if believed and view.statusword & Statusword.MODE_ERROR:
        return HomingPhase.FAILED
    # One cycle lies between the start bit and the first statusword that can know of it.
    if believed and view.cycles_running > 1 and view.statusword & ATTAINED == ATTAINED:
        return HomingPhase.DONE
    return HomingPhase.RUNNING


_WORDS: dict[HomingPhase, tuple[State402, int]] = {
    HomingPhase.MODE: (State402.READY_TO_SWITCH_ON, 0),
    HomingPhase.RISE: (State402.OPERATION_ENABLED, 0),
    HomingPhase.ARMED: (State402.OPERATION_ENABLED, 0),
    HomingPhase.RUNNING: (State402.OPERATION_ENABLED, int(Control.MODE_START)),
    HomingPhase.DONE: (State402.READY_TO_SWITCH_ON, 0),
    HomingPhase.FAILED: (State402.READY_TO_SWITCH_ON, 0),
}


class AxisHoming:
    """The homing of one drive: the phase, and what has been seen on the way.

    Args:
        settle_cycles: Cycles after which a drive must have cleared the bits of an earlier homing.
        limit_cycles: Cycles that homing may take.
    """

    __slots__ = (
        "_cleared",
        "_cycles",
        "_limit_cycles",
        "_phase_cycles",
        "_running",
        "_settle_cycles",
        "phase",
    )

    def __init__(self, settle_cycles: int, limit_cycles: int) -> None:
        self._settle_cycles = settle_cycles
        self._limit_cycles = limit_cycles
        self.begin()

    def begin(self) -> None:
        """Begin from the beginning."""
        self.phase: HomingPhase = HomingPhase.MODE
        self._cleared = False
        self._running = 0
        self._cycles = self._phase_cycles = 0

    @property
    def words(self) -> tuple[State402, int]:
        """State that the drive shall be led to, and further bits of the controlword."""
        return _WORDS[self.phase]

    def observe(
        self,
        state: State402 | None,
        statusword: int,
        mode_display: int,
        *,
        fresh: bool,
        alive: bool,
    ) -> HomingPhase:
        """Take in what a cycle shows, and return the phase after it.

        Args:
            state: State of the drive, None if its statusword is none.
            statusword: Statusword 6041h.
            mode_display: Mode of operation display 6061h.
            fresh: Whether all this is of this cycle; if not, only time passes.
            alive: Whether the drive is received at all.
        """
        self._cycles += 1
        if not alive or state in _BROKEN or self._cycles > self._limit_cycles:
            self.phase = HomingPhase.FAILED
        elif fresh:
            if mode_display == OperationMode.HOMING.value and not statusword & OUTCOME:
                self._cleared = True
            if self.phase is HomingPhase.RUNNING:
                self._running += 1
            # On its rise, only cycles in which the drive is enabled count.
            rising = self.phase is HomingPhase.RISE and state is not State402.OPERATION_ENABLED
            self._phase_cycles = 0 if rising else self._phase_cycles + 1
            view = HomingView(
                state,
                statusword,
                mode_display,
                self._cleared,
                self._running,
                self._settle_cycles,
                self._phase_cycles,
            )
            before, self.phase = self.phase, next_phase(self.phase, view)
            if self.phase is not before:
                self._phase_cycles = 0
        return self.phase
