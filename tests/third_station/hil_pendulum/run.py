"""Checks and runs of the pendulum."""

import math

from hil.run.journal import Journal
from hil.run.run import Deviceless, Opening, play
from hil.run.station import Checked, Request
from hil.terminal.console import out
from hil.timing.clock import Tick, VirtualClock
from hil_pendulum.pendulum import Gate, SwingScenario
from hil_pendulum.station import MODES, SIGNALS


class SwingRun(Deviceless):
    """One run: the torque that is asked for, the gate, the motor and the pendulum."""

    def __init__(self, scenario: SwingScenario, opening: Opening | None, journal: Journal | None):
        self._scenario, self._opening, self._journal = scenario, opening, journal
        self.clock, self.period_s = VirtualClock(), 1.0 / scenario.rate_hz
        self.gate = Gate(math.radians(scenario.angle_max_deg))
        self.angle_rad = self.rate_rad_s = self.largest_rad = 0.0

    def turn(self, tick: Tick) -> bool:
        """One turn; whether it was the last."""
        asked_nm, before = self._scenario.asked_nm(tick.t_s), self.gate.mode
        asked = self._opening is not None and self._opening.stop_request.asked is not None
        stop = asked or tick.t_s >= self._scenario.duration_s
        allowed_nm = self.gate.judged(asked_nm, self.angle_rad, self.rate_rad_s, stop=stop)
        if (to := self._journal) is not None:
            mode, most_rad, when = self.gate.mode, self.gate.angle_max_rad, (tick.t_s, tick.index)
            row = (tick.index, tick.t_s, MODES.index(mode), asked_nm, allowed_nm)
            to.row(SIGNALS.pack((*row, self.angle_rad, self.rate_rad_s)), *when)
            to.mode(*when, before, mode)
            if mode == "tripped":
                to.violation(*when, "angle", abs(self.angle_rad), most_rad, "rad")
            to.service()
        self.largest_rad = max(self.largest_rad, abs(self.angle_rad))
        state = self._scenario.stepped(self.angle_rad, self.rate_rad_s, allowed_nm)
        self.angle_rad, self.rate_rad_s = state
        return self.gate.mode in ("resting", "tripped")


def prove(scenario: SwingScenario, request: Request) -> Checked:
    """Swing it unrecorded; the largest angle against its limit."""
    run = SwingRun(scenario, None, None)
    play(run)
    told = {"angle_rad": run.largest_rad, "limit_rad": run.gate.angle_max_rad}
    return Checked(ok=run.gate.mode == "resting", values=told, show=lambda: out.print(told))


def swing(scenario: SwingScenario, opening: Opening) -> None:
    """Run it, recorded."""
    clock, settings = VirtualClock(), scenario.model_dump(mode="json")
    header = opening.header(SIGNALS, clock, settings, libraries=("hil-pendulum",))
    run = SwingRun(scenario, opening, opening.journal(header, clock))
    opening.play(run)
    opening.conclude(run.gate.mode, well=run.gate.mode == "resting")
