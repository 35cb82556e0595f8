"""Runs with edits, kept in memory row by row."""

import numpy as np

from hil.recording.rows import columns_of, dtype_of
from hil.run.edit_texts import EditText, TimedEdit
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.loop import WorldRun
from hil.stations.world.editing.editor import RunEditor, TimedEdits
from hil.stations.world.run.session import signals_of
from hil.timing.clock import VirtualClock
from sim.world.robots.robot_toml_writer import write_toml


class Kept:
    """A journal in memory."""

    def __init__(self):
        self.rows, self.events = [], []

    def row(self, payload, t_s, index):
        self.rows.append(bytes(payload))

    def put(self, t_s, index, message, data=None, **more):
        self.events.append((index, message, dict(data or {})))

    def service(self):
        return ""


class EditedRun:
    """A plan run to its end, or turn by turn."""

    def __init__(self, plan, queue=None, *between):
        self.plan, self.kept = plan, Kept()
        bench = open_bench(plan)
        self.signals = signals_of(bench)
        self.editor = RunEditor(queue or TimedEdits(plan, plan.edits))
        self.run = WorldRun(bench, VirtualClock(), self.kept, self.signals,
                            between=[self.editor, *between])  # fmt: skip

    def play(self):
        for tick in self.run.clock.ticks(self.run.period_s):
            if self.run.turn(tick):
                break
        self.run.close()
        return self

    def column(self, name):
        rows = np.frombuffer(b"".join(self.kept.rows), dtype_of(self.signals))
        return columns_of(self.signals, rows)[name]


def timed(*edits):
    """Pairs of a row and a robot or a text."""
    return tuple(
        TimedEdit(row, EditText(one if isinstance(one, str) else write_toml(one), "own.toml"))
        for row, one in edits
    )


class Pushing:
    """Pushes a body at a row, if the world has it."""

    def __init__(self, row, body="right/l3"):
        self.row, self.body = row, body

    def act(self, run, tick):
        if tick.index == self.row and any(
            one.placed.prefix == "right/" for one in run.bench.world.robots
        ):
            run.bench.world.push(self.body, (0.0, 60.0, 30.0), 0.3)

    def close(self, run):
        pass
