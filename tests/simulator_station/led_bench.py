"""A ride that a finger on each button leads, in virtual time: the real loop, gate and drives."""

import json
from contextlib import ExitStack

import numpy as np
from operated_bench import PATIENCE, PERIOD_S, QUICK, RATE_HZ, Bench, Clock, Journal, Never, Told
from ride_bench import plan_of

from hil.config.named_files import GIVEN
from hil.desk.order import LatestOrder, OperatorOrder
from hil.machines.rig.machine import gate_limits
from hil.stations.platform.bench.bench import bank_of, machine_of
from hil.stations.platform.cycle.gated_bank import GatedBank
from hil.stations.platform.cycle.loop import Loop
from hil.stations.platform.lead.assembly import Leading, operated_run
from hil.stations.simulator.run.bench import ride_of
from safety.gate import Gate
from safety.modes import Mode

PRESETS = {"preset": "tight", "presets": ["base", "adaptive"]}


def winding(folder, lasts_s=100.0):
    """A recorded ride straight on at 20 m/s, pushed to and fro and to the sides."""
    names = "t_s f_x_m_s2 f_y_m_s2 f_z_m_s2 p_rad_s q_rad_s r_rad_s v_x_m_s v_y_m_s v_z_m_s"
    names += " north_m east_m down_m qw qx qy qz"
    lines = [",".join(names.split())]
    for t_s in np.arange(0.0, lasts_s, 0.05):
        x, y = 0.4 * np.sin(2.0 * t_s), 0.3 * np.sin(1.3 * t_s)
        lines.append(f"{t_s},{x},{y},-9.80665,0,0,0,20,0,0,{20.0 * t_s},0,0,1,0,0,0")
    path = folder / "winding.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


class LedBench(Bench):
    """The same as for a motion of the platform's own, with a ride in its place."""

    def __init__(self, folder):
        source = {"kind": "host", "map": "hcu1", "emulated": {"feed": str(winding(folder))}}
        GIVEN.take(source)  # as on the command line
        self.plan = plan_of(source, PRESETS, QUICK, rig="paper", rate_hz=RATE_HZ, seed=17)
        self.clock, self.stop = Clock(), Never()
        self.clock.t_s = 100.0
        self.slot = LatestOrder.local()
        self.journal, self.told = Journal(), Told()
        self.ride = ride_of(self.plan, by_itself=False)
        prepared = self.ride.prepared
        self.opened = ExitStack()
        self.companion = self.opened.enter_context(prepared.extension.open(self.clock.now_s))
        self.companion.note = self.journal.note
        machine = machine_of(self.plan)
        parts = Leading(
            self.plan, machine, prepared.motion, PATIENCE, self.clock.now_s, prepared.extension
        )
        self.station, self.course = operated_run(parts, self.slot, self.told, self.journal.operator)
        self.motion = self.course.motion
        self.limits = gate_limits(self.plan.rig, PERIOD_S, wired=False)
        self.gated = GatedBank(Gate(self.limits, led=True), bank_of(self.plan), self.clock.now_s)
        self.gated.open()
        self.loop = Loop(
            self.clock, PERIOD_S, self.station, self.course, self.gated, self.journal, self.stop,
            companion=self.companion,
        )  # fmt: skip
        self.order = OperatorOrder(held=True)
        self.alive = True
        self.index = 0
        self.modes = [Mode.OFF]
        self.violations, self.exchanges = [], []
        self.lengths, self.rows, self.engaged = [], [], []
        self.governed = False
        self.on_cycle = LedBench.keep

    def keep(self, exchange):
        """What was let through, and what the chain asked."""
        allowed = exchange.verdict.allowed
        self.lengths.append((np.nan,) * 6 if allowed is None else allowed.length_m)
        self.rows.append(self.ride.motion.cued.rows)
        self.governed |= self.ride.motion.cued.active
        self.engaged.append(self.mode is Mode.ENGAGED)

    def fault(self, text):
        """Have a fault of the emulated simulator from now on."""
        self.companion._source._wire._host.fault(text)

    def wish(self, **table):
        """A table from the panel."""
        told = json.dumps({"kind": "ride"} | table).encode()
        self.write(motion_serial=self.order.motion_serial + 1, motion_json=told)

    @property
    def heard(self):
        return self.ride.motion.reading

    def steps(self, since):
        """What the chain asked from a cycle on: places, speeds, accelerations, (3, N, 6)."""
        return np.array(self.rows[since:]).transpose(1, 0, 2)

    def leg_accelerations(self, since):
        """Of what was let through, (N, 6) [m/s²]."""
        return np.diff(np.array(self.lengths[since:]), 2, axis=0) / PERIOD_S**2
