"""One drive of the six: its duty, its report, and the words that lead from one to the other.

Pure: a cycle is one `Axis.observe` and one `Axis.words`, and time is counted in cycles.
"""

from drives.axes.cia402 import (
    Control,
    OperationMode,
    State402,
    Statusword,
    next_controlword,
    state_of,
)
from drives.axes.count_circle import difference
from drives.axes.duty import AxisLimits, Duty
from drives.axes.first_motion import Progress, StageCourse, StageWatch
from drives.axes.homing import STILL_MODES, AxisHoming, HomingPhase
from drives.axes.waits import (
    FOLLOWS_NOT,
    MOVES,
    NOT_REMOTE,
    SILENT,
    STATUSWORD,
    wait_for_mode,
    wait_for_state,
)
from drives.bank import DriveState
from drives.waits import Wait

HOMING_MODE = OperationMode.HOMING.value
_FOLLOWS = int(Statusword.FOLLOWS_COMMAND)
_REMOTE = int(Statusword.REMOTE)


RUNAWAY_FACTOR = 3.0
"""Ratio to its speed of homing above which a drive counts as running away."""
RUNAWAY_CYCLES = 3
"""Cycles in a row that are too fast: one or two may be the new zero, or a late frame."""


class Axis:
    """One drive.

    Args:
        limits: Times and distances of the sequence.
    """

    __slots__ = (
        "_anchor",
        "_cut",
        "_duty_cycles",
        "_fast_cycles",
        "_found",
        "_limits",
        "_reset_clock",
        "_stage",
        "_still_cycles",
        "_watch",
        "alive",
        "controlword",
        "duty",
        "homed",
        "homing",
        "homing_failed",
        "mode_display",
        "position",
        "ran_wrong",
        "stage_passed",
        "state402",
        "statusword",
        "target",
    )

    def __init__(self, limits: AxisLimits) -> None:
        self._limits = limits
        self.duty = Duty.REST
        self.homing: AxisHoming = AxisHoming(limits.settle_cycles, limits.homing_cycles)
        self.homed: bool = False
        self.homing_failed = False
        self.ran_wrong = ""
        """How its speed in homing differed from the order, in words; empty if it did not."""
        self.stage_passed = False
        """Whether it has gone the way of the stage of its first motion that it was given."""
        self._stage: StageCourse | None = None
        self._watch: StageWatch | None = None
        self.alive = False
        self.statusword = 0
        self.state402: State402 | None = None
        self.mode_display = 0
        self.position = 0
        self.target = 0
        self.controlword = 0
        self._anchor = 0
        self._still_cycles = 0
        self._duty_cycles = 0
        self._found = False
        self._reset_clock = 0
        self._fast_cycles = 0
        self._cut = False

    @property
    def still(self) -> bool:
        """Whether the drive has been at rest for a while."""
        return self._still_cycles >= self._limits.still_cycles

    @property
    def follows(self) -> bool:
        """Whether the drive is enabled in its working mode and follows the commands."""
        return (
            self.state402 is State402.OPERATION_ENABLED
            and self.mode_display == self._limits.work_mode
            and (self.statusword & _FOLLOWS != 0 or not self._limits.follows_bit)
        )

    @property
    def ready(self) -> bool:
        """Whether the drive is disabled, at rest and listening, and may begin something."""
        return self.obstacle is None

    @property
    def obstacle(self) -> Wait | None:
        """Obstacle that keeps the drive from beginning something; None if nothing does."""
        if not self.alive:
            return SILENT
        if self.duty is not Duty.REST:
            return Wait(0, "its earlier task", f"to {self.duty.value}", "the end of it")
        if self.state402 is not State402.READY_TO_SWITCH_ON:
            return wait_for_state(self.statusword, State402.READY_TO_SWITCH_ON)
        if self._limits.remote_bit and not self.statusword & _REMOTE:
            return NOT_REMOTE
        if not self._mode_will_do:
            return wait_for_mode(self.mode_display, self._limits.work_mode)
        return None if self.still else MOVES

    @property
    def _mode_will_do(self) -> bool:
        """Whether the drive may be enabled with the mode that it shows.

        One that has had the time to show its working mode may show it only once it is enabled.
        """
        shown, limits = self.mode_display, self._limits
        late = self._duty_cycles > limits.settle_cycles and shown in STILL_MODES
        return shown == limits.work_mode or late

    @property
    def wait(self) -> Wait | None:
        """Wait of the drive before its duty; None if it does it, or can begin."""
        if not self.alive:
            return SILENT
        if self.duty is Duty.HOME:
            seen = f"0x{self.statusword:04X} in mode {self.mode_display} (6061h)"
            return Wait(0x6041, STATUSWORD, seen, self.homing.phase.value)
        if self.duty is not Duty.RISE:
            return self.obstacle if self.duty is Duty.REST else None
        if self.state402 is not State402.OPERATION_ENABLED:
            return wait_for_state(self.statusword, State402.OPERATION_ENABLED)
        if self.mode_display != self._limits.work_mode:
            return wait_for_mode(self.mode_display, self._limits.work_mode)
        return None if self.follows else FOLLOWS_NOT

    @property
    def late(self) -> bool:
        """Whether enabling takes longer than it may."""
        return self.duty is Duty.RISE and self._duty_cycles > self._limits.rise_cycles

    @property
    def state(self) -> DriveState:
        """State that the drive reports.

        A drive under force that does not follow is not reported as enabled: on its rise it counts
        as disabled, and afterwards nothing is known that could be relied on.
        """
        if not self.alive or self.state402 is None:
            return DriveState.UNKNOWN
        if self.state402 is not State402.OPERATION_ENABLED:
            return _TOLD[self.state402]
        if self.mode_display == HOMING_MODE:
            return DriveState.HOMING
        if self.follows:
            return DriveState.ENABLED
        return DriveState.DISABLED if self.duty is Duty.RISE else DriveState.UNKNOWN

    def give(self, duty: Duty) -> None:
        """Give the drive something to do."""
        # A drive that did not take its quick stop will not take a gentler word either.
        deaf = self.duty is Duty.STOP and self.state402 is State402.OPERATION_ENABLED
        self._cut = deaf and duty is Duty.REST
        self.duty: Duty = duty
        self._duty_cycles = 0
        self._watch = None
        if duty is Duty.HOME:
            self.homing.begin()
            self.homing_failed = self.stage_passed = False
            self.ran_wrong = ""

    def home(self, stage: StageCourse | None) -> None:
        """Let the drive find its reference, or go a stage of its first motion towards it.

        Args:
            stage: The stage, whose speed the drive was given before; None for the whole homing.
        """
        self._stage = stage
        self.give(Duty.HOME)

    def observe(
        self, statusword: int, mode_display: int, position: int, *, fresh: bool, alive: bool
    ) -> None:
        """Take in the drive's report of a cycle; without a fresh frame nothing advances.

        Args:
            statusword: 6041h.
            mode_display: 6061h.
            position: 6064h [counts].
            fresh: Whether the values are of this cycle.
            alive: Whether the drive is received at all.
        """
        self.alive: bool = alive
        if fresh:
            if statusword != self.statusword or self.state402 is None:
                self.statusword: int = statusword
                self.state402 = state_of(statusword)
            self.mode_display: int = mode_display
            if mode_display == HOMING_MODE:
                self._watch_homing_speed(position)
            self.position = position
            self._watch_movement(position)
        self._duty_cycles += 1
        duty = self.duty
        if duty is Duty.WORK:
            self._watch_work()
        elif duty is Duty.HOME:
            self._watch_homing(fresh)
        elif duty is Duty.RISE and self._fell():
            self.give(Duty.REST)
        elif self._found and not self.homed:
            # Its reference counts once the drive has let go of the rod and is at it.
            self.homed = self.still and self.state402 not in _POWERED

    def observe_position(self, position: int) -> None:
        """Take in the position [counts] of a drive that works and reports nothing else that is new.

        What `observe` does in that case, and nothing more.
        """
        self.position: int = position
        self._watch_movement(position)

    def know_place(self) -> None:
        """Take note that the place of the drive is known without a homing."""
        self._found = self.homed = True

    def forget_reference(self) -> None:
        """Take note of a restart: the drive counts from anywhere now, and must be homed again."""
        self._found = self.homed = False
        if self.duty is not Duty.REST:
            self.give(Duty.REST)

    def words(self, rise_to: State402, *, acknowledge: bool) -> tuple[int, int]:
        """Return controlword and mode of operation of the next cycle, and set the target.

        Args:
            rise_to: How far up the drives go together that are being enabled.
            acknowledge: Whether a fault shall be acknowledged once the drive is at rest.
        """
        duty = self.duty
        mode = self._mode_at_rest()
        bits = 0
        if duty is Duty.WORK:
            mode, target = self._limits.work_mode, State402.OPERATION_ENABLED
            bits = self._interpolate()
        elif duty is Duty.REST:
            self._cut = self._cut and self.state402 in _POWERED
            target = _S.SWITCH_ON_DISABLED if self._cut else _S.READY_TO_SWITCH_ON
            self.target = self.position
        elif duty is Duty.STOP:
            target = State402.QUICK_STOP_ACTIVE
            self.target = self.position
        elif duty is Duty.RISE:
            mode, target = self._limits.work_mode, rise_to
            bits = self._interpolate()
            if rise_to is not State402.OPERATION_ENABLED:
                self.target = self.position
        else:
            mode = HOMING_MODE
            self.target: int = self.position
            target, bits = self.homing.words
        reset = self._reset_pulse(acknowledge)
        self.controlword: int = next_controlword(self.state402, target) | bits | reset
        return self.controlword, mode

    def _mode_at_rest(self) -> int:
        """Return the working mode, but none that would change while a drive brakes in homing."""
        braking = self.mode_display == HOMING_MODE and self.state402 in _POWERED
        return HOMING_MODE if braking else self._limits.work_mode

    def _interpolate(self) -> int:
        """Return bit 4 if it is what lets the drive follow (CiA 402-2, interpolated position)."""
        wanted = self._limits.work_mode == OperationMode.INTERPOLATED_POSITION.value
        enabled = self.state402 is State402.OPERATION_ENABLED
        return int(Control.MODE_START) if wanted and enabled else 0

    def _reset_pulse(self, acknowledge: bool) -> int:
        """Return bit 7 as a slow square wave, so that every rise of it is an attempt of its own.

        The wave begins low: the fault has been in a feedback before it is acknowledged.
        """
        if not (acknowledge and self.alive and self.state402 is State402.FAULT and self.still):
            self._reset_clock = 0
            return 0
        self._reset_clock += 1
        high = self._reset_clock // self._limits.reset_cycles % 2
        return int(Control.FAULT_RESET) if high else 0

    def _watch_movement(self, position: int) -> None:
        if abs(difference(position, self._anchor)) > self._limits.still_counts:
            self._anchor = position
            self._still_cycles = 0
        else:
            self._still_cycles += 1

    def _watch_homing_speed(self, position: int) -> None:
        """Disable the voltage of a drive that runs away in homing, instead of asking for a ramp.

        Nothing of a drive that was never homed is proved: with the motor or the encoder of another
        leg its loop cannot brake, and every ramp makes it faster. Its brake can.
        """
        step_counts = self._limits.homing_step_counts
        powered = self.state402 in _POWERED
        step = abs(difference(position, self.position))
        if step_counts and powered and step > step_counts:
            self._fast_cycles += 1
            if self._fast_cycles >= RUNAWAY_CYCLES:
                ratio = RUNAWAY_FACTOR * step / step_counts
                self._run_away(f"ran away, {ratio:.0f} times as fast as its speed of homing")
        else:
            self._fast_cycles = 0

    def _run_away(self, words: str) -> None:
        self.homing_failed = True
        self.ran_wrong = words
        self.give(Duty.REST)
        self._cut = True

    def _watch_work(self) -> None:
        if not self.alive:
            self.give(Duty.STOP)  # it may still receive us
        elif self.state402 is not State402.OPERATION_ENABLED:
            self.give(Duty.REST)  # it let go by itself: it is never enabled again by itself
        elif self.mode_display != self._limits.work_mode:
            self.give(Duty.STOP)

    def _fell(self) -> bool:
        return not self.alive or self.state402 not in _ON_THE_WAY

    def _watch_homing(self, fresh: bool) -> None:
        phase = self.homing.observe(
            self.state402, self.statusword, self.mode_display, fresh=fresh, alive=self.alive
        )
        if phase in (HomingPhase.DONE, HomingPhase.FAILED):
            self._found = phase is HomingPhase.DONE
            self.homing_failed = not self._found
            self.give(Duty.REST)
        elif phase is HomingPhase.RUNNING and self._stage is not None:
            self._watch_stage(self._stage, self.position if fresh else None)

    def _watch_stage(self, stage: StageCourse, position: int | None) -> None:
        """Stop the drive at the end of a stage of its first motion, or when it goes astray."""
        if self._watch is None:
            self._watch = StageWatch(stage, self.position)
            return
        watch = self._watch
        progress = watch.observe(position)
        if progress is Progress.PASSED:
            self.stage_passed: bool = True
            self.give(Duty.REST)
        elif progress is Progress.TOO_FAST:
            self._run_away(watch.words(progress))
        elif progress is Progress.TOO_SLOW:
            self.homing_failed: bool = True
            self.ran_wrong: str = watch.words(progress)
            self.give(Duty.REST)


_S = State402
_TOLD: dict[State402, DriveState] = {
    _S.NOT_READY_TO_SWITCH_ON: DriveState.DISABLED,
    _S.SWITCH_ON_DISABLED: DriveState.DISABLED,
    _S.READY_TO_SWITCH_ON: DriveState.DISABLED,
    _S.SWITCHED_ON: DriveState.DISABLED,
    _S.QUICK_STOP_ACTIVE: DriveState.QUICK_STOP,
    _S.FAULT_REACTION_ACTIVE: DriveState.FAULT,
    _S.FAULT: DriveState.FAULT,
}
_ON_THE_WAY = frozenset((_S.READY_TO_SWITCH_ON, _S.SWITCHED_ON, _S.OPERATION_ENABLED))
_POWERED = frozenset((_S.OPERATION_ENABLED, _S.QUICK_STOP_ACTIVE))
