"""A panel's model before an operated bench: the desk between them, rows and telemetry as bytes."""

from itertools import count

from desk_samples import Bench as DeskBench
from feed_samples import platform_facts
from operated_bench import Bench

from hil.desk import messages as m
from hil.desk.operation import Operation
from hil.desk.publisher import Publisher
from hil.panel.live.models.bench import BenchModel
from hil.panel.live.models.feed import Batch
from hil.recording.events import EVENTS, ROWS, EventRecord
from hil.recording.rows import decode
from hil.stations.platform.cycle.journal import PlatformJournal
from safety.modes import Mode


class Sink:
    """A recorder's ring, and a desk's telemetry: keeps what was pushed until it is asked for."""

    def __init__(self):
        self.ring, self.kept = self, []

    def push(self, kind, payload):
        self.kept.append((kind, bytes(payload)))

    def service(self):
        return ""

    def take(self):
        kept, self.kept = self.kept, []
        return kept


LASTING = (Mode.IDLE, Mode.STANDBY, Mode.ENGAGED, Mode.HOLD, Mode.FAULT)
"""Modes that do not end by themselves."""
KEYS = {"me": 1, "other": 2}


class ToldBench(Bench):
    """A bench whose orders come from a desk with two clients, `me` and `other`."""

    def __init__(self, *overrides, **keys):
        super().__init__(*overrides, **keys)
        self.desk = DeskBench()
        self.facts = platform_facts()
        sink = self.sink = Sink()
        self.told.publish = Publisher(sink).publish
        journal = PlatformJournal(sink)
        self.journal.cycle, self.journal.operator = journal.cycle, journal.operator
        self.operation = Operation()
        self._model = BenchModel(self.facts, next_id=count(1).__next__)
        self._model.target_given = False
        self.held = {"me": False, "other": False}
        self.answers = []
        for name, key in KEYS.items():
            for said in self.desk.join(key, name):
                self.take_message(name, said)

    # --- the desk -------------------------------------------------------------------------------

    def take_message(self, name, said):
        """What one client is told."""
        if isinstance(said, m.Answer):
            self.answers.append(said)
        if name == "me" and isinstance(said, m.State | m.Answer | m.SessionRefused):
            self._model.take_message(said)

    def say(self, name, message):
        """One client says something, and all hear what comes of it."""
        self.desk.desk.received(KEYS[name], message.to_bytes())
        self.listen()

    def listen(self):
        for name, key in KEYS.items():
            for said in self.desk.heard(key):
                self.take_message(name, said)

    def own(self, name):
        """One client takes the motion; whoever had it gives it back. None: nobody has it."""
        for one in KEYS:
            if self.desk.desk.owner == one != name:
                self.say(one, m.Release(id=1))
        if name is not None and self.desk.desk.owner != name:
            self.say(name, m.Take(id=1))

    def hold(self, name, pressed):
        """One client holds hold-to-run, or lets it go."""
        self.held[name] = pressed
        if name == "me":
            self._model.hold(pressed=pressed)

    def click(self, name, button):
        """One client presses, whatever its panel thinks of that; the desk's objection."""
        self.keep_alive()
        self.answers.clear()
        self.say(name, m.Press(button=button.value, id=77))
        return self.answers[-1].error

    def set_pose(self, name, pose):
        """One client wants a pose; it is taken for proved."""
        self.say(name, m.Target(pose=pose, id=5))
        for case in self.desk.asked:
            self.desk.desk.proved(case, "")
        self.desk.asked.clear()
        self.listen()
        self._model.target_given = True

    # --- the cycle ------------------------------------------------------------------------------

    def keep_alive(self):
        """Both show a sign of life."""
        self.desk.now = self.clock.t_s
        for name in KEYS:
            self.say(name, m.Alive(held=self.held[name], stamp_s=self.clock.t_s))

    def give_order(self):
        """As the desk wrote it."""
        if self.index % 4 == 0:
            self.keep_alive()
            self.desk.desk.tick()
        self.slot.write(self.desk.desk.order)

    @property
    def model(self):
        """The panel's, which has taken what was told until now."""
        self.show(self._model)
        return self._model

    def show(self, model):
        """Show a model what telemetry holds."""
        rows, events, operation = [], [], None
        for kind, payload in self.sink.take():
            if kind == ROWS:
                rows.append(payload)
            elif kind == EVENTS:
                events.append(EventRecord.from_bytes(payload))
            else:
                operation = Operation.from_bytes(payload)
        self.operation = operation or self.operation
        batch = Batch(decode(self.facts.signals, rows), tuple(events), operation)
        model.take(batch, self.clock.t_s)

    def settle(self, time_s=30.0):
        """Turn until it stays in a mode that lasts; a run that is over is settled."""
        since, end_s = self.clock.t_s, self.clock.t_s + time_s
        while self.clock.t_s - since < 0.3 and not self.course.done:
            assert self.clock.t_s < end_s, self.modes
            self.cycle()
            if self.mode not in LASTING:
                since = self.clock.t_s
