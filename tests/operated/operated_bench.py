"""An operated run in virtual time: the real loop, gate and drives, and a finger on each button."""

from dataclasses import replace

from bench_plans import QUICK, plan

from hil.desk.operation import Operation
from hil.desk.order import BUTTONS, LatestOrder, OperatorOrder
from hil.machines.rig.machine import gate_limits
from hil.stations.platform.bench.bench import bank_of, machine_of
from hil.stations.platform.cycle.gated_bank import GatedBank
from hil.stations.platform.cycle.loop import Loop
from hil.stations.platform.lead.assembly import Leading, operated_run
from hil.stations.platform.plan.motion_build import motion_of
from hil.timing.clock import Tick
from safety.gate import Gate
from safety.modes import Mode
from safety.verdict import Check

RATE_HZ = 62.5
PERIOD_S = 1.0 / RATE_HZ
PATIENCE = (1000, 3000)


class Never:
    asked = None


class Clock:
    """Virtual time that the bench turns by hand."""

    overruns = 0

    def __init__(self):
        self.t_s = 0.0

    def now_s(self):
        return self.t_s


class Journal:
    """Keeps what the loop noted."""

    def __init__(self):
        self.notes = []

    def cycle(self, *_):
        pass

    def note(self, tick, message, level=None):
        self.notes.append(("loop", message, {}))

    def operator(self, tick, message, data):
        self.notes.append(("operator", message, data))


class Told:
    def __init__(self):
        self.operation = Operation()

    def publish(self, t_s, operation):
        self.operation = operation


class Bench:
    """One platform with its operator; `run` turns the loop while an order is kept alive."""

    def __init__(self, *overrides, motion=None, alive=True, **keys):
        self.plan = plan(*QUICK, *overrides, motion=motion, rate_hz=RATE_HZ, **keys)
        self.clock, self.stop = Clock(), Never()
        self.slot = LatestOrder.local()
        self.journal, self.told = Journal(), Told()
        parts = Leading(
            self.plan, machine_of(self.plan), motion_of(self.plan), PATIENCE, self.clock.now_s
        )
        self.station, self.course = operated_run(parts, self.slot, self.told, self.journal.operator)
        self.motion = self.course.motion
        limits = gate_limits(self.plan.rig, PERIOD_S, wired=False)
        self.gated = GatedBank(Gate(limits, led=True), bank_of(self.plan), self.clock.now_s)
        self.gated.open()
        self.loop = Loop(
            self.clock, PERIOD_S, self.station, self.course, self.gated, self.journal, self.stop
        )
        self.order = OperatorOrder(held=True)
        self.alive = alive
        self.index = 0
        self.modes = [Mode.OFF]
        self.violations = []
        self.exchanges = []
        self.on_cycle = None

    @property
    def mode(self):
        return self.gated.mode

    @property
    def refused(self):
        return str(self.told.operation.refused)

    def write(self, **changes):
        self.order = replace(self.order, **changes)

    def press(self, *buttons):
        """Press and let a cycle see it."""
        presses = list(self.order.presses)
        for button in buttons:
            presses[BUTTONS.index(button)] += 1
        self.write(
            presses=tuple(presses), pressed_s=(100.0 + self.index * PERIOD_S,) * len(BUTTONS)
        )
        self.cycle()

    def cycle(self):
        self.clock.t_s = 100.0 + self.index * PERIOD_S
        self.give_order()
        exchange = self.loop.cycle(Tick(self.index, self.index * PERIOD_S, PERIOD_S, 0.0))
        assert self.loop._failure is None, repr(self.loop._failure)
        self.index += 1
        if exchange.verdict.mode is not self.modes[-1]:
            self.modes.append(exchange.verdict.mode)
        self.violations += [
            found for found in exchange.verdict.violations if found.check is not Check.REQUEST
        ]
        self.last = exchange
        if self.on_cycle is not None:
            self.on_cycle(self, exchange)
        return exchange

    def give_order(self):
        """What control reads in this cycle."""
        if self.alive:
            self.order = replace(self.order, stamp_s=self.clock.t_s)
        self.slot.write(self.order)

    def run(self, time_s):
        for _ in range(round(time_s / PERIOD_S)):
            if self.course.done:
                return
            self.cycle()

    def until(self, wanted, time_s=20.0):
        """Turn until a mode is reached, or a condition holds."""
        for _ in range(round(time_s / PERIOD_S)):
            if wanted is self.mode or (callable(wanted) and wanted()):
                return
            self.cycle()
        raise AssertionError(f"{wanted} not within {time_s} s; {self.mode}, {self.refused!r}")
