"""Six textbook drives without a bus: the statusword follows the controlword one cycle later."""

from drives.axes.cia402 import Event402, State402, event_of, step
from drives.axes.sequence import AxesFeedback

STATUS = {
    State402.NOT_READY_TO_SWITCH_ON: 0x0200,
    State402.SWITCH_ON_DISABLED: 0x0240,
    State402.READY_TO_SWITCH_ON: 0x0221,
    State402.SWITCHED_ON: 0x0223,
    State402.OPERATION_ENABLED: 0x0227,
    State402.QUICK_STOP_ACTIVE: 0x0207,
    State402.FAULT_REACTION_ACTIVE: 0x020F,
    State402.FAULT: 0x0208,
}


class IdealDrive:
    def __init__(self, position=0, homing_cycles=20):
        self.state = State402.SWITCH_ON_DISABLED
        self.mode = 0
        self.position = position
        self.previous = 0
        self.homing_cycles = homing_cycles
        self.homing_left = None
        self.outcome = 0  # bits 10, 12, 13 in mode 6
        self.fresh = True
        self.alive = True
        self.held = False  # safe torque off: stays in switch on disabled
        self.follows = True
        self.stuck_mode = None
        self.homing_fails = False
        self.starts = 0
        self.step = 50  # counts that homing moves in a cycle
        self.lasting_fault = False

    def take(self, word, mode, target):
        self.mode = mode if self.stuck_mode is None else self.stuck_mode
        self.state = step(self.state, event_of(word, self.previous))
        if self.held and self.state is not State402.FAULT:
            self.state = State402.SWITCH_ON_DISABLED
        if self.lasting_fault:
            self.state = State402.FAULT
        enabled = self.state is State402.OPERATION_ENABLED
        if enabled and self.mode == 6:
            self._home(word)
        elif enabled:
            self.position = target
        self.previous = word

    def _home(self, word):
        if word & ~self.previous & 0x10:
            self.homing_left, self.outcome = self.homing_cycles, 0
            self.starts += 1
        if self.homing_left is not None:
            self.position -= self.step
            self.homing_left -= 1
            if self.homing_left == 0:
                self.homing_left = None
                self.outcome = 0x2000 if self.homing_fails else 0x1400
                self.position = 0

    def status(self):
        word = STATUS[self.state]
        if self.mode == 6:
            return word | self.outcome
        if self.state is State402.OPERATION_ENABLED and self.follows:
            word |= 0x1000
            if self.mode == 7 and not self.previous & 0x10:
                word &= ~0x1000
        return word | 0x0400

    def trip(self):
        self.state = step(self.state, Event402.FAULT_DETECTED)
        self.state = step(self.state, Event402.REACTION_DONE)


class Six:
    """The six drives and the sequence that leads them."""

    def __init__(self, axes, drives=None):
        self.axes = axes
        self.drives = drives or [IdealDrive(1000 * leg) for leg in range(6)]
        self.sent = None

    def cycle(self, targets=None):
        self.sent = self.axes.words(targets)
        rows = zip(
            self.drives, self.sent.controlword, self.sent.mode, self.sent.target, strict=True
        )
        for drive, word, mode, target in rows:
            drive.take(word, mode, target)
        self.axes.observe(
            AxesFeedback(
                [drive.status() for drive in self.drives],
                [drive.mode for drive in self.drives],
                [drive.position for drive in self.drives],
                [drive.fresh for drive in self.drives],
                [drive.alive for drive in self.drives],
            )
        )
        return self.axes.state

    def run(self, cycles, targets=None):
        for _ in range(cycles):
            states = self.cycle(targets)
        return states

    def until(self, condition, limit=2000, targets=None):
        for _ in range(limit):
            self.cycle(targets)
            if condition():
                return
        raise AssertionError(f"not reached: {self.axes.state}, waiting: {self.axes.waiting}")
