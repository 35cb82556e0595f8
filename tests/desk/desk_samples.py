"""A run's header, a desk without sockets, and processes for the tests of the desk."""

import itertools
import select
import subprocess
import sys
from pathlib import Path

from row_samples import ARM, PLATFORM

from hil.desk import messages as m
from hil.desk.order import BUTTONS, Button, LatestOrder
from hil.desk.order_writer import NOTHING_BEFORE
from hil.desk.parts import DeskFacts
from hil.desk.server import Desk
from hil.recording.header import RunHeader
from hil.stations.platform.plan.scenario import load_plan
from hil.timing.realtime import RealClock

UID = 1000
SECRET = "5" * 64
now_s = RealClock().now_s


def short_plan():
    """A circle of a fraction of a second at a low rate, so that its proof is quick."""
    overrides = ("rate_hz=50.0", "motion.duration_s=0.2", "motion.fade_s=0.5")
    return load_plan(Path("configs/scenarios/circle.toml"), overrides)


def platform_header():
    plan = short_plan()
    return RunHeader(PLATFORM, {"scenario": "circle"}, plan.model_dump(mode="json"))


ARM_HEADER = RunHeader(ARM, {"scenario": "handles"}, {"station": "arm"})


def poll(fd, timeout_s):
    """Wait for something to read, at most so long."""
    waiter = select.poll()
    waiter.register(fd, select.POLLIN)
    return bool(waiter.poll(1000.0 * timeout_s))


def pause(seconds):
    """Let real time pass, for what is about real time: a poll of nothing."""
    select.poll().poll(1000.0 * seconds)


def until(condition, timeout_s=10.0, step_s=0.005):
    """Poll a condition; return its first true value."""
    end_s = now_s() + timeout_s
    while now_s() < end_s:
        if value := condition():
            return value
        pause(step_s)
    raise AssertionError(f"not so within {timeout_s} s")


def child(source, *arguments, pass_fds=()):
    """A second process that runs a script."""
    return subprocess.Popen(
        [sys.executable, "-c", source, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=pass_fds,
    )


class Bench:
    """A desk without sockets, on a clock that the test moves."""

    def __init__(self, station="platform", uid=UID, before=NOTHING_BEFORE):
        self.now = 100.0
        self.slot = LatestOrder.local()
        self.asked = []
        self.inbox = {}
        self.of_force = {}
        self.welcomed = set()
        self.left = []
        nonces = itertools.count()
        facts = DeskFacts(17, 0.002, station, "circle", proves=station == "platform")
        self.desk = Desk(
            SECRET,
            facts,
            uid=uid,
            now_s=lambda: self.now,
            nonce=lambda: f"nonce {next(nonces)}",
            write=self.slot.write,
            ask=self.asked.append,
            before=before,
        )
        self.last = self.slot.read()

    def collect(self):
        for packet in self.desk.outbox.take_packets():
            self.inbox.setdefault(packet.client, []).append(m.from_desk(packet.data))
            if packet.with_descriptors:
                self.welcomed.add(packet.client)
        self.left += self.desk.outbox.take_leaving()

    def heard(self, key):
        """What a client was told since the last call, but of what is in force (`told`)."""
        self.collect()
        packets = self.inbox.pop(key, [])
        of_force = [each for each in packets if isinstance(each, m.Wanted | m.NewMotion)]
        self.of_force.setdefault(key, []).extend(of_force)
        return [each for each in packets if each not in of_force]

    def told(self, key):
        """What a client was told of tempo, pose and motion since the last call."""
        self.collect()
        self.inbox[key] = self.heard(key)
        return self.of_force.pop(key, [])

    def connect(self, key, uid=UID):
        self.desk.connected(key, uid)
        return self.heard(key)

    def say(self, key, message):
        self.desk.received(key, message if isinstance(message, bytes) else message.to_bytes())
        return self.heard(key)

    def join(self, key, name="panel"):
        (nonce,) = self.connect(key)
        return self.say(key, m.Hello(name=name, proof=m.proof_of(SECRET, nonce.nonce)))

    def own(self, key, name="panel"):
        """A client that has the motion and has just shown a sign of life."""
        self.join(key, name)
        self.alive(key, held=False)
        (_, answer) = self.say(key, m.Take(id=1))
        assert answer.ok

    def alive(self, key, held, age_s=0.0):
        return self.say(key, m.Alive(held=held, stamp_s=self.now - age_s))

    def press(self, key, button):
        (answer,) = self.say(key, m.Press(button=button, id=9))
        return answer

    @property
    def order(self):
        """What control has: the newest order it could read."""
        self.last = self.slot.read() or self.last
        return self.last

    def pressed(self):
        """Buttons with their counts, those never pressed left out."""
        return {b: n for b, n in zip(BUTTONS, self.order.presses, strict=True) if n}


__all__ = ["ARM_HEADER", "Bench", "Button", "child", "now_s", "pause", "platform_header", "poll",
           "short_plan", "until"]  # fmt: skip
