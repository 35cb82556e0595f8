"""Checks and runs of the pendulum."""

import math

from hil.config.settings import apply_overrides, read_toml
from hil.recording.events import EventKind, Level
from hil.run.journal import Journal
from hil.run.run import Opening, play
from hil.run.station import Checked, Request
from hil.terminal.console import out
from hil.timing.clock import Tick, VirtualClock
from hil_pendulum.pendulum import Gate, SwingScenario
from hil_pendulum.station import MODES, SIGNALS


class SwingRun:
    """One run: the torque that is asked for, the gate, the motor and the pendulum."""

    def __init__(self, scenario: SwingScenario, opening: Opening | None, journal: Journal | None):
        self._scenario, self._opening, self._journal = scenario, opening, journal
        self.clock, self.period_s = VirtualClock(), 1.0 / scenario.rate_hz
        self.gate = Gate(math.radians(scenario.angle_max_deg))
        self.angle_rad = self.rate_rad_s = self.largest_rad = 0.0

    def turn(self, tick: Tick) -> bool:
        """One turn; whether it was the last."""
        asked_nm, before = self._scenario.asked_nm(tick.t_s), self.gate.mode
        asked = self._opening is not None and self._opening.wish.asked is not None
        stop = asked or tick.t_s >= self._scenario.duration_s
        allowed_nm = self.gate.judged(asked_nm, self.angle_rad, self.rate_rad_s, stop=stop)
        if self._journal is not None:
            self._note(self._journal, tick, (asked_nm, allowed_nm), before)
        self.largest_rad = max(self.largest_rad, abs(self.angle_rad))
        state = self._scenario.stepped(self.angle_rad, self.rate_rad_s, allowed_nm)
        self.angle_rad, self.rate_rad_s = state
        return self.gate.mode in ("resting", "tripped")

    def _note(self, to: Journal, tick: Tick, nm: tuple[float, float], before: str) -> None:
        mode, t_s, index = self.gate.mode, tick.t_s, tick.index
        row = (index, t_s, MODES.index(mode), *nm, self.angle_rad, self.rate_rad_s)
        to.row(SIGNALS.pack(row), t_s, index)
        if mode != before:
            told = {"mode": mode}
            to.put(t_s, index, f"{before} → {mode}", told, kind=EventKind.MODE)
        if mode == "tripped":
            value, limit, kind = abs(self.angle_rad), self.gate.angle_max_rad, EventKind.VIOLATION
            told = {"check": "angle", "value": value, "limit": limit, "unit": "rad"}
            text = f"angle {value:.3f} rad, limit {limit:.3f} rad"
            to.put(t_s, index, text, told, who="gate", kind=kind, level=Level.ERROR)
        to.service()

    def failed(self, error: Exception) -> bool:
        """No error is an end of its own."""
        return False

    def close(self) -> None:
        """There is no device to leave."""


def load(request: Request) -> SwingScenario:
    """Read a scenario; raises `ConfigError`."""
    table = apply_overrides(read_toml(request.scenario), request.changes(()))
    return SwingScenario.build(table, str(request.scenario))


def prove(scenario: SwingScenario, request: Request) -> Checked:
    """Swing it unrecorded; the largest angle against its limit."""
    run = SwingRun(scenario, None, None)
    play(run)
    told = {"angle_rad": run.largest_rad, "limit_rad": run.gate.angle_max_rad}
    return Checked(ok=run.gate.mode == "resting", told=told, show=lambda: out.print(told))


def swing(scenario: SwingScenario, opening: Opening) -> None:
    """Run it, recorded."""
    settings = scenario.model_dump(mode="json")
    header = opening.header(SIGNALS, VirtualClock(), settings, libraries=("hil-pendulum",))
    journal = opening.journal(header, VirtualClock())
    run = SwingRun(scenario, opening, journal)
    opening.play(run)
    opening.conclude(run.gate.mode, well=run.gate.mode == "resting")
